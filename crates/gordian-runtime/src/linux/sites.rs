//! Places in the program, by the addresses that calls return to. What lies there in the source, the host finds out.

use super::runtime::Runtime;
use super::turn;
use gordian_model::names::Site;
use gordian_model::{Names, SiteId};
use gordian_wire::{DEPTH, Frames, MARK, Shared};
use rustc_hash::FxHashMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::Acquire;

/// The places met so far.
#[derive(Default)]
pub(crate) struct Sites {
    known: FxHashMap<Frames, SiteId>,
    /// Where the program's own code lies, without libraries.
    program: (usize, usize),
    /// How many of the shared tables have been taken over.
    sites: usize,
    threads: usize,
}

impl Sites {
    pub(crate) fn set_program(&mut self, program: (usize, usize)) {
        self.program = program;
    }

    /// Is it an address in the program's own code?
    pub(crate) fn is_program(&self, address: usize) -> bool {
        (self.program.0..self.program.1).contains(&address)
    }

    /// Takes over what earlier executions have met. Called by the fork server, so that what is forked knows all of it.
    pub(crate) fn absorb(&mut self, shared: &Shared, names: &mut Names) {
        for i in self.sites..shared.sites.load(Acquire) as usize {
            self.known.insert(shared.frames(i), SiteId(i as u32 + 1));
            self.sites = i + 1;
            names.add_site(placeholder(i as u32 + 1));
        }
        for i in self.threads..shared.threads.load(Acquire) as usize {
            let (parent, nth) = shared.spawned(i);
            names.child(parent, nth);
            self.threads = i + 1;
        }
    }

    fn get(&mut self, frames: Frames, shared: &Shared, names: &mut Names) -> SiteId {
        *self.known.entry(frames).or_insert_with(|| match shared.add_frames(&frames) {
            Some(number) => names.add_site(placeholder(number)),
            None => SiteId::UNKNOWN,
        })
    }
}

/// How a place stands in messages until the host knows it.
fn placeholder(number: u32) -> Site {
    Site { file: format!("{MARK}{number}"), line: 0, column: 0 }
}

impl Runtime {
    /// The place that has these return addresses.
    pub(crate) fn site(&mut self, frames: Frames) -> SiteId {
        self.sites.get(frames, self.shared, &mut self.conductor.names)
    }
}

/// The place of a call that returns to `caller`. If that is in a library, what called the library counts as well.
pub(crate) fn site(caller: usize) -> SiteId {
    let (start, end) = turn::with(|rt| rt.sites.program);
    if (start..end).contains(&caller) {
        let mut frames = [0; DEPTH];
        frames[0] = caller as u64;
        return turn::with(|rt| rt.site(frames));
    }
    stack_site(caller)
}

/// The place of a call by the whole stack, from the frame that returns to `caller` on.
pub(crate) fn stack_site(caller: usize) -> SiteId {
    let frames = backtrace(caller);
    turn::with(|rt| rt.site(frames))
}

struct Walk {
    from: u64,
    seen: bool,
    frames: Frames,
    count: usize,
}

unsafe extern "C" {
    fn _Unwind_Backtrace(each: extern "C" fn(*mut c_void, *mut c_void) -> c_int, walk: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

extern "C" fn each(context: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: the walk is the one that `backtrace` passed, and the context the unwinder's.
    let (walk, address) = unsafe { (&mut *walk.cast::<Walk>(), _Unwind_GetIP(context) as u64) };
    walk.seen |= address == walk.from;
    if walk.seen && address != 0 && walk.count < DEPTH {
        walk.frames[walk.count] = address;
        walk.count += 1;
    }
    const GO_ON: c_int = 0;
    const ENOUGH: c_int = 4;
    if walk.count < DEPTH { GO_ON } else { ENOUGH }
}

/// The return addresses on the stack from `caller` on.
pub(crate) fn backtrace(caller: usize) -> Frames {
    let mut walk = Walk { from: caller as u64, seen: false, frames: [0; DEPTH], count: 0 };
    // SAFETY: the walk outlives the call.
    turn::aside(|| unsafe { _Unwind_Backtrace(each, (&raw mut walk).cast()) });
    if walk.count == 0 {
        walk.frames[0] = caller as u64;
    }
    walk.frames
}
