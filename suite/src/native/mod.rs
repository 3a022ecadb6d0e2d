//! Programs that know nothing of Gordian, in C, C++ and plain Rust: each with a bug and a twin without it, compiled with hooks and searched by the
//! command, as a person would do it.
//!
//! They are in `suite/native`. To add one: a file in the folder of its language, whose first lines say what goes wrong and which failure is
//! expected. For C and C++ the twin is what `-DFIXED` makes of it, for Rust `--cfg fixed`, for a program in `crates` the feature `fixed`. Those in
//! `published` are built against a defective version of a crate and against the one in which it was fixed.

pub mod debian;
pub mod page;
pub mod search;
pub mod tools;

use std::fmt;
use std::path::{Path, PathBuf};

/// How a program is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// One file, by the compiler for C.
    C,
    /// One file, by the compiler for C++.
    Cpp,
    /// One file, by rustc.
    Rust,
    /// A user of well-known crates, by cargo.
    Crates,
    /// A user of a crate with a known defect, by cargo.
    Published,
}

impl Language {
    /// All, with the folders that their programs are in.
    pub const ALL: [(Language, &'static str, &'static str); 5] = [
        (Language::C, "c", "c"),
        (Language::Cpp, "cpp", "cpp"),
        (Language::Rust, "rust", "rs"),
        (Language::Crates, "crates/src/bin", "rs"),
        (Language::Published, "published/src", "rs"),
    ];
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Language::C => "C",
            Language::Cpp => "C++",
            Language::Rust => "Rust",
            Language::Crates => "Rust, crates",
            Language::Published => "Rust, published",
        })
    }
}

/// A program with a bug.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of its file, after that of its language.
    pub name: String,
    /// How it is built.
    pub language: Language,
    /// Its file.
    pub source: PathBuf,
    /// What goes wrong.
    pub about: String,
    /// What is found, any of these: the kind of the failure, or some words of its message.
    pub expected: Vec<String>,
}

impl Program {
    fn read(language: Language, source: &Path) -> Result<Program, String> {
        let text = std::fs::read_to_string(source)
            .map_err(|error| format!("{} cannot be read: {error}", source.display()))?;
        let mut about = Vec::new();
        let mut expected = None;
        for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
            match line.strip_prefix("expect: ") {
                Some(kinds) => expected = Some(kinds.split(", ").map(str::to_owned).collect()),
                None => about.push(line),
            }
        }
        let expected = expected.ok_or_else(|| {
            format!("{} does not begin with comments of which one is \"// expect: KIND\"", source.display())
        })?;
        let stem = source.file_stem().unwrap_or_default().to_string_lossy();
        let folder = match language {
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::Rust => "rust",
            Language::Crates => "crates",
            Language::Published => "published",
        };
        let (name, about) = (format!("{folder}/{stem}"), about.join(" "));
        Ok(Program { name, language, source: source.to_owned(), about, expected })
    }

    /// The name of its file.
    pub fn stem(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// The folder of the programs.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("native")
}

/// All programs, in the order of their names within each language.
pub fn programs() -> Result<Vec<Program>, String> {
    let mut all = Vec::new();
    for (language, below, ending) in Language::ALL {
        let folder = folder().join(below);
        let cannot = |error: std::io::Error| format!("{} cannot be read: {error}", folder.display());
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(cannot)? {
            let path = entry.map_err(cannot)?.path();
            if path.extension().is_some_and(|it| it == ending) {
                files.push(path);
            }
        }
        files.sort();
        for file in files {
            all.push(Program::read(language, &file)?);
        }
    }
    Ok(all)
}
