//! The native programs in their quick form. What is not installed is skipped with a notice, except where everything is checked.
#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

use gordian_suite::native::debian::COMPRESSORS;
use gordian_suite::native::search::{Effort, search_all};
use gordian_suite::native::tools::{Tools, is_there};
use gordian_suite::native::{Language, folder, page, programs};
use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

/// Says what is skipped and why; where everything is checked, nothing may be.
fn skip(what: &str, why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{what}: {why}");
    eprintln!("skipped {what}: {why}");
}

/// Can the crates be had that such a program uses?
fn can_be_fetched(language: Language) -> bool {
    let packages: &[&str] = match language {
        Language::Crates => &["crates"],
        Language::Published => &["published/defective", "published/fixed"],
        _ => &[],
    };
    packages.iter().all(|package| {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["fetch", "--quiet", "--locked", "--manifest-path"]);
        cargo.arg(folder().join(package).join("Cargo.toml")).status().is_ok_and(|status| status.success())
    })
}

#[test]
fn every_native_bug_is_found_and_no_fixed_twin_fails() {
    let mut programs = programs().unwrap();
    for (language, _, _) in Language::ALL {
        let there = match language {
            Language::C => is_there("cc"),
            Language::Cpp => is_there("c++"),
            _ => can_be_fetched(language),
        };
        if !there {
            skip(&format!("native programs in {language}"), "the compiler or a crate is missing");
            programs.retain(|program| program.language != language);
        }
    }
    let tools = Tools::new(env!("CARGO_BIN_EXE_gordian-suite").into()).unwrap();
    let rows = search_all(&tools, &programs, &Effort::QUICK, |row, seconds| {
        eprintln!("{} ({seconds:.1} s in all)", page::line(row));
    });
    let wrong: Vec<String> = rows.iter().filter_map(|row| row.wrong()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn compressors_write_the_same_in_every_execution() {
    for compressor in COMPRESSORS {
        if !compressor.is_there() {
            skip(compressor.name, "it is not installed");
            continue;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("debian");
        let found = compressor.explore(&folder, Effort::QUICK.limits()).unwrap();
        eprintln!("{}: {found:?}", compressor.name);
        assert_eq!(found.wrong, None, "{}", compressor.name);
        assert!(found.compared > 1 && found.threads > 2, "{}: {found:?}", compressor.name);
    }
}

#[test]
fn there_are_enough_bugs_and_each_says_what_goes_wrong() {
    let programs = programs().unwrap();
    let seeded = programs.iter().filter(|program| program.language != Language::Published);
    assert!(seeded.count() >= 25);
    let mut names = HashSet::new();
    for program in &programs {
        assert!(names.insert(&program.name), "{} is there twice", program.name);
        assert!(!program.about.is_empty() && !program.expected.is_empty(), "{}", program.name);
        let lines = std::fs::read_to_string(&program.source).unwrap().lines().count();
        assert!(lines < 100, "{} has {lines} lines", program.name);
    }
}
