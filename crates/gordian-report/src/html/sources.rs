//! The lines of the source that a report shows, read when it is written: the page may be opened elsewhere, or after the
//! source has changed.

use gordian_model::Site;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Whole files are put in as long as they are no longer than this in all, in bytes; then only what is around the steps.
const WHOLE: usize = 40_000;
const AROUND: [u32; 2] = [12, 3];

/// Lines that follow each other: the number of the first, and the lines.
pub(super) type Piece = (u32, Vec<String>);

/// For each file its pieces, or none if it could not be read.
pub(super) fn sources<'a>(
    sites: impl Iterator<Item = &'a Site>,
    folders: &[PathBuf],
) -> BTreeMap<String, Option<Vec<Piece>>> {
    let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for site in sites {
        wanted.entry(&site.file).or_default().insert(site.line);
    }
    let files: Vec<(&str, BTreeSet<u32>, Option<String>)> =
        wanted.into_iter().map(|(file, lines)| (file, lines, read(file, folders))).collect();
    let pieces = |around: Option<u32>| -> BTreeMap<String, Option<Vec<Piece>>> {
        let cut = |text: &String, lines: &BTreeSet<u32>| cut(text, lines, around);
        let file = |(file, lines, text): &(&str, BTreeSet<u32>, Option<String>)| {
            ((*file).to_owned(), text.as_ref().map(|text| cut(text, lines)))
        };
        files.iter().map(file).collect()
    };
    let fits = |pieces: &BTreeMap<String, Option<Vec<Piece>>>| {
        let lines = pieces.values().flatten().flatten().flat_map(|piece| &piece.1);
        lines.map(|line| line.len() + 3).sum::<usize>() <= WHOLE
    };
    let [wide, narrow] = AROUND;
    [None, Some(wide)].into_iter().map(pieces).find(fits).unwrap_or_else(|| pieces(Some(narrow)))
}

/// The file as the compiler names it is relative to the folder that cargo was in, which is the package's or one above it.
fn read(file: &str, folders: &[PathBuf]) -> Option<String> {
    let file = Path::new(file);
    if file.is_absolute() {
        return std::fs::read_to_string(file).ok();
    }
    folders
        .iter()
        .flat_map(|folder| folder.ancestors())
        .find_map(|folder| std::fs::read_to_string(folder.join(file)).ok())
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
    fn a_file_is_found_in_a_folder_above_and_one_that_is_not_there_is_left_out() {
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let site = |file: &str| Site { file: file.to_owned(), line: 1, column: 1 };
        let sites = [site("crates/gordian-report/Cargo.toml"), site("not/there.rs")];
        let found = sources(sites.iter(), &[here.join("src")]);
        assert_eq!(found["crates/gordian-report/Cargo.toml"].as_ref().unwrap()[0].1[0], "[package]");
        assert_eq!(found["not/there.rs"], None);
    }
}
