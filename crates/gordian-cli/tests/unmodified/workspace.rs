//! A workspace of plain Rust: tests and programs with and without bugs, a dependency, a procedural macro, a build script.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", "[workspace]\nmembers = [\"shop\", \"counter\", \"derived\"]\nresolver = \"3\"\n"),
    (
        "shop/Cargo.toml",
        r#"
[package]
name = "shop"
version = "0.1.0"
edition = "2024"
default-run = "open"

[features]
broken = []

[dependencies]
counter = { path = "../counter" }
derived = { path = "../derived" }

[[test]]
name = "own"
harness = false
"#,
    ),
    // What runs while it is built is not to see anything of the hooks.
    (
        "shop/build.rs",
        r#"
fn main() {
    for variable in ["CARGO_CFG_SANITIZE", "RUSTC_BOOTSTRAP"] {
        assert!(std::env::var_os(variable).is_none(), "{variable} is set");
    }
    // As build scripts ask whether the compiler is an unstable one.
    let wrapper = std::env::var_os("RUSTC_WRAPPER").expect("cargo says it");
    let mut compiler = std::process::Command::new(wrapper);
    compiler.arg(std::env::var_os("RUSTC").unwrap()).args(["--crate-name", "asks", "--crate-type=lib", "--emit=metadata"]);
    compiler.arg("--target").arg(std::env::var_os("TARGET").unwrap());
    compiler.arg("--out-dir").arg(std::env::var_os("OUT_DIR").unwrap()).arg("asks.rs");
    let output = compiler.output().unwrap();
    assert!(!output.status.success(), "the compiler takes itself for an unstable one");
    println!("cargo::rustc-env=BUILT=yes");
}
"#,
    ),
    ("shop/asks.rs", "#![feature(never_type)]\n"),
    (
        "shop/src/lib.rs",
        r#"
#[cfg(feature = "broken")]
compile_error!("broken on purpose");

/// Ten.
///
/// ```
/// assert_eq!(shop::ten(), 10);
/// ```
pub fn ten() -> usize {
    derived::ten!()
}

#[cfg(test)]
mod tests {
    use counter::Counter;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::sync::{Arc, mpsc};
    use std::thread;

    fn both(add: fn(&Counter)) {
        let count = Arc::new(Counter::default());
        let other = Arc::clone(&count);
        let thread = thread::spawn(move || add(&other));
        add(&count);
        thread.join().unwrap();
        assert!(count.get() == 2, "lost <one>");
    }

    #[test]
    fn an_update_is_lost() {
        both(Counter::add_in_two_steps);
    }

    #[test]
    #[should_panic(expected = "lost <one>")]
    fn an_update_is_not_always_lost() {
        both(Counter::add_in_two_steps);
    }

    #[test]
    fn updates_count() {
        let count = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| count.fetch_add(1, Relaxed));
        });
        assert_eq!(count.load(Relaxed), 1);
    }

    #[test]
    fn a_message_is_waited_for() {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || receiver.recv().unwrap());
        sender.send(5).unwrap();
        assert_eq!(thread.join().unwrap(), 5);
    }

    #[test]
    fn it_has_the_folder_and_the_variables_of_cargo_test() {
        assert_eq!(super::ten(), 10);
        assert!(std::path::Path::new("src/lib.rs").exists());
        assert_eq!(std::env::var("CARGO_MANIFEST_DIR").unwrap(), env!("CARGO_MANIFEST_DIR"));
    }

    #[test]
    fn starts_a_process() {
        std::process::Command::new("true").status().unwrap();
    }

    #[test]
    #[ignore]
    fn left_out() {
        panic!("it was run");
    }
}
"#,
    ),
    ("shop/src/bin/open.rs", "fn main() {\n    both(std::env::args().nth(1).is_some());\n}\n\nOPEN"),
    ("shop/src/bin/close.rs", "fn main() {}\n"),
    ("shop/tests/own.rs", "fn main() {\n    panic!(\"it was run\");\n}\n"),
    ("counter/Cargo.toml", "[package]\nname = \"counter\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
    (
        "counter/src/lib.rs",
        r#"
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[derive(Default)]
pub struct Counter(AtomicUsize);

impl Counter {
    #[inline(never)]
    pub fn add_in_two_steps(&self) {
        let now = self.0.load(SeqCst);
        self.0.store(now + 1, SeqCst);
    }

    #[inline(never)]
    pub fn get(&self) -> usize {
        self.0.load(SeqCst)
    }
}
"#,
    ),
    (
        "derived/Cargo.toml",
        "[package]\nname = \"derived\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[lib]\nproc-macro = true\n",
    ),
    (
        "derived/src/lib.rs",
        "#[proc_macro]\npub fn ten(_: proc_macro::TokenStream) -> proc_macro::TokenStream {\n    \"10\".parse().unwrap()\n}\n\n\
         #[test]\nfn in_a_macro() {\n    panic!(\"it was run\");\n}\n",
    ),
];

const OPEN: &str = r#"
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

static COUNT: AtomicUsize = AtomicUsize::new(0);

fn both(atomically: bool) {
    let add = move || match atomically {
        true => drop(COUNT.fetch_add(1, SeqCst)),
        false => COUNT.store(COUNT.load(SeqCst) + 1, SeqCst),
    };
    let thread = std::thread::spawn(add);
    add();
    thread.join().unwrap();
    assert_eq!(COUNT.load(SeqCst), 2);
}
"#;

/// The workspace; every test here shares it, because building it takes a while. Nothing, with a notice, where nothing can be linked.
pub(crate) fn workspace() -> Option<&'static Path> {
    static WORKSPACE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = WORKSPACE.get_or_init(|| {
        if let Err(error) = Command::new("cc").arg("--version").output() {
            assert!(std::env::var_os("CI").is_none(), "there is no C compiler: {error}");
            eprintln!("skipped: there is no C compiler, so nothing can be linked: {error}");
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unmodified");
        for (name, text) in FILES {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let text = text.replace("OPEN", OPEN.trim_start());
            // Left as it is, cargo need not build it again.
            if std::fs::read_to_string(&path).ok().as_deref() != Some(&*text) {
                std::fs::write(path, text).unwrap();
            }
        }
        Some(folder)
    });
    made.as_deref()
}
