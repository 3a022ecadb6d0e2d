//! Where things are: the folder of the package, the target folder, and how a path is shown so that it works when pasted.
//!
//! `cargo test` runs tests in the folder of their package, wherever it was started itself, and a test binary may be
//! started by hand from anywhere. So paths are shown relative to the package or to a folder above it, which is where
//! they are looked for again.

use std::path::{Path, PathBuf};

/// The folder under which executions are saved when nothing else is said.
pub(crate) fn trace_folder(package: &Path) -> PathBuf {
    target_folder(package).join("gordian")
}

fn target_folder(package: &Path) -> PathBuf {
    let said = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    if let Some(said) = said.as_ref().filter(|said| said.is_absolute()) {
        return said.clone();
    }
    // Cargo puts a CACHEDIR.TAG into its target folder, whatever its name is.
    let program = std::env::current_exe().unwrap_or_default();
    if let Some(target) = program.ancestors().skip(1).find(|folder| folder.join("CACHEDIR.TAG").is_file()) {
        return target.to_owned();
    }
    let workspace = package.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).unwrap_or(package);
    workspace.join(said.unwrap_or_else(|| "target".into()))
}

/// The path as it is shown: relative to the package, or to a folder above it, if it is there.
pub(crate) fn shown(path: &Path, package: &Path) -> PathBuf {
    // The root and what lies directly in it, a home folder or /tmp, are no workspaces.
    let near = package.ancestors().filter(|folder| folder.components().count() > 2);
    near.filter_map(|folder| path.strip_prefix(folder).ok()).next().unwrap_or(path).to_owned()
}

/// The file that a path, given by a person, means.
pub(crate) fn find_trace(path: &Path, package: &Path) -> PathBuf {
    if path.is_absolute() || path.exists() {
        return path.to_owned();
    }
    package
        .ancestors()
        .map(|folder| folder.join(path))
        .find(|p| p.exists())
        .unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_relative_to_the_nearest_folder() {
        let package = Path::new("/home/me/work/app");
        assert_eq!(
            shown(Path::new("/home/me/work/app/target/gordian/t/1.trace"), package),
            Path::new("target/gordian/t/1.trace")
        );
        assert_eq!(
            shown(Path::new("/home/me/work/target/gordian/t/1.trace"), package),
            Path::new("target/gordian/t/1.trace")
        );
        assert_eq!(shown(Path::new("/var/target/1.trace"), package), Path::new("/var/target/1.trace"));
    }
}
