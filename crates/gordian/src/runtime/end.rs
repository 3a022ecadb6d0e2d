//! The end of an execution: what is left is torn down and dropped.

use super::coroutines::Wake;
use super::host::Runtime;
use super::panic::TearDown;
use crate::thread::{drop_left_locals, fail_if_unhandled};
use gordian_model::{Failure, FailureKind, ThreadId};
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Runtime {
    /// Drops what is left of the execution. Mostly that is nothing: all threads have ended, and nothing lives as long as it.
    ///
    /// # Safety
    /// As `execute`.
    #[inline(always)]
    pub(super) unsafe fn wind_up(rt: *mut Runtime) {
        // SAFETY: see `execute`; the references end here.
        unsafe {
            (*rt).silent = true;
            if (*rt).live > 0 {
                Runtime::tear_down(rt);
            }
            debug_assert!((*rt).newborns.is_empty() && (*rt).unborn.is_empty(), "they would be live");
            (*rt).running = ThreadId::MAIN;
            (*rt).silent_ops = 0;
            if !(*rt).shared.storage.is_empty() || !(*rt).shared.locals.is_empty() {
                Runtime::drop_statics(rt);
            }
            if !(*rt).shared.panics.is_empty() {
                fail_if_unhandled();
            }
        }
    }

    /// Unwinds every thread that is still suspended, youngest first, so that its values are dropped.
    #[cold]
    #[inline(never)]
    unsafe fn tear_down(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            (*rt).tearing_down = true;
            (*rt).newborns.clear();
            (*rt).unborn.clear();
            for i in (0..(*rt).tasks.len()).rev() {
                if (*rt).live == 0 {
                    break;
                }
                if !(&(*rt).tasks)[i].live {
                    continue;
                }
                let thread = ThreadId(i as u32);
                (*rt).silent_ops = 0;
                // One that has not begun drops what it was to do, if there is a stack to do so.
                if !(*rt).embody(thread) {
                    (*rt).forsake(thread);
                    continue;
                }
                // One that unwinds already goes on with that: a second panic on top would end the process.
                let unwinding = (*rt).conductor.is_panicking(thread);
                let wake = if unwinding { Wake::Go } else { Wake::TearDown };
                // The unwinding ends in the body of the thread, unless it was dropping its thread-locals already.
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| Runtime::resume(rt, thread, wake))) {
                    (*rt).discard(thread);
                    if !payload.is::<TearDown>() {
                        std::panic::resume_unwind(payload);
                    }
                }
                if (&(*rt).tasks)[i].live {
                    // It could not be unwound: what it holds is leaked.
                    (*rt).discard(thread);
                }
            }
            (*rt).tearing_down = false;
        }
    }

    /// Drops what statics and the thread-locals of threads that were torn down still hold.
    #[cold]
    #[inline(never)]
    unsafe fn drop_statics(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            // Dropping one value may bring others to life, so each is taken out by itself.
            let next = move || {
                drop_left_locals();
                let storage = &mut (*rt).shared.storage;
                match storage.pop() {
                    None => false,
                    Some((object, drop)) => {
                        *(*rt).conductor.object_mut(object) = gordian_model::object::Once::new().into();
                        drop();
                        true
                    }
                }
            };
            loop {
                let dropped = catch_unwind(AssertUnwindSafe(next));
                if let Ok(false) = dropped {
                    break;
                }
                if dropped.is_err() {
                    let note = (&mut (*rt).tasks)[0].last_panic.take();
                    let message = note.map_or_else(String::new, |n| n.message);
                    (*rt).conductor.fail_at_end(Failure::new(
                        FailureKind::Panic,
                        format!("the value of a static panicked when it was dropped at the end of the execution: {message}"),
                    ));
                }
            }
        }
    }
}
