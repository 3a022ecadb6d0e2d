//! The copy of the runtime that programs with hooks are linked against.

use crate::error::NativeError;
use crate::process::LIBRARY;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The runtime on disk.
#[derive(Clone, Debug)]
pub struct Library {
    path: PathBuf,
}

/// Its name, there and in the programs: the SONAME that the runtime is built with.
const NAME: &str = "libgordian_hooks.so";

impl Library {
    /// Puts it into the folder for caches, if it is not there yet. Several processes may do so at once.
    ///
    /// Where there is no such folder, it goes below `else_in`, and without that below the folder for temporary files.
    pub fn put(else_in: Option<&Path>) -> Result<Library, NativeError> {
        if LIBRARY.is_empty() {
            return Err(NativeError::NotHere);
        }
        let mut hasher = DefaultHasher::new();
        LIBRARY.hash(&mut hasher);
        let one = format!("{}-{:016x}", env!("CARGO_PKG_VERSION"), hasher.finish());
        let mut refused = None;
        for folder in folders(else_in) {
            match folder.make().map(|folder| folder.join(&one)).and_then(|folder| put(&folder, NAME, LIBRARY))
            {
                Ok(path) => return Ok(Library { path }),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        let source = refused.unwrap_or_else(|| ErrorKind::NotFound.into());
        Err(NativeError::System {
            action: "put the library with the hooks anywhere (XDG_CACHE_HOME chooses where)",
            source,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that it lies in.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// Puts another file beside it.
    pub(super) fn put_beside(&self, name: &str, contents: &[u8]) -> Result<PathBuf, NativeError> {
        put(self.folder(), name, contents).map_err(|source| NativeError::System {
            action: "write beside the library with the hooks",
            source,
        })
    }

    /// What the linker is told: to take it even where nothing else would need it, and where it is to be found when the program starts.
    pub(super) fn for_the_linker(&self) -> Vec<OsString> {
        let mut all: Vec<OsString> =
            vec!["--push-state".into(), "--no-as-needed".into(), self.path.clone().into()];
        all.extend(["--pop-state".into(), "-rpath".into(), self.folder().into()]);
        all
    }
}

/// Where it could go.
enum Folder {
    /// Belongs to the person.
    Own(PathBuf),
    /// Anybody could have made it.
    Shared(PathBuf),
}

impl Folder {
    fn make(self) -> std::io::Result<PathBuf> {
        match self {
            Folder::Own(path) => std::fs::create_dir_all(&path).map(|()| path),
            Folder::Shared(path) => make_private(&path).map(|()| path),
        }
    }
}

fn folders(else_in: Option<&Path>) -> Vec<Folder> {
    let named = |variable| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")));
    let own = cache
        .map(|cache| cache.join("gordian"))
        .into_iter()
        .chain(else_in.map(|path| path.join("gordian/hooks")));
    own.map(Folder::Own).chain([Folder::Shared(std::env::temp_dir().join("gordian-hooks"))]).collect()
}

/// Makes a folder that nobody else can write to. What lies in it is loaded into programs.
#[cfg(unix)]
fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    match std::fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        made => return made,
    }
    let (about, me) = (std::fs::symlink_metadata(path)?, std::fs::metadata("/proc/self")?);
    if about.is_dir() && about.uid() == me.uid() && about.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(Error::new(ErrorKind::PermissionDenied, format!("{} belongs to somebody else", path.display())))
}

#[cfg(not(unix))]
fn make_private(path: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(path)
}

/// Puts a file there; nobody ever sees half of it.
fn put(folder: &Path, name: &str, contents: &[u8]) -> std::io::Result<PathBuf> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let path = folder.join(name);
    let is_there = std::fs::metadata(&path).is_ok_and(|about| about.len() == contents.len() as u64)
        && std::fs::read(&path).is_ok_and(|there| there == contents);
    if is_there {
        return Ok(path);
    }
    std::fs::create_dir_all(folder)?;
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let new = folder.join(format!(".{name}.{}.{number}", std::process::id()));
    let placed = std::fs::write(&new, contents).and_then(|()| std::fs::rename(&new, &path));
    if placed.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    placed.map(|()| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("gordian-library-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn a_file_is_put_once_by_many_and_mended_when_it_is_damaged() {
        let folder = empty("put");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| put(&folder, "a", &[7; 100_000]).unwrap());
            }
        });
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::write(folder.join("a"), "damaged").unwrap();
        assert_eq!(std::fs::read(put(&folder, "a", b"whole").unwrap()).unwrap(), b"whole");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_shared_folder_that_others_can_write_to_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let folder = empty("private");
        make_private(&folder).unwrap();
        make_private(&folder).unwrap();
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).unwrap();
        let error = make_private(&folder).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
