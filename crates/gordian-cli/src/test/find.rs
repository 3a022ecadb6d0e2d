//! Finds the tests of a program without running any: the `#[gordian::test]`s, or all the others.
//!
//! The attribute leaves a marker with the name of the test among the constants of the program, and the program itself
//! lists its tests with `--list`. Those that are in both are ours. A program without markers is not even started.

use super::build::Program;
use std::collections::HashSet;

const BEGIN: &[u8] = b"\x1egordian::test\x1f";
const END: u8 = b'\x1e';
/// The longest name, in bytes: what is longer is no marker.
const LONGEST: usize = 4096;

/// What a program has in it whose tests are run by std's harness: the name of a variable that only it reads.
const HARNESS: &[u8] = b"RUST_TEST_THREADS";

/// A test.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) program: &'a Program,
    /// As `cargo test` shows it.
    pub(crate) name: String,
    pub(crate) ignored: bool,
}

/// The tests of a program, in the order of their names.
pub(crate) fn find(program: &Program) -> Result<Vec<Case<'_>>, String> {
    let path = program.executable.display();
    let bytes = std::fs::read(&program.executable).map_err(|error| format!("cannot read {path}: {error}"))?;
    let marked = markers(&bytes);
    if marked.is_empty() {
        return Ok(Vec::new());
    }
    listed(program, |name| marked.contains(name))
}

/// The ordinary tests of a program, which are not made for Gordian; nothing if it is not std's harness that runs them.
pub(crate) fn find_unmodified(program: &Program) -> Result<Option<Vec<Case<'_>>>, String> {
    let path = program.executable.display();
    let bytes = std::fs::read(&program.executable).map_err(|error| format!("cannot read {path}: {error}"))?;
    // Another harness may not know --list, and run everything.
    if !bytes.windows(HARNESS.len()).any(|window| window == HARNESS) {
        return Ok(None);
    }
    let marked = markers(&bytes);
    listed(program, |name| !marked.contains(name)).map(Some)
}

/// How many tests a procedural macro has. It is part of the compiler, so they have no hooks.
pub(crate) fn count_in_macro(program: &Program) -> Result<usize, String> {
    list(program, &[]).map(|all| all.len())
}

/// The tests whose names are wanted.
fn listed(program: &Program, wanted: impl Fn(&String) -> bool) -> Result<Vec<Case<'_>>, String> {
    let ignored: HashSet<String> = list(program, &["--ignored"])?.into_iter().collect();
    let all = list(program, &[])?;
    let found = all.into_iter().filter(wanted);
    let mut cases: Vec<Case<'_>> =
        found.map(|name| Case { program, ignored: ignored.contains(&name), name }).collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

/// The names in the markers, without the crate.
fn markers(bytes: &[u8]) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|&byte| byte == BEGIN[0]) {
        rest = &rest[at..];
        let Some(after) = rest.strip_prefix(BEGIN) else {
            rest = &rest[1..];
            continue;
        };
        rest = after;
        let end = after.iter().take(LONGEST).position(|&byte| byte == END);
        let name = end.and_then(|end| std::str::from_utf8(&after[..end]).ok());
        found.extend(name.and_then(|name| name.split_once("::")).map(|(_, name)| name.to_owned()));
    }
    found
}

/// The names of all tests of a program.
pub(crate) fn list(program: &Program, more: &[&str]) -> Result<Vec<String>, String> {
    let path = program.executable.display();
    let output = program.command().args(["--list", "--format", "terse"]).args(more).output();
    let output = output.map_err(|error| format!("cannot start {path}: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{path} --list ended with {}: {}", output.status, said.trim()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_found_among_other_bytes() {
        let bytes =
            b"\x00\x1e\x1egordian::test\x1ftickets::tests::sell\x1e\x1egordian::test\x1ftickets::buy\x1eabc";
        let names = markers(bytes);
        assert_eq!(names, HashSet::from(["tests::sell".to_owned(), "buy".to_owned()]));
    }

    #[test]
    fn what_only_looks_like_a_marker_is_none() {
        assert!(markers(b"").is_empty());
        assert!(markers(b"\x1egordian::test").is_empty());
        assert!(markers(b"\x1egordian::test\x1fwithout::an_end").is_empty());
        assert!(markers(b"\x1egordian::test\x1f\xff\xfe::a\x1e").is_empty());
        let mut long = b"\x1egordian::test\x1fa::".to_vec();
        long.resize(2 * LONGEST, b'a');
        long.push(END);
        assert!(markers(&long).is_empty());
    }
}
