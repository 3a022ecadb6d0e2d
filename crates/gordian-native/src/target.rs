//! A native program as a target.

use crate::command::Invocation;
use crate::error::NativeError;
use crate::process::{Answer, Process};
use crate::rerun::Rerun;
use crate::symbols::Symbols;
use crate::trust::{Trusted, Use};
use crate::{chosen, points, program, told};
use gordian_model::{End, Failure, FailureKind, Names, Plan, SiteId, Trace};
use gordian_search::Target;
use gordian_wire::{AFRESH, AGAIN, Phase, Trust, put_plan, take_outcome};
use std::path::PathBuf;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::{Duration, Instant};

/// A native program that has been started and waits before its `main`.
pub struct Native {
    pub(crate) process: Process,
    path: PathBuf,
    symbols: Symbols,
    names: Names,
    trace: Trace,
    /// How long the program may be without coming to a call that is controlled.
    patience: Duration,
    sites: usize,
    threads: usize,
    /// It has turned out that every step depends on every other, or that counts of references matter.
    pub(crate) starts_again: bool,
    /// What the user trusts.
    trusted: Trusted,
    /// The program looks at counts of references, so they are steps.
    counts: bool,
    /// Places whose atomics are no steps, unless counts matter.
    quiet: Vec<usize>,
    /// The last execution met places that are treated otherwise from now on.
    pub(crate) learned: bool,
    pub(crate) rerun: Rerun,
}

/// How long a program may take to come to its `main`.
const START: Duration = Duration::from_secs(30);
/// How long a process is given to say where it is, and to end after it has said what it did.
const GRACE: Duration = Duration::from_secs(2);

impl Native {
    /// Starts a program. `patience` is how long it may be without coming to a call that is controlled.
    pub fn start(invocation: &Invocation, patience: Duration) -> Result<Native, NativeError> {
        let (name, arguments) = invocation.words.split_first().map_or(("", &[][..]), |(n, a)| (n, a));
        let path = program::find(name)?;
        let process = Process::start(&path, arguments, START)?;
        // A program that makes system calls itself most likely waits on futexes, with atomics that nobody sees.
        let calls = program::mentions(&path, b"\0syscall\0");
        let head = process.memory.head();
        let hooked = head.hooked.load(Relaxed) != 0;
        head.unwatched.store(u32::from(calls && !hooked), Relaxed);
        let mut symbols = Symbols::new(process.number());
        if hooked {
            let base = symbols.base(&path);
            for (at, kind) in points::find(&path) {
                head.add_point(base.wrapping_add(at), kind);
            }
        }
        Ok(Native {
            process,
            path,
            symbols,
            names: Names::default(),
            trace: Trace::default(),
            patience,
            sites: 0,
            threads: 0,
            starts_again: false,
            trusted: Trusted::default(),
            counts: false,
            quiet: Vec::new(),
            learned: false,
            rerun: Rerun::default(),
        })
    }

    /// Trusts code: names of crates, parts of the paths of functions (with `::`) or of files. What it does to atomics belongs to the step
    /// before.
    pub fn trust(&mut self, patterns: Vec<String>) {
        self.trusted = Trusted::new(patterns);
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        &self.process.path
    }

    pub(crate) fn memory(&self) -> &crate::process::Memory {
        &self.process.memory
    }

    /// Chooses the variables to which accesses are steps; all others are let through. Called before the first execution.
    pub fn choose(&mut self, names: &[String]) -> Result<(), NativeError> {
        let base = self.symbols.base(&self.path);
        let head = self.process.memory.head();
        for name in names {
            let found = if self.is_hooked() { chosen::find(&self.path, name) } else { Vec::new() };
            if found.is_empty() {
                let path = self.path.display().to_string();
                return Err(NativeError::NoVariable { path, name: name.clone() });
            }
            for range in found {
                if !head.choose(&(base.wrapping_add(range.start)..base.wrapping_add(range.end))) {
                    return Err(NativeError::TooManyVariables(gordian_wire::RANGES));
                }
            }
        }
        if !names.is_empty() {
            // What is done to other variables is not seen, and may be what threads meet in.
            head.unwatched.store(1, Relaxed);
        }
        Ok(())
    }

    /// Gives every thread of the program a thread of the kernel's, or not, from the next process on. It takes longer, and debuggers see
    /// them.
    pub fn kernel_threads(&mut self, wanted: bool) {
        self.process.memory.head().kernel_threads.store(u32::from(wanted), Relaxed);
    }

    /// The names that the last trace uses.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The stack at a place of the last trace, innermost first: functions, files and lines.
    pub fn stack(&mut self, site: SiteId) -> Vec<String> {
        let head = self.process.memory.head();
        let i = (site.0 as usize).checked_sub(1).filter(|&i| i < head.sites.load(Acquire) as usize);
        let frames = i.map(|i| head.frames(i));
        frames.map_or_else(Vec::new, |frames| self.symbols.stack(&frames))
    }

    /// Has the program code that was compiled with hooks, so that atomics and plain memory are seen?
    pub fn is_hooked(&self) -> bool {
        self.process.memory.head().hooked.load(Relaxed) != 0
    }

    /// Is every step taken to depend on every other, because threads meet in memory that is not watched?
    pub fn is_unwatched(&self) -> bool {
        self.process.memory.head().unwatched.load(Relaxed) != 0
    }

    /// Must a search begin again, because what steps depend on has been found to be otherwise?
    pub fn starts_again(&mut self) -> bool {
        std::mem::take(&mut self.starts_again)
    }

    /// Takes every step to depend on every other, from the next execution on; `false` if that is so already.
    pub fn distrust(&mut self) -> bool {
        self.process.memory.head().unwatched.swap(1, Relaxed) == 0
    }

    /// Prepares for a replay, before the first execution: threads get the numbers that they have in these names. A single execution needs
    /// no dependence between steps, so it does not matter where threads meet.
    pub fn number_threads(&mut self, names: &Names) {
        self.process.memory.head().unwatched.store(1, Relaxed);
        for (parent, nth) in names.spawned() {
            self.process.memory.head().add_thread(parent, nth);
        }
        self.absorb();
    }

    /// Takes over the threads and places that executions have met.
    fn absorb(&mut self) {
        let head = self.process.memory.head();
        for i in self.threads..head.threads.load(Acquire) as usize {
            let (parent, nth) = head.spawned(i);
            self.names.child(parent, nth);
            self.threads = i + 1;
        }
        for i in self.sites..head.sites.load(Acquire) as usize {
            let frames = head.frames(i);
            let site = self.symbols.site(&frames);
            self.names.add_site(site);
            self.sites = i + 1;
            if head.hooked.load(Relaxed) == 0 {
                continue;
            }
            match self.trusted.judge(&self.symbols.functions(&frames)) {
                Use::Treated(Trust::None) => {}
                Use::Treated(trust) => {
                    head.trust[i].store(trust as u32, Relaxed);
                    self.learned = true;
                }
                Use::Counting if self.counts => {}
                Use::Counting => {
                    head.trust[i].store(Trust::Quiet as u32, Relaxed);
                    self.learned = true;
                    self.quiet.push(i);
                }
                Use::Count => self.counts = true,
            }
        }
        if self.counts && !self.quiet.is_empty() {
            for i in self.quiet.drain(..) {
                head.trust[i].store(Trust::None as u32, Relaxed);
            }
            self.starts_again = true;
        }
    }

    /// Carries out an execution, again if it met places whose atomics turn out to be no steps: no plan knows of these yet.
    fn execute(&mut self, plan: &Plan) -> Trace {
        loop {
            self.learned = false;
            let trace = self.execute_once(plan);
            if !self.learned || self.starts_again {
                return trace;
            }
        }
    }

    /// Carries out one execution, in a process that the order tells.
    pub(crate) fn carry_out(&mut self, plan: &Plan, order: u8) -> Trace {
        let Some(len) = put_plan(plan, self.process.memory.plan()) else {
            return failed(
                FailureKind::Misuse,
                "the plan does not fit into the memory that is shared with the program",
            );
        };
        let head = self.process.memory.head();
        head.plan.store(len as u32, Relaxed);
        head.outcome.store(0, Relaxed);
        head.process.store(0, Relaxed);
        head.phase.store(Phase::Ready as u32, Release);
        if !self.process.order(order) {
            return failed(FailureKind::Misuse, "the process from which executions are forked is gone");
        }
        let before = self.is_unwatched();
        let status = self.await_end();
        self.rerun.made = match status {
            Some(AGAIN) if order == AFRESH => 1,
            Some(AGAIN) => self.rerun.made + 1,
            _ => 0,
        };
        self.absorb();
        let trace = match status {
            Some(u32::MAX) => failed(FailureKind::Misuse, "the system does not allow another process"),
            Some(AGAIN) => self.outcome(0),
            Some(status) => self.outcome(status),
            None => failed(FailureKind::Misuse, "the process from which executions are forked is gone"),
        };
        let departed = trace.failure().is_some_and(|failure| failure.kind == FailureKind::Nondeterminism);
        if departed && !before && !self.learned {
            // The likely reason: steps were taken to be independent whose threads meet in memory.
            self.process.memory.head().unwatched.store(1, Relaxed);
        }
        self.starts_again |= !before && self.is_unwatched();
        trace
    }

    /// The status with which the execution's process ended; nothing if the fork server is gone.
    fn await_end(&mut self) -> Option<u32> {
        let mut beats = 0;
        let mut since = Instant::now();
        let mut asked = None;
        let mut told = None;
        loop {
            match self.process.listen() {
                Answer::Ended(status) => return Some(status),
                Answer::Gone => return None,
                Answer::Silent => {}
            }
            let head = self.process.memory.head();
            let now = head.beats.load(Relaxed);
            if now != beats {
                (beats, since) = (now, Instant::now());
            }
            if head.phase.load(Acquire) == Phase::Told as u32 {
                // It has only to end; what it does at its end is not under control any more.
                if told.get_or_insert_with(Instant::now).elapsed() > self.patience.max(GRACE) {
                    self.process.kill();
                }
            } else if let Some(asked) = asked {
                if Instant::elapsed(&asked) > GRACE {
                    self.process.kill();
                }
            } else if since.elapsed() > self.patience {
                asked = Some(Instant::now());
                self.process.ask_where();
            }
        }
    }

    /// What an execution did whose process has ended with this status.
    fn outcome(&mut self, status: u32) -> Trace {
        let head = self.process.memory.head();
        let is_told = head.phase.load(Acquire) == Phase::Told as u32;
        let outcome = Some(self.process.memory.outcome()).filter(|_| is_told).and_then(take_outcome);
        let Some(outcome) = outcome else {
            let mut trace = if is_told {
                failed(
                    FailureKind::Misuse,
                    "the execution was too long for the memory that is shared with the program; lower --steps",
                )
            } else {
                self.died(status)
            };
            self.complete(&mut trace);
            return trace;
        };
        let mut trace = outcome.into_trace();
        if trace.end == End::Complete && status != 0 {
            let message =
                format!("abnormal exit: {}, after all threads had come to their ends", in_words(status));
            trace.end = End::Failed(Box::new(Failure::new(FailureKind::AbnormalExit, message)));
        }
        self.complete(&mut trace);
        trace
    }

    fn died(&self, status: u32) -> Trace {
        match status & 0x7f {
            0 => failed(
                FailureKind::Misuse,
                &format!("{} without Gordian being told: it was not under control", in_words(status)),
            ),
            9 => failed(
                FailureKind::Stuck,
                "stuck: the program did not come to a call that Gordian controls for too long, and did not say where it was (it may block signals); it was killed",
            ),
            _ => failed(FailureKind::Crash, &format!("crash: {}", in_words(status))),
        }
    }

    fn complete(&self, trace: &mut Trace) {
        if let End::Failed(failure) = &mut trace.end {
            told::complete(failure, &self.names, &self.process.tails);
        }
    }
}

/// A status in words.
fn in_words(status: u32) -> String {
    match status & 0x7f {
        0 => format!("the program ended with status {}", status >> 8 & 0xff),
        signal => format!("the program was stopped by signal {signal}"),
    }
}

/// An execution of which nothing is known but how it failed.
fn failed(kind: FailureKind, message: &str) -> Trace {
    let mut trace = Trace::default();
    trace.end = End::Failed(Box::new(Failure::new(kind, message)));
    trace
}

impl Target for Native {
    fn run(&mut self, plan: &Plan) -> &Trace {
        self.trace = self.execute(plan);
        &self.trace
    }

    fn run_named(&mut self, plan: &Plan) -> (&Trace, Option<&Names>) {
        self.trace = self.execute(plan);
        (&self.trace, Some(&self.names))
    }
}
