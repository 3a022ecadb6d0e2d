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

mod decide;
mod end;
mod lives;
mod pace;
mod policy;
mod quick;
mod quiet;
mod slots;
mod spin;
mod verdict;

use crate::access::Access;
use crate::cell::{Cell, Epoch};
use crate::failure::Failure;
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::names::Names;
use crate::object::{Channel, Model, Object, ObjectKind, Outcomes, Synchronisation};
use crate::op::{Op, OpKind, Reply};
use crate::plan::{Deviation, Limits, Options, Plan, Planned, Sleeper};
use crate::thread_set::ThreadSet;
use crate::trace::{End, ObjectInfo, Trace};
use slots::{Objects, Slot};
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
    /// What it announced last, or will announce next; it waits to do it if its status says so.
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
        self.expiring = false;
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
    fn announced(&self) -> Option<&Op> {
        (self.status == Status::Announced).then_some(&self.op)
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
    deviations: Vec<Deviation>,
    /// How many of them have been made.
    deviated: usize,
    /// The steps before this one were planned.
    planned: usize,
    sleep: Vec<Sleeper>,
    sleep_from: usize,
    driver: policy::Driver,
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
        self.deviations.clear();
        self.deviations.extend_from_slice(&plan.deviations);
        self.deviated = 0;
        self.planned = plan.prefix.len();
        self.sleep.clear();
        self.sleep.extend_from_slice(&plan.sleep);
        self.sleep_from = plan.sleep_from;
        self.driver.begin(&plan.policy, &self.names);
        self.limits = plan.limits;
        self.options = plan.options;
        // What lies between deviations is left to the policy, so such a plan does not say where the execution ends.
        self.replay = plan.replay && plan.deviations.is_empty();
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

    /// The options of the plan that is followed.
    pub fn options(&self) -> Options {
        self.options
    }

    /// A new object.
    #[inline(always)]
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

    #[inline(always)]
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
            self.fail_complete(failure);
        }
    }

    /// Is the execution over?
    #[inline]
    pub fn is_over(&self) -> bool {
        !matches!(self.trace.end, End::Running)
    }

    /// The thread began or ended unwinding.
    pub fn set_panicking(&mut self, thread: ThreadId, panicking: bool) {
        self.threads[thread.index()].panicking = panicking;
    }

    /// Is the thread unwinding?
    pub fn is_panicking(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].panicking
    }

    /// Another thread is about to step. Preemptions are counted here, where switches are few, rather than at every step.
    #[inline]
    pub fn switch_to(&mut self, thread: ThreadId) {
        if thread != self.current && self.could_go_on() {
            self.trace.preempted += 1;
        }
    }

    /// A thread says what it is about to do. [`Visit::Probe`] asks the front end to compare the thread's own
    /// state and to call [`probed`](Self::probed) before it goes on.
    #[inline]
    pub fn announce(&mut self, thread: ThreadId, op: &Op) -> Visit {
        self.draft(thread, *op);
        self.announce_draft(thread)
    }

    /// Writes down what a thread will announce. Inlined where the op is put together it costs no copy, which would have
    /// to wait until what was just stored in small pieces can be read in large ones.
    #[inline(always)]
    pub fn draft(&mut self, thread: ThreadId, op: Op) {
        self.threads[thread.index()].op = op;
    }

    /// What a thread will announce.
    pub fn drafted(&self, thread: ThreadId) -> &Op {
        &self.threads[thread.index()].op
    }

    /// [Announces](Self::announce) what was written down.
    #[inline]
    pub fn announce_draft(&mut self, thread: ThreadId) -> Visit {
        let me = &mut self.threads[thread.index()];
        debug_assert_eq!(me.status, Status::Running);
        me.status = Status::Announced;
        if me.op.is_plain() {
            // The common case: always possible, in one way, and no round of a waiting loop begins or ends here.
            me.outcomes = 1;
            me.expiring = false;
            self.enabled.insert(thread);
            return Visit::Plain;
        }
        if me.op.is_certain() {
            me.outcomes = 1;
            me.expiring = false;
            self.enabled.insert(thread);
            return self.visit(thread);
        }
        self.announce_in_full(thread)
    }

    #[inline(never)]
    fn announce_in_full(&mut self, thread: ThreadId) -> Visit {
        let Op { kind, object, other, .. } = self.threads[thread.index()].op;
        if kind.can_change() {
            self.slot_mut(object).pending.push(thread);
            if other != ObjectId::NONE {
                self.slot_mut(other).pending.push(thread);
            }
        }
        self.evaluate(thread);
        self.visit(thread)
    }

    /// Works out whether the announced op of a thread is enabled.
    fn evaluate(&mut self, thread: ThreadId) {
        let me = &mut self.threads[thread.index()];
        if me.op.kind == OpKind::Lock
            && me.status == Status::Announced
            && let Some(Slot { model: Object::Mutex(mutex), .. }) = self.slots.get(me.op.object.index())
        {
            // The most frequent of those that wait, in short; one that waits for a lock is not in a loop.
            me.expiring = false;
            me.outcomes = u32::from(mutex.is_free());
            me.idle = Idle::No;
            if me.outcomes == 0 {
                self.enabled.remove(thread);
            } else {
                self.enabled.insert(thread);
            }
            return;
        }
        let Some(op) = self.threads[thread.index()].announced() else { return };
        let outcomes = match op.kind {
            OpKind::Choose => Outcomes::Ready(op.arg as u32),
            _ if op.object == ObjectId::NONE => Outcomes::Ready(1),
            _ => {
                let other = (op.other != ObjectId::NONE).then(|| &self.slot(op.other).model);
                self.slot(op.object).model.outcomes(thread, op, other, &self.options)
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
            let polite = (me.expiring || me.op.kind.is_pause()) && me.pauses >= self.limits.fair_rounds;
            me.idle = if polite { Idle::Polite } else { Idle::No };
        }
        if me.outcomes == 0 || me.idle != Idle::No {
            self.enabled.remove(thread);
        } else {
            self.enabled.insert(thread);
        }
    }

    /// Carries out the announced op of the thread that was decided on.
    #[inline]
    pub fn perform(&mut self, thread: ThreadId) -> Reply {
        let at = self.trace.len();
        let quick = self.threads[thread.index()].op.kind.is_frequent().then(|| self.perform_quickly(thread));
        let reply = match quick.flatten() {
            Some(value) => Reply::value(value),
            None => self.perform_in_full(thread),
        };
        self.follow_up(thread, at);
        reply
    }

    /// Could the thread that stepped last go on, without having paused or having to time out?
    #[inline(always)]
    fn could_go_on(&self) -> bool {
        let before = &self.threads[self.current.index()];
        !before.paused && !before.expiring && self.enabled.contains(self.current) && !self.trace.is_empty()
    }

    #[inline(never)]
    fn perform_in_full(&mut self, thread: ThreadId) -> Reply {
        let at = self.trace.len();
        let goes_on = self.could_go_on();
        let me = &mut self.threads[thread.index()];
        debug_assert_eq!(me.status, Status::Announced);
        let op = &me.op;
        let outcome = self.chosen;
        self.trace.ends_seen |= op.kind == OpKind::IsFinished;
        let choice = (outcome, me.outcomes);
        let step = self.trace.begin(thread, op, choice, self.live_slots as u32, &self.enabled);
        step.goes_on = goes_on;
        me.status = Status::Running;
        me.visible += 1;
        me.idle = Idle::No;
        me.last = Some(at as u32);
        if me.woken_by.is_some() {
            step.woken_by = me.woken_by.take();
        }
        if !me.after.is_empty() {
            step.after = std::mem::take(&mut me.after);
        }
        let reply = match op.kind {
            OpKind::Choose => Reply::value(u64::from(outcome)),
            _ if op.object == ObjectId::NONE => Reply::DONE,
            _ => {
                let objects = Objects {
                    options: self.options,
                    slots: &mut self.slots,
                    lives: &mut self.lives,
                    sync: &mut self.sync,
                };
                objects.carry_out(thread, op, outcome, me.panicking, &mut step.accesses)
            }
        };
        step.value = reply.value;
        step.ok = reply.ok;
        self.enabled.remove(thread);
        self.sync.tick(thread);
        self.current = thread;
        // A new choice is progress, although no object shows it.
        let mut wrote = op.kind == OpKind::Choose;
        let mut progress = wrote;
        let mut awaited = op.kind.can_change();
        for &Access { object, act, .. } in &step.accesses {
            let slot = match object.as_life() {
                Some(t) => &mut self.lives[t.index()],
                None => &mut self.slots[object.index()],
            };
            if !slot.was_changed(act, reply.value) {
                me.spin.read(object, slot.version);
            } else {
                wrote = true;
                progress |= act.is_progress();
                slot.version = slot.version.wrapping_add(1);
                awaited |= !slot.pending.is_empty() || !slot.watchers.is_empty();
            }
        }
        me.pace(wrote, progress);
        self.pauses_seen |= me.paused;
        if awaited {
            self.look_for_waiting(thread, at);
        }
        if self.pauses_seen {
            self.release_polite(thread);
        }
        if !self.sleep.is_empty() && at >= self.sleep_from {
            wake_dependent(&mut self.sleep, thread, &self.trace.steps[at].accesses, &self.trace.objects);
        }
        reply
    }

    /// The thread waits no longer, and others may wait for what it has changed.
    #[inline(never)]
    fn look_for_waiting(&mut self, thread: ThreadId, at: usize) {
        let Op { kind, object, other, .. } = self.threads[thread.index()].op;
        if kind.can_change() {
            self.slot_mut(object).no_longer_pending(thread);
            if other != ObjectId::NONE {
                self.slot_mut(other).no_longer_pending(thread);
            }
        }
        for k in 0..self.trace.steps[at].accesses.len() {
            let Access { object, act, .. } = self.trace.steps[at].accesses[k];
            if self.slot(object).was_changed(act, self.trace.steps[at].value) {
                self.changed(object, thread, at);
            }
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
}

/// Takes those steps out of a sleep set that depend on what `thread` has just done.
#[inline]
pub fn wake_dependent(
    sleep: &mut Vec<Sleeper>,
    thread: ThreadId,
    accesses: &[Access],
    objects: &[ObjectInfo],
) {
    sleep.retain(|s| s.thread != thread && !s.depends_on(accesses, objects));
}
