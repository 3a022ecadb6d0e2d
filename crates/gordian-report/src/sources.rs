//! The source that places lie in, as it is on disk now; what cannot be read is left out.

use gordian_model::{Names, Site, SiteId};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A larger file is no source that a person wrote.
const LARGEST: u64 = 4 << 20;

/// The files that were read.
#[derive(Debug, Default)]
pub struct Sources {
    folders: Vec<PathBuf>,
    files: RefCell<BTreeMap<String, Option<Rc<str>>>>,
}

impl Sources {
    /// Without any: nothing can be read.
    pub fn none() -> Sources {
        Sources::default()
    }

    /// The compiler names files from the folder of the workspace, which is that of the package or the one that the program
    /// runs in, or above it.
    pub fn from_environment() -> Sources {
        let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let here = std::env::current_dir().ok();
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in here.iter().chain(&package).flat_map(|folder| folder.ancestors()) {
            if !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_owned());
            }
        }
        Sources { folders, files: RefCell::default() }
    }

    /// The same, and what lies in this folder or above it.
    pub fn and_near(mut self, folder: &Path) -> Sources {
        self.folders.extend(folder.ancestors().map(Path::to_owned));
        self
    }

    /// The text of a file.
    pub(crate) fn file(&self, name: &str) -> Option<Rc<str>> {
        if let Some(known) = self.files.borrow().get(name) {
            return known.clone();
        }
        let found = if Path::new(name).is_absolute() {
            read(Path::new(name)).filter(|_| !self.folders.is_empty())
        } else {
            self.folders.iter().find_map(|folder| read(&folder.join(name)))
        };
        self.files.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    /// A place and the file it lies in, unless that is the standard library.
    pub(crate) fn site<'a>(&self, site: SiteId, names: &'a Names) -> Option<(&'a Site, Rc<str>)> {
        let site = names.site(site).filter(|site| !is_std(&site.file))?;
        Some((site, self.file(&site.file)?))
    }
}

fn read(path: &Path) -> Option<Rc<str>> {
    let is_source = path.metadata().is_ok_and(|m| m.is_file() && m.len() <= LARGEST);
    is_source.then(|| std::fs::read_to_string(path).ok()).flatten().map(Rc::from)
}

/// Does the file belong to the standard library?
pub(crate) fn is_std(file: &str) -> bool {
    file.starts_with("/rustc/") || file.contains("/library/core/src/") || file.contains("/library/std/src/")
}

/// Where a place begins in its file, in bytes; the end of its line; and the line.
pub(crate) fn position(source: &str, site: &Site) -> Option<(usize, usize)> {
    let mut start = 0;
    for (i, line) in source.split_inclusive('\n').enumerate() {
        if i + 1 == site.line as usize {
            let text = line.trim_end();
            let column = text.char_indices().nth((site.column as usize).checked_sub(1)?)?.0;
            return Some((start + column, start + text.len()));
        }
        start += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_in_a_folder_above_and_read_once() {
        let sources = Sources::from_environment();
        let text = sources.file("crates/gordian-report/src/sources.rs").expect("this file");
        assert!(text.starts_with("//! The source"));
        assert!(Rc::ptr_eq(&text, &sources.file("crates/gordian-report/src/sources.rs").unwrap()));
        assert!(sources.file("no/such/file.rs").is_none());
        assert!(Sources::none().file("Cargo.toml").is_none());
    }

    #[test]
    fn a_column_counts_characters() {
        let site = |line, column| Site { file: String::new(), line, column };
        assert_eq!(position("one\n\"ü\" two  \n", &site(2, 5)), Some((9, 12)));
        assert_eq!(position("one\n", &site(3, 1)), None);
        assert_eq!(position("one\n", &site(1, 9)), None);
    }
}
