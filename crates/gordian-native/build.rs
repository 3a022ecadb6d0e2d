//! Builds the runtime, a shared library, and puts it where the host includes it: one file is all that has to be installed.
//!
//! Cargo cannot make a shared library of another package a dependency of this one yet, so it is called again, with a target folder of its
//! own.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let crates = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("..");
    for part in ["gordian-runtime", "gordian-wire", "gordian-model"] {
        println!("cargo::rerun-if-changed={}", crates.join(part).join("src").display());
        println!("cargo::rerun-if-changed={}", crates.join(part).join("Cargo.toml").display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(variable("OUT_DIR"));
    let library = out.join("runtime.so");
    let (os, arch, env) = (
        variable("CARGO_CFG_TARGET_OS"),
        variable("CARGO_CFG_TARGET_ARCH"),
        variable("CARGO_CFG_TARGET_ENV"),
    );
    if (&*os, &*arch, &*env) != ("linux", "x86_64", "gnu") {
        // The host says that native programs cannot be run here.
        std::fs::write(&library, []).expect("the output folder can be written to");
        return;
    }
    let built = build(&crates.join("gordian-runtime/Cargo.toml"), &out.join("runtime"), &variable("TARGET"));
    std::fs::copy(&built, &library)
        .unwrap_or_else(|error| panic!("cannot copy {}: {error}", built.display()));
}

fn build(manifest: &Path, folder: &Path, target: &str) -> PathBuf {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--quiet", "--lib", "--target", target]);
    cargo.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(folder);
    // What this build was told about lints, coverage and the like is not meant for that one.
    for variable in
        ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTC"]
    {
        cargo.env_remove(variable);
    }
    let status = cargo.status().unwrap_or_else(|error| panic!("cannot start cargo: {error}"));
    assert!(status.success(), "the runtime for native programs could not be built ({status})");
    folder.join(target).join("release/libgordian_runtime.so")
}
