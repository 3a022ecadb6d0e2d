//! `gordian run` as a person meets it.
#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

use std::path::{Path, PathBuf};
use std::process::Command;

fn gordian(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gordian"))
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", "80")
        .env("LC_ALL", "C")
        .env("TERM", "dumb")
        .output()
        .expect("it was built");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const SOURCE: &str = r#"
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static void *eats(void *x) {
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return x;
}
int main(int count, char **argument) {
    pthread_t other;
    if (count > 2)
        return 0;
    if (count > 1)
        fork();
    pthread_create(&other, 0, eats, 0);
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    pthread_join(other, 0);
    return 0;
}
"#;

/// A folder with a program in it; nothing, with a notice, where there is no compiler.
fn folder(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("writable");
    std::fs::write(folder.join("dine.c"), SOURCE).expect("writable");
    let compiled =
        Command::new("cc").args(["-g", "-pthread", "-o", "dine", "dine.c"]).current_dir(&folder).status();
    match compiled {
        Ok(status) => {
            assert!(status.success());
            Some(folder)
        }
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "there is no C compiler: {error}");
            eprintln!("skipped: there is no C compiler: {error}");
            None
        }
    }
}

#[test]
fn a_deadlock_is_found_saved_shown_and_replayed() {
    let Some(folder) = folder("native-found") else { return };
    let (status, out, err) = gordian(&folder, &["run", "--", "./dine"]);
    assert_eq!((status, err.as_str()), (Some(1), ""), "{out}");
    for part in [
        "deadlock: main -> main.1 -> main wait for each other\n",
        "waits to lock left, held by main since dine.c:19",
        "saved: target/gordian/dine/1.trace",
        "replay: gordian replay target/gordian/dine/1.trace\n",
        "report: target/gordian/dine/1.html",
    ] {
        assert!(out.contains(part), "{part:?} is not in:\n{out}");
    }
    assert!(folder.join("target/gordian/dine/1.html").exists());
    let (status, out, err) = gordian(&folder, &["replay", "target/gordian/dine/1.trace"]);
    assert_eq!((status, err.as_str()), (Some(1), ""), "{out}");
    assert!(
        out.contains("replayed target/gordian/dine/1.trace: the same failure in the same 2 steps"),
        "{out}"
    );
    let (status, out, _) = gordian(&folder, &["report", "target/gordian/dine/1.trace"]);
    assert_eq!(status, Some(0));
    assert!(out.starts_with("test gordian run -- ./dine\ndeadlock: "), "{out}");
    let (status, _, err) = gordian(&folder, &["explain", "target/gordian/dine/1.trace"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("a failure of a native program, which cannot be explained yet"), "{err}");
    let arguments = ["report", "target/gordian/dine/1.trace", "--html", "page.html"];
    assert_eq!(gordian(&folder, &arguments).0, Some(0));
    let page = std::fs::read_to_string(folder.join("page.html")).expect("it was written");
    assert!(page.contains("gordian replay target/gordian/dine/1.trace"));
}

#[test]
fn a_program_that_has_changed_departs_from_its_recording() {
    let Some(folder) = folder("native-departs") else { return };
    assert_eq!(gordian(&folder, &["run", "--", "./dine"]).0, Some(1));
    let other = SOURCE.replace(
        "    pthread_mutex_lock(&left);\n    pthread_mutex_lock(&right);\n",
        "    pthread_mutex_lock(&right);\n    pthread_mutex_lock(&left);\n",
    );
    std::fs::write(folder.join("dine.c"), format!("\n{other}")).unwrap();
    let status =
        Command::new("cc").args(["-g", "-o", "dine", "dine.c"]).current_dir(&folder).status().unwrap();
    assert!(status.success());
    let (_, out, _) = gordian(&folder, &["replay", "target/gordian/dine/1.trace"]);
    assert!(
        out.contains(
            "it departed at step 1: expected main to lock at dine.c:19, but it was main to lock at dine.c:20"
        ),
        "{out}"
    );
}

#[test]
fn json_and_settings_are_understood() {
    let Some(folder) = folder("native-json") else { return };
    let arguments = ["run", "--json", "--search", "preemptions:0", "--minimise", "0", "--", "./dine"];
    let (status, out, err) = gordian(&folder, &arguments);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["complete"], true);
    assert!(json["trusted"].as_str().unwrap().contains("memory was not watched"));
    let (status, _, err) = gordian(&folder, &["run", "--search", "dsf", "--", "./dine"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("did you mean \"dfs\"?"), "{err}");
}

#[test]
fn what_cannot_be_done_has_status_two() {
    let Some(folder) = folder("native-refused") else { return };
    let (status, out, err) = gordian(&folder, &["run", "--", "./dine", "fork"]);
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(
        err.starts_with("gordian: main calls fork, which is not supported yet") && err.contains("dine.c:17"),
        "{err}"
    );
    let (status, out, err) = gordian(&folder, &["run", "--", "./dine", "no", "threads"]);
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(err.starts_with("gordian: nothing to check: the program started no thread"), "{err}");
    let (status, _, err) = gordian(&folder, &["run", "--", "./dine.c"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("./dine.c cannot be executed: it has no execute permission"), "{err}");
    let (status, _, _) = gordian(&folder, &["run", "--", "no-such-program"]);
    assert_eq!(status, Some(2));
}

#[test]
fn the_page_shows_what_is_said() {
    let Some(folder) = folder("page") else { return };
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/native.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let block =
        |fence: &str| page.split(fence).nth(1).and_then(|part| part.split("```").next()).expect("a block");
    std::fs::write(folder.join("dine.c"), block("```c\n")).expect("writable");
    let built =
        Command::new("cc").args(["-g", "-pthread", "-o", "dine", "dine.c"]).current_dir(&folder).status();
    assert!(built.is_ok_and(|status| status.success()));
    let (status, out, err) = gordian(&folder, &["run", "--", "./dine"]);
    assert_eq!(status, Some(1), "{out}{err}");
    let shown: Vec<&str> =
        block("```text\n").lines().filter(|l| !l.starts_with('$') && *l != "...").collect();
    assert!(shown.len() > 15);
    for line in shown {
        assert!(out.lines().any(|said| said.trim_end() == line), "{line:?} is not in:\n{out}{err}");
    }
}

const LONG: &str = r#"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *works(void *count) {
    for (int i = 0; i < *(int *)count || *(int *)count == 0; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(int count, char **argument) {
    pthread_t other;
    int rounds = count > 1 ? 0 : 11000;
    pthread_create(&other, 0, works, &rounds);
    pthread_join(other, 0);
    return 0;
}
"#;

#[test]
fn an_execution_that_is_just_long_is_told_from_one_that_does_not_end() {
    let Some(folder) = folder("native-long") else { return };
    std::fs::write(folder.join("long.c"), LONG).expect("writable");
    let mut compiler = Command::new("cc");
    compiler.args(["-g", "-pthread", "-o", "long", "long.c"]).current_dir(&folder);
    assert!(compiler.status().expect("there is a compiler").success());
    let (status, out, err) = gordian(&folder, &["run", "--", "./long"]);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("no failure in any interleaving (1 execution, 22000 steps"), "{out}");
    let (status, out, _) = gordian(&folder, &["run", "--steps", "20000", "--", "./long"]);
    assert!(status == Some(1) && out.contains("step limit: the execution took 20000 steps"), "{out}");
    let (status, out, _) = gordian(&folder, &["run", "--", "./long", "endless"]);
    assert!(status == Some(1) && out.contains("step limit: the execution took 20000 steps"), "{out}");
}

const RACY: &str = r#"
#include <assert.h>
#include <pthread.h>
static int seen, ready, value;
static void *writes(void *x) {
    seen++;
    value = 1;
    ready = 1;
    value = 2;
    return x;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, 0, writes, 0);
    seen++;
    while (!ready) {}
    assert(value == 2);
    pthread_join(other, 0);
    return 0;
}
"#;

#[test]
fn a_failure_behind_races_is_found_and_the_races_are_listed() {
    let Some(folder) = folder("native-races") else { return };
    std::fs::write(folder.join("racy.c"), RACY).expect("writable");
    let (code, _, errors) = gordian(&folder, &["cc", "-O0", "-o", "racy", "racy.c", "-pthread"]);
    assert_eq!(code, Some(0), "{errors}");
    // Either the race or the loop that does not come to a step.
    let (code, out, _) = gordian(&folder, &["run", "--patience", "1s", "--", "./racy"]);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("data race") || out.starts_with("stuck"), "{out}");
    let (code, out, errors) = gordian(&folder, &["run", "--races", "explore", "--", "./racy"]);
    assert_eq!(code, Some(1), "{out}{errors}");
    assert!(out.starts_with("main failed an assertion: value == 2"), "{out}");
    for part in [
        "data races passed over",
        "write by main.1 at racy.c:9",
        "main.1: writes (racy.c:9)",
        "main: main (racy.c:17)",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let (code, out, _) = gordian(&folder, &["replay", "target/gordian/racy/1.trace"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("the same failure in the same"), "{out}");
    let (_, out, _) = gordian(&folder, &["run", "--races", "explore", "--json", "--", "./racy"]);
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let races = value["races"].as_array().expect("races");
    assert!(
        races.iter().any(|race| race[0]["stack"][0].as_str().is_some_and(|top| top.contains("racy.c"))),
        "{out}"
    );
    let (code, _, errors) = gordian(&folder, &["run", "--races", "some", "--", "./racy"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("expected fail, explore"), "{errors}");
}

const COUNTS: &str = r#"
#include <pthread.h>
#include <stdatomic.h>
static atomic_int count, other;
static void *adds(void *x) {
    atomic_fetch_add(&other, 1);
    int now = atomic_load(&count);
    atomic_store(&count, now + 1);
    return x;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, adds, 0);
    adds(0);
    pthread_join(thread, 0);
    return count == 2 ? 0 : 1;
}
"#;

#[test]
fn a_result_says_at_which_variables_switches_were_tried() {
    let Some(folder) = folder("native-points") else { return };
    std::fs::write(folder.join("counts.c"), COUNTS).expect("writable");
    let (code, _, errors) = gordian(&folder, &["cc", "-o", "counts", "counts.c", "-pthread"]);
    assert_eq!(code, Some(0), "{errors}");
    let (code, out, errors) = gordian(&folder, &["run", "--points", "other", "--", "./counts"]);
    assert_eq!(code, Some(0), "{out}{errors}");
    assert!(
        out.starts_with("for interleavings at other and calls only: no failure in any interleaving"),
        "{out}"
    );
    assert!(out.contains("accesses to other variables than other were no steps"), "{out}");
    let (code, out, _) = gordian(&folder, &["run", "--points", "count", "--", "./counts"]);
    assert_eq!(code, Some(1), "{out}");
    let (code, out, _) = gordian(&folder, &["replay", "target/gordian/counts/1.trace"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("the same failure in the same"), "{out}");
    let (code, _, errors) = gordian(&folder, &["run", "--points", "nothing", "--", "./counts"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("has no variable nothing"), "{errors}");
}

const DRAWS: &str = r#"
#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int last;
static void *comes(void *i) {
    pthread_mutex_lock(&mutex);
    last = (int)(long)i;
    pthread_mutex_unlock(&mutex);
    return 0;
}
int main(void) {
    pthread_t other;
    uint64_t number;
    pthread_create(&other, 0, comes, (void *)1);
    comes((void *)2);
    pthread_join(other, 0);
    getrandom(&number, sizeof number, 0);
    return last == 1 ? 0 : 1 + number % 250;
}
"#;

#[test]
fn a_failure_with_real_random_numbers_is_replayed_with_them() {
    let Some(folder) = folder("native-inputs") else { return };
    std::fs::write(folder.join("draws.c"), DRAWS).expect("writable");
    let compiled =
        Command::new("cc").args(["-g", "-pthread", "-o", "draws", "draws.c"]).current_dir(&folder).status();
    assert!(compiled.expect("there was one before").success());
    let mut endings = Vec::new();
    for i in 1..=4 {
        let (code, out, errors) = gordian(&folder, &["run", "--inputs", "recorded", "--", "./draws"]);
        assert_eq!(code, Some(1), "{out}{errors}");
        endings.push(out.lines().next().unwrap_or_default().to_owned());
        for _ in 0..2 {
            let trace = format!("target/gordian/draws/{i}.trace");
            let (code, again, _) = gordian(&folder, &["replay", &trace]);
            assert_eq!(code, Some(1));
            assert!(again.contains("the same failure in the same"), "{again}");
        }
    }
    endings.dedup();
    assert!(endings.len() > 1, "the numbers are not real: {endings:?}");
    let (code, _, errors) = gordian(&folder, &["run", "--inputs", "some", "--", "./draws"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("expected virtual, recorded"), "{errors}");
}

#[test]
fn many_executions_in_one_process_say_the_same() {
    let Some(folder) = folder("native-rerun") else { return };
    let alone = gordian(&folder, &["run", "--", "./dine"]);
    let again = gordian(&folder, &["run", "--rerun", "--", "./dine"]);
    assert_eq!(alone.0, Some(1), "{}", alone.2);
    // How long it took is told as well.
    let told = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with("a failure was found")).map(str::to_owned).collect()
    };
    assert_eq!(told(&again.1), told(&alone.1));
    assert!(!again.2.contains("keeps state"), "{}", again.2);
    std::fs::write(folder.join("gordian.toml"), "rerun = true\n").expect("writable");
    let by_file = gordian(&folder, &["run", "--", "./dine"]);
    assert_eq!(told(&by_file.1), told(&alone.1), "{}", by_file.2);
}

#[test]
fn state_between_runs_is_told() {
    let Some(folder) = folder("native-state") else { return };
    let source = SOURCE
        .replace("#include <unistd.h>", "#include <sys/stat.h>\n#include <unistd.h>")
        .replace(
            "    pthread_mutex_lock(&right);\n    pthread_mutex_lock(&left);",
            "    pthread_mutex_lock(&left);\n    pthread_mutex_lock(&right);",
        )
        .replace(
            "    if (count > 2)\n        return 0;\n",
            "    if (umask(0123) == 0123)\n        pthread_mutex_lock(&left);\n",
        );
    std::fs::write(folder.join("state.c"), source).expect("writable");
    let compiled =
        Command::new("cc").args(["-g", "-pthread", "-o", "state", "state.c"]).current_dir(&folder).status();
    assert!(compiled.is_ok_and(|status| status.success()));
    let (status, out, err) = gordian(&folder, &["run", "--rerun", "--", "./state"]);
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(err.contains("the program keeps state between runs"), "{err}");
}
