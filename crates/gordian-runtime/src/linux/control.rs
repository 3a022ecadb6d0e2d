//! What there is of a thread under control, besides what the conductor knows.

use super::cancel::Manners;
use super::carriers::Context;
use super::hooks::racy::Waiting;
use super::random::Numbers;
use super::snapshot::Snapshot;
use super::time::Clock;
use gordian_model::ThreadId;
use std::sync::atomic::AtomicU32;

/// What there is of a thread.
pub(crate) struct Control {
    /// Where it is while it does not run, if it has a carrier.
    pub(crate) context: Context,
    /// The signals it has blocked, if any has changed that.
    pub(crate) mask: u64,
    /// One: it may go on.
    pub(super) turn: AtomicU32,
    /// The kernel's number for it.
    pub(crate) number: AtomicU32,
    /// The C library's handle.
    pub(crate) handle: libc::pthread_t,
    /// Virtual time.
    pub(crate) clock: Clock,
    /// What it does when it is asked to end.
    pub(crate) manners: Manners,
    /// Robust mutexes that it holds.
    pub(crate) robust: Vec<usize>,
    /// Random numbers.
    pub(crate) numbers: Numbers,
    /// Where its stack lies.
    pub(crate) stack: (usize, usize),
    /// Where the program's part of the stack begins.
    pub(crate) base: usize,
    /// The state in which it was last seen in a loop, and room for another.
    pub(crate) snapshot: Snapshot,
    pub(crate) spare: Snapshot,
    /// How often it has done something to atomics, in trusted code, since its last step.
    pub(crate) within: u32,
    /// It has been in code without hooks that may have changed atomics.
    pub(crate) unseen: bool,
    /// The plain read that it may be waiting with.
    pub(crate) waiting: Waiting,
}

impl Control {
    /// A thread that has just been created, or is about to be.
    pub(super) fn new(thread: ThreadId, clock: Clock, handle: libc::pthread_t) -> Control {
        Control {
            context: Context { pointer: 0, thread: handle as usize },
            mask: 0,
            turn: AtomicU32::new(0),
            number: AtomicU32::new(0),
            handle,
            clock,
            manners: Manners::default(),
            robust: Vec::new(),
            numbers: Numbers::of(thread),
            stack: (0, 0),
            base: 0,
            snapshot: Snapshot::default(),
            spare: Snapshot::default(),
            within: 0,
            unseen: false,
            waiting: Waiting::default(),
        }
    }

    /// Is this where its functions have their variables?
    pub(crate) fn is_local(&self, address: usize) -> bool {
        (self.stack.0..self.base).contains(&address)
    }

    /// Is this on the thread's own stack?
    pub(crate) fn is_own(&self, address: usize) -> bool {
        (self.stack.0..self.stack.1).contains(&address)
    }
}
