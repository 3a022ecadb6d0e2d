//! What compilers for C and C++ are told.

use super::Library;
use crate::error::NativeError;
use std::ffi::OsString;

/// A compiler for C and C++, as far as its options go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiler {
    /// The GNU compiler.
    Gcc,
    /// LLVM's.
    Clang,
}

/// The oldest gcc that tells volatile accesses from others.
const OLDEST_GCC: u32 = 11;

/// The sanitizer is an option of the compiler proper only (`cc1`), and not of the driver, which would link its library. A file with
/// `-fno-sanitize=thread` stays as it is.
const SPECS: &str =
    "*cc1_options:\n+ %{!fno-sanitize=thread:-fsanitize=thread --param=tsan-distinguish-volatile=1NAMES}\n\n";
/// Names for functions of the C library whose accesses are seen, too.
const NAMES: &str = include_str!("names.h");

impl Compiler {
    /// Which one it is, from what it prints when it is asked for its version; the sentence says why it cannot be used.
    pub fn from_version(said: &str) -> Result<Compiler, String> {
        let first = said.lines().next().unwrap_or_default();
        if said.contains("clang") {
            return Ok(Compiler::Clang);
        }
        // Other programs of GNU's have other words for it.
        let is_gcc = said.contains("Free Software Foundation")
            && said.contains("see the source for copying conditions");
        if !is_gcc {
            return Err(format!("is neither gcc nor clang (it calls itself {first:?})"));
        }
        // As in "cc (Debian 12.2.0-14) 12.2.0".
        let version = first.split_once(") ").map_or(first, |(_, version)| version);
        let major = version.split('.').next().and_then(|major| major.trim().parse::<u32>().ok());
        match major {
            Some(major) if major < OLDEST_GCC => Err(format!(
                "is gcc {major}, which has not all the hooks; gcc {OLDEST_GCC} or newer, or clang, has"
            )),
            _ => Ok(Compiler::Gcc),
        }
    }

    /// For compiling a file.
    pub fn compile(self, library: &Library) -> Result<Vec<OsString>, NativeError> {
        Ok(match self {
            Compiler::Gcc => {
                let names = library.put_beside("gcc-names.h", NAMES.as_bytes())?;
                // In specs a space ends a word, whatever is done about it: then these functions go unseen.
                let names = names.to_str().filter(|path| !path.contains([' ', '%', '{', '}', '\t', '\n']));
                let names = names.map_or_else(String::new, |path| format!(" -include {path}"));
                let specs = library.put_beside("gcc.specs", SPECS.replace("NAMES", &names).as_bytes())?;
                let mut option = OsString::from("-specs=");
                option.push(specs);
                // The program is to be the one that people run, not one that knows of a sanitizer. Fences are supported here.
                vec![option, "-U__SANITIZE_THREAD__".into(), "-Wno-tsan".into()]
            }
            Compiler::Clang => [
                "-fsanitize=thread",
                "-fno-sanitize-link-runtime",
                // Without this it leaves out the read half of x++.
                "-mllvm",
                "-tsan-instrument-read-before-write",
                "-mllvm",
                "-tsan-distinguish-volatile",
            ]
            .map(OsString::from)
            .into(),
        })
    }

    /// For linking.
    pub fn link(self, library: &Library) -> Vec<OsString> {
        // Not as a file: after -x c even a library would be taken for C.
        library.for_the_linker().into_iter().flat_map(|argument| ["-Xlinker".into(), argument]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_told_apart_by_what_they_say() {
        let gcc = |first: &str| {
            Compiler::from_version(&format!(
                "{first}\nCopyright (C) 2022 Free Software Foundation, Inc.\n\
                 This is free software; see the source for copying conditions.  There is NO\n"
            ))
        };
        assert_eq!(gcc("cc (Debian 12.2.0-14+deb12u1) 12.2.0"), Ok(Compiler::Gcc));
        assert_eq!(gcc("x86_64-linux-gnu-gcc-13 (SUSE Linux) 13.3.0"), Ok(Compiler::Gcc));
        let old = gcc("gcc (GCC) 4.8.5 20150623 (Red Hat 4.8.5-44)").unwrap_err();
        assert!(old.starts_with("is gcc 4, which has not all the hooks; gcc 11 or newer"), "{old}");
        let clang = "Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu\n";
        assert_eq!(Compiler::from_version(clang), Ok(Compiler::Clang));
        assert!(Compiler::from_version("tcc version 0.9.27\n").is_err());
        assert!(Compiler::from_version("").is_err());
        let other = "true (GNU coreutils) 9.1\nCopyright (C) 2022 Free Software Foundation, Inc.\nLicense GPLv3+: ...\n";
        assert!(Compiler::from_version(other).unwrap_err().starts_with("is neither gcc nor clang"));
    }
}
