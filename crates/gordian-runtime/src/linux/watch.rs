//! A debugger that looks at one execution (`gordian replay FILE --debug`).
//!
//! It starts the program itself, with no fork server and nobody who waits for the outcome: the memory that is otherwise shared with the
//! host comes from a file. Before the step that was asked for, on the stack of the thread that is about to make it, and where the execution
//! fails, the runtime writes down what there is and calls `__gordian_stop`, in which the debugger has a breakpoint. What that is
//! handed is plain memory, which the script that comes with the command can read. The threads are the system's, so the debugger sees all
//! of them; those that do not have the turn sleep, and sleep on when they have been stopped.

use super::runtime::Runtime;
use gordian_model::{End, ThreadId};
use gordian_wire::{OUTCOME_AT, OUTCOME_SIZE, Outcome, put_outcome};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// What the debugger is handed, by address. The script knows where each part lies.
#[repr(C)]
pub struct View {
    magic: u64,
    /// Stop before this step, the first being 1; the largest number is the failure itself. The debugger writes here.
    stop_at: u64,
    /// An [`Outcome`]: the steps so far, and what each thread does next.
    outcome: *const u8,
    len: u64,
    /// How many steps have been made.
    made: u64,
    /// The number of the thread that makes the next one, or that fails; the largest number if it is none.
    thread: u64,
    /// The execution has failed.
    failed: u64,
    /// For each thread the system's number for it, with [`ENDED`] if it has ended; nought if it is not there.
    threads: *const u64,
    count: u64,
}

const MAGIC: u64 = u64::from_le_bytes(*b"gordian\x02");
const END: u64 = u64::MAX;
const ENDED: u64 = 1 << 32;

/// Null if nobody looks.
static VIEW: AtomicPtr<View> = AtomicPtr::new(std::ptr::null_mut());

/// Somebody looks, and wants to stop there first.
pub(crate) fn prepare(stop_at: u64) {
    let view = View {
        magic: MAGIC,
        stop_at,
        outcome: std::ptr::null(),
        len: 0,
        made: 0,
        thread: END,
        failed: 0,
        threads: std::ptr::null(),
        count: 0,
    };
    // Never given back: the process ends with the execution.
    VIEW.store(Box::into_raw(Box::new(view)), Relaxed);
}

/// The debugger has a breakpoint here.
///
/// # Safety
/// It must be the view.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn __gordian_stop(view: *mut View) {
    // Written here, so that no other function has the same body and could stand for this one.
    // SAFETY: as the caller says.
    unsafe { std::ptr::write_volatile(&raw mut (*view).magic, MAGIC) };
}

/// The thread has the turn and is about to make a step.
#[inline]
pub(crate) fn before_step(rt: &mut Runtime, me: ThreadId) {
    let view = VIEW.load(Relaxed);
    if view.is_null() {
        return;
    }
    let number = rt.conductor.trace.len() as u64 + 1;
    // SAFETY: never given back; somebody outside of the program may have written to it.
    let stop_at = unsafe { std::ptr::read_volatile(&raw const (*view).stop_at) };
    if stop_at <= number {
        show(rt, view, Some(me));
    }
}

/// The execution is over.
pub(crate) fn at_end(rt: &mut Runtime) {
    let view = VIEW.load(Relaxed);
    if view.is_null() {
        return;
    }
    if let End::Failed(failure) = &rt.conductor.trace.end {
        let thread = failure.thread;
        show(rt, view, thread);
    }
}

#[cold]
fn show(rt: &mut Runtime, view: *mut View, thread: Option<ThreadId>) {
    let mut trace = rt.conductor.trace.clone();
    let failed = trace.failure().is_some();
    if !failed {
        trace.aftermath = Some(Box::new(rt.conductor.aftermath()));
    }
    let made = trace.len() as u64;
    let base = std::ptr::from_ref(rt.shared).cast::<u8>().cast_mut();
    // SAFETY: that much is mapped behind the head, and nobody else has it.
    let bytes = unsafe { std::slice::from_raw_parts_mut(base.add(OUTCOME_AT), OUTCOME_SIZE) };
    let len = put_outcome(&Outcome::of(trace), bytes).unwrap_or(0) as u64;
    let threads = rt.numbers();
    // SAFETY: never given back, and only the thread that has the turn is here.
    unsafe {
        (*view).outcome = bytes.as_ptr();
        (*view).len = len;
        (*view).made = made;
        (*view).thread = thread.map_or(END, |thread| u64::from(thread.0));
        (*view).failed = u64::from(failed);
        (*view).threads = threads.as_ptr();
        (*view).count = threads.len() as u64;
        // Where to stop next is for the debugger to say.
        (*view).stop_at = END;
        __gordian_stop(view);
    }
}

impl Runtime {
    /// The system's numbers of the threads.
    fn numbers(&mut self) -> Vec<u64> {
        let born: Vec<ThreadId> = self.conductor.born().collect();
        let mut numbers = vec![0; born.last().map_or(0, |last| last.index() + 1)];
        for thread in born {
            let ended = if self.conductor.is_finished(thread) { ENDED } else { 0 };
            numbers[thread.index()] = u64::from(self.control(thread).number.load(Relaxed)) | ended;
        }
        numbers
    }
}
