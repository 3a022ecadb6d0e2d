//! Compiles the programs that are tested, with the system's compilers.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiled program; nothing, with a notice, where there is no compiler.
pub(crate) fn compiled(source: &str, options: &[&str]) -> Option<String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let mut name = source.replace('.', "-");
    options.iter().for_each(|option| name += &option.replace(['/', '='], "-"));
    let (out, path) =
        (folder.join(&name), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(source));
    // Tests run at the same time, and a program that is written to cannot be run.
    let fresh = folder.join(format!("{name}.{}.{:?}", std::process::id(), std::thread::current().id()));
    let mut compiler = if source.ends_with(".rs") {
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition", "2024", "-g", "-o"]).arg(&fresh).arg(&path);
        rustc
    } else {
        let mut cc = Command::new(if source.ends_with(".cpp") { "c++" } else { "cc" });
        cc.args(["-g", "-pthread", "-o"]).arg(&fresh).arg(&path);
        if source.ends_with(".cpp") {
            cc.arg("-std=c++20");
        }
        cc
    };
    let output = match compiler.args(options).output() {
        Ok(output) => output,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "cannot start {compiler:?}: {error}");
            eprintln!("skipped: cannot start {compiler:?}: {error}");
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::rename(&fresh, &out).expect("in one folder");
    Some(out.to_str().expect("a path in text").to_owned())
}
