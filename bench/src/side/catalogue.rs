//! The programs that tools are compared on, and their sizes.

use super::tool::Library;

/// A program; what it does is in the file of `programs/` that its name stands for there.
pub struct Program {
    /// How it is called.
    pub name: &'static str,
    /// What it does; the words after it say what the size means.
    pub about: &'static str,
    /// Small, medium and large: threads and ops.
    pub sizes: &'static [(usize, usize)],
    /// Where its text is, for counting what a user has to change.
    pub source: &'static str,
}

macro_rules! program {
    ($name:literal, $file:literal, $about:literal, $sizes:expr) => {
        Program {
            name: $name,
            about: $about,
            sizes: &$sizes,
            source: include_str!(concat!("programs/", $file, ".rs")),
        }
    };
}

/// Programs without a bug.
pub const RIGHT: [Program; 24] = [
    program!("a", "counters", "threads lock a mutex and increment, ops times", [(2, 2), (3, 2), (4, 2)]),
    program!("b", "counters", "threads fetch_add one atomic, ops times", [(3, 2), (3, 3), (4, 2)]),
    program!("c", "counters", "threads fetch_add their own atomic, ops times", [(3, 3), (4, 4), (4, 8)]),
    program!("d", "litmus", "store buffering, SeqCst, around a ring of threads", [(2, 1), (3, 1), (4, 1)]),
    program!("e", "stack", "Treiber stack, threads push and pop, ops times", [(2, 1), (2, 2), (3, 1)]),
    program!(
        "f",
        "queue",
        "Michael-Scott queue, one thread dequeues, the others enqueue, ops times",
        [(3, 1), (3, 2), (4, 1)]
    ),
    program!("g", "channel", "mpsc, threads send ops times each", [(2, 2), (2, 4), (3, 2)]),
    program!("hangup", "channel", "mpsc, until the senders are gone", [(1, 1), (2, 2)]),
    program!("h", "philosophers", "philosophers, ordered forks", [(3, 1), (4, 1), (5, 1)]),
    program!("i", "counters", "threads load and store, ops times", [(3, 1), (2, 3), (4, 1)]),
    program!("peek", "litmus", "one thread loads, the others load and store", [(2, 1), (3, 1), (4, 1)]),
    program!("try-lock", "litmus", "threads try_lock a mutex, ops times", [(2, 1), (2, 2), (3, 1)]),
    program!(
        "mpmc",
        "mpmc",
        "bounded MPMC queue of 2 places, every other thread takes out, ops times",
        [(2, 1), (2, 2), (3, 1)]
    ),
    program!(
        "rwlock",
        "rwlock",
        "RwLock, ops of the threads write, the others read",
        [(3, 1), (4, 1), (4, 2)]
    ),
    program!(
        "buffer",
        "buffer",
        "condvar bounded buffer, threads put in, ops further threads take out",
        [(1, 1), (2, 1), (2, 2)]
    ),
    program!("spin", "spin", "spin lock, ops times", [(2, 1), (2, 2), (3, 1)]),
    program!("swap", "spin", "spin lock that swaps, ops times", [(2, 1), (2, 2)]),
    program!("ticket", "ticket", "ticket lock, ops times", [(2, 1), (2, 2), (3, 1)]),
    program!(
        "seqlock",
        "seqlock",
        "sequence lock, one thread writes ops times, the others read",
        [(2, 1), (2, 2), (3, 1)]
    ),
    program!(
        "deque",
        "deque",
        "Chase-Lev deque, the owner puts in and takes out ops times, the others steal",
        [(2, 1), (2, 2), (3, 2)]
    ),
    program!(
        "hazard",
        "hazard",
        "hazard-pointer stack, one thread reuses a node, the others take ops",
        [(2, 1), (2, 2), (3, 1)]
    ),
    program!("task", "task", "async task that awaits a signal of each thread", [(1, 1), (2, 1), (3, 1)]),
    program!("barrier", "barrier", "barrier", [(2, 1), (4, 1), (8, 1)]),
    program!("leader", "barrier", "barrier, whose leader is asked for", [(2, 1), (4, 1), (5, 1)]),
];

/// Programs with a bug, in one size each.
pub const BUGGY: [Program; 15] = [
    program!("bug-counter", "bugs", "an update is lost, amid 2 threads of noise", [(4, 3)]),
    program!("bug-flicker", "bugs", "a value changes and changes back, amid 2 threads of noise", [(4, 4)]),
    program!("bug-both", "bugs", "two values change while they are looked at, amid noise", [(4, 4)]),
    program!("bug-lazy", "bugs", "something is made twice", [(3, 1)]),
    program!("bug-philosophers", "philosophers", "left fork first: deadlock", [(4, 1)]),
    program!("bug-channel", "channel", "the order of messages is taken for granted", [(3, 2)]),
    program!("bug-mpmc", "mpmc", "a slot is handed over before it is filled", [(3, 1)]),
    program!("bug-rwlock", "rwlock", "read under one lock, written under another", [(4, 1)]),
    program!("bug-buffer", "buffer", "if instead of while at a condvar", [(2, 2)]),
    program!("bug-spin", "spin", "the lock is looked at and taken in two steps", [(3, 1)]),
    program!("bug-ticket", "ticket", "two threads may draw the same ticket", [(3, 1)]),
    program!("bug-seqlock", "seqlock", "a write under way is not waited for", [(2, 1)]),
    program!("bug-deque", "deque", "the last item is taken without asking", [(2, 2)]),
    program!("bug-hazard", "hazard", "a node is reused while it is looked at (ABA)", [(2, 2)]),
    program!("bug-task", "task", "a wakeup is lost", [(2, 1)]),
];

impl Program {
    /// What keeps a library from running the program in this size.
    pub fn unsupported(&self, library: Library, (threads, ops): (usize, usize)) -> Option<&'static str> {
        let spawned = if self.source.contains("putters + takers") { threads + ops } else { threads };
        match library {
            Library::Loom if ["barrier", "leader"].contains(&self.name) => Some("no Barrier"),
            Library::Loom if spawned > 4 => Some("at most 5 threads"),
            _ => None,
        }
    }

    /// Lines that import what the library offers in place of std; that of `thread` stands elsewhere if `crew` spawns.
    pub fn imports(&self) -> usize {
        let own = self.source.lines().filter(|line| line.starts_with("use super::kit::")).count();
        own + usize::from(self.source.contains("crew"))
    }
}
