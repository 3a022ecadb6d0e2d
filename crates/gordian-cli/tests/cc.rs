//! `gordian cc` and `gordian c++`: what comes out of them runs by itself as it would have without, and memory is seen when `gordian run` runs
//! it.
#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The compilers that are there, with a notice for those that are not.
fn compilers(names: &[&'static str]) -> Vec<&'static str> {
    let is_there = |name: &&&str| {
        let there = Command::new(name).arg("--version").stdout(Stdio::null()).status().is_ok();
        if !there {
            assert!(std::env::var_os("CI").is_none(), "there is no {name}");
            eprintln!("skipped: there is no {name}");
        }
        there
    };
    names.iter().filter(is_there).copied().collect()
}

/// A new folder with these files in it.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cc").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("writable");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("writable");
    }
    folder
}

fn gordian(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gordian"));
    command.args(line.split_whitespace()).current_dir(folder).env("LC_ALL", "C").env("COLUMNS", "80");
    // Where people keep caches is not to be changed by tests.
    command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.stdin(Stdio::null()).output().expect("it was built")
}

/// Does it, and gives what was printed.
#[track_caller]
fn done(folder: &Path, line: &str) -> String {
    let output = gordian(folder, line);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "gordian {line}: {}\n{out}{err}", output.status);
    assert_eq!(err, "", "gordian {line}");
    out.into_owned()
}

/// Does the file have calls of hooks in it?
fn has_hooks(file: &Path) -> bool {
    let bytes = std::fs::read(file).expect("it is there");
    bytes.windows(7).any(|window| window == b"__tsan_")
}

/// Only hooks show that the update is done in two steps.
const LOST: &str = r#"
#include <pthread.h>
#include <stdatomic.h>
#ifdef __SANITIZE_THREAD__
#error "the program knows that it is compiled otherwise"
#endif
static atomic_int count;
static void *add(void *x) {
    atomic_store(&count, atomic_load(&count) + 1);
    atomic_thread_fence(memory_order_seq_cst);
    return x;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, 0, add, 0);
    add(0);
    pthread_join(other, 0);
    return count != 2;
}
"#;

/// A program that says whether its count was right has ended as it should. By itself it is right nearly always, but not always.
fn counts(status: std::process::ExitStatus) -> bool {
    matches!(status.code(), Some(0 | 1))
}

#[test]
fn an_update_that_is_lost_is_found_in_programs_of_both_compilers() {
    for compiler in compilers(&["gcc", "clang"]) {
        let source = match compiler {
            // It knows by other means than a macro, which cannot be taken away.
            "clang" => LOST.replace("__SANITIZE_THREAD__", "NEVER"),
            _ => LOST.to_owned(),
        };
        let folder = folder(compiler, &[("lost.c", &source)]);
        // In one go, and in two; with the warnings of a careful person.
        done(&folder, &format!("cc --compiler {compiler} -Wall -Wextra -Werror -pthread -o lost lost.c"));
        done(&folder, &format!("cc --compiler={compiler} -O2 -Wall -Werror -c lost.c"));
        assert!(has_hooks(&folder.join("lost.o")));
        done(&folder, &format!("cc --compiler {compiler} -pthread -o parts lost.o"));
        for program in ["./lost", "./parts"] {
            let alone = Command::new(folder.join(program)).status().expect("it runs by itself");
            assert!(counts(alone), "{compiler} {program}: {alone}");
            let output = gordian(&folder, &format!("run --json -- {program}"));
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(json["failures"][0]["kind"], "abnormal exit", "{json}");
            let text = json["failures"][0]["text"].as_str().unwrap();
            assert!(text.contains("lost.c:9"), "lines are known without -g:\n{text}");
        }
    }
}

#[test]
fn cpp_is_compiled_too() {
    let source = r#"
#include <atomic>
#include <thread>
static std::atomic<int> count;
int main() {
    std::thread other([] { count = count + 1; });
    count = count + 1;
    other.join();
    return count != 2;
}
"#;
    for compiler in compilers(&["g++", "clang++"]) {
        let folder = folder(compiler, &[("lost.cpp", source)]);
        done(
            &folder,
            &format!("c++ --compiler {compiler} -std=c++17 -Wall -Werror -pthread -o lost lost.cpp"),
        );
        assert!(counts(Command::new(folder.join("lost")).status().expect("it runs")));
        assert_eq!(gordian(&folder, "run -- ./lost").status.code(), Some(1));
    }
}

#[test]
fn everything_that_build_systems_ask_for_works() {
    let Some(compiler) = compilers(&["gcc"]).pop() else { return };
    let main = "int one(void); int two(void);\n#include \"head.h\"\nint main(void) { return one() + two() - THREE; }\n";
    let folder = folder(
        "asked",
        &[
            ("main.c", main),
            ("one.c", "int first; int one(void) { first = 1; return first; }\n"),
            ("two.c", "int two(void) { static int n = 1; n++; return n; }\n"),
            ("head.h", "#define THREE 3\n"),
            ("all.rsp", "-o 'from a file' main.c \"one.c\" two.c\n"),
        ],
    );
    let cc = |line: &str| done(&folder, &format!("cc --compiler {compiler} {line}"));
    let runs = |name: &str| {
        let status = Command::new(folder.join(name)).status().expect("it was linked");
        assert!(status.success(), "{name}: {status}");
    };
    assert!(cc("--version").contains("Free Software Foundation"));
    assert!(cc("-print-prog-name=ld").trim().ends_with("ld"));
    assert!(cc("-dumpmachine").contains("linux"));
    assert!(cc("-E main.c").contains("one() + two() - 3"));
    assert!(cc("-MM main.c").contains("main.o: main.c head.h"));
    assert!(cc("-S -o - one.c").contains("__tsan_write4"));
    assert!(!cc("-S -o - -fno-sanitize=thread one.c").contains("__tsan"));
    // Several sources at once.
    cc("-o several main.c one.c two.c");
    runs("several");
    // Arguments in a file.
    cc("@all.rsp");
    runs("from a file");
    // A static library, of which the archiver knows nothing; dependencies on the way.
    cc("-MMD -MF main.d -c main.c");
    assert!(std::fs::read_to_string(folder.join("main.d")).unwrap().contains("head.h"));
    cc("-c one.c two.c");
    let archived =
        Command::new("ar").args(["rcs", "libparts.a", "one.o", "two.o"]).current_dir(&folder).status();
    assert!(archived.is_ok_and(|status| status.success()));
    cc("-o archived main.o -L. -lparts");
    runs("archived");
    // A shared library.
    cc("-shared -fPIC -Wl,-z,defs -o libboth.so one.c two.c");
    cc("-o shared main.c -L. -lboth -Wl,-rpath,.");
    let status = Command::new("./shared").current_dir(&folder).status().expect("it was linked");
    assert!(status.success());
    // What is optimised when it is linked has no hooks, so it is done before.
    cc("-O2 -flto -c one.c");
    assert!(has_hooks(&folder.join("one.o")));
    cc("-flto -o late one.o two.c main.c");
    runs("late");
    // From standard input, which is empty here.
    cc("-x c -c -o empty.o -");
    // The messages and the status are the compiler's.
    let output = gordian(&folder, "cc -c none.c");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("none.c: No such file"), "{output:?}");
}

#[test]
fn a_makefile_takes_it_for_a_compiler() {
    if compilers(&["gcc", "make"]).len() < 2 {
        return;
    }
    let rules = "lost: lost.o\n\t$(CC) $(CFLAGS) -o $@ $^ -pthread\n";
    let folder = folder("make", &[("lost.c", LOST), ("Makefile", rules)]);
    let cc = format!("CC={} cc", env!("CARGO_BIN_EXE_gordian"));
    let made = Command::new("make").args(["-s", &cc]).current_dir(&folder).output().expect("make");
    assert!(made.status.success() && made.stderr.is_empty(), "{made:?}");
    assert!(counts(Command::new(folder.join("lost")).status().expect("it runs")));
    assert_eq!(gordian(&folder, "run -- ./lost").status.code(), Some(1));
}

#[test]
fn what_cannot_be_done_is_said_in_a_sentence() {
    let folder = folder("refused", &[("lost.c", LOST)]);
    let refused = |line: &str| {
        let output = gordian(&folder, line);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).expect("text")
    };
    let none = refused("cc --compiler no-such-compiler -c lost.c");
    assert!(none.starts_with("gordian: cannot start the compiler no-such-compiler: "), "{none}");
    assert!(
        none.ends_with("install gcc or clang, or name another with GORDIAN_CC or --compiler\n"),
        "{none}"
    );
    let other = refused("c++ --compiler true lost.c");
    assert!(other.starts_with("gordian: true is neither gcc nor clang"), "{other}");
    assert!(
        refused("cc -static lost.c")
            .starts_with("gordian: -static makes a program into which nothing can be loaded")
    );
    assert!(
        refused("cc -fsanitize=thread lost.c").starts_with("gordian: -fsanitize=thread brings the library")
    );
    assert!(refused("cc --compiler").starts_with("gordian: --compiler needs a compiler"));
}

#[test]
fn the_page_shows_what_is_said() {
    if compilers(&["cc"]).is_empty() {
        return;
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hooks.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let block =
        |fence: &str| page.split(fence).nth(1).and_then(|part| part.split("```").next()).expect("a block");
    let folder = folder("page", &[("count.c", block("```c\n"))]);
    let mut said = String::new();
    for line in block("```text\n").lines().filter_map(|line| line.strip_prefix("$ gordian ")) {
        let output = gordian(&folder, line);
        said.push_str(&String::from_utf8_lossy(&output.stdout));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
    }
    let shown: Vec<&str> =
        block("```text\n").lines().filter(|l| !l.starts_with('$') && *l != "...").collect();
    assert!(shown.len() > 4);
    for line in shown {
        assert!(said.lines().any(|said| said.trim_end() == line.trim_end()), "{line:?} is not in:\n{said}");
    }
}
