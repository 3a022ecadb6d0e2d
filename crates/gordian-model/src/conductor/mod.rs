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

mod again;
mod ahead;
mod announce;
mod at_once;
mod begin;
mod decide;
mod end;
mod follows;
mod lives;
mod pace;
mod perform;
mod policy;
mod quick;
mod quiet;
mod recall;
mod slots;
mod spin;
mod unwatched;
mod usual;
mod verdict;

use crate::access::Access;
use crate::cell::{Cell, Epoch};
use crate::failure::Failure;
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::names::Names;
use crate::object::{Channel, Object, ObjectKind, Synchronisation};
use crate::op::{Op, OpKind};
use crate::plan::{Deviation, Limits, Options, Planned, Sleeper};
use crate::step::Step;
use crate::thread_set::ThreadSet;
use crate::trace::{End, ObjectInfo, Trace};
pub use at_once::AtOnce;
use follows::Follows;
use slots::Slot;
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

/// What is asked for at every step is first, so that it is near enough for the shorter forms of instructions.
#[derive(Debug)]
#[repr(C)]
struct Thread {
    status: Status,
    idle: Idle,
    expiring: bool,
    paused: bool,
    outcomes: u32,
    /// Steps and accesses to cells.
    visible: u32,
    /// Steps that changed something.
    changes: u32,
    last: Option<u32>,
    woken_by: Option<u32>,
    pauses: u32,
    /// Hints that it has given in a row, after the first.
    hints: u32,
    /// What its next step follows, see [`Step::after`](crate::Step::after).
    after: Follows,
    spin: Spin,
    /// What it announced last, or will announce next; it waits to do it if its status says so.
    op: Op,
    children: u32,
    /// It is unwinding; reported by the front end.
    panicking: bool,
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
            hints: 0,
            changes: 0,
            visible: 0,
            idle: Idle::No,
            woken_by: None,
            after: Follows::default(),
            children: 0,
            last: None,
            panicking: false,
            spin: Spin::default(),
        }
    }
}

impl Thread {
    #[inline(always)]
    fn reset(&mut self, status: Status) {
        self.status = status;
        self.expiring = false;
        self.paused = false;
        self.pauses = 0;
        self.hints = 0;
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

    /// It makes the step with this number.
    #[inline(always)]
    fn makes_step(&mut self, at: usize) {
        self.status = Status::Running;
        self.visible += 1;
        self.idle = Idle::No;
        self.last = Some(at as u32);
    }

    /// It makes the step with this number, by this choice, and that gave this.
    #[inline(always)]
    fn writes_down(&mut self, at: usize, step: &mut Step, chosen: Chosen, value: u64, ok: bool) {
        step.outcome = chosen.outcome;
        step.outcomes = self.outcomes;
        step.objects = chosen.objects as u32;
        step.goes_on = chosen.goes_on;
        step.value = value;
        step.ok = ok;
        if !self.after.is_empty() {
            step.after = self.after.take();
        }
        self.makes_step(at);
    }

    /// It has changed an object: whatever it does is no round of a loop that waits.
    #[inline(always)]
    fn has_changed(&mut self, slot: &mut Slot) {
        slot.version = slot.version.wrapping_add(1);
        self.changes += 1;
        self.spin.reset();
    }

    /// The op it waits to do.
    fn announced(&self) -> Option<&Op> {
        (self.status == Status::Announced).then_some(&self.op)
    }
}

/// How a step was chosen.
#[derive(Clone, Copy)]
struct Chosen {
    outcome: u32,
    /// How many objects there were.
    objects: usize,
    /// Could the thread of the step before have gone on?
    goes_on: bool,
}

/// Carries one execution at a time. What is asked for at every step is first, so that it is near enough for the shorter forms of instructions.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Conductor {
    threads: Vec<Thread>,
    slots: Vec<Slot>,
    /// What this thread does next may happen at once; see [`at_once`]. Nobody after whatever lets others move, or ends the execution.
    leader: ThreadId,
    /// Where it would come round, see [`Spin::turn`](spin::Spin::turn).
    turn: SiteId,
    /// The thread that made the last step.
    current: ThreadId,
    chosen: u32,
    /// The steps so far are those of the last execution; see [`recall`].
    recalling: bool,
    pauses_seen: bool,
    /// A thread has let the others go first, see [`pace`].
    polite_seen: bool,
    /// The end of the program does not wait for threads that cannot go on.
    abandons: bool,
    /// Beyond what is planned the thread that stepped last goes on as long as it can, and no clocks are kept.
    by_itself: bool,
    /// Steps of the last execution may be repeated at once.
    may_repeat: bool,
    replay: bool,
    lenient: bool,
    /// How many steps of the last execution are asked for again.
    shared: usize,
    /// What the current execution has done.
    pub trace: Trace,
    enabled: ThreadSet,
    limits: Limits,
    options: Options,
    live_slots: usize,
    sleep: Vec<Sleeper>,
    sleep_from: usize,
    prefix: Vec<Planned>,
    /// The steps before this one were planned.
    planned: usize,
    deviations: Vec<Deviation>,
    /// How many of them have been made.
    deviated: usize,
    comparisons: Vec<bool>,
    lives: Vec<Slot>,
    released: Vec<ThreadId>,
    unfinished: u32,
    /// From this step on the execution is not smooth.
    smooth: usize,
    driver: policy::Driver,
    sync: Synchronisation,
    cells: Vec<Cell>,
    live_cells: usize,
    /// The names met so far; kept over the executions of a search.
    pub names: Names,
}

impl Conductor {
    /// Each op of the execution that has begun is announced, decided on and performed, however simple it is.
    pub fn watch(&mut self) {
        self.may_repeat = false;
        self.by_itself = false;
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

    /// The same where an earlier execution has left a place for it, as mostly one has. Otherwise nothing is changed, and the model is given back. For
    /// an atomic or a mutex, of which there are most, no call is made: it has to have been one before, so that there is nothing to drop.
    #[inline(always)]
    pub fn create_in_place(&mut self, model: Object, site: SiteId) -> Result<ObjectId, Object> {
        let (kind, objects, at) = (model.kind(), &mut self.trace.objects, self.live_slots);
        let Some(slot) = self.slots.get_mut(at) else { return Err(model) };
        if objects.len() == objects.capacity() {
            return Err(model);
        }
        // The list comes first: then it is still known that there is room.
        match (&mut slot.model, model) {
            (Object::Atomic(old), Object::Atomic(new)) => {
                objects.push(ObjectInfo { kind, site });
                *old = new;
            }
            (Object::Mutex(old), Object::Mutex(new)) => {
                objects.push(ObjectInfo { kind, site });
                *old = new;
            }
            (_, model @ (Object::Atomic(_) | Object::Mutex(_) | Object::Channel(_))) => return Err(model),
            (old, new) => {
                objects.push(ObjectInfo { kind, site });
                *old = new;
            }
        }
        slot.begin_again();
        self.live_slots = at + 1;
        Ok(ObjectId(at as u32))
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
                let goes_on = self.races(now, write, earlier);
                if goes_on {
                    self.cells[cell as usize].record(now, write);
                }
                goes_on
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
        if thread != self.current {
            let could_go_on = match self.recalling {
                true => self.trace.steps.known(self.shared).is_some_and(|step| step.goes_on),
                false => self.could_go_on(),
            };
            self.trace.preempted += u32::from(could_go_on);
        }
    }
}

/// Takes those steps out of a sleep set that depend on what `thread` has just done. (The sets are small, and mostly all or none of it
/// wakes: keeping the others in order one by one is shorter than what lists do in general.)
#[inline(never)]
pub fn wake_dependent(
    sleep: &mut Vec<Sleeper>,
    thread: ThreadId,
    accesses: &[Access],
    objects: &[ObjectInfo],
) {
    let mut asleep = 0;
    for i in 0..sleep.len() {
        let sleeper = &sleep[i];
        if sleeper.thread != thread && !sleeper.depends_on(accesses, objects) {
            if asleep < i {
                sleep.swap(asleep, i);
            }
            asleep += 1;
        }
    }
    sleep.truncate(asleep);
}
