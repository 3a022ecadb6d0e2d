//! Where a thread is: the functions with hooks that it has entered and not left.

use crate::turn;
use gordian_model::SiteId;
use gordian_wire::{DEPTH, Frames};
use std::cell::UnsafeCell;

/// How many functions are kept. Those beyond are counted as they are entered, but not known.
const MOST: usize = 1024;

/// A function that was entered: where it returns to, and where the stack was then.
#[derive(Clone, Copy)]
struct Call {
    back: usize,
    stack: usize,
}

struct Calls {
    depth: usize,
    calls: [Call; MOST],
}

thread_local! {
    static CALLS: UnsafeCell<Calls> =
        const { UnsafeCell::new(Calls { depth: 0, calls: [Call { back: 0, stack: 0 }; MOST] }) };
}

/// # Safety
/// `f` must not come here again.
unsafe fn with<R>(f: impl FnOnce(&mut Calls) -> R) -> R {
    // SAFETY: each thread has its own, and the reference ends with `f`. A signal handler that comes in between leaves as many
    // calls as it found.
    CALLS.with(|calls| f(unsafe { &mut *calls.get() }))
}

/// A function begins.
///
/// # Safety
/// Called by compilers only.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_func_entry() {
    std::arch::naked_asm!("mov rsi, rsp", "jmp {to}", to = sym entered)
}

extern "C" fn entered(back: usize, stack: usize) {
    // SAFETY: nothing in here comes back.
    unsafe {
        with(|calls| {
            // What was left by unwinding or a long jump lies deeper in the stack than this.
            while calls.depth > 0 && calls.calls.get(calls.depth - 1).is_some_and(|call| call.stack <= stack)
            {
                calls.depth -= 1;
            }
            if let Some(call) = calls.calls.get_mut(calls.depth) {
                *call = Call { back, stack };
            }
            calls.depth += 1;
        });
    }
}

/// A function ends.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_exit() {
    // SAFETY: nothing in here comes back.
    unsafe { with(|calls| calls.depth = calls.depth.saturating_sub(1)) };
}

/// The return addresses from a hook that returns to `caller` on.
fn frames(caller: usize) -> Frames {
    let mut frames = [0; DEPTH];
    frames[0] = caller as u64;
    // SAFETY: nothing in here comes back.
    unsafe {
        with(|calls| {
            let known = &calls.calls[..calls.depth.min(MOST)];
            for (frame, call) in frames[1..].iter_mut().zip(known.iter().rev()) {
                *frame = call.back as u64;
            }
        });
    }
    frames
}

/// A few places that were asked for lately.
pub(crate) struct Recent {
    known: Vec<(Frames, SiteId)>,
}

const RECENT: usize = 1024;

impl Default for Recent {
    fn default() -> Recent {
        Recent { known: vec![([0; DEPTH], SiteId::UNKNOWN); RECENT] }
    }
}

/// The place of a hook that returns to `caller`.
pub(crate) fn site(caller: usize) -> SiteId {
    let frames = frames(caller);
    turn::with(|rt| {
        let mix = frames
            .iter()
            .fold(0u64, |mix, &frame| (mix.rotate_left(5) ^ frame).wrapping_mul(0x517c_c1b7_2722_0a95));
        let i = (mix >> 32) as usize % RECENT;
        let (known, site) = rt.recent.known[i];
        if known == frames {
            return site;
        }
        let site = rt.site(frames);
        rt.recent.known[i] = (frames, site);
        site
    })
}
