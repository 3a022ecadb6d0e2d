//! The file that a failure is saved to: a header that says what it is, then plan and trace.
//!
//! The header is checked before anything is decoded, so that a file of another version, a damaged one and one
//! that is something else altogether are told apart.

use crate::exploration::Exploration;
use crate::plan::Plan;
use crate::trace::Trace;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"GORDIAN\n";
const VERSION: u16 = 5;

/// Why a file could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Reading or writing failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// "read" or "write".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The file is empty.
    #[error("{} is empty; a trace file is written when a check fails, under target/gordian/<test>/", .0.display())]
    Empty(PathBuf),
    /// The file is something else.
    #[error("{} is not a Gordian trace (its first bytes are not GORDIAN); a trace file is written when a check fails, under target/gordian/<test>/", .0.display())]
    NotATrace(PathBuf),
    /// The file is of another version.
    #[error("{} was written by format version {found}, this Gordian reads version {VERSION}; run the check again to get a new trace", path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u16,
    },
    /// The file is damaged.
    #[error("{} is damaged or cut short: {source}; run the check again to get a new trace", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        source: postcard::Error,
    },
}

/// A failing execution as it is saved: how to repeat it, what it did, and the text that was shown.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recording {
    /// How to repeat it.
    pub plan: Plan,
    /// What it did.
    pub trace: Option<Trace>,
    /// What the person was shown.
    pub text: String,
    /// What the execution did that was found first, if this one was made from it by leaving things out.
    pub original: Option<Trace>,
    /// How it was found.
    pub exploration: Option<Exploration>,
}

impl Recording {
    /// A plan on its own.
    pub fn of(plan: Plan) -> Recording {
        Recording { plan, trace: None, text: String::new(), original: None, exploration: None }
    }

    /// The recording as the file holds it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        postcard::to_extend(self, bytes).expect("plans and traces hold nothing that cannot be encoded")
    }

    /// Writes the recording.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let io = |source| FileError::Io { action: "write", path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(io)?;
        }
        std::fs::write(path, self.to_bytes()).map_err(io)
    }

    /// Reads a recording, or a plan saved on its own.
    pub fn load(path: &Path) -> Result<Recording, FileError> {
        load(path)
    }
}

pub(crate) fn load(path: &Path) -> Result<Recording, FileError> {
    let bytes = std::fs::read(path).map_err(|source| FileError::Io {
        action: "read",
        path: path.to_owned(),
        source,
    })?;
    if bytes.is_empty() {
        return Err(FileError::Empty(path.to_owned()));
    }
    let Some(rest) = bytes.strip_prefix(MAGIC) else { return Err(FileError::NotATrace(path.to_owned())) };
    let cut = |source| FileError::Damaged { path: path.to_owned(), source };
    let Some((version, body)) = rest.split_first_chunk::<2>() else {
        return Err(cut(postcard::Error::DeserializeUnexpectedEnd));
    };
    let found = u16::from_le_bytes(*version);
    if found != VERSION {
        return Err(FileError::OtherVersion { path: path.to_owned(), found });
    }
    let recording: Recording = postcard::from_bytes(body).map_err(cut)?;
    let names_fit = recording.plan.names.as_ref().is_none_or(|names| names.is_consistent());
    if !names_fit || recording.trace.as_ref().is_some_and(|trace| !trace.is_consistent()) {
        return Err(cut(postcard::Error::DeserializeBadEncoding));
    }
    Ok(recording)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, bytes: &[u8]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("gordian-file-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_plan_comes_back_as_it_was() {
        let path = file("plan", b"");
        let plan = Plan { program: "it".into(), replay: true, ..Plan::default() };
        plan.save(&path).unwrap();
        let back = Plan::load(&path).unwrap();
        assert_eq!((back.program.as_str(), back.replay, back.limits), ("it", true, plan.limits));
    }

    #[test]
    fn wrong_files_are_told_apart() {
        assert!(matches!(load(Path::new("/nonexistent/x")), Err(FileError::Io { .. })));
        assert!(matches!(load(&file("empty", b"")), Err(FileError::Empty(_))));
        assert!(matches!(load(&file("text", b"hello world")), Err(FileError::NotATrace(_))));
        assert!(matches!(
            load(&file("v", b"GORDIAN\n\x09\x00...")),
            Err(FileError::OtherVersion { found: 9, .. })
        ));
        assert!(matches!(load(&file("cut", b"GORDIAN\n\x05\x00\x05ab")), Err(FileError::Damaged { .. })));
    }
}
