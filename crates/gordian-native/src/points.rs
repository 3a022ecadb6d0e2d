//! Functions of Rust's std that threads meet in, and that are compiled without hooks because they are not generic: where they begin, and
//! what they are about to do. The runtime makes a step of each call (`gordian-runtime/src/linux/points.rs`).

use gordian_wire::{POINTS, Point};
use object::{Object, ObjectSymbol, SymbolKind};
use std::path::Path;

/// By their paths, without the brackets and what they are generic in. What the first argument points to is the object itself.
const KNOWN: [(&str, Point); 25] = [
    ("std::sys::sync::condvar::futex::Condvar::wait", Point::Reads),
    ("std::sys::sync::condvar::futex::Condvar::wait_optional_timeout", Point::Reads),
    ("std::sys::sync::condvar::futex::Condvar::notify_one", Point::Writes),
    ("std::sys::sync::condvar::futex::Condvar::notify_all", Point::Writes),
    ("std::sync::nonpoison::condvar::Condvar::notify_one", Point::Writes),
    ("std::sync::nonpoison::condvar::Condvar::notify_all", Point::Writes),
    ("std::sync::poison::condvar::Condvar::notify_one", Point::Writes),
    ("std::sync::poison::condvar::Condvar::notify_all", Point::Writes),
    ("std::sync::condvar::Condvar::notify_one", Point::Writes),
    ("std::sync::condvar::Condvar::notify_all", Point::Writes),
    ("std::sync::barrier::Barrier::wait", Point::Writes),
    ("std::sys::sync::once::futex::Once::call", Point::Writes),
    ("std::sys::sync::once::futex::Once::wait", Point::Reads),
    ("std::sync::mpmc::waker::SyncWaker::notify", Point::Writes),
    ("std::sync::mpmc::waker::SyncWaker::register", Point::Writes),
    ("std::sync::mpmc::waker::SyncWaker::unregister", Point::Writes),
    ("std::sync::mpmc::waker::SyncWaker::disconnect", Point::Writes),
    ("std::thread::functions::park", Point::Learns),
    ("std::thread::functions::park_timeout", Point::Learns),
    ("std::thread::park", Point::Learns),
    ("std::thread::park_timeout", Point::Learns),
    ("std::thread::thread::Thread::park", Point::Learns),
    ("std::thread::thread::Thread::park_timeout", Point::Learns),
    ("std::thread::Thread::park", Point::Learns),
    ("std::sync::mpmc::context::Context::wait_until", Point::Learns),
];

/// Ends of the paths of what the compiler has no hooks for, where it is not inlined.
const UNHOOKED: [&str; 6] =
    ["::fetch_max", "::fetch_min", "atomic_max", "atomic_min", "atomic_umax", "atomic_umin"];

/// What a function with this path is about to do.
fn known(path: &str) -> Option<Point> {
    if let Some(function) = path.strip_prefix("core::sync::atomic::")
        && UNHOOKED.iter().any(|name| function.contains(name))
    {
        return Some(Point::Writes);
    }
    KNOWN.iter().find(|(known, _)| *known == path).map(|&(_, point)| point)
}

/// The functions of a program that are known, by their addresses in the file.
pub(crate) fn find(path: &Path) -> Vec<(u64, Point)> {
    let Ok(bytes) = std::fs::read(path) else { return Vec::new() };
    let Ok(file) = object::File::parse(&*bytes) else { return Vec::new() };
    let functions = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let mut found: Vec<(u64, Point)> = functions
        .filter_map(|symbol| {
            let name = symbol.name().ok().filter(|name| name.contains("3std") || name.contains("4core"))?;
            let path = plain(&addr2line::demangle_auto(name.into(), None));
            known(&path).map(|point| (symbol.address(), point))
        })
        .collect();
    found.sort_by_key(|&(address, _)| address);
    found.dedup_by_key(|&mut (address, _)| address);
    found.truncate(POINTS);
    found
}

/// A path without brackets, and without the hash that old mangling has at its end.
fn plain(name: &str) -> String {
    let name = match name.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => path,
        _ => name,
    };
    name.replace(['<', '>'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_mangle_give_the_same_path() {
        assert_eq!(plain("<std::sync::barrier::Barrier>::wait"), "std::sync::barrier::Barrier::wait");
        assert_eq!(
            plain("std::sync::barrier::Barrier::wait::h0123456789abcdef"),
            "std::sync::barrier::Barrier::wait"
        );
    }

    #[test]
    fn the_functions_of_this_program_are_found() {
        // Whoever tests has std with all of its waiting in it.
        let me = std::env::current_exe().unwrap();
        if cfg!(target_os = "linux") {
            assert!(find(&me).len() >= 4, "std has changed the names of its functions: {:?}", find(&me));
        }
    }
}
