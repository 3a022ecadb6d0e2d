//! Bounded DPOR: every class that some execution with few preemptions belongs to, in the order of preemptions.
//!
//! After CB-DPOR ("Fast bug finding in lock-free data structures with CB-DPOR", chapter 3) and BPOR (Coons, Musuvathi,
//! McKinley, "Bounded partial-order reduction", OOPSLA 2013). Where a step races with an earlier one, a thread
//! that leads to the other order is tried just before the earlier one, which may be a preemption, and also at the
//! beginning of the run that the earlier one belongs to, which is none.
//!
//! Why that is enough: take an execution within the bound and a node on it, from which some threads are tried, each at
//! first without being preempted. Look at the first run in the rest of the execution that is of one of these threads. If
//! nothing before it conflicts with it, it can be moved to the front without a further preemption, and what
//! follows it is found below the node that begins with it. If something does, that something can also happen after the run as
//! it was tried, without a further preemption, and is found there as a race; and then a thread that leads to it was added to
//! those that are tried, but it comes before all of them. When the thread that could just have gone on is
//! one of them, only its next step need be looked at: it can be taken at once and the preemption put after it.
//!
//! Moving a run to the front may also let a thread go on that had stopped after it (a release, and the acquire
//! that waits for it), and leaving that thread where it had stopped is then a preemption. So a step that lets another go is
//! taken to conflict with the steps by which the other came to its stop, although they commute.
//!
//! Things to be tried wait in the order of the preemptions they cost, the deepest first among equals; no execution is
//! made twice.

mod layout;
mod path;
mod records;

use super::recycled::Recycle;
use super::{Next, Strategy};
use crate::guarantee::Proved;
use crate::order::{Order, Race};
use gordian_model::{Failure, FailureKind, Plan, Planned, ThreadId, ThreadSet, Trace};
use layout::Layout;
use records::{RecordId, Records};
use std::cell::RefCell;
use std::thread::LocalKey;

/// Something to be tried.
#[derive(Clone, Copy, Debug)]
struct Item {
    record: RecordId,
    thread: ThreadId,
    outcome: u32,
}

/// Does a thread sleep where it is wanted?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sleeps {
    No,
    Yes,
}

/// The search.
#[derive(Debug, Default)]
pub(super) struct Bounded {
    /// The most preemptions.
    pub(super) most: u32,
    /// The most memory for what waits; beyond it higher bounds are given up.
    pub(super) memory: Option<usize>,
    given_up: bool,
    started: bool,
    records: Records,
    /// What is to be tried, by preemptions.
    work: Vec<Vec<Item>>,
    /// What is being tried, and how many sleep at its record.
    current: Option<(Item, usize)>,
    /// The bound has left something out.
    cut: bool,
    /// Everything with fewer preemptions than this has been seen.
    below: u32,
    /// The last execution.
    path: Vec<Planned>,
    order: Order,
    races: Vec<Race>,
    layout: Layout,
    /// The records on the path of the current execution, by step.
    on_path: Vec<Option<RecordId>>,
    found: Vec<(u32, usize, Item)>,
    steps: Vec<usize>,
    enabled: ThreadSet,
}

impl Recycle for Bounded {
    fn place() -> &'static LocalKey<RefCell<Option<Box<Self>>>> {
        thread_local!(static PLACE: RefCell<Option<Box<Bounded>>> = const { RefCell::new(None) });
        &PLACE
    }

    fn reset(&mut self) {
        self.started = false;
        self.given_up = false;
        self.records.clear();
        self.work.iter_mut().for_each(Vec::clear);
        self.current = None;
        self.cut = false;
        self.below = 0;
        self.path.clear();
        self.order.truncate(0);
    }
}

impl Bounded {
    /// The next thing to try that does not sleep.
    fn next(&mut self) -> Option<Item> {
        loop {
            let Some(price) = self.work.iter().position(|items| !items.is_empty()) else {
                debug_assert!(self.records.is_empty());
                return None;
            };
            self.below = self.below.max(price as u32);
            let item = self.work[price].pop().expect("not empty");
            if !self.records[item.record].is_asleep(item.thread, item.outcome) {
                return Some(item);
            }
            self.records.release(item.record);
        }
    }

    /// Something that leads to `later` is to be tried at the node before `at`.
    fn reverse(&mut self, at: usize, later: usize, trace: &Trace) {
        self.lead(at, later, true, trace);
        if trace.steps[later].accesses.iter().any(|a| a.act.waits()) {
            self.lead(at, later, false, trace);
        }
    }

    /// The same, with what let `later` go or without.
    fn lead(&mut self, at: usize, later: usize, let_go: bool, trace: &Trace) {
        let first = self.order.first_leading(at, later);
        let first_is_wanted = first.is_some_and(|first| self.is_wanted(at, trace.steps[first].thread, trace));
        // To find out what leads to it takes long where there are many threads.
        if first_is_wanted && !cfg!(debug_assertions) {
            return;
        }
        let mut steps = std::mem::take(&mut self.steps);
        self.order.leading(&trace.steps, at, later, let_go, &mut steps);
        let thread = |k: usize| trace.steps[steps[k]].thread;
        let can_begin = |k: usize| self.order.can_begin(&steps, k);
        debug_assert!(
            first.is_none_or(|first| steps.iter().position(|&s| s == first).is_some_and(can_begin))
        );
        if !(0..steps.len()).any(|k| self.is_wanted(at, thread(k), trace) && can_begin(k)) {
            debug_assert!(!first_is_wanted);
            self.want_or_all(at, thread(0), trace);
        }
        self.steps = steps;
    }

    /// Is a thread to be tried at the node before a step?
    fn is_wanted(&self, at: usize, thread: ThreadId, trace: &Trace) -> bool {
        match self.on_path[at] {
            Some(record) => self.records[record].wanted.contains(thread),
            None => trace.steps[at].thread == thread,
        }
    }

    /// A thread is to be tried at the node before a step, or everybody if it cannot be there, or sleeps.
    fn want_or_all(&mut self, at: usize, thread: ThreadId, trace: &Trace) {
        let mut enabled = std::mem::take(&mut self.enabled);
        enabled.assign_words(trace.enabled_words(at));
        if !enabled.contains(thread) || self.want(at, thread, trace) == Sleeps::Yes {
            enabled.iter().for_each(|t| {
                self.want(at, t, trace);
            });
        }
        self.enabled = enabled;
    }

    /// A thread is to be tried at the node before a step. If it sleeps there, what it leads to is seen elsewhere, but not
    /// the races in it, which might ask for others here.
    fn want(&mut self, at: usize, thread: ThreadId, trace: &Trace) -> Sleeps {
        if trace.steps[at].thread == thread && self.on_path[at].is_none() {
            return Sleeps::No;
        }
        let price = self.layout.price(trace, at, thread);
        if price > self.most {
            self.cut = true;
            return Sleeps::No;
        }
        let id = self.record(at, trace);
        let record = &mut self.records[id];
        let sleeps = if record.was_asleep(thread) { Sleeps::Yes } else { Sleeps::No };
        if !record.wanted.contains(thread) {
            record.wanted.insert(thread);
            self.add(price, at, Item { record: id, thread, outcome: 0 });
        }
        sleeps
    }

    fn add(&mut self, price: u32, at: usize, item: Item) {
        self.records[item.record].live += 1;
        self.found.push((price, at, item));
    }

    /// The record of the node before a step of the current execution; a new one if there is none.
    fn record(&mut self, at: usize, trace: &Trace) -> RecordId {
        if let Some(record) = self.on_path[at] {
            return record;
        }
        let above = self.on_path[..at].iter().rev().find_map(|r| *r);
        let below = self.on_path[at + 1..].iter().find_map(|r| *r);
        let slept = match (below, above, self.current) {
            (Some(below), ..) => self.records[below].slept,
            (None, Some(above), Some((item, asleep))) if item.record == above => asleep,
            (None, Some(above), _) => self.records[above].inherited,
            (None, None, _) => 0,
        };
        let id = self.records.add();
        let mut sleep = std::mem::take(&mut self.records[id].sleep);
        if let Some(above) = above.filter(|_| slept > 0) {
            let above = &self.records[above];
            sleep.extend(above.sleep[..slept].iter().cloned());
            for step in above.depth..at {
                self.layout.wake(&mut sleep, trace, step);
            }
        }
        let inherited = sleep.len();
        sleep.extend(self.layout.sleeper(trace, at));
        let record = &mut self.records[id];
        record.parent = above;
        record.live = 0;
        record.depth = at;
        record.wanted.insert(trace.steps[at].thread);
        record.sleep = sleep;
        record.inherited = inherited;
        record.slept = slept;
        record.path.assign(&trace.steps[..at], &self.layout.known()[..=at]);
        match (below, above) {
            (Some(below), _) => {
                record.live = 1;
                self.records[below].parent = Some(id);
                self.records[below].slept = inherited;
            }
            (None, Some(above)) => self.records[above].live += 1,
            (None, None) => {}
        }
        self.on_path[at] = Some(id);
        self.records.note(id);
        id
    }

    /// Gives up what costs more than what is being tried.
    fn give_up(&mut self) {
        self.given_up = true;
        self.cut = true;
        self.most = self.below;
        for items in self.work.iter_mut().skip(self.below as usize + 1) {
            for item in std::mem::take(items) {
                self.records.release(item.record);
            }
        }
    }

    /// Reverses the races of the steps from `fresh` on, each where the earlier step was taken and where its run began.
    fn reverse_races(&mut self, trace: &Trace, fresh: usize, races: &mut Vec<Race>) {
        for later in fresh..trace.len() {
            self.order.conflicts(&trace.steps, later, races);
        }
        for (earlier, later) in races.drain(..) {
            self.reverse(earlier, later, trace);
            let start = self.layout.start(earlier);
            if start < earlier && !self.order.before_start(&trace.steps, start, later) {
                self.reverse(start, later, trace);
            }
        }
    }

    /// Asks for executions in which a thread comes to where it had to be let go before it is.
    fn stop_sooner(&mut self, trace: &Trace, fresh: usize, races: &mut Vec<Race>) {
        for later in fresh..trace.len() {
            self.order.enablers(&trace.steps, later, races);
        }
        for (earlier, later) in races.drain(..) {
            let Some(stop) = self.order.before_in_thread(later) else { continue };
            for at in [earlier, self.layout.start(earlier)] {
                if at < stop && !self.order.before(at, stop) {
                    self.reverse(at, stop, trace);
                }
            }
        }
    }

    /// Where everything else sleeps, blocked threads do not show what they would have raced with: whatever touched what they
    /// wait for.
    fn let_blocked_go(&mut self, trace: &Trace) {
        for (at, thread) in trace.kept_waiting() {
            let last = self.order.last_of(thread);
            for at in [at, self.layout.start(at)] {
                match last {
                    Some(last) if self.order.before(at, last) => {}
                    Some(last) if last > at => self.reverse(at, last, trace),
                    _ => self.want_or_all(at, thread, trace),
                }
            }
        }
    }

    /// Asks for the other outcomes of a step that was just taken for the first time.
    fn vary(&mut self, at: usize, trace: &Trace) {
        let step = &trace.steps[at];
        let record = self.record(at, trace);
        let price = self.layout.price(trace, at, step.thread);
        for outcome in (0..step.outcomes).filter(|&o| o != step.outcome) {
            self.add(price, at, Item { record, thread: step.thread, outcome });
        }
    }

    /// Marks the records on the path of the current execution.
    fn mark_path(&mut self, trace: &Trace) {
        self.on_path.clear();
        self.on_path.resize(trace.len(), None);
        let mut next = self.current.map(|(item, _)| item.record);
        while let Some(id) = next {
            let record = &self.records[id];
            // An execution that departed may be shorter.
            if let Some(place) = self.on_path.get_mut(record.depth) {
                *place = Some(id);
            }
            next = record.parent;
        }
    }
}

impl Strategy for Bounded {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        if !std::mem::replace(&mut self.started, true) {
            plan.prefix.clear();
            plan.sleep.clear();
            return Next::Run;
        }
        let Some(item) = self.next() else { return Next::Done };
        let record = &self.records[item.record];
        let common = record.path.redirect(&mut self.path);
        self.order.truncate(common);
        self.path.push(Planned { thread: item.thread, outcome: item.outcome, expected: None });
        plan.prefix.clear();
        plan.prefix.extend_from_slice(&self.path);
        plan.sleep_from = record.depth;
        plan.sleep.clear();
        plan.sleep.extend(record.sleep.iter().cloned());
        self.current = Some((item, record.sleep.len()));
        Next::Run
    }

    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        let fresh = self.current.map_or(0, |(item, _)| self.records[item.record].depth);
        if let Some((item, _)) = self.current
            && !trace.steps.get(..fresh).is_some_and(|steps| self.records[item.record].path.is(steps))
        {
            return Err(departed(fresh));
        }
        self.path.truncate(self.order.len());
        self.path.extend(trace.choices().skip(self.order.len()));
        let mut races = std::mem::take(&mut self.races);
        for i in self.order.len()..trace.len() {
            self.order.push(&trace.steps, &mut races);
            if i < fresh {
                races.clear();
            }
        }
        let known = self.current.map_or(&[][..], |(item, _)| self.records[item.record].path.goes_on());
        self.layout.assign(trace, known);
        self.mark_path(trace);
        self.reverse_races(trace, fresh, &mut races);
        self.stop_sooner(trace, fresh, &mut races);
        self.races = races;
        self.let_blocked_go(trace);
        for i in (fresh..trace.len()).filter(|&i| trace.steps[i].outcomes > 1) {
            let again = i == fresh && self.current.is_some_and(|(item, _)| item.outcome > 0);
            if !again {
                self.vary(i, trace);
            }
        }
        // The deepest are tried first.
        self.found.sort_unstable_by_key(|&(_, at, _)| at);
        for (price, _, item) in self.found.drain(..) {
            if self.work.len() <= price as usize {
                self.work.resize_with(price as usize + 1, Vec::new);
            }
            self.work[price as usize].push(item);
        }
        if let Some((item, _)) = self.current.take() {
            let sleeper = if fresh < trace.len() { self.layout.sleeper(trace, fresh) } else { None };
            self.records[item.record].sleep.extend(sleeper);
            self.records.release(item.record);
        }
        if self.memory.is_some_and(|memory| self.records.bytes() > memory) {
            self.give_up();
        }
        Ok(())
    }

    fn hindrance(&self) -> Option<String> {
        let memory = self.memory.filter(|_| self.given_up)?;
        Some(format!("the limit of {memory} bytes for what waits (Checker::memory, GORDIAN_MEMORY)"))
    }

    fn proved(&self, done: bool) -> Proved {
        let within = |most: u32| {
            let s = if most == 1 { "" } else { "s" };
            Proved::Within(format!("with at most {most} preemption{s}"))
        };
        match (done, self.cut, self.below) {
            (true, false, _) => Proved::All,
            (true, true, _) => within(self.most),
            (false, _, 0) => Proved::Nothing,
            (false, _, below) => within(below - 1),
        }
    }

    fn retire(self: Box<Self>) {
        self.keep();
    }
}

fn departed(steps: usize) -> Failure {
    let message = format!(
        "nondeterminism: an execution that repeats the choices of an earlier one did something else in its first {steps} steps; \
         hash maps with random state, time, addresses used as keys and threads that are not under control are the usual causes"
    );
    Failure::new(FailureKind::Nondeterminism, message)
}
