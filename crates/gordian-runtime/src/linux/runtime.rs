//! What an execution needs besides the C library: the conductor, what is known of memory, and the threads.

use super::blocks::Blocks;
use super::carriers::Carrier;
use super::control::Control;
use super::hooks::calls;
use super::hooks::racy::Racy;
use super::hooks::shadow::Shadow;
use super::hooks::words::Words;
use super::inputs::Recorded;
use super::objects::Objects;
use super::sites::Sites;
use super::time::Clock;
use gordian_model::{Conductor, ObjectId, ThreadId};
use gordian_wire::Shared;

/// What an execution needs. There is one, made before the process forks for the first time.
pub(crate) struct Runtime {
    pub(crate) conductor: Conductor,
    pub(crate) shared: &'static Shared,
    pub(crate) sites: Sites,
    pub(crate) objects: Objects,
    /// What is known of memory, if the program has hooks.
    pub(crate) words: Words,
    pub(crate) shadow: Shadow,
    /// Plain accesses that are steps.
    pub(crate) racy: Racy,
    /// What the program has got from outside.
    pub(crate) recorded: Recorded,
    pub(crate) blocks: Blocks,
    pub(crate) recent: calls::Recent,
    /// Signals that were sent and not taken yet.
    pub(crate) signals: Vec<libc::c_int>,
    /// By number of the thread; null if it is not in this execution.
    threads: Vec<*mut Control>,
    /// What threads can run on, if not on the kernel's.
    pub(crate) carriers: Vec<*mut Carrier>,
    /// A thread has blocked signals, or let them through.
    pub(crate) masked: bool,
    /// Handles of threads that can still be joined.
    pub(crate) handles: Vec<(libc::pthread_t, ThreadId)>,
    /// Threads that the running one has spawned since its last op.
    pub(crate) newborns: Vec<ThreadId>,
    /// Threads that run up to their next op before anything is decided, the next one last.
    pub(super) stack: Vec<ThreadId>,
    /// A thread that has handed over the turn and is about to disappear.
    pub(crate) dying: u32,
    /// Stands for all memory, where that is not watched and known to matter.
    pub(super) memory: Option<ObjectId>,
    /// The thread that ends the process when all others have gone as far as they can.
    pub(crate) exiting: Option<ThreadId>,
}

impl Runtime {
    pub(super) fn new(shared: &'static Shared) -> Runtime {
        Runtime {
            conductor: Conductor::default(),
            shared,
            sites: Sites::default(),
            objects: Objects::default(),
            words: Words::default(),
            shadow: Shadow::default(),
            racy: Racy::default(),
            recorded: Recorded::default(),
            blocks: Blocks::default(),
            recent: calls::Recent::default(),
            signals: Vec::new(),
            threads: Vec::new(),
            carriers: Vec::new(),
            masked: false,
            handles: Vec::new(),
            newborns: Vec::new(),
            stack: Vec::new(),
            dying: 0,
            memory: None,
            exiting: None,
        }
    }

    /// There is a thread with this number now.
    pub(crate) fn admit(&mut self, thread: ThreadId, clock: Clock, handle: libc::pthread_t) {
        let i = thread.index();
        if self.threads.len() <= i {
            self.threads.resize(i + 1, std::ptr::null_mut());
        }
        let control = Control::new(thread, clock, handle);
        // Never given back: the process ends with the execution.
        self.threads[i] = Box::into_raw(Box::new(control));
    }

    /// What there is of a thread of this execution.
    pub(crate) fn control(&mut self, thread: ThreadId) -> &mut Control {
        // SAFETY: it was admitted, and is never freed; its atomics are all that a thread without the turn uses.
        unsafe { &mut *self.threads[thread.index()] }
    }

    /// The thread that the C library knows by this handle. Handles of threads that are gone are given to others.
    pub(crate) fn with_handle(&mut self, handle: libc::pthread_t) -> Option<ThreadId> {
        let joinable = self.handles.iter().find(|&&(known, _)| known == handle).map(|&(_, thread)| thread);
        joinable.or_else(|| {
            let mut born: Vec<ThreadId> = self.conductor.born().collect();
            born.retain(|&thread| {
                !self.conductor.is_finished(thread) && self.control(thread).handle == handle
            });
            born.first().copied()
        })
    }

    /// Goes through all threads of this execution.
    pub(crate) fn each_control(&mut self, mut f: impl FnMut(&mut Control)) {
        for &control in self.threads.iter().filter(|control| !control.is_null()) {
            // SAFETY: as in `control`.
            f(unsafe { &mut *control });
        }
    }

    /// The thread of this execution on whose stack an address lies.
    pub(crate) fn on_whose_stack(&mut self, address: usize) -> Option<ThreadId> {
        let is_it = |control: &&*mut Control| {
            // SAFETY: as in `control`.
            !control.is_null() && unsafe { (***control).is_own(address) }
        };
        self.threads.iter().position(|control| is_it(&control)).map(|i| ThreadId(i as u32))
    }
}
