//! What a file has to be to be run under control, said before it is tried.

use crate::error::NativeError;
use std::path::{Path, PathBuf};

/// The file that a person means, and whether it can be run.
pub(crate) fn find(name: &str) -> Result<PathBuf, NativeError> {
    let path = if name.contains('/') {
        PathBuf::from(name)
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
        found.ok_or_else(|| NativeError::NotFound(name.to_owned()))?
    };
    if !path.exists() {
        return Err(NativeError::NotFound(name.to_owned()));
    }
    look(&path)?;
    Ok(path)
}

fn look(path: &Path) -> Result<(), NativeError> {
    let refused = |why: String| NativeError::NotExecutable(path.to_owned(), why);
    let about = std::fs::metadata(path).map_err(|error| refused(error.to_string()))?;
    if about.is_dir() {
        return Err(refused("it is a folder".to_owned()));
    }
    mode(path, &about)?;
    let bytes = std::fs::read(path).map_err(|error| refused(error.to_string()))?;
    if let Some(line) = bytes.strip_prefix(b"#!") {
        let line = line.split(|&b| b == b'\n').next().unwrap_or_default();
        return Err(NativeError::Script(path.to_owned(), String::from_utf8_lossy(line).trim().to_owned()));
    }
    if !bytes.starts_with(b"\x7fELF") {
        return Err(refused("it is neither a program nor a script".to_owned()));
    }
    match header(&bytes) {
        None => Err(NativeError::OtherMachine(path.to_owned())),
        Some(Header { dynamic: false, .. }) => Err(NativeError::Static(path.to_owned())),
        Some(_) => Ok(()),
    }
}

/// Does the file contain these bytes?
pub(crate) fn mentions(path: &Path, what: &[u8]) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.windows(what.len()).any(|window| window == what))
}

#[cfg(unix)]
fn mode(path: &Path, about: &std::fs::Metadata) -> Result<(), NativeError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = about.permissions().mode();
    if mode & 0o6000 != 0 {
        return Err(NativeError::SetUid(path.to_owned()));
    }
    if mode & 0o111 == 0 {
        return Err(NativeError::NotExecutable(
            path.to_owned(),
            "it has no execute permission (chmod +x)".to_owned(),
        ));
    }
    Ok(())
}

#[cfg(not(unix))]
fn mode(_: &Path, _: &std::fs::Metadata) -> Result<(), NativeError> {
    Ok(())
}

/// What the first bytes of a program say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The loader brings in libraries.
    pub(crate) dynamic: bool,
    /// It can lie anywhere in memory.
    pub(crate) movable: bool,
}

/// Reads the header of a program for x86-64; nothing if it is for another machine, or damaged.
pub(crate) fn header(bytes: &[u8]) -> Option<Header> {
    const WIDE: u8 = 2;
    const X86_64: u16 = 62;
    const MOVABLE: u16 = 3;
    const INTERPRETER: u32 = 3;
    let half = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    if *bytes.get(4)? != WIDE || half(18)? != X86_64 {
        return None;
    }
    let (table, size, count) =
        (usize::try_from(long(32)?).ok()?, usize::from(half(54)?), usize::from(half(56)?));
    let kinds = (0..count).map(|i| word(table.checked_add(i.checked_mul(size)?)?));
    let dynamic = kinds.into_iter().collect::<Option<Vec<u32>>>()?.contains(&INTERPRETER);
    Some(Header { dynamic, movable: half(16)? == MOVABLE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_is_one_that_can_be_run() {
        let me = std::env::current_exe().unwrap();
        let header = header(&std::fs::read(&me).unwrap());
        if cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")) {
            assert_eq!(header, Some(Header { dynamic: true, movable: true }));
        }
    }

    #[test]
    fn a_damaged_header_is_no_header() {
        assert_eq!(header(b"\x7fELF"), None);
        let mut bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        bytes.truncate(64);
        assert_eq!(header(&bytes), None);
    }

    #[test]
    fn what_is_not_there_is_said_to_be_not_there() {
        assert!(matches!(find("no-such-program"), Err(NativeError::NotFound(_))));
        assert!(matches!(find("./no-such-program"), Err(NativeError::NotFound(_))));
        assert!(matches!(find("/"), Err(NativeError::NotExecutable(..))));
    }
}
