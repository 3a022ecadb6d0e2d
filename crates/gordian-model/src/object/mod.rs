//! The semantics of every kind of object, once.
//!
//! A model answers four questions: which outcomes an op has now (none means blocked), what changes when one is
//! carried out, who keeps a blocked thread waiting, and, through the [`Act`]s it reports, with what the step
//! commutes. To add a kind: write one file with a type that implements [`Model`], and add a line to `models!`.

use crate::access::{Access, Accesses, Act};
use crate::clock::{ClockId, Clocks};
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::op::Op;
use crate::plan::Options;
use crate::reply::Reply;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

mod arc;
mod atomic;
mod barrier;
mod channel;
mod condvar;
mod futex;
mod life;
mod mutex;
mod once;
mod rwlock;
mod semaphore;

pub use arc::Arc;
pub use atomic::Atomic;
pub use barrier::Barrier;
pub use channel::Channel;
pub use condvar::Condvar;
pub use futex::Futex;
pub use life::Life;
pub use mutex::Mutex;
pub use once::{Once, OnceState};
pub use rwlock::RwLock;
pub use semaphore::Semaphore;

/// What an announced op can do now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcomes {
    /// Nothing: somebody else has to move first.
    Blocked,
    /// One of so many outcomes.
    Ready(u32),
    /// It can go on only by timing out.
    Expiring,
}

impl Outcomes {
    pub(crate) fn ready_if(ready: bool) -> Outcomes {
        if ready { Outcomes::Ready(1) } else { Outcomes::Blocked }
    }
}

/// A thread that holds something, and where it took it.
pub type Holder = (ThreadId, SiteId);

/// The semantics of one kind of object.
pub trait Model {
    /// What can the op do now? `other` is the second object of the op.
    fn outcomes(&self, thread: ThreadId, op: &Op, other: Option<&Object>, options: &Options) -> Outcomes;

    /// Carries out one outcome.
    fn carry_out(&mut self, op: &Op, outcome: u32, cx: &mut Cx<'_>) -> Reply;

    /// Who keeps others waiting at this object.
    fn holders(&self) -> SmallVec<[Holder; 2]> {
        SmallVec::new()
    }
}

macro_rules! models {
    ($($kind:ident: $words:literal,)*) => {
        /// The state of an object.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Object { $($kind($kind),)* }

        /// The kind of an object.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub enum ObjectKind { $($kind,)* }

        impl Object {
            /// The kind of the object.
            pub fn kind(&self) -> ObjectKind {
                match self { $(Object::$kind(_) => ObjectKind::$kind,)* }
            }
        }

        impl std::fmt::Display for ObjectKind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(ObjectKind::$kind => $words,)* })
            }
        }

        impl Model for Object {
            #[inline]
            fn outcomes(&self, thread: ThreadId, op: &Op, other: Option<&Object>, options: &Options) -> Outcomes {
                match self { $(Object::$kind(model) => model.outcomes(thread, op, other, options),)* }
            }

            #[inline]
            fn carry_out(&mut self, op: &Op, outcome: u32, cx: &mut Cx<'_>) -> Reply {
                match self { $(Object::$kind(model) => model.carry_out(op, outcome, cx),)* }
            }

            fn holders(&self) -> SmallVec<[Holder; 2]> {
                match self { $(Object::$kind(model) => model.holders(),)* }
            }
        }

        $(impl From<$kind> for Object {
            fn from(model: $kind) -> Object { Object::$kind(model) }
        })*
    };
}

models! {
    Atomic: "atomic",
    Mutex: "mutex",
    RwLock: "rwlock",
    Condvar: "condvar",
    Barrier: "barrier",
    Once: "once",
    Channel: "channel",
    Semaphore: "semaphore",
    Arc: "arc",
    Life: "thread",
    Futex: "futex",
}

/// What an op on an atomic or a mutex did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Did {
    /// What it read.
    pub(crate) value: u64,
    pub(crate) act: Act,
    /// Did it succeed?
    pub(crate) ok: bool,
    /// Is the state another than before?
    pub(crate) changed: bool,
}

/// What a step did that touched one object, once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touched {
    value: u64,
    ok: bool,
    flag: bool,
    pub(crate) act: Act,
    pub(crate) seq: u16,
}

impl Touched {
    #[inline(always)]
    pub(crate) fn new(reply: Reply, act: Act, seq: u32) -> Touched {
        let Reply { value, ok, flag, .. } = reply;
        Touched { value, ok, flag, act, seq: seq as u16 }
    }

    /// What the op gave back. (It is not kept as such, since all of it would be copied.)
    #[inline(always)]
    pub(crate) fn reply(&self) -> Reply {
        Reply { value: self.value, ok: self.ok, flag: self.flag, ..Reply::DONE }
    }
}

impl Object {
    /// What [carrying out](Model::carry_out) an op does when no clocks are kept and the thread cannot be called out of it, if that is
    /// one of the usual ops, which touch nothing but the object. Nothing has changed if not.
    #[inline(always)]
    pub(crate) fn quickly(&mut self, thread: ThreadId, op: &Op, outcome: u32) -> Option<Touched> {
        match self {
            Object::Channel(channel) => channel.quickly(op),
            Object::RwLock(lock) => lock.quickly(thread, op),
            Object::Barrier(barrier) => barrier.quickly(op, outcome),
            Object::Condvar(condvar) => condvar.quickly(op, outcome),
            Object::Life(life) => life.quickly(op),
            _ => None,
        }
    }
}

/// What a model may touch while it carries out a step.
pub struct Cx<'a> {
    /// The thread that steps.
    pub thread: ThreadId,
    /// The object itself.
    pub object: ObjectId,
    /// The second object of the op.
    pub other: Option<&'a mut Object>,
    /// What synchronises with what.
    pub sync: &'a mut Synchronisation,
    /// Which of the permitted behaviours are tried.
    pub options: Options,
    /// Is the thread unwinding from a panic?
    pub panicking: bool,
    pub(crate) accesses: &'a mut Accesses,
}

impl Cx<'_> {
    /// Reports that the step touched an object.
    #[inline]
    pub fn touch(&mut self, object: ObjectId, act: Act, seq: u32) {
        self.accesses.push(Access { object, act, seq: seq as u16 });
    }

    /// Reports that the step touched this object.
    #[inline]
    pub fn act(&mut self, act: Act) {
        self.touch(self.object, act, 0);
    }

    /// Reports that the thread looked whether it was asked to end.
    pub fn heed(&mut self, act: Act) {
        self.touch(ObjectId::life(self.thread), act, 0);
    }

    /// The thread learns what was published.
    #[inline]
    pub fn acquire(&mut self, published: ClockId) {
        self.sync.acquire(self.thread, published);
    }

    /// What the thread knows is published in addition to what was.
    #[inline]
    pub fn release(&mut self, published: &mut ClockId) {
        self.sync.release(self.thread, published);
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct ThreadClocks {
    now: ClockId,
    /// What the last release fence published; relaxed stores carry it.
    fence: ClockId,
    /// What relaxed loads have read; the next acquire fence takes it.
    pending: ClockId,
}

/// What synchronises with what, by the orderings that the program wrote (C++20, [intro.races]). This is the
/// clock by which data races are judged; the order of steps that the search permutes is another.
#[derive(Clone, Debug, Default)]
pub struct Synchronisation {
    /// Clocks are kept. Without cells nobody looks at them, see [`Options::clocks`].
    on: bool,
    clocks: Clocks,
    threads: Vec<ThreadClocks>,
}

impl Synchronisation {
    pub(crate) fn memory(&self, tell: &mut dyn FnMut(usize, usize)) {
        self.clocks.memory(tell);
        let threads = self.threads.as_ptr_range();
        tell(threads.start as usize, threads.end as usize);
    }

    pub(crate) fn clear(&mut self, on: bool) {
        self.on = on;
        self.clocks.clear();
        self.threads.clear();
    }

    #[inline]
    pub(crate) fn admit(&mut self, thread: ThreadId, parent: Option<ThreadId>) {
        if self.on {
            self.do_admit(thread, parent);
        }
    }

    #[inline(never)]
    fn do_admit(&mut self, thread: ThreadId, parent: Option<ThreadId>) {
        self.clocks.admit(thread);
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, ThreadClocks::default());
        }
        let now = self.clocks.fresh();
        self.threads[thread.index()] = ThreadClocks { now, ..ThreadClocks::default() };
        if let Some(parent) = parent {
            let known = self.threads[parent.index()].now;
            self.clocks.copy(now, known);
        }
        self.clocks.set(now, thread, 1);
    }

    /// The thread's own time.
    #[inline]
    pub fn time(&self, thread: ThreadId) -> u32 {
        self.clocks.get(self.threads[thread.index()].now, thread)
    }

    /// How much of `of` the thread knows.
    #[inline]
    pub fn knows(&self, thread: ThreadId, of: ThreadId) -> u32 {
        self.clocks.get(self.threads[thread.index()].now, of)
    }

    #[inline]
    pub(crate) fn tick(&mut self, thread: ThreadId) {
        if self.on {
            self.do_tick(thread);
        }
    }

    #[inline(never)]
    fn do_tick(&mut self, thread: ThreadId) {
        let now = self.threads[thread.index()].now;
        let time = self.clocks.get(now, thread);
        self.clocks.set(now, thread, time + 1);
    }

    /// The thread learns what was published.
    #[inline(always)]
    pub fn acquire(&mut self, thread: ThreadId, published: ClockId) {
        if self.on {
            self.do_acquire(thread, published);
        }
    }

    #[inline(never)]
    fn do_acquire(&mut self, thread: ThreadId, published: ClockId) {
        self.clocks.join(self.threads[thread.index()].now, published);
    }

    /// What the thread knows is added to what was published.
    #[inline(always)]
    pub fn release(&mut self, thread: ThreadId, published: &mut ClockId) {
        if self.on {
            self.do_release(thread, published);
        }
    }

    #[inline(never)]
    fn do_release(&mut self, thread: ThreadId, published: &mut ClockId) {
        let into = self.clocks.own(published);
        self.clocks.join(into, self.threads[thread.index()].now);
    }

    /// A read of a location whose last write carries `carried`.
    #[inline(always)]
    pub fn read(&mut self, thread: ThreadId, carried: ClockId, acquires: bool) {
        if carried != ClockId::default() {
            self.do_read(thread, carried, acquires);
        }
    }

    fn do_read(&mut self, thread: ThreadId, carried: ClockId, acquires: bool) {
        let clocks = &mut self.threads[thread.index()];
        if acquires {
            self.clocks.join(clocks.now, carried);
        } else {
            let pending = self.clocks.own(&mut clocks.pending);
            self.clocks.join(pending, carried);
        }
    }

    /// A write. `continues` says that a read-modify-write goes on with the release sequence it read from.
    #[inline(always)]
    pub fn write(&mut self, thread: ThreadId, carried: &mut ClockId, releases: bool, continues: bool) {
        if self.on {
            self.do_write(thread, carried, releases, continues);
        }
    }

    fn do_write(&mut self, thread: ThreadId, carried: &mut ClockId, releases: bool, continues: bool) {
        let clocks = self.threads[thread.index()];
        let from = if releases { clocks.now } else { clocks.fence };
        match (continues, from == ClockId::default()) {
            (true, true) => {}
            (false, true) => *carried = ClockId::default(),
            (true, false) => {
                let into = self.clocks.own(carried);
                self.clocks.join(into, from);
            }
            (false, false) => {
                let into = self.clocks.own(carried);
                self.clocks.copy(into, from);
            }
        }
    }

    /// The thread learns what every other has done.
    pub(crate) fn learn_all(&mut self, thread: ThreadId) {
        if !self.on {
            return;
        }
        let now = self.threads[thread.index()].now;
        for i in (0..self.threads.len()).filter(|&i| i != thread.index()) {
            self.clocks.join(now, self.threads[i].now);
        }
    }

    /// A fence.
    pub fn fence(&mut self, thread: ThreadId, acquires: bool, releases: bool) {
        if !self.on {
            return;
        }
        let mut clocks = self.threads[thread.index()];
        if acquires {
            self.clocks.join(clocks.now, clocks.pending);
        }
        if releases {
            let into = self.clocks.own(&mut clocks.fence);
            self.clocks.copy(into, clocks.now);
        }
        self.threads[thread.index()] = clocks;
    }
}
