//! Places in the source for addresses in a running program.

use crate::program::header;
use crate::trust::Function;
use gordian_model::names::Site;
use gordian_wire::Frames;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file that is mapped into the program.
struct Module {
    start: u64,
    end: u64,
    /// What is added to the addresses in the file.
    base: u64,
    path: PathBuf,
}

/// Finds places.
pub(crate) struct Symbols {
    process: u32,
    modules: Vec<Module>,
    loaders: BTreeMap<PathBuf, Option<addr2line::Loader>>,
    here: PathBuf,
}

/// A place in the source, and the function.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    file: String,
    line: u32,
    column: u32,
}

impl Symbols {
    pub(crate) fn new(process: u32) -> Symbols {
        let here = std::env::current_dir().unwrap_or_default();
        Symbols { process, modules: Vec::new(), loaders: BTreeMap::new(), here }
    }

    /// The place of a call with these return addresses: the innermost that is not in a library, if there is one.
    pub(crate) fn site(&mut self, frames: &Frames) -> Site {
        let mut first = None;
        for &address in frames.iter().filter(|&&address| address != 0) {
            for found in self.found(address) {
                if is_own(&found.file) {
                    return self.shown(found);
                }
                first.get_or_insert(found);
            }
        }
        match first {
            Some(found) => self.shown(found),
            None => self.nameless(frames[0]),
        }
    }

    /// The stack that these return addresses are from, innermost first: functions, with files and lines as far as these are known.
    pub(crate) fn stack(&mut self, frames: &Frames) -> Vec<String> {
        let mut stack = Vec::new();
        for &address in frames.iter().filter(|&&address| address != 0) {
            let functions = self.functions(&[address, 0, 0, 0, 0, 0, 0, 0]);
            let mut places = self.found(address).into_iter();
            if functions.is_empty() {
                let place = self.nameless(address).file;
                // Threads begin in the runtime, which has no names.
                if !place.starts_with("memfd:") {
                    stack.push(place);
                }
            }
            for function in functions {
                let place = places.next().map(|found| self.shown(found));
                stack.push(match place {
                    Some(site) => format!("{} ({}:{})", function.name, site.file, site.line),
                    None => function.name,
                });
            }
        }
        stack
    }

    /// The functions on the way from a call with these return addresses outwards.
    pub(crate) fn functions(&mut self, frames: &Frames) -> Vec<Function> {
        let mut chain = Vec::new();
        for &address in frames.iter().filter(|&&address| address != 0) {
            let Some((path, inside)) = self.module(address - 1) else { continue };
            let Some(loader) = self.loader(&path) else { continue };
            let before = chain.len();
            if let Ok(mut frames) = loader.find_frames(inside) {
                while let Ok(Some(frame)) = frames.next() {
                    let name = frame.function.as_ref().and_then(|name| name.demangle().ok());
                    let file = frame.location.and_then(|place| place.file).unwrap_or_default().to_owned();
                    chain.extend(name.map(|name| Function { name: name.into_owned(), file }));
                }
            }
            if chain.len() == before
                && let Some(symbol) = loader.find_symbol(inside)
            {
                let name = addr2line::demangle_auto(symbol.into(), None).into_owned();
                chain.push(Function { name, file: String::new() });
            }
        }
        chain
    }

    fn shown(&self, found: Found) -> Site {
        let path = Path::new(&found.file);
        let file = path.strip_prefix(&self.here).unwrap_or(path).to_string_lossy().into_owned();
        Site { file, line: found.line, column: found.column.max(1) }
    }

    /// A place without a line: the function, or at least the file.
    fn nameless(&mut self, address: u64) -> Site {
        let Some((path, inside)) = self.module(address) else {
            return Site { file: "?".to_owned(), line: 0, column: 1 };
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let loader = self.loader(&path);
        let function = loader.and_then(|loader| loader.find_symbol(inside).map(str::to_owned));
        let file = match function {
            Some(function) => format!("{name}!{}", addr2line::demangle_auto(function.into(), None)),
            None => name,
        };
        Site { file, line: 0, column: 1 }
    }

    /// The innermost place first: what is inlined comes before what it is inlined in.
    fn found(&mut self, address: u64) -> Vec<Found> {
        // A return address is that of the next instruction, which may belong to the next line.
        let Some((path, inside)) = self.module(address - 1) else { return Vec::new() };
        let Some(loader) = self.loader(&path) else { return Vec::new() };
        let mut places = Vec::new();
        if let Ok(mut frames) = loader.find_frames(inside) {
            while let Ok(Some(frame)) = frames.next() {
                if let Some(addr2line::Location { file: Some(file), line: Some(line), column }) =
                    frame.location
                    && line > 0
                {
                    places.push(Found { file: file.to_owned(), line, column: column.unwrap_or(0) });
                }
            }
        }
        places
    }

    fn loader(&mut self, path: &Path) -> Option<&addr2line::Loader> {
        let load = || addr2line::Loader::new(path).ok();
        self.loaders.entry(path.to_owned()).or_insert_with(load).as_ref()
    }

    /// What is added to the addresses in a file.
    pub(crate) fn base(&mut self, path: &Path) -> u64 {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.modules = modules(self.process);
        self.modules.iter().find(|module| module.path == path).map_or(0, |module| module.base)
    }

    /// The file that an address lies in, and the address there.
    fn module(&mut self, address: u64) -> Option<(PathBuf, u64)> {
        let find = |modules: &[Module]| {
            let module = modules.iter().find(|module| (module.start..module.end).contains(&address))?;
            Some((module.path.clone(), address - module.base))
        };
        find(&self.modules).or_else(|| {
            self.modules = modules(self.process);
            find(&self.modules)
        })
    }
}

/// Is it somebody's own code, rather than that of a library that came with the system or the language?
fn is_own(file: &str) -> bool {
    let foreign = [
        "/rustc/",
        "/usr/include/",
        "/usr/lib/",
        "/usr/src/",
        "../sysdeps/",
        "../nptl/",
        "./nptl/",
        "./csu/",
    ];
    let inside = ["/library/std/src/", "/library/core/src/", "/library/alloc/src/", "/.cargo/registry/"];
    !foreign.iter().any(|start| file.starts_with(start)) && !inside.iter().any(|part| file.contains(part))
}

/// The files that are mapped into a process.
fn modules(process: u32) -> Vec<Module> {
    let text = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    let mut modules: Vec<Module> = Vec::new();
    let mut bases: BTreeMap<PathBuf, u64> = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(range), Some(offset), Some(path)) = (words.next(), words.nth(1), words.nth(2)) else {
            continue;
        };
        let Some((start, end)) = range.split_once('-') else { continue };
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let (Some(start), Some(end), Some(offset)) = (number(start), number(end), number(offset)) else {
            continue;
        };
        if !path.starts_with('/') {
            continue;
        }
        let path = PathBuf::from(path);
        let base = *bases.entry(path.clone()).or_insert_with(|| {
            // A program that cannot be moved lies where its file says.
            let movable =
                std::fs::read(&path).ok().and_then(|bytes| header(&bytes)).is_none_or(|h| h.movable);
            if movable { start - offset } else { 0 }
        });
        modules.push(Module { start, end, base, path });
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_this_program_is_found() {
        if !cfg!(target_os = "linux") {
            return;
        }
        let mut symbols = Symbols::new(std::process::id());
        let mut frames = [0; gordian_wire::DEPTH];
        frames[0] = a_function_of_this_program_is_found as fn() as usize as u64 + 5;
        let site = symbols.site(&frames);
        assert!(site.file.ends_with("src/symbols.rs"), "{site:?}");
        assert!(site.line > 100, "{site:?}");
    }

    #[test]
    fn libraries_are_not_ones_own() {
        assert!(is_own("/home/me/a.c") && is_own("src/main.rs"));
        assert!(!is_own("/rustc/abc/library/std/src/thread.rs") && !is_own("/usr/include/c++/12/mutex"));
    }
}
