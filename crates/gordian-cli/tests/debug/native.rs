//! Native programs: gdb starts them itself, with the runtime in them.

use crate::session::{ROOT, answers, like_a_terminal, texts, with_debugger};
use crate::{has, thread};
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int *pointer, n;

static void *eats(void *x) {
    int local = 42;
    pthread_mutex_lock(&right); /* takes the right one */
    pthread_mutex_lock(&left); /* the other waits */
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    n += local;
    return x;
}

static void *sets(void *x) {
    pthread_mutex_lock(&left);
    pointer = &n;
    pthread_mutex_unlock(&left);
    return x;
}

int main(int count, char **argument) {
    pthread_t other;
    printf("begins\n");
    if (count > 1 && !strcmp(argument[1], "it's a crash")) {
        pthread_create(&other, 0, sets, 0);
        pthread_mutex_lock(&left);
        pthread_mutex_unlock(&left);
        *pointer = 1; /* crashes */
    } else if (count > 1) {
        pthread_create(&other, 0, sets, 0);
        pthread_mutex_lock(&left); /* main locks */
        int *seen = pointer;
        pthread_mutex_unlock(&left);
        assert(seen == 0); /* fails */
    } else {
        pthread_create(&other, 0, eats, 0);
        pthread_mutex_lock(&left);
        pthread_mutex_lock(&right); /* main waits */
        pthread_mutex_unlock(&right);
        pthread_mutex_unlock(&left);
    }
    pthread_join(other, 0);
    return 0;
}
"#;

/// The line with this comment, as it is shown.
fn line(comment: &str) -> String {
    let found = SOURCE.lines().position(|line| line.ends_with(&format!("/* {comment} */")));
    format!("(dine.c:{})", found.unwrap_or_else(|| panic!("no line {comment}")) + 1)
}

fn gordian(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gordian"));
    command.args(arguments);
    like_a_terminal(&mut command, folder).env_remove("GORDIAN_REPORT");
    command
}

/// What gdb says about the failure that a search of the program with these arguments finds.
fn gdb(name: &str, compiler: &[&str], arguments: &[&str], commands: &[&str]) -> Option<Vec<String>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("debugged-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("dine.c"), SOURCE).unwrap();
    let mut compile = match compiler {
        [] => Command::new("cc"),
        hooks => gordian(&folder, hooks),
    };
    let compiled = compile.args(["-g", "-pthread", "-o", "dine", "dine.c"]).current_dir(&folder).status();
    match compiled {
        Ok(status) => assert!(status.success()),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "there is no C compiler: {error}");
            println!("skipped: there is no C compiler: {error}");
            return None;
        }
    }
    let output = gordian(&folder, &["run", "--", "./dine"]).args(arguments).output().unwrap();
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    let replay = gordian(&folder, &["replay", "target/gordian/dine/1.trace", "--debug"]);
    Some(answers(replay, &folder, commands, &[]))
}

#[test]
fn a_deadlock_is_looked_at_thread_by_thread() {
    with_debugger(|| {
        let commands = [
            "gordian threads",
            "gordian end",
            "gordian threads",
            "gordian thread main.1",
            "print local",
            "gordian step 1",
            "gordian steps",
            "gordian step 2",
            "gordian steps",
        ];
        let Some(said) = gdb("deadlock", &[], &[], &commands) else { return };
        has(&said[0], "before step 2 of 2: main.1: lock right");
        has(&said[0], &format!("eats {}", line("takes the right one")));
        has(&thread(&said[1], "main"), &line("main waits"));
        has(&said[2], "the failure, after 2 steps: deadlock: main -> main.1 -> main wait for each other");
        has(&said[2], "/* main waits */");
        let main = thread(&said[3], "main");
        has(&main, "lock right: blocked, held by main.1");
        has(&main, &format!("main {}", line("main waits")));
        let other = thread(&said[3], "main.1");
        has(&other, "lock left: blocked, held by main");
        has(&other, &format!("eats {}", line("the other waits")));
        assert!(!other.contains("start_thread"), "{other}");
        has(&said[4], "/* the other waits */");
        has(&said[5], "= 42");
        // Back, by running it again.
        has(&said[6], "before step 1 of 2: main: lock left");
        has(&said[7], "no steps so far");
        has(&said[8], "before step 2 of 2: main.1: lock right");
        has(&said[9], "lock left");
    });
}

#[test]
fn a_failed_assertion_and_a_crash_are_shown_where_they_happen() {
    with_debugger(|| {
        let commands = ["gordian step 2", "gordian end", "print seen == &n", "gordian threads"];
        let Some(said) = gdb("assertion", &[], &["assertion"], &commands) else { return };
        has(&said[1], "before step 2 of ");
        has(&said[2], "main failed an assertion: seen == 0");
        has(&said[2], "/* fails */");
        has(&said[3], "= 1");
        has(&thread(&said[4], "main"), "fails here");
        has(&thread(&said[4], "main.1"), "has ended");
        let commands = ["gordian end", "print pointer"];
        let Some(said) = gdb("crash", &[], &["it's a crash"], &commands) else { return };
        has(&said[1], "crash: main was stopped by SIGSEGV");
        has(&said[1], "*pointer = 1; /* crashes */");
        has(&said[2], "(int *) 0x0");
    });
}

#[test]
fn a_program_with_hooks_is_looked_at_too() {
    with_debugger(|| {
        let commands = ["gordian end", "gordian threads"];
        let Some(said) = gdb("hooked", &["cc"], &[], &commands) else { return };
        has(&said[1], "wait for each other");
        has(&thread(&said[2], "main.1"), &format!("eats {}", line("the other waits")));
    });
}

#[test]
fn the_page_shows_what_gdb_says_of_a_native_program() {
    with_debugger(|| {
        let path = Path::new(ROOT).join("docs/debugger.md");
        let page = std::fs::read_to_string(&path).unwrap();
        let mark = "<!-- session: dine -->\n```text\n";
        let (before, rest) = page.split_once(mark).expect("a session");
        let (shown, after) = rest.split_once("```\n<!-- end -->").expect("it ends");
        let first = shown.lines().next().unwrap();
        assert!(first.ends_with("/1.trace --debug"), "{first}");
        let commands: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix("(gdb) ")).collect();
        assert!(commands.len() > 2);
        let Some(answers) = gdb("page", &[], &[], &commands) else { return };
        let mut should = format!("{first}\n{}", answers[0]);
        for (command, answer) in commands.iter().zip(&answers[1..]) {
            should += &format!("(gdb) {command}\n{answer}");
        }
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(&path, format!("{before}{mark}{should}```\n<!-- end -->{after}")).unwrap();
        }
        // How many frames are Gordian's own depends on what the compiler made of them.
        let without_numbers = |text: &str| -> Vec<String> {
            let words =
                |line: &str| line.split(' ').filter(|w| !w.starts_with('#')).collect::<Vec<_>>().join(" ");
            text.lines().map(words).collect()
        };
        let (shown, should) = (without_numbers(shown), without_numbers(&should));
        assert_eq!(shown, should, "the page is out of date: run once with UPDATE_SNAPSHOTS=1");
    });
}
