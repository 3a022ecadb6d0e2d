//! Variables that were chosen: accesses to others are no steps.

use crate::compile::hooked;
use crate::{search_in, start};
use gordian_native::NativeError;
use gordian_search::Summary;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What comes of the program in all executions of a search that switches at these variables only.
fn outcomes(program: &str, case: &str, names: &[&str], how: &str) -> (BTreeSet<String>, Summary) {
    let name = format!("chosen.{}.{:?}", std::process::id(), std::thread::current().id());
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&file);
    let mut native = start(program, &[case, file.to_str().unwrap()]);
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    native.choose(&names).unwrap();
    let found = search_in(&mut native, how);
    let failure = found.failure.as_ref().map(|(failure, _)| &failure.message);
    assert_eq!(failure, None, "{case} {names:?} {how}");
    assert!(found.complete, "{case} {names:?} {how}");
    let text = std::fs::read_to_string(&file).unwrap();
    let _ = std::fs::remove_file(&file);
    (text.lines().map(str::to_owned).collect(), found)
}

#[test]
fn switches_happen_at_the_variables_that_were_chosen() {
    let Some(program) = hooked("chosen.c", &[]) else { return };
    let of = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<BTreeSet<_>>();
    for how in ["exhaustive", "dfs", "preemptions:3"] {
        // An update is lost where there is a step between reading and writing.
        for (names, expected) in [
            (&["a"][..], of(&["1 2 2", "2 2 2"])),
            (&["b"], of(&["2 1 2", "2 2 2"])),
            (&["plain"], of(&["2 2 1", "2 2 2"])),
            (&["a", "b"], of(&["1 1 2", "1 2 2", "2 1 2", "2 2 2"])),
        ] {
            let (found, summary) = outcomes(&program, "adds", names, how);
            assert_eq!(found, expected, "{names:?} {how}");
            // Two accesses by each of two threads, and those by main at the end.
            let longest = summary.statistics.steps().map_or(0, |(_, _, most)| most);
            assert_eq!(longest as usize, 5 * names.len(), "{names:?} {how}");
        }
    }
}

#[test]
fn loops_that_wait_for_what_was_not_chosen_let_others_go() {
    let Some(program) = hooked("chosen.c", &[]) else { return };
    let (found, _) = outcomes(&program, "waits", &["a"], "preemptions:2");
    assert!(found.contains("2 1 0") && found.contains("2 2 0"), "{found:?}");
    // What the loop waits for may be neither or one of those chosen.
    for name in ["a", "b"] {
        outcomes(&program, "both", &[name], "preemptions:1");
    }
}

#[test]
fn what_is_no_variable_is_refused() {
    let Some(program) = hooked("chosen.c", &[]) else { return };
    let refused = start(&program, &["adds"]).choose(&["nothing".to_owned()]);
    let error = refused.unwrap_err();
    assert!(matches!(&error, NativeError::NoVariable { name, .. } if name == "nothing"), "{error}");
}
