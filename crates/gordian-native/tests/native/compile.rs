//! Compiles the programs that are tested, with the system's compilers.

use gordian_native::hooks::{Compiler, Library, rustc};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiled program, with hooks; nothing, with a notice, where there is no compiler.
pub(crate) fn hooked(source: &str, options: &[&str]) -> Option<String> {
    let library =
        Library::put(Some(&PathBuf::from(env!("CARGO_TARGET_TMPDIR")))).expect("there is a runtime");
    let mut all: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
    if source.ends_with(".rs") {
        all.extend(rustc::COMPILE.map(str::to_owned));
        all.extend(["--target".to_owned(), "x86_64-unknown-linux-gnu".to_owned()]);
        all.extend(rustc::link(&library).iter().map(|option| option.to_str().expect("text").to_owned()));
    } else {
        let version = Command::new("cc").arg("--version").output().ok()?;
        let compiler =
            Compiler::from_version(&String::from_utf8_lossy(&version.stdout)).expect("a known one");
        let options = compiler.compile(&library).expect("it can be told");
        let options = options.into_iter().chain(compiler.link(&library));
        all.extend(options.map(|option| option.to_str().expect("text").to_owned()));
    }
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    compiled_as(&format!("hooked-{}{}", source.replace('.', "-"), options.concat()), source, &all)
}

/// The compiled program; nothing, with a notice, where there is no compiler.
pub(crate) fn compiled(source: &str, options: &[&str]) -> Option<String> {
    let mut name = source.replace('.', "-");
    options.iter().for_each(|option| name += &option.replace(['/', '='], "-"));
    compiled_as(&name, source, options)
}

fn compiled_as(name: &str, source: &str, options: &[&str]) -> Option<String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (out, path) =
        (folder.join(name), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(source));
    // Tests run at the same time, and a program that is written to cannot be run.
    let fresh = folder.join(format!("{name}.{}.{:?}", std::process::id(), std::thread::current().id()));
    let mut compiler = if source.ends_with(".rs") {
        let mut rustc = Command::new("rustc");
        rustc.env("RUSTC_BOOTSTRAP", "1");
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
