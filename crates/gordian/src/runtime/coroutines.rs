//! The stacks on which threads under test run, and what they do there.
//!
//! A thread keeps its stack from one execution to the next: at its end it suspends and waits for something else to do.

use super::host::{Request, Runtime};
use super::job::Job;
use super::panic::PanicNote;
use super::seat::Seat;
use super::snapshot::Snapshot;
use super::{current, overflow};
use corosensei::stack::Stack;
use gordian_model::{Conductor, Failure, FailureKind, Names, SiteId, ThreadId};
use std::convert::Infallible;

/// What a thread is resumed for.
#[derive(Clone, Copy)]
pub(super) enum Wake {
    Go,
    TearDown,
}

/// More stacks than this are not kept for the next search.
const KEPT: usize = 1024;

/// A thread under test.
#[derive(Default)]
pub(super) struct Task {
    pub(super) seat: Seat,
    pub(super) base: usize,
    pub(super) limit: usize,
    pub(super) stack_pointer: usize,
    /// It has been spawned and has not ended.
    pub(super) live: bool,
    /// The host performs the op it waits with.
    pub(super) hosted: bool,
    /// Nobody will join it: what it leaves is dropped at its end.
    pub(super) unclaimed: bool,
    /// Nor will anybody ask whether it has panicked.
    pub(super) detached: bool,
    pub(super) job: Job,
    pub(super) snapshot: Snapshot,
    pub(super) last_panic: Option<PanicNote>,
}

impl Runtime {
    /// Makes a new thread, which begins when it is resumed. What it is to do goes where this says.
    #[inline]
    pub(super) fn bring_up(&mut self, thread: ThreadId) -> Option<&mut Job> {
        let i = thread.index();
        if self.tasks.len() <= i {
            self.tasks.resize_with(i + 1, Task::default);
        }
        let task = &mut self.tasks[i];
        if task.live {
            fail_by_name(&mut self.conductor, thread);
            return None;
        }
        self.live += 1;
        task.live = true;
        (task.hosted, task.unclaimed, task.detached) = (false, false, false);
        if task.last_panic.is_some() {
            task.last_panic = None;
        }
        Some(&mut task.job)
    }

    /// Makes sure that the thread has a stack. Without one the execution has failed.
    #[inline]
    pub(super) fn embody(&mut self, thread: ThreadId) -> bool {
        self.tasks[thread.index()].seat.is_made() || self.create(thread)
    }

    #[cold]
    fn create(&mut self, thread: ThreadId) -> bool {
        let stack = match self.pool.take() {
            Ok(stack) => stack,
            Err(error) => {
                let message = format!(
                    "no stack of {} bytes for {}: {error}; use smaller stacks with Checker::stack_size, or fewer threads",
                    self.pool.size(),
                    self.conductor.names.thread(thread)
                );
                self.conductor.fail(Failure::new(FailureKind::Misuse, message));
                return false;
            }
        };
        let task = &mut self.tasks[thread.index()];
        (task.base, task.limit) = (stack.base().get(), stack.limit().get());
        task.seat.make(stack);
        true
    }

    /// Lets a thread run until somebody wants something of the host.
    ///
    /// # Safety
    /// As `execute`; the thread is suspended, or has not begun.
    #[inline(always)]
    pub(super) unsafe fn resume(rt: *mut Runtime, thread: ThreadId, wake: Wake) {
        // SAFETY: as promised; the references end before the switch.
        unsafe {
            (*rt).running = thread;
            (*rt).wake = wake;
            let seat = &raw mut (&mut (*rt).tasks)[thread.index()].seat;
            Seat::enter(&raw mut (*rt).home, seat);
            if (*rt).fallen {
                (*rt).bury();
            }
        }
    }

    /// The running thread leaves its stack and does not come back.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    pub(super) fn fall(&mut self) {
        self.fallen = true;
        self.request = Request::Over;
    }

    /// The running thread has left its stack for good, because it was used up or by a panic that nothing stopped there.
    #[cold]
    fn bury(&mut self) {
        self.fallen = false;
        if let Some(payload) = self.home.escaped() {
            std::panic::resume_unwind(payload);
        }
        let thread = self.running;
        self.discard(thread);
        if overflow::happened() {
            let failure = overflow_failure(&self.conductor.names, thread, self.pool.size());
            self.conductor.fail(failure);
        }
    }

    /// Takes the stack from a thread whatever lies on it, which is leaked.
    #[cold]
    pub(super) fn discard(&mut self, thread: ThreadId) {
        self.forsake(thread);
        if let Some(stack) = self.tasks[thread.index()].seat.unmake() {
            self.pool.give(stack);
        }
    }

    /// A thread goes without having come to its end.
    pub(super) fn forsake(&mut self, thread: ThreadId) {
        if std::mem::take(&mut self.tasks[thread.index()].live) {
            self.live -= 1;
        }
    }

    /// Stacks that are made from now on have this size.
    pub(super) fn set_stack_size(&mut self, size: usize) {
        if self.pool.size() != size {
            self.retire(0);
            self.pool.set_size(size);
        }
    }

    /// Keeps no more stacks than this many. Between executions there is nothing on them that has to be dropped.
    fn retire(&mut self, kept: usize) {
        for task in self.tasks.iter_mut().skip(kept) {
            drop(task.seat.unmake());
        }
    }

    /// After a search: gives back what only a search with very many threads needs.
    pub(super) fn rest_after_search(&mut self) {
        self.retire(KEPT);
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.retire(0);
    }
}

/// Only a plan that was tampered with has two threads of one name.
#[cold]
fn fail_by_name(conductor: &mut Conductor, thread: ThreadId) {
    let message = format!("two threads are named {}: the plan is damaged", conductor.names.thread(thread));
    conductor.fail(Failure::new(FailureKind::Misuse, message));
}

/// What a thread does on its stack: the jobs that it is given, one after the other.
///
/// # Safety
/// This is the stack of the running thread of an execution.
pub(super) unsafe fn serve() -> Infallible {
    // SAFETY: as promised; the references end before the job runs and before it suspends.
    unsafe {
        let i = (*current()).running.index();
        loop {
            let rt = current();
            let job = &raw mut (&mut (*rt).tasks)[i].job;
            Job::run(job, matches!((*rt).wake, Wake::Go));
            // It may be that of another execution.
            let rt = current();
            (&mut (*rt).tasks)[i].live = false;
            (*rt).live -= 1;
            Runtime::part(rt);
        }
    }
}

/// Lets the host go on instead of the running thread, if the fault at this address, with this stack pointer, is that its stack is used
/// up: for a signal handler, which is told the program counter and the stack pointer to go on with.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(super) fn fall_off(pointer: usize, address: usize) -> Option<(usize, usize)> {
    let rt = current();
    if rt.is_null() {
        return None;
    }
    // SAFETY: the runtime lives as long as it is current. Where the running thread's stack lies is changed by nobody meanwhile, and if the
    // fault is there it is this thread that has met it, not the host, which waits.
    unsafe {
        let task = <[Task]>::get(&(*rt).tasks, (*rt).running.index())?;
        let stack = task.limit..task.base;
        if !task.seat.is_made() || !stack.contains(&pointer) || !stack.contains(&address) {
            return None;
        }
        (*rt).fall();
        Some((*rt).home.landing())
    }
}

fn overflow_failure(names: &Names, thread: ThreadId, size: usize) -> Failure {
    let message = format!(
        "stack overflow in {}: its stack of {} KiB is used up; if it needs more, give it more with Checker::stack_size",
        names.thread(thread),
        size / 1024
    );
    Failure::new(FailureKind::Crash, message).at(thread, SiteId::UNKNOWN)
}
