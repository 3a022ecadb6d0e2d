//! The suite as `-- check` runs it.

use gordian_suite::{SECTIONS, check, programs};
use std::collections::HashSet;

#[test]
fn every_bug_is_found_and_no_fixed_version_fails() {
    let wrong: Vec<String> = programs().filter_map(|program| check::check(program).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_program_has_a_name_of_its_own_and_says_where_it_is_from() {
    let mut names = HashSet::new();
    for program in programs() {
        assert!(names.insert(program.name), "{} is there twice", program.name);
        assert!(!program.source.is_empty() && !program.about.is_empty(), "{}", program.name);
    }
    assert!(SECTIONS.iter().all(|section| !section.programs.is_empty()));
}
