//! The Conductor: carries one execution from its first step to its end.
//!
//! A front end runs the threads under test. Whenever one comes to an op it calls [`announce`], then
//! [`decide`]; the conductor applies the plan (follow the prefix, respect the sleep set, then the policy) and
//! names the thread that steps. That thread calls [`perform`], which asks the object's model for the result,
//! writes the step to the trace and works out who is enabled now; then it runs on to its next op. A thread that
//! ends calls [`finish`]. Nothing is allocated per step once the buffers are warm.
//!
//! [`announce`]: Conductor::announce
//! [`decide`]: Conductor::decide
//! [`perform`]: Conductor::perform
//! [`finish`]: Conductor::finish

mod spin;
mod verdict;

use crate::access::{Access, Accesses, Act, dependent};
use crate::cell::{Cell, Epoch};
use crate::failure::{Failure, FailureKind};
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::names::Names;
use crate::object::{Arc, Channel, Cx, Life, Model, Object, ObjectKind, Outcomes, Synchronisation};
use crate::op::{Op, OpKind, Reply};
use crate::plan::{Limits, Options, Plan, Planned, Policy, Sleeper};
use crate::thread_set::ThreadSet;
use crate::trace::{End, ObjectInfo, Trace};
use smallvec::SmallVec;
use spin::Spin;
pub use spin::Visit;

/// What happens next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// This thread steps.
    Run(ThreadId),
    /// The execution is over; see [`Trace::end`].
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Status {
    #[default]
    Absent,
    Running,
    Announced,
    Finished,
}

/// Why a thread that announced an op that is always possible is not enabled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Idle {
    #[default]
    No,
    /// Its loop cannot leave before something it read is written.
    Proved,
    /// It has paused often enough; somebody else goes first.
    Polite,
}

#[derive(Debug)]
struct Thread {
    status: Status,
    /// What it announced last; it still waits to do it if its status says so.
    op: Op,
    outcomes: u32,
    expiring: bool,
    paused: bool,
    pauses: u32,
    /// Steps that changed something.
    changes: u32,
    /// Steps and accesses to cells.
    visible: u32,
    idle: Idle,
    woken_by: Option<u32>,
    /// What its next step follows, see [`Step::after`](crate::Step::after).
    after: SmallVec<[u32; 2]>,
    children: u32,
    last: Option<u32>,
    /// It is unwinding; reported by the front end.
    panicking: bool,
    spin: Spin,
}

impl Default for Thread {
    fn default() -> Self {
        Thread {
            status: Status::Absent,
            op: Op::new(OpKind::Yield, ObjectId::NONE, SiteId::UNKNOWN),
            outcomes: 0,
            expiring: false,
            paused: false,
            pauses: 0,
            changes: 0,
            visible: 0,
            idle: Idle::No,
            woken_by: None,
            after: SmallVec::new(),
            children: 0,
            last: None,
            panicking: false,
            spin: Spin::default(),
        }
    }
}

impl Thread {
    fn reset(&mut self, status: Status) {
        self.status = status;
        self.paused = false;
        self.pauses = 0;
        self.changes = 0;
        self.visible = 0;
        self.idle = Idle::No;
        self.woken_by = None;
        self.after.clear();
        self.children = 0;
        self.last = None;
        self.panicking = false;
        self.spin.reset();
    }

    /// The op it waits to do.
    fn announced(&self) -> Option<Op> {
        (self.status == Status::Announced).then_some(self.op)
    }
}

#[derive(Debug)]
struct Slot {
    model: Object,
    /// Threads whose announced op here depends on the state.
    pending: Vec<ThreadId>,
    /// Idle threads that wait for a change here.
    watchers: Vec<ThreadId>,
    version: u32,
}

impl Slot {
    fn new(model: Object) -> Slot {
        Slot { model, pending: Vec::new(), watchers: Vec::new(), version: 0 }
    }

    #[inline]
    fn no_longer_pending(&mut self, thread: ThreadId) {
        if let Some(i) = self.pending.iter().position(|&t| t == thread) {
            self.pending.swap_remove(i);
        }
    }

    fn renew(&mut self, model: Object) {
        self.model = model;
        self.pending.clear();
        self.watchers.clear();
        self.version = 0;
    }
}

/// The part of the conductor that carrying out an op changes.
struct Objects<'a> {
    options: Options,
    slots: &'a mut [Slot],
    lives: &'a mut [Slot],
    sync: &'a mut Synchronisation,
}

impl Objects<'_> {
    #[inline]
    fn model(&mut self, object: ObjectId) -> &mut Object {
        match object.as_life() {
            Some(thread) => &mut self.lives[thread.index()].model,
            None => &mut self.slots[object.index()].model,
        }
    }

    #[inline]
    fn carry_out(
        mut self,
        thread: ThreadId,
        op: &Op,
        outcome: u32,
        panicking: bool,
        accesses: &mut Accesses,
    ) -> Reply {
        if op.other != ObjectId::NONE {
            return self.carry_out_with_mutex(thread, op, outcome, panicking, accesses);
        }
        let model = match op.object.as_life() {
            Some(thread) => &mut self.lives[thread.index()].model,
            None => &mut self.slots[op.object.index()].model,
        };
        let mut cx = Cx {
            thread,
            object: op.object,
            other: None,
            sync: self.sync,
            options: self.options,
            panicking,
            accesses,
        };
        model.carry_out(op, outcome, &mut cx)
    }

    /// The second object is a mutex, which is small: it is taken out while both are changed.
    fn carry_out_with_mutex(
        &mut self,
        thread: ThreadId,
        op: &Op,
        outcome: u32,
        panicking: bool,
        accesses: &mut Accesses,
    ) -> Reply {
        let empty = Object::Mutex(crate::object::Mutex::new());
        let mut mutex = std::mem::replace(self.model(op.other), empty);
        let model = &mut self.slots[op.object.index()].model;
        let other = Some(&mut mutex);
        let mut cx = Cx {
            thread,
            object: op.object,
            other,
            sync: self.sync,
            options: self.options,
            panicking,
            accesses,
        };
        let reply = model.carry_out(op, outcome, &mut cx);
        *self.model(op.other) = mutex;
        reply
    }
}

/// Carries one execution at a time.
#[derive(Debug, Default)]
pub struct Conductor {
    /// The names met so far; kept over the executions of a search.
    pub names: Names,
    /// What the current execution has done.
    pub trace: Trace,
    prefix: Vec<Planned>,
    sleep: Vec<Sleeper>,
    sleep_from: usize,
    policy: Policy,
    limits: Limits,
    options: Options,
    replay: bool,
    threads: Vec<Thread>,
    lives: Vec<Slot>,
    slots: Vec<Slot>,
    live_slots: usize,
    cells: Vec<Cell>,
    live_cells: usize,
    sync: Synchronisation,
    enabled: ThreadSet,
    unfinished: u32,
    released: Vec<ThreadId>,
    /// The thread that made the last step.
    current: ThreadId,
    chosen: u32,
    pauses_seen: bool,
}

impl Conductor {
    /// Starts an execution; the main thread is running.
    pub fn begin(&mut self, plan: &Plan) {
        self.trace.clear();
        self.prefix.clear();
        self.prefix.extend_from_slice(&plan.prefix);
        self.sleep.clear();
        self.sleep.extend_from_slice(&plan.sleep);
        self.sleep_from = plan.sleep_from;
        self.policy = plan.policy;
        self.limits = plan.limits;
        self.options = plan.options;
        self.replay = plan.replay;
        for thread in &mut self.threads {
            thread.status = Status::Absent;
        }
        self.live_slots = 0;
        self.live_cells = 0;
        self.sync.clear(plan.options.clocks);
        self.enabled.clear();
        self.unfinished = 0;
        self.released.clear();
        self.current = ThreadId::MAIN;
        self.pauses_seen = false;
        self.birth(ThreadId::MAIN, None);
    }

    fn birth(&mut self, thread: ThreadId, parent: Option<ThreadId>) {
        let i = thread.index();
        if self.threads.len() <= i {
            self.threads.resize_with(i + 1, Thread::default);
        }
        while self.lives.len() <= i {
            self.lives.push(Slot::new(Life::new().into()));
        }
        self.threads[i].reset(Status::Running);
        self.lives[i].renew(Life::new().into());
        self.sync.admit(thread, parent);
        self.unfinished += 1;
    }

    /// The options of the plan that is followed.
    pub fn options(&self) -> Options {
        self.options
    }

    /// A new object.
    #[inline]
    pub fn create(&mut self, model: Object, site: SiteId) -> ObjectId {
        let numbers = if model.kind() == ObjectKind::Channel { Channel::NUMBERS } else { 1 };
        let id = ObjectId(self.live_slots as u32);
        let kind = model.kind();
        self.place(model);
        for _ in 1..numbers {
            self.place(Object::Semaphore(crate::object::Semaphore::new(0)));
        }
        for _ in 0..numbers {
            self.trace.objects.push(ObjectInfo { kind, site });
        }
        id
    }

    #[inline]
    fn place(&mut self, model: Object) {
        match self.slots.get_mut(self.live_slots) {
            Some(slot) => slot.renew(model),
            None => self.slots.push(Slot::new(model)),
        }
        self.live_slots += 1;
    }

    /// The state of an object, for exclusive access that is no step (`get_mut`, a new sender).
    pub fn object_mut(&mut self, object: ObjectId) -> &mut Object {
        &mut self.slot_mut(object).model
    }

    #[inline]
    fn slot(&self, object: ObjectId) -> &Slot {
        match object.as_life() {
            Some(thread) => &self.lives[thread.index()],
            None => &self.slots[object.index()],
        }
    }

    #[inline]
    fn slot_mut(&mut self, object: ObjectId) -> &mut Slot {
        match object.as_life() {
            Some(thread) => &mut self.lives[thread.index()],
            None => &mut self.slots[object.index()],
        }
    }

    /// A new cell.
    pub fn create_cell(&mut self) -> u32 {
        self.trace.cells_seen = true;
        match self.cells.get_mut(self.live_cells) {
            Some(cell) => cell.clear(),
            None => self.cells.push(Cell::default()),
        }
        self.live_cells += 1;
        self.live_cells as u32 - 1
    }

    /// A plain access to memory. A data race ends the execution; `false` says so.
    #[inline]
    pub fn access_cell(&mut self, thread: ThreadId, cell: u32, write: bool, site: SiteId) -> bool {
        self.threads[thread.index()].visible += 1;
        if !self.options.clocks {
            return true;
        }
        let now = Epoch { thread, time: self.sync.time(thread), site };
        match self.cells[cell as usize].access(now, write, &self.sync) {
            Ok(()) => true,
            Err(earlier) => {
                self.fail(verdict::data_race(now, write, earlier, &self.names));
                false
            }
        }
    }

    /// A fence: orders memory, is no step.
    pub fn fence(&mut self, thread: ThreadId, order: crate::op::Order) {
        self.sync.fence(thread, order.acquires(), order.releases());
        // What comes after the fence was not published by it.
        self.sync.tick(thread);
    }

    /// Ends the execution with a failure, unless it has failed already or was abandoned.
    #[cold]
    pub fn fail(&mut self, failure: Failure) {
        if matches!(self.trace.end, End::Running | End::Complete) {
            self.trace.end = End::Failed(Box::new(failure));
        }
    }

    /// Is the execution over?
    #[inline]
    pub fn is_over(&self) -> bool {
        self.trace.end != End::Running
    }

    /// The thread began or ended unwinding.
    pub fn set_panicking(&mut self, thread: ThreadId, panicking: bool) {
        self.threads[thread.index()].panicking = panicking;
    }

    /// Is the thread unwinding?
    pub fn is_panicking(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].panicking
    }

    /// A thread says what it is about to do. [`Visit::Probe`] asks the front end to compare the thread's own
    /// state and to call [`probed`](Self::probed) before it goes on.
    #[inline]
    pub fn announce(&mut self, thread: ThreadId, op: &Op) -> Visit {
        let me = &mut self.threads[thread.index()];
        debug_assert_eq!(me.status, Status::Running);
        me.status = Status::Announced;
        me.op = *op;
        if op.kind.is_plain() {
            // The common case: always possible, in one way, and no round of a waiting loop begins or ends here.
            me.outcomes = 1;
            me.expiring = false;
            self.enabled.insert(thread);
            return Visit::Plain;
        }
        self.announce_in_full(thread, op)
    }

    fn announce_in_full(&mut self, thread: ThreadId, op: &Op) -> Visit {
        if op.kind.can_change() {
            self.slot_mut(op.object).pending.push(thread);
            if op.other != ObjectId::NONE {
                self.slot_mut(op.other).pending.push(thread);
            }
        }
        self.evaluate(thread);
        self.visit(thread, op)
    }

    /// Works out whether the announced op of a thread is enabled.
    fn evaluate(&mut self, thread: ThreadId) {
        let Some(op) = self.threads[thread.index()].announced() else { return };
        let outcomes = match op.kind {
            OpKind::Choose => Outcomes::Ready(op.arg as u32),
            _ if op.object == ObjectId::NONE => Outcomes::Ready(1),
            _ => {
                let other = (op.other != ObjectId::NONE).then(|| &self.slot(op.other).model);
                self.slot(op.object).model.outcomes(thread, &op, other, &self.options)
            }
        };
        let me = &mut self.threads[thread.index()];
        me.expiring = outcomes == Outcomes::Expiring;
        me.outcomes = match outcomes {
            Outcomes::Blocked => 0,
            Outcomes::Ready(n) => n,
            Outcomes::Expiring => 1,
        };
        if me.idle != Idle::Proved {
            let polite = (me.expiring || op.kind.is_pause()) && me.pauses >= self.limits.fair_rounds;
            me.idle = if polite { Idle::Polite } else { Idle::No };
        }
        if me.outcomes == 0 || me.idle != Idle::No {
            self.enabled.remove(thread);
        } else {
            self.enabled.insert(thread);
        }
    }

    /// Which thread steps next?
    #[inline]
    pub fn decide(&mut self) -> Decision {
        if self.is_over() {
            return Decision::End;
        }
        let at = self.trace.len();
        if let Some(&planned) = self.prefix.get(at) {
            return self.follow(planned);
        }
        if self.enabled.is_empty() && !self.let_polite_threads_go() {
            self.stop();
            return Decision::End;
        }
        if at as u32 >= self.limits.steps {
            self.fail(self.too_many_steps());
            return Decision::End;
        }
        let Policy::RunOn = self.policy;
        match self.run_on() {
            Some(thread) => {
                self.chosen =
                    if self.sleep.is_empty() { 0 } else { self.awake(thread).expect("it is awake") };
                Decision::Run(thread)
            }
            None => {
                self.trace.end = End::Asleep;
                Decision::End
            }
        }
    }

    /// The first outcome of the thread's op that is not asleep.
    #[inline]
    fn awake(&self, thread: ThreadId) -> Option<u32> {
        let asleep = |outcome| self.sleep.iter().any(|s| s.thread == thread && s.outcome == outcome);
        (0..self.threads[thread.index()].outcomes).find(|&outcome| !asleep(outcome))
    }

    /// Go on with the same thread if it can and wants to; then the lowest that wants to; then, among those
    /// that would rather wait (they paused, or would time out), the one after the last, so that each gets a turn.
    #[inline]
    fn run_on(&self) -> Option<ThreadId> {
        let current = self.current;
        let awake = |t: ThreadId| self.sleep.is_empty() || self.awake(t).is_some();
        let eager = |t: ThreadId| {
            let thread = &self.threads[t.index()];
            !thread.paused && !thread.expiring
        };
        if self.enabled.contains(current) && eager(current) && awake(current) {
            return Some(current);
        }
        if let Some(thread) = self.enabled.iter().find(|&t| eager(t) && awake(t)) {
            return Some(thread);
        }
        let after = self.enabled.iter().find(|&t| t > current && awake(t));
        after.or_else(|| self.enabled.iter().find(|&t| awake(t)))
    }

    fn follow(&mut self, planned: Planned) -> Decision {
        if self.trace.len() == self.sleep_from
            && let Some(sleeper) = self.sleep.iter().find(|s| !self.is_about_to(s.thread, s.expected))
        {
            let expected = Planned { thread: sleeper.thread, outcome: 0, expected: Some(sleeper.expected) };
            let failure = self.departure(expected);
            self.fail(failure);
            return Decision::End;
        }
        let me = self.threads.get(planned.thread.index());
        let fits = me.is_some_and(|me| {
            me.status == Status::Announced
                && planned.expected.is_none_or(|e| e == (me.op.kind, me.op.site))
                && planned.outcome < me.outcomes
        }) && (self.enabled.contains(planned.thread) || self.is_idle(planned.thread));
        if !fits {
            let failure = self.departure(planned);
            self.fail(failure);
            return Decision::End;
        }
        self.chosen = planned.outcome;
        Decision::Run(planned.thread)
    }

    /// Has the thread announced this op?
    fn is_about_to(&self, thread: ThreadId, (kind, site): (OpKind, SiteId)) -> bool {
        let me = self.threads.get(thread.index()).and_then(Thread::announced);
        me.is_some_and(|op| op.kind == kind && op.site == site)
    }

    /// A planned step of a thread that this execution found idle: it was not when the plan was made, because
    /// fewer rounds of its loop had been seen. Going round once more is always possible.
    fn is_idle(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].idle != Idle::No
    }

    fn let_polite_threads_go(&mut self) -> bool {
        let mut any = false;
        for i in 0..self.threads.len() {
            let me = &mut self.threads[i];
            if me.status == Status::Announced && me.idle == Idle::Polite {
                me.idle = Idle::No;
                me.pauses = self.limits.fair_rounds.saturating_sub(1);
                self.enabled.insert(ThreadId(i as u32));
                any = true;
            }
        }
        any
    }

    /// Carries out the announced op of the thread that was decided on.
    #[inline]
    pub fn perform(&mut self, thread: ThreadId) -> Reply {
        let at = self.trace.len();
        let me = &mut self.threads[thread.index()];
        debug_assert_eq!(me.status, Status::Announced);
        let op = me.op;
        let outcome = self.chosen;
        self.trace.begin(thread, &op, (outcome, me.outcomes), self.live_slots as u32, &self.enabled);
        me.status = Status::Running;
        me.visible += 1;
        me.idle = Idle::No;
        me.last = Some(at as u32);
        let panicking = me.panicking;
        if let Some(waker) = me.woken_by.take() {
            self.trace.steps[at].woken_by = Some(waker);
        }
        if !me.after.is_empty() {
            self.trace.steps[at].after = std::mem::take(&mut me.after);
        }
        let reply = match op.kind {
            OpKind::Choose => Reply::value(u64::from(outcome)),
            _ if op.object == ObjectId::NONE => Reply::DONE,
            _ => {
                let accesses = &mut self.trace.steps[at].accesses;
                let objects = Objects {
                    options: self.options,
                    slots: &mut self.slots,
                    lives: &mut self.lives,
                    sync: &mut self.sync,
                };
                objects.carry_out(thread, &op, outcome, panicking, accesses)
            }
        };
        self.trace.ends_seen |= op.kind == OpKind::IsFinished;
        let step = &mut self.trace.steps[at];
        step.value = reply.value;
        step.ok = reply.ok;
        self.enabled.remove(thread);
        self.sync.tick(thread);
        self.after_step(thread, &op, at);
        self.current = thread;
        reply
    }

    /// Who is enabled, awake or idle now that a step has been carried out?
    #[inline]
    fn after_step(&mut self, thread: ThreadId, op: &Op, at: usize) {
        if op.kind.can_change() {
            self.slot_mut(op.object).no_longer_pending(thread);
            if op.other != ObjectId::NONE {
                self.slot_mut(op.other).no_longer_pending(thread);
            }
        }
        // A new choice is progress, although no object shows it.
        let mut wrote = op.kind == OpKind::Choose;
        let mut progress = wrote;
        for k in 0..self.trace.steps[at].accesses.len() {
            let Access { object, act, .. } = self.trace.steps[at].accesses[k];
            let slot = match object.as_life() {
                Some(t) => &mut self.lives[t.index()],
                None => &mut self.slots[object.index()],
            };
            if act.is_read() {
                let version = slot.version;
                self.threads[thread.index()].spin.read(object, version);
            } else {
                wrote = true;
                progress |= act.is_progress();
                slot.version = slot.version.wrapping_add(1);
                if !slot.pending.is_empty() || !slot.watchers.is_empty() {
                    self.changed(object, thread, at);
                }
            }
        }
        self.pace(thread, op, wrote, progress);
        if !self.sleep.is_empty() && at >= self.sleep_from {
            let accesses = &self.trace.steps[at].accesses;
            wake_dependent(&mut self.sleep, thread, accesses);
        }
    }

    /// An object that somebody waits at has changed: blocked threads may be enabled, idle ones look again.
    fn changed(&mut self, object: ObjectId, by: ThreadId, at: usize) {
        for k in 0..self.slot(object).pending.len() {
            let waiter = self.slot(object).pending[k];
            self.evaluate(waiter);
        }
        while let Some(watcher) = self.slot_mut(object).watchers.pop() {
            let me = &mut self.threads[watcher.index()];
            if watcher != by && me.idle == Idle::Proved && me.spin.watches(object) {
                me.idle = Idle::No;
                me.woken_by = Some(at as u32);
                me.spin.reset();
                self.evaluate(watcher);
            }
        }
    }

    /// Keeps count of pausing without getting anywhere, and lets polite threads go again after anybody's step.
    #[inline]
    fn pace(&mut self, thread: ThreadId, op: &Op, wrote: bool, progress: bool) {
        let me = &mut self.threads[thread.index()];
        me.paused = op.kind.is_pause() || me.expiring;
        if me.paused {
            me.pauses += 1;
            self.pauses_seen = true;
        }
        if wrote {
            me.changes += 1;
            me.spin.reset();
        }
        if progress {
            me.pauses = 0;
        }
        if self.pauses_seen {
            self.release_polite(thread);
        }
    }

    #[cold]
    fn release_polite(&mut self, by: ThreadId) {
        let at = self.trace.len() as u32 - 1;
        for i in 0..self.threads.len() {
            let me = &mut self.threads[i];
            if i != by.index() && me.status == Status::Announced && me.idle == Idle::Polite {
                me.idle = Idle::No;
                me.pauses = self.limits.fair_rounds.saturating_sub(1);
                me.woken_by = Some(at);
                self.trace.cut = true;
                self.enabled.insert(ThreadId(i as u32));
            }
        }
    }

    /// Carries out an op that is no step of its own: it commutes with everything that others can see.
    pub fn silently(&mut self, thread: ThreadId, op: &Op) -> Reply {
        let panicking = self.threads[thread.index()].panicking;
        let objects = Objects {
            options: self.options,
            slots: &mut self.slots,
            lives: &mut self.lives,
            sync: &mut self.sync,
        };
        let reply = objects.carry_out(thread, op, 0, panicking, &mut Accesses::new());
        self.sync.tick(thread);
        reply
    }

    /// Counts a reference up or down where neither a step nor a clock is needed; says whether it was the last strong one.
    #[inline]
    pub fn count(&mut self, object: ObjectId, weak: bool, up: bool) -> bool {
        match &mut self.slots[object.index()].model {
            Object::Arc(arc) => arc.count(weak, up),
            other => unreachable!("counting references of a {}", other.kind()),
        }
    }

    /// How many steps of the thread changed something.
    pub fn changes(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].changes
    }

    /// How much the thread has done that others could see: steps and accesses to cells.
    pub fn visible(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].visible
    }

    /// The thread has changed state of its own that a comparison of its stack does not show (its clock, a cell), so
    /// the loop it may be in is not proved idle by this round.
    #[inline]
    pub fn not_idle(&mut self, thread: ThreadId) {
        self.threads[thread.index()].spin.stir();
    }

    /// The program looked at a reference count.
    pub fn note_count_seen(&mut self) {
        self.trace.counts_seen = true;
    }

    /// A thread spawns another, which is running now. This is no step: it commutes with whatever others do.
    pub fn spawn(&mut self, parent: ThreadId) -> ThreadId {
        let me = &mut self.threads[parent.index()];
        let nth = me.children;
        me.children += 1;
        me.pauses = 0;
        me.spin.reset();
        let mut after = if me.after.is_empty() { SmallVec::new() } else { me.after.clone() };
        if let Some(last) = me.last {
            after.push(last);
        }
        let child = self.names.child(parent, nth);
        self.birth(child, Some(parent));
        self.sync.tick(parent);
        self.threads[child.index()].after = after;
        child
    }

    /// A thread waits for another to end. `true` if it has; otherwise the thread is [released](Self::next_released)
    /// when it does. This is no step either: it commutes with whatever others do.
    pub fn join(&mut self, thread: ThreadId, target: ThreadId, site: SiteId) -> bool {
        let me = &mut self.threads[thread.index()];
        me.pauses = 0;
        me.spin.reset();
        if self.threads[target.index()].status == Status::Finished {
            self.joined(thread, target);
            return true;
        }
        let me = &mut self.threads[thread.index()];
        me.status = Status::Announced;
        me.op = Op::new(OpKind::Join, ObjectId::life(target), site);
        me.outcomes = 0;
        self.lives[target.index()].pending.push(thread);
        false
    }

    fn joined(&mut self, thread: ThreadId, target: ThreadId) {
        if let Object::Life(life) = &self.lives[target.index()].model {
            life.joined(thread, &mut self.sync);
        }
        // A thread that made no step of its own passes on what it followed.
        let ended = &self.threads[target.index()];
        match ended.last {
            Some(last) => self.threads[thread.index()].after.push(last),
            None if ended.after.is_empty() => {}
            None => {
                let after = ended.after.clone();
                self.threads[thread.index()].after.extend(after);
            }
        }
    }

    /// A thread whose join has come to its end. It is running again, and is to go on to its next op before anything
    /// is decided.
    pub fn next_released(&mut self) -> Option<ThreadId> {
        self.released.pop()
    }

    /// Has the thread come to its end?
    pub fn is_finished(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].status == Status::Finished
    }

    /// A thread has come to its end.
    pub fn finish(&mut self, thread: ThreadId) {
        let i = thread.index();
        self.threads[i].status = Status::Finished;
        self.enabled.remove(thread);
        self.unfinished -= 1;
        if let Object::Life(life) = &mut self.lives[i].model {
            life.finish(thread, &mut self.sync);
        }
        // The end belongs to the thread's last step; if it made none it is part of its parent's spawn, after
        // which nobody else has moved.
        let exit = Access { object: ObjectId::life(thread), act: Act::Exit, seq: 0 };
        let last = self.threads[i].last.map(|s| s as usize).or(self.trace.len().checked_sub(1));
        if let Some(last) = last {
            self.trace.steps[last].accesses.push(exit);
            if last >= self.sleep_from && !self.sleep.is_empty() {
                wake_dependent(&mut self.sleep, self.trace.steps[last].thread, &[exit]);
            }
        }
        while let Some(waiter) = self.lives[i].pending.pop() {
            self.threads[waiter.index()].status = Status::Running;
            self.joined(waiter, thread);
            self.released.push(waiter);
        }
        let slot = &mut self.lives[i];
        slot.version += 1;
        if !slot.watchers.is_empty() {
            let at = self.trace.len().saturating_sub(1);
            self.changed(ObjectId::life(thread), thread, at);
        }
    }

    /// Nobody can go on: is it the end, or are they stuck?
    #[cold]
    fn stop(&mut self) {
        if self.unfinished == 0 {
            self.trace.end = End::Complete;
        } else {
            let failure = self.stuck();
            self.fail(failure);
        }
    }

    /// The last look at an execution that came to its end, after the front end has dropped everything that
    /// lives as long as it.
    pub fn close(&mut self) {
        if self.trace.end == End::Complete && self.options.leaks {
            let leaked = (0..self.live_slots)
                .find(|&i| matches!(&self.slots[i].model, Object::Arc(a) if Arc::strong(a) > 0));
            if let Some(i) = leaked {
                let site = self.trace.objects[i].site;
                let failure = verdict::leak(&self.names, site);
                self.fail_complete(failure);
            }
        }
        if self.replay
            && self.trace.end != End::Running
            && let Some(failure) = self.went_on()
        {
            self.fail_complete(failure);
        }
    }

    fn fail_complete(&mut self, failure: Failure) {
        self.trace.end = End::Failed(Box::new(failure));
    }

    /// Something went wrong after the last step, while the front end dropped what lives as long as the execution.
    pub fn fail_at_end(&mut self, failure: Failure) {
        if matches!(self.trace.end, End::Complete | End::Running) {
            self.fail_complete(failure);
        }
    }

    fn went_on(&self) -> Option<Failure> {
        let expected = self.prefix.len();
        let step = self.trace.steps.get(expected)?;
        Some(
            Failure::new(
                FailureKind::Nondeterminism,
                format!(
                    "the replay departed after its last step {expected}: the recorded execution ended there, but {} went on with {} at {}",
                    self.names.thread(step.thread),
                    step.kind.verb(),
                    self.names.place(step.site)
                ),
            )
            .at(step.thread, step.site),
        )
    }
}

/// Takes those steps out of a sleep set that depend on what `thread` has just done.
#[inline]
pub fn wake_dependent(sleep: &mut Vec<Sleeper>, thread: ThreadId, accesses: &[Access]) {
    sleep.retain(|s| s.thread != thread && !dependent(&s.accesses, accesses));
}

impl Conductor {
    /// Carries out an op at once if nothing has to be waited for: while an execution is torn down.
    pub fn try_silently(&mut self, thread: ThreadId, op: &Op) -> Option<Reply> {
        if op.object == ObjectId::NONE {
            return Some(Reply::DONE);
        }
        let other = (op.other != ObjectId::NONE).then(|| &self.slot(op.other).model);
        match self.slot(op.object).model.outcomes(thread, op, other, &self.options) {
            Outcomes::Blocked => None,
            _ => Some(self.silently(thread, op)),
        }
    }
}
