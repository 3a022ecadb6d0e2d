//! The coroutines on which threads under test run.
//!
//! A thread keeps its coroutine from one execution to the next: at its end it suspends and waits for something else to do.
//! Only the host touches the table of coroutines, because it has lent itself one of them while a thread runs. What threads
//! change themselves is apart from it, in their tasks.

use super::host::{Request, Runtime};
use super::job::Job;
use super::panic::PanicNote;
use super::snapshot::Snapshot;
use super::{Yield, current, overflow};
use corosensei::stack::{DefaultStack, Stack};
use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult};
use gordian_model::{Failure, FailureKind, Names, SiteId, ThreadId};

/// What a thread is resumed for.
pub(super) enum Wake {
    Go,
    TearDown,
}

pub(super) type Co = Coroutine<Wake, (), (), DefaultStack>;

/// More than this many are not kept for the next search.
const KEPT: usize = 1024;

/// A thread under test.
#[derive(Default)]
pub(super) struct Task {
    pub(super) yielder: *const YieldPointer,
    pub(super) base: usize,
    pub(super) limit: usize,
    pub(super) stack_pointer: usize,
    /// It has been spawned and has not ended.
    pub(super) live: bool,
    /// The host performs the op it waits with.
    pub(super) hosted: bool,
    job: Job,
    pub(super) snapshot: Snapshot,
    pub(super) last_panic: Option<PanicNote>,
}

type YieldPointer = Yield;

impl Runtime {
    /// Gives a new thread what it is to do; it begins when the host resumes it.
    ///
    /// # Safety
    /// What `body` borrows outlives the thread.
    #[inline]
    pub(super) unsafe fn bring_up(&mut self, thread: ThreadId, body: impl FnOnce()) {
        let i = thread.index();
        if self.tasks.len() <= i {
            self.tasks.resize_with(i + 1, Task::default);
        }
        let task = &mut self.tasks[i];
        if task.live {
            return self.fail_by_name(thread);
        }
        task.live = true;
        self.live += 1;
        task.hosted = false;
        if task.last_panic.is_some() {
            task.last_panic = None;
        }
        // SAFETY: as promised.
        unsafe { task.job.put(body) };
    }

    /// Only a plan that was tampered with has two threads of one name.
    #[cold]
    fn fail_by_name(&mut self, thread: ThreadId) {
        let name = self.conductor.names.thread(thread);
        let message = format!("two threads are named {name}: the plan is damaged");
        self.conductor.fail(Failure::new(FailureKind::Misuse, message));
    }

    /// Makes sure that the thread has a coroutine. Without a stack for it the execution has failed.
    ///
    /// # Safety
    /// The host is running.
    #[inline]
    pub(super) unsafe fn embody(&mut self, thread: ThreadId) -> bool {
        match self.coroutines.get(thread.index()) {
            Some(Some(_)) => true,
            // SAFETY: as promised.
            _ => unsafe { self.create(thread) },
        }
    }

    #[cold]
    unsafe fn create(&mut self, thread: ThreadId) -> bool {
        let i = thread.index();
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
        let task = &mut self.tasks[i];
        (task.base, task.limit) = (stack.base().get(), stack.limit().get());
        let all = move |yielder: &Yield, mut wake: Wake| {
            // SAFETY: as in `super::step`; the coroutine runs only inside an execution, and the references end before
            // the job runs and before it suspends.
            unsafe { (&mut (*current()).tasks)[i].yielder = yielder };
            loop {
                // SAFETY: as above.
                unsafe {
                    let job = &raw mut (&mut (*current()).tasks)[i].job;
                    Job::run(job, matches!(wake, Wake::Go));
                    let rt = &mut *current();
                    rt.tasks[i].live = false;
                    rt.live -= 1;
                    rt.request = Request::Ended;
                }
                wake = yielder.suspend(());
            }
        };
        if self.coroutines.len() <= i {
            self.coroutines.resize_with(i + 1, || None);
        }
        // SAFETY: the closure borrows nothing.
        self.coroutines[i] = Some(unsafe { Coroutine::with_stack_unchecked(stack, all) });
        true
    }

    /// Lets a thread run until it suspends or ends.
    ///
    /// # Safety
    /// As `execute`; the thread is suspended, or has not begun.
    #[inline(always)]
    pub(super) unsafe fn resume(rt: *mut Runtime, thread: ThreadId, wake: Wake) {
        // SAFETY: as promised. Nothing but the host touches `coroutines`, and the host waits here.
        unsafe {
            (*rt).running = thread;
            let place = &mut (&mut (*rt).coroutines)[thread.index()];
            let coroutine = place.as_mut().expect("only suspended threads are resumed");
            if let CoroutineResult::Return(()) = coroutine.resume(wake) {
                (*rt).bury(thread);
            }
        }
    }

    /// A thread has been made to return, because its stack was used up.
    #[cold]
    fn bury(&mut self, thread: ThreadId) {
        self.discard(thread);
        self.request = Request::Over;
        if overflow::happened() {
            let failure = overflow_failure(&self.conductor.names, thread, self.pool.size());
            self.conductor.fail(failure);
        }
    }

    /// Takes the stack from a thread whatever lies on it, which is leaked.
    #[cold]
    pub(super) fn discard(&mut self, thread: ThreadId) {
        self.forsake(thread);
        if let Some(mut coroutine) = self.coroutines[thread.index()].take() {
            // SAFETY: what it holds is not used any more; that it is not dropped is said above.
            unsafe { coroutine.force_reset() };
            self.pool.give(coroutine.into_stack());
        }
    }

    /// A thread goes without having come to its end.
    pub(super) fn forsake(&mut self, thread: ThreadId) {
        if std::mem::take(&mut self.tasks[thread.index()].live) {
            self.live -= 1;
        }
    }

    /// Coroutines that are made from now on have stacks of this size.
    pub(super) fn set_stack_size(&mut self, size: usize) {
        if self.pool.size() != size {
            self.retire(0);
            self.pool.set_size(size);
        }
    }

    /// Keeps no more coroutines than this many.
    fn retire(&mut self, kept: usize) {
        while self.coroutines.len() > kept {
            if let Some(Some(mut coroutine)) = self.coroutines.pop() {
                // SAFETY: between executions there is nothing on its stack that has to be dropped.
                unsafe { coroutine.force_reset() };
            }
        }
    }

    /// After a search: gives back what only a search with very many threads needs.
    pub(super) fn rest(&mut self) {
        self.retire(KEPT);
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.retire(0);
    }
}

/// The coroutine that this OS thread may be running, for a signal handler.
pub(super) fn running() -> Option<CoroutineTrapHandler<()>> {
    let rt = current();
    if rt.is_null() {
        return None;
    }
    // SAFETY: the runtime lives as long as it is current. The host has lent the coroutine to itself to resume it, and
    // waits for that; asking where its stack lies reads what nobody changes meanwhile.
    let rt = unsafe { &*rt };
    rt.coroutines.get(rt.running.index())?.as_ref().map(Coroutine::trap_handler)
}

fn overflow_failure(names: &Names, thread: ThreadId, size: usize) -> Failure {
    let message = format!(
        "stack overflow in {}: its stack of {} KiB is used up; if it needs more, give it more with Checker::stack_size",
        names.thread(thread),
        size / 1024
    );
    Failure::new(FailureKind::Crash, message).at(thread, SiteId::UNKNOWN)
}
