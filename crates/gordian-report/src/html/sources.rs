//! The lines of the source that a report shows, read when it is written: the page may be opened elsewhere, or after the
//! source has changed.

use crate::sources::Sources;
use gordian_model::Site;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Whole files are put in as long as they are no longer than this in all, in bytes; then only what is around the steps.
const WHOLE: usize = 40_000;
const AROUND: [u32; 2] = [12, 3];

/// Lines that follow each other: the number of the first, and the lines.
pub(super) type Piece = (u32, Vec<String>);

/// Its name, the lines that are wanted, and its text.
type File<'a> = (&'a str, BTreeSet<u32>, Option<Rc<str>>);

/// For each file its pieces, or none if it could not be read.
pub(super) fn sources<'a>(
    sites: impl Iterator<Item = &'a Site>,
    sources: &Sources,
) -> BTreeMap<String, Option<Vec<Piece>>> {
    let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for site in sites {
        wanted.entry(&site.file).or_default().insert(site.line);
    }
    let files: Vec<File<'_>> =
        wanted.into_iter().map(|(file, lines)| (file, lines, sources.file(file))).collect();
    let pieces = |around: Option<u32>| -> BTreeMap<String, Option<Vec<Piece>>> {
        let cut = |text: &Rc<str>, lines: &BTreeSet<u32>| cut(text, lines, around);
        let file =
            |(file, lines, text): &File<'_>| ((*file).to_owned(), text.as_ref().map(|text| cut(text, lines)));
        files.iter().map(file).collect()
    };
    let fits = |pieces: &BTreeMap<String, Option<Vec<Piece>>>| {
        let lines = pieces.values().flatten().flatten().flat_map(|piece| &piece.1);
        lines.map(|line| line.len() + 3).sum::<usize>() <= WHOLE
    };
    let [wide, narrow] = AROUND;
    [None, Some(wide)].into_iter().map(pieces).find(fits).unwrap_or_else(|| pieces(Some(narrow)))
}

fn cut(text: &str, lines: &BTreeSet<u32>, around: Option<u32>) -> Vec<Piece> {
    let near = |line: u32| {
        around.is_none_or(|around| {
            lines.range(line.saturating_sub(around)..=line.saturating_add(around)).next().is_some()
        })
    };
    let mut pieces: Vec<Piece> = Vec::new();
    for (line, text) in (1u32..).zip(text.lines()).filter(|&(line, _)| near(line)) {
        match pieces.last_mut() {
            Some((first, lines)) if *first + lines.len() as u32 == line => lines.push(text.to_owned()),
            _ => pieces.push((line, vec![text.to_owned()])),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_around_the_steps_is_kept_when_the_file_is_long() {
        let text: String = (1..=50).map(|n| format!("line {n}\n")).collect();
        let pieces = cut(&text, &[3, 5, 40].into(), Some(2));
        let spans: Vec<(u32, usize)> = pieces.iter().map(|(first, lines)| (*first, lines.len())).collect();
        assert_eq!(spans, [(1, 7), (38, 5)]);
        assert_eq!(pieces[1].1[2], "line 40");
        assert_eq!(cut(&text, &[3].into(), None).len(), 1);
    }

    #[test]
    fn a_file_that_is_not_there_is_left_out() {
        let site = |file: &str| Site { file: file.to_owned(), line: 1, column: 1 };
        let sites = [site("crates/gordian-report/Cargo.toml"), site("not/there.rs")];
        let found = sources(sites.iter(), &Sources::from_environment());
        assert_eq!(found["crates/gordian-report/Cargo.toml"].as_ref().unwrap()[0].1[0], "[package]");
        assert_eq!(found["not/there.rs"], None);
    }
}
