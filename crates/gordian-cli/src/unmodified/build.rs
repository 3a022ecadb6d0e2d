//! A cargo that builds with hooks: what it needs, and where it puts what it builds.

use super::wrapper::{Told, VARIABLE};
use crate::test::build::cargo;
use gordian_native::hooks::{Library, rustc};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What has to be known to build with hooks.
pub(crate) struct Hooked {
    /// Cargo's target folder.
    pub(crate) target: PathBuf,
    /// What cargo is told by the person.
    pub(crate) arguments: Vec<String>,
    /// The one that is built into. Cargo does not notice that a wrapper does other things than before, so it is one of our own.
    folder: PathBuf,
    told: String,
    /// Packages, and the programs in them that are run if nothing is said.
    pub(crate) default_runs: Vec<(String, String)>,
}

impl Hooked {
    /// Prepares for a build with these arguments, in which the crates of the list get no hooks.
    pub(crate) fn prepare(arguments: &[String], without: Vec<String>) -> Result<Hooked, String> {
        let said = Said::new(arguments)?;
        fit()?;
        let metadata = metadata(&said)?;
        let target = match &said.target_folder {
            Some(folder) => {
                std::path::absolute(folder).map_err(|error| format!("--target-dir {folder}: {error}"))?
            }
            None => PathBuf::from(metadata["target_directory"].as_str().unwrap_or("target")),
        };
        let name = |package: &Value| {
            Some((package["name"].as_str()?.to_owned(), package["default_run"].as_str()?.to_owned()))
        };
        let default_runs = metadata["packages"].as_array().into_iter().flatten().filter_map(name).collect();
        let library = Library::put(Some(&target)).map_err(|error| error.to_string())?;
        let link = rustc::link(&library).into_iter().map(|option| {
            option.into_string().map_err(|option| {
                format!("{} is no UTF-8; XDG_CACHE_HOME chooses another folder", option.display())
            })
        });
        let mut link: Vec<String> = link.collect::<Result<_, _>>()?;
        let mut name = "unmodified".to_owned();
        if !without.is_empty() {
            let mut sorted = without.clone();
            sorted.sort();
            name = format!("unmodified-{:08x}", hash(&sorted) as u32);
        }
        let folder = target.join("gordian").join(name);
        // The same for every run, so that it can be compared; which wrapper there is besides changes nothing that is built.
        link.push(rustc::KEPT.to_owned());
        let flags = format!("{:?} {link:?} {without:?}\n", rustc::COMPILE);
        clear_if_other(&folder, &flags)?;
        let told = Told {
            hooked: rustc::COMPILE.map(str::to_owned).into(),
            plain: vec![rustc::COMPILE[2].to_owned()],
            lines: rustc::LINES.to_owned(),
            all: link,
            allowed: (rustc::ALLOWED.0.to_owned(), rustc::ALLOWED.1.to_owned()),
            without,
            wrapper: other_wrapper(),
        };
        let told = serde_json::to_string(&told).map_err(|error| error.to_string())?;
        Ok(Hooked { target, arguments: said.rest, folder, told, default_runs })
    }

    /// A cargo that does this with hooks.
    pub(crate) fn cargo(&self, verb: &str) -> Result<Command, String> {
        let me = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
        let mut command = cargo();
        command.args([verb, "--target", rustc::TARGET]).arg("--target-dir").arg(&self.folder);
        command.env("RUSTC_WRAPPER", me).env(VARIABLE, &self.told);
        // Says to the wrapper what is compiled; one from outside would say something else.
        command.env_remove("CARGO_CRATE_NAME");
        Ok(command)
    }
}

/// What a person says to cargo, and what of it is settled here.
#[derive(Debug, Default, PartialEq)]
struct Said {
    target_folder: Option<String>,
    /// What decides which workspace is meant.
    place: Vec<String>,
    rest: Vec<String>,
}

impl Said {
    fn new(arguments: &[String]) -> Result<Said, String> {
        let mut said = Said::default();
        let mut all = arguments.iter();
        while let Some(argument) = all.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            let known = ["--target", "--target-dir", "--manifest-path", "--config"];
            if !known.contains(&name) {
                said.rest.push(argument.clone());
                continue;
            }
            let value = value.or_else(|| all.next().cloned());
            let value = value.ok_or_else(|| format!("{name} needs a value"))?;
            match name {
                "--target" if value == rustc::TARGET => {}
                "--target" => {
                    return Err(format!("--target {value}: hooks are there for {} only", rustc::TARGET));
                }
                "--target-dir" => said.target_folder = Some(value),
                _ => {
                    said.place.extend([name.to_owned(), value.clone()]);
                    said.rest.extend([name.to_owned(), value]);
                }
            }
        }
        Ok(said)
    }
}

/// What cargo says about the workspace.
fn metadata(said: &Said) -> Result<Value, String> {
    let output = cargo()
        .args(["metadata", "--no-deps", "--format-version=1", "--quiet"])
        .args(&said.place)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "cargo metadata ended with {}, so it is not known what is to be built",
            output.status
        ));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

/// Is the compiler one that can do it? The sentence says what is missing.
fn fit() -> Result<(), String> {
    let name = std::env::var_os("RUSTC").filter(|name| !name.is_empty()).unwrap_or_else(|| "rustc".into());
    let ask = |arguments: &[&str]| {
        let mut command = Command::new(&name);
        command.args(arguments).env(rustc::ALLOWED.0, rustc::ALLOWED.1).stdin(Stdio::null());
        command.output().map_err(|error| format!("cannot start the compiler {}: {error}", name.display()))
    };
    let version = ask(&["-vV"])?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let first = version.lines().next().unwrap_or("rustc").to_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    if host != rustc::TARGET {
        return Err(format!(
            "unmodified tests can be run on {} only, and this compiler is for {host}",
            rustc::TARGET
        ));
    }
    let mut question = vec!["--print=cfg", "--target", rustc::TARGET];
    question.extend(rustc::COMPILE);
    let answer = ask(&question)?;
    if answer.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&answer.stderr);
    let why = said.lines().find(|line| line.starts_with("error")).unwrap_or("it does not say why");
    Err(format!("{first} cannot compile with hooks ({why}); rustc 1.95 or newer can"))
}

/// A wrapper that the person uses, such as sccache.
fn other_wrapper() -> Option<String> {
    let named = |variable| std::env::var(variable).ok().filter(|wrapper| !wrapper.is_empty());
    let me = std::env::current_exe().ok()?;
    named("RUSTC_WRAPPER")
        .or_else(|| named("CARGO_BUILD_RUSTC_WRAPPER"))
        .filter(|other| Path::new(other) != me)
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// What was built with other flags is of no use, and cargo would not notice.
fn clear_if_other(folder: &Path, flags: &str) -> Result<(), String> {
    let stamp = folder.join("gordian.flags");
    if std::fs::read_to_string(&stamp).is_ok_and(|there| there == flags) {
        return Ok(());
    }
    let cannot = |error: std::io::Error| format!("cannot write to {}: {error}", folder.display());
    // What was built for the host, such as build scripts, has no hooks and stays.
    let built = folder.join(rustc::TARGET);
    if built.exists() {
        std::fs::remove_dir_all(&built).map_err(cannot)?;
    }
    std::fs::create_dir_all(folder).map_err(cannot)?;
    std::fs::write(stamp, flags).map_err(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_settled_here_is_taken_from_what_cargo_is_told() {
        let of = |line: &str| Said::new(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let said = of(
            "--release --target x86_64-unknown-linux-gnu --target-dir=out --manifest-path a/Cargo.toml -p b",
        )
        .unwrap();
        assert_eq!(said.target_folder.as_deref(), Some("out"));
        assert_eq!(said.place, ["--manifest-path", "a/Cargo.toml"]);
        assert_eq!(said.rest, ["--release", "--manifest-path", "a/Cargo.toml", "-p", "b"]);
        let other = of("--target=aarch64-apple-darwin").unwrap_err();
        assert_eq!(other, "--target aarch64-apple-darwin: hooks are there for x86_64-unknown-linux-gnu only");
        assert!(of("--target-dir").is_err());
    }

    #[test]
    fn what_was_built_with_other_flags_is_cleared_away() {
        let folder = std::env::temp_dir().join(format!("gordian-flags-{}", std::process::id()));
        clear_if_other(&folder, "a").unwrap();
        let (built, other) = (folder.join(rustc::TARGET), folder.join("1.trace"));
        std::fs::create_dir(&built).unwrap();
        std::fs::write(&other, "").unwrap();
        clear_if_other(&folder, "a").unwrap();
        assert!(built.exists());
        clear_if_other(&folder, "b").unwrap();
        assert!(!built.exists() && other.exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
