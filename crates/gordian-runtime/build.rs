//! Names the library. A program that was linked against a copy of it takes the one that is loaded already, if that has the same name.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libgordian_hooks.so");
}
