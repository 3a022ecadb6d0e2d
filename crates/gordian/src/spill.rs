//! A place for what does not fit into a search's memory: a temporary file without a name.

use gordian_search::Spill;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// A temporary file that bytes are put into and taken back from, last first. It is made when the first bytes come.
#[derive(Default)]
pub(crate) struct TemporaryFile {
    file: Option<File>,
    /// Where it is, if it could not be removed while it is open.
    path: Option<PathBuf>,
    len: u64,
}

/// What the search is given to make one.
pub(crate) fn spill() -> Box<dyn Spill> {
    Box::new(TemporaryFile::default())
}

impl TemporaryFile {
    fn open(&mut self) -> Result<&mut File, String> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        if self.file.is_none() {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("gordian-{}-{number}.frontier", std::process::id()));
            let opened = OpenOptions::new().create_new(true).read(true).write(true).open(&path);
            self.file = Some(opened.map_err(|error| format!("cannot make {}: {error}", path.display()))?);
            // Where an open file can be removed nothing is left behind, however the program ends.
            self.path = std::fs::remove_file(&path).is_err().then_some(path);
        }
        Ok(self.file.as_mut().expect("just made"))
    }
}

impl Spill for TemporaryFile {
    fn put(&mut self, bytes: &[u8]) -> Result<(), String> {
        let at = self.len;
        let file = self.open()?;
        let written = file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(bytes));
        written.map_err(|error| {
            format!("cannot write to a temporary file in {}: {error}", std::env::temp_dir().display())
        })?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    fn take(&mut self, bytes: &mut [u8]) -> Result<(), String> {
        let at = self.len.checked_sub(bytes.len() as u64).ok_or("more was taken than was put away")?;
        let file = self.open()?;
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(bytes));
        read.map_err(|error| format!("cannot read what was put into a temporary file: {error}"))?;
        self.len = at;
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        self.file = None;
        if let Some(path) = &self.path {
            // It is in the folder for temporary files, so what cannot be removed now is removed by others.
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_last_comes_back_first() {
        let mut file = spill();
        file.put(b"one").unwrap();
        file.put(b"three").unwrap();
        let mut bytes = [0; 6];
        file.take(&mut bytes).unwrap();
        assert_eq!(&bytes, b"ethree");
        file.put(b"!").unwrap();
        let mut bytes = [0; 3];
        file.take(&mut bytes).unwrap();
        assert_eq!(&bytes, b"on!");
        assert_eq!(file.take(&mut bytes).unwrap_err(), "more was taken than was put away");
    }
}
