//! What the program learns from outside: times, random numbers, the number of its process. If nothing else is said these are made up, the same in
//! every execution. Otherwise they are real and recorded (Simsa, "Systematic and Scalable Testing of Concurrent Programs", 2013, section
//! 3.2.3).
//!
//! What a thread gets when it asks for the n-th time is what it got when it first did so in a search, and in a replay what it got then. So
//! executions that differ only in the order of independent steps get the same, and a search stays one of a program that does nothing by chance.
//! - Random numbers and times are recorded directly.
//! - The number of the process is what others know it by, and so is recorded indirectly: the program sees the one of the recording, and calls
//!   that take one are given the real one.
//! - With time travel, a time that is asked for in a later execution than others are is as much later than these as it would have been then.

use super::runtime::Runtime;
use super::turn;
use super::{identity, sys};
use gordian_model::input::{Call, Input, Inputs};
use gordian_model::{Failure, FailureKind, Plan, SiteId, ThreadId};
use gordian_wire::Shared;
use libc::{clockid_t, timespec};
use rustc_hash::FxHashMap;

type Key = (ThreadId, Call, u32);

/// What was recorded.
#[derive(Default)]
pub(crate) struct Recorded {
    mode: Inputs,
    /// Nothing may be asked for that is not known.
    strict: bool,
    known: FxHashMap<Key, u64>,
    /// How much of the shared table has been taken over.
    taken: usize,
    asked: FxHashMap<(ThreadId, Call), u32>,
    /// The time shown last, and what time it was, by each clock.
    last: FxHashMap<Call, (i64, i64)>,
}

impl Recorded {
    /// Takes over what earlier executions have recorded. Called by the fork server.
    pub(crate) fn absorb(&mut self, shared: &Shared) {
        for input in shared.inputs_from(self.taken) {
            self.taken += 1;
            self.known.insert((input.thread, input.call, input.nth), input.value);
        }
    }
}

impl Runtime {
    /// An execution begins.
    pub(crate) fn begin_inputs(&mut self, plan: &Plan) {
        self.recorded.mode = plan.options.inputs;
        self.recorded.strict = !plan.inputs.is_empty();
        for input in &plan.inputs {
            self.recorded.known.insert((input.thread, input.call, input.nth), input.value);
        }
        if self.recorded.mode != Inputs::Virtual {
            let process = self.recorded.known.get(&(ThreadId::MAIN, Call::Process, 0)).copied();
            let process = process.unwrap_or_else(|| u64::from(identity::process() as u32));
            identity::show(process as u32);
            self.note_input(Input {
                thread: ThreadId::MAIN,
                call: Call::Process,
                nth: 0,
                step: 0,
                value: process,
            });
        }
    }

    fn note_input(&mut self, input: Input) {
        let key = (input.thread, input.call, input.nth);
        self.conductor.trace.inputs.push(input);
        if self.recorded.known.insert(key, input.value).is_none() && !self.shared.add_input(&input) {
            let message = format!(
                "the program asks for more times and random numbers than can be recorded ({}); let them be virtual (--inputs virtual)",
                gordian_wire::INPUTS
            );
            let failure = Failure::new(FailureKind::Misuse, message);
            self.fail(input.thread, failure);
        }
    }

    /// What a thread gets that asks for something: what is known, or else this.
    fn ask(&mut self, me: ThreadId, call: Call, fresh: impl FnOnce(&Runtime) -> u64) -> u64 {
        // A program that only asks until it gets what it wants is still under control.
        self.beat();
        self.conductor.not_idle(me);
        let asked = self.recorded.asked.entry((me, call)).or_default();
        let nth = *asked;
        *asked += 1;
        let step = self.conductor.trace.len() as u32;
        let value = match self.recorded.known.get(&(me, call, nth)) {
            Some(&value) => value,
            None if self.recorded.strict => {
                let who = self.conductor.names.thread(me);
                let message = format!(
                    "it departed from the recording after step {step}: {who} called {call} for the {}. time, of which nothing is recorded",
                    nth + 1
                );
                self.fail(me, Failure::new(FailureKind::Nondeterminism, message).at(me, SiteId::UNKNOWN));
                0
            }
            None => fresh(self),
        };
        self.note_input(Input { thread: me, call, nth, step, value });
        value
    }
}

/// Are times and random numbers real?
pub(crate) fn are_real() -> bool {
    turn::with(|rt| rt.recorded.mode != Inputs::Virtual)
}

/// A clock's real time, recorded; nothing if clocks are virtual.
pub(crate) fn time(me: ThreadId, clock: clockid_t) -> Option<i64> {
    turn::with(|rt| {
        if rt.recorded.mode == Inputs::Virtual {
            return None;
        }
        let call = Call::Clock(clock as u32);
        let real = real(clock);
        let shown = rt.ask(me, call, |rt| {
            let last = rt.recorded.last.get(&call).filter(|_| rt.recorded.mode == Inputs::Travel);
            // As much later than the time shown last as it really is.
            last.map_or(real, |(shown, then)| shown + (real - then)) as u64
        }) as i64;
        let latest = rt.recorded.last.get(&call).map_or(shown, |last| last.0.max(shown));
        rt.recorded.last.insert(call, (latest, real));
        Some(shown)
    })
}

/// The next random number, recorded; nothing if they are made up.
pub(crate) fn random(me: ThreadId) -> Option<u64> {
    turn::with(|rt| {
        (rt.recorded.mode != Inputs::Virtual).then(|| {
            rt.ask(me, Call::Random, |_| {
                let mut number = 0u64;
                // SAFETY: there is room for it.
                unsafe { sys::call(libc::SYS_getrandom, [&raw mut number as usize, 8, 0, 0, 0, 0]) };
                number
            })
        })
    })
}

fn real(clock: clockid_t) -> i64 {
    let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for it.
    unsafe { sys::call(libc::SYS_clock_gettime, [clock as usize, &raw mut now as usize, 0, 0, 0, 0]) };
    now.tv_sec.saturating_mul(1_000_000_000).saturating_add(now.tv_nsec)
}
