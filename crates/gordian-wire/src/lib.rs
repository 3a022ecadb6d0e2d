//! What crosses between the host and the runtime in a native program.
//!
//! Both map one piece of shared memory. It begins with [`Shared`], in which everything is atomic; a plan and an [`Outcome`] follow as
//! bytes. The host writes a plan and tells the fork server, through a pipe, to go; the process that it forks reads
//! the plan, runs, leaves its outcome and ends. Nothing is said in between: the count of steps is there for
//! the watchdog only.
//!
//! Threads and places get numbers that hold for a whole search. The runtime puts new ones at the end of the tables here, which
//! outlive the process that met them.
#![forbid(unsafe_code)]

use gordian_model::input::{Call, Input};
use gordian_model::{ObjectId, Plan, ThreadId, Trace};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The first word of the shared memory; another layout has another.
pub const MAGIC: u32 = 0x474f_5232;
/// Environment: the number of the descriptor of the shared memory.
pub const MEMORY_VARIABLE: &str = "GORDIAN_NATIVE_MEMORY";
/// Environment: the descriptor from which the fork server is told to go.
pub const ORDERS_VARIABLE: &str = "GORDIAN_NATIVE_ORDERS";
/// Environment: the descriptor to which it says how an execution ended.
pub const ANSWERS_VARIABLE: &str = "GORDIAN_NATIVE_ANSWERS";

/// Environment: how many of the first threads cannot be created, as if the system had no room for them (`EAGAIN`). std's harness then runs a test
/// on the thread that it is on itself.
pub const REFUSED_VARIABLE: &str = "GORDIAN_NATIVE_REFUSED_THREADS";

/// Environment: the descriptor that the runtime was loaded from.
pub const LIBRARY_VARIABLE: &str = "GORDIAN_NATIVE_LIBRARY";

/// Environment: a file with what is otherwise shared with the host, for a program that a debugger has started: it has no host.
pub const DIRECT_VARIABLE: &str = "GORDIAN_NATIVE_DIRECT";
/// Environment: the number of the step before which such a program is to stop first; anything else is the failure.
pub const STOP_VARIABLE: &str = "GORDIAN_NATIVE_STOP";
/// An order: an execution, in the process that made the last one if it is still there.
pub const GO_ON: u8 = 1;
/// An order: an execution in a new process.
pub const AFRESH: u8 = 2;
/// An answer in place of a status: the execution is over, and its process waits to make another.
pub const AGAIN: u32 = u32::MAX - 1;

/// The most return addresses that a place is known by.
pub const DEPTH: usize = 8;
/// The most places.
pub const SITES: usize = 1 << 14;
/// The most values from outside that are recorded in a search.
pub const INPUTS: usize = 1 << 16;
/// The most variables that can be chosen.
pub const RANGES: usize = 64;
/// The most functions without hooks that are known.
pub const POINTS: usize = 64;
/// The most threads, those of all executions of a search together.
pub const THREADS: usize = 1 << 14;
/// Where the plan begins, and the most bytes that it has.
pub const PLAN_AT: usize = 4 << 20;
/// The most bytes of a plan.
pub const PLAN_SIZE: usize = 28 << 20;
/// Where the outcome begins.
pub const OUTCOME_AT: usize = PLAN_AT + PLAN_SIZE;
/// The most bytes of an outcome.
pub const OUTCOME_SIZE: usize = 96 << 20;
/// How much is shared in all. What is not written to takes up no memory.
pub const SIZE: usize = OUTCOME_AT + OUTCOME_SIZE;

/// How far an execution has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Phase {
    /// The program has not come to `main`.
    Starting = 0,
    /// The fork server waits for orders.
    Ready = 1,
    /// An execution is going on.
    Running = 2,
    /// The outcome is there.
    Told = 3,
}

/// How an access to an atomic is treated, by its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum Trust {
    /// It is a step.
    #[default]
    None = 0,
    /// It is no step of its own: it belongs to the one before, as the code that makes it is trusted.
    Whole = 1,
    /// It is no step, and commutes with all others: the counts of references, for example, if nobody looks at them.
    Quiet = 2,
}

/// What a function without hooks is about to do, that others see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Point {
    /// It reads what its first argument points to.
    Reads = 1,
    /// It writes to what its first argument points to.
    Writes = 2,
    /// It may take over what others have done, without a sign of it.
    Learns = 3,
}

impl Point {
    /// The one with this number.
    pub fn from_number(number: u64) -> Option<Point> {
        [Point::Reads, Point::Writes, Point::Learns].into_iter().find(|&point| point as u64 == number)
    }
}

/// A place: the return addresses of a call, the innermost first; zeros fill up.
pub type Frames = [u64; DEPTH];

/// The head of the shared memory.
#[repr(C)]
#[derive(Debug)]
pub struct Shared {
    /// [`MAGIC`].
    pub magic: AtomicU32,
    /// A [`Phase`].
    pub phase: AtomicU32,
    /// The bytes of the plan.
    pub plan: AtomicU32,
    /// The bytes of the outcome.
    pub outcome: AtomicU32,
    /// Grows with every op: a program for which it stands still does something that is not under control.
    pub beats: AtomicU64,
    /// The process that executes, and the thread in it that has the turn.
    pub process: AtomicU32,
    /// See `process`.
    pub running: AtomicU32,
    /// How many places there are.
    pub sites: AtomicU32,
    /// How many threads there are besides the first.
    pub threads: AtomicU32,
    /// The program has code compiled with hooks.
    pub hooked: AtomicU32,
    /// Threads of the program meet in memory that is not watched, so every step depends on every other.
    pub unwatched: AtomicU32,
    /// How many threads there were before `main`, besides the first.
    pub early: AtomicU32,
    /// The host wants every thread of the program to be one of the kernel's, as debuggers do.
    pub kernel_threads: AtomicU32,
    /// The host wants executions to follow each other in one process, see [`AGAIN`].
    pub rerun: AtomicU32,
    /// The process that executed has been told to make room for a new one.
    pub leaves: AtomicU32,
    /// The processors that the program may think it has.
    pub processors: [AtomicU64; 16],
    /// Functions without hooks before which a thread may be switched: how many, and where each begins, with a [`Point`].
    pub points: AtomicU32,
    /// See `points`.
    pub point: [[AtomicU64; 2]; POINTS],
    /// Variables to which accesses are steps, if not all are: how many, and where each begins and ends.
    pub chosen: AtomicU32,
    /// See `chosen`.
    pub range: [[AtomicU64; 2]; RANGES],
    /// What threads have got from outside, where that is recorded: how many values, and each with the thread, what it asked for, how often it had
    /// done so before, and the value.
    pub inputs: AtomicU32,
    /// See `inputs`.
    pub input: [[AtomicU64; 3]; INPUTS],
    /// How the host wants the atomics of each place to be treated: a [`Trust`].
    pub trust: [AtomicU32; SITES],
    /// Places, by their numbers less one.
    pub site: [[AtomicU64; DEPTH]; SITES],
    /// Who spawned each thread, in the upper half, and as which of its children.
    pub thread: [AtomicU64; THREADS],
}

const _: () = assert!(size_of::<Shared>() <= PLAN_AT);

impl Shared {
    /// A place, by its number less one.
    pub fn frames(&self, i: usize) -> Frames {
        std::array::from_fn(|k| self.site[i][k].load(Relaxed))
    }

    /// How the atomics of a place are treated, by its number.
    pub fn trust(&self, site: u32) -> Trust {
        let word = site.checked_sub(1).and_then(|i| self.trust.get(i as usize));
        match word.map_or(0, |word| word.load(Relaxed)) {
            1 => Trust::Whole,
            2 => Trust::Quiet,
            _ => Trust::None,
        }
    }

    /// Adds what a thread got from outside; `false` if there is no room.
    pub fn add_input(&self, input: &Input) -> bool {
        let count = self.inputs.load(Relaxed);
        let Some([who, what, value]) = self.input.get(count as usize) else { return false };
        let call = match input.call {
            Call::Process => 0,
            Call::Random => 1,
            Call::Clock(clock) => 2 + u64::from(clock),
        };
        who.store(u64::from(input.thread.0) << 32 | u64::from(input.nth), Relaxed);
        what.store(call, Relaxed);
        value.store(input.value, Relaxed);
        self.inputs.store(count + 1, std::sync::atomic::Ordering::Release);
        true
    }

    /// What threads have got from outside, without the first of it.
    pub fn inputs_from(&self, first: usize) -> impl Iterator<Item = Input> + '_ {
        let count = self.inputs.load(std::sync::atomic::Ordering::Acquire) as usize;
        self.input[first.min(count)..count].iter().map(|[who, what, value]| {
            let who = who.load(Relaxed);
            let call = match what.load(Relaxed) {
                0 => Call::Process,
                1 => Call::Random,
                clock => Call::Clock((clock - 2) as u32),
            };
            let (thread, nth) = (ThreadId((who >> 32) as u32), who as u32);
            Input { thread, call, nth, step: 0, value: value.load(Relaxed) }
        })
    }

    /// Where the variables lie that were chosen.
    pub fn ranges(&self) -> impl Iterator<Item = std::ops::Range<u64>> + '_ {
        let all = self.range.iter().take(self.chosen.load(Relaxed) as usize);
        all.map(|[start, end]| start.load(Relaxed)..end.load(Relaxed))
    }

    /// Chooses a variable; `false` if there is no room.
    pub fn choose(&self, range: &std::ops::Range<u64>) -> bool {
        let count = self.chosen.load(Relaxed);
        let Some([start, end]) = self.range.get(count as usize) else { return false };
        start.store(range.start, Relaxed);
        end.store(range.end, Relaxed);
        self.chosen.store(count + 1, Relaxed);
        true
    }

    /// Adds a function without hooks, as far as there is room.
    pub fn add_point(&self, address: u64, kind: Point) {
        let count = self.points.load(Relaxed);
        if let Some([at, what]) = self.point.get(count as usize) {
            at.store(address, Relaxed);
            what.store(kind as u64, Relaxed);
            self.points.store(count + 1, std::sync::atomic::Ordering::Release);
        }
    }

    /// Adds a place and gives its number; nothing if there is no room.
    pub fn add_frames(&self, frames: &Frames) -> Option<u32> {
        let count = self.sites.load(Relaxed);
        let place = self.site.get(count as usize)?;
        place.iter().zip(frames).for_each(|(to, from)| to.store(*from, Relaxed));
        // After the place itself: whoever dies in between has added nothing.
        self.sites.store(count + 1, std::sync::atomic::Ordering::Release);
        Some(count + 1)
    }

    /// The thread with this number less one: its parent, and the how manieth child it is.
    pub fn spawned(&self, i: usize) -> (ThreadId, u32) {
        let word = self.thread[i].load(Relaxed);
        (ThreadId((word >> 32) as u32), word as u32)
    }

    /// Adds a thread; `false` if there is no room.
    pub fn add_thread(&self, parent: ThreadId, nth: u32) -> bool {
        let count = self.threads.load(Relaxed);
        let Some(place) = self.thread.get(count as usize) else { return false };
        place.store(u64::from(parent.0) << 32 | u64::from(nth), Relaxed);
        self.threads.store(count + 1, std::sync::atomic::Ordering::Release);
        true
    }
}

/// What an execution did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// The trace; it is not complete without what follows, which files leave out.
    pub trace: Trace,
    /// [`Trace::waiting`].
    pub waiting: Vec<(ThreadId, [ObjectId; 2])>,
    /// [`Trace::preempted`].
    pub preempted: u32,
    /// [`Trace::loose`].
    pub loose: bool,
}

impl Outcome {
    /// The outcome that a trace tells.
    pub fn of(mut trace: Trace) -> Outcome {
        Outcome {
            waiting: std::mem::take(&mut trace.waiting),
            preempted: trace.preempted,
            loose: trace.loose,
            trace,
        }
    }

    /// The trace, with everything.
    pub fn into_trace(self) -> Trace {
        let mut trace = self.trace;
        trace.waiting = self.waiting;
        trace.preempted = self.preempted;
        trace.loose = self.loose;
        trace
    }
}

/// Writes a plan; how many bytes, or nothing if it does not fit.
pub fn put_plan(plan: &Plan, into: &mut [u8]) -> Option<usize> {
    postcard::to_slice(plan, into).ok().map(|bytes| bytes.len())
}

/// Reads a plan.
pub fn take_plan(bytes: &[u8]) -> Option<Plan> {
    postcard::from_bytes(bytes).ok()
}

/// Writes an outcome; how many bytes, or nothing if it does not fit.
pub fn put_outcome(outcome: &Outcome, into: &mut [u8]) -> Option<usize> {
    postcard::to_slice(outcome, into).ok().map(|bytes| bytes.len())
}

/// Reads an outcome.
pub fn take_outcome(bytes: &[u8]) -> Option<Outcome> {
    postcard::from_bytes(bytes).ok()
}

/// How the runtime writes a place into a message: it knows no more than the number. The host puts the place itself there.
pub const MARK: char = '\u{1}';
