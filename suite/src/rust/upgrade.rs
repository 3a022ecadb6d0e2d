//! Upgrading a read lock, after the documentation of `std::sync::RwLock`, which has no such thing. Who misses in the cache fills it while the read lock from
//! looking is still held, and so waits for itself; as long as another has filled it before, nothing happens.

use crate::Program;
use gordian::FailureKind;
use gordian::sync::RwLock;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "upgrade",
    source: "std::sync::RwLock",
    about: "a cache is filled by a thread that still holds a read lock on it",
    threads: 3,
    kind: FailureKind::Deadlock,
    body: upgrade,
    ..Program::USUAL
};

fn get(cache: &RwLock<Option<u32>>, buggy: bool) -> u32 {
    let seen = cache.read().unwrap();
    if let Some(value) = *seen {
        return value;
    }
    let kept = if buggy {
        Some(seen)
    } else {
        drop(seen);
        None
    };
    let value = *cache.write().unwrap().get_or_insert(7);
    drop(kept);
    value
}

fn upgrade(buggy: bool) {
    let cache = RwLock::new(None);
    thread::scope(|s| {
        s.spawn(|| *cache.write().unwrap() = Some(7));
        s.spawn(|| assert_eq!(get(&cache, buggy), 7));
    });
}
