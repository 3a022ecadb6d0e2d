//! How a thread under test begins and ends: its result, its panic, its thread-locals.

use crate::runtime::{self, Leaving, PanicNote, Shared};
use gordian_model::{Failure, FailureKind, ObjectId, Op, OpKind, SiteId, ThreadId};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The right to the result of a thread.
pub(super) type Claim<T> = runtime::Claim<std::thread::Result<T>>;

/// Nobody will join the thread any more: if it has panicked, or does so later, that is a failure.
pub(super) fn detach<T>(claim: &mut Claim<T>) {
    claim.detach();
    // A thread that unwinds drops its handles, too; then its own panic is the one to tell about. If that one is
    // caught, this one shows at the end.
    if !runtime::is_panicking()
        && let Some(Err(_)) = claim.take()
    {
        fail_with_panic_of(claim.thread());
    }
}

/// Starts a thread under test.
///
/// # Safety
/// See [`runtime::spawn`].
#[inline]
#[allow(unsafe_code)]
pub(super) unsafe fn start<'a, F, T>(name: Option<String>, f: F) -> Claim<T>
where
    F: FnOnce() -> T + 'a,
    T: Send + 'a,
{
    // SAFETY: the caller's promise; the claim is on what the body leaves.
    unsafe {
        let thread = runtime::spawn(name, || run(f));
        crate::time::begin_with_mine(thread);
        Claim::new(thread)
    }
}

/// Starts a thread under test that borrows nothing.
#[inline]
#[allow(unsafe_code)]
pub(super) fn start_free<F, T>(name: Option<String>, f: F) -> Claim<T>
where
    F: FnOnce() -> T + 'static,
    T: Send + 'static,
{
    // SAFETY: everything the body holds is 'static.
    unsafe { start(name, f) }
}

/// The body of a spawned thread. Inlined, because each return on the way back from a switch is one that the processor predicts
/// wrongly; so are the other parts of a thread's beginning and end.
///
/// # Safety
/// There is a [`Claim<T>`](Claim) on this thread, or has been.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) unsafe fn run<T>(f: impl FnOnce() -> T) {
    // SAFETY: as promised.
    let leaving = unsafe { Leaving::new() };
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(value) => {
            super::local::drop_all();
            leaving.leave(Ok(value));
        }
        // This is as far as there was something to unwind.
        Err(payload) if runtime::is_tear_down(&*payload) => return,
        Err(payload) => {
            note_panic(runtime::take_panic());
            super::local::drop_all();
            leaving.leave(Err(payload));
            if runtime::is_detached() {
                fail_with_panic_of(runtime::me());
            }
        }
    }
    if runtime::with(|conductor, _| conductor.options().end_steps) {
        end_step();
    }
    finish();
}

/// The end of a thread, where it is a step of its own.
#[inline(never)]
fn end_step() {
    runtime::op(Op::new(OpKind::End, ObjectId::life(runtime::me()), SiteId::UNKNOWN));
}

/// The thread has come to its end. In a tear-down the execution is over, and its trace stays what it is.
#[inline]
fn finish() {
    if !runtime::is_silent() {
        runtime::settle();
        runtime::with(|conductor, me| conductor.finish(me));
    }
}

/// A thread-local value panicked while it was dropped, which in std ends the process.
pub(super) fn end_with_panic(payload: Box<dyn Any + Send>) {
    runtime::user_panic(payload);
    note_panic(runtime::take_panic());
    fail_with_panic_of(runtime::me());
    runtime::stop_if_over();
}

/// The body of the main thread.
#[inline(always)]
pub(crate) fn run_main(body: &dyn Fn()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(body)) {
        if runtime::is_tear_down(&*payload) {
            return;
        }
        note_panic(runtime::take_panic());
        fail_with_panic_of(ThreadId::MAIN);
    }
    super::local::drop_all();
    finish();
}

fn note_panic(note: PanicNote) {
    runtime::shared(|shared, thread| {
        shared.panics.push(runtime::Panicked { thread, note, handled: false });
    });
}

/// Somebody has joined the thread and seen its panic.
pub(super) fn mark_handled(thread: ThreadId) {
    runtime::shared(|shared, _| {
        shared.panics.iter_mut().filter(|p| p.thread == thread).for_each(|p| p.handled = true);
    });
}

/// A panic that nobody handles ends the execution.
fn fail_with_panic_of(thread: ThreadId) {
    let failure = runtime::shared(|shared, _| {
        let place = |p: &runtime::Panicked| (p.note.file.clone(), p.note.line, p.note.column);
        let panicked = shared.panics.iter().rfind(|p| p.thread == thread)?;
        let others: Vec<_> = shared
            .panics
            .iter()
            .filter(|p| p.thread != thread)
            .map(|p| (p.thread, p.note.message.clone(), place(p)))
            .collect();
        Some((panicked.note.message.clone(), place(panicked), others))
    });
    let Some((message, place, others)) = failure else { return };
    runtime::with(|conductor, _| {
        let mut site = |(file, line, column): (String, u32, u32)| conductor.names.intern(&file, line, column);
        let at: SiteId = site(place);
        let others: Vec<_> = others.into_iter().map(|(t, m, p)| (t, m, site(p))).collect();
        let mut failure = Failure::new(
            FailureKind::Panic,
            format!("{} panicked: {message}", conductor.names.thread(thread)),
        )
        .at(thread, at);
        for (other, message, site) in others {
            failure = failure.note(Some(other), format!("panicked before: {message}"), site);
        }
        conductor.fail(failure);
    });
}

/// Panics that nobody has dealt with when the execution ends.
pub(crate) fn unhandled(shared: &Shared) -> Option<ThreadId> {
    shared.panics.iter().find(|p| !p.handled).map(|p| p.thread)
}

/// Reports a panic that nobody has dealt with.
pub(crate) fn fail_if_unhandled() {
    if let Some(thread) = runtime::shared(|shared, _| unhandled(shared)) {
        fail_with_panic_of(thread);
    }
}

/// The payload of a thread whose execution was torn down before it ended.
pub(super) fn torn_down() -> Box<dyn Any + Send> {
    Box::new("the execution ended before this thread did")
}
