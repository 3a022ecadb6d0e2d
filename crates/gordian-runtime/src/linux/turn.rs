//! Whose turn it is.
//!
//! A thread that comes to an op announces it and asks who goes on ([`Runtime::next`]). If that is itself, it performs the op and returns
//! to the program. Otherwise it hands over the turn and sleeps until it gets it back. Threads that have just been spawned, or whose join has
//! come to its end, first run up to their next op before anything is decided: spawning and joining are no steps.

use super::carriers;
use super::control::Control;
use super::hooks::{self, racy::Waiting};
use super::runtime::Runtime;
use super::{end, signals, sys};
use gordian_model::conductor::Visit;
use gordian_model::object::Atomic;
use gordian_model::{Decision, Failure, FailureKind, ObjectId, Op, OpKind, Races, Reply, SiteId, ThreadId};
use gordian_wire::Shared;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering::*};

static RUNTIME: AtomicPtr<Runtime> = AtomicPtr::new(std::ptr::null_mut());
/// Threads are under control.
static ACTIVE: AtomicBool = AtomicBool::new(false);

const NOBODY: u32 = u32::MAX;
/// How large the stack of the main thread is taken to be.
const MAIN_STACK: usize = 8 << 20;

thread_local! {
    static ME: Cell<u32> = const { Cell::new(NOBODY) };
}

/// The calling thread, if it is under control.
#[inline]
pub(crate) fn me() -> Option<ThreadId> {
    if !ACTIVE.load(Relaxed) || ASIDE.load(Relaxed) {
        return None;
    }
    let me = ME.get();
    (me != NOBODY).then_some(ThreadId(me))
}

/// The thread that makes a call which returns to `caller`, if it is under control. What the unwinder does is its own business: it takes
/// locks that nobody else can hold meanwhile.
#[inline]
pub(crate) fn caller(caller: usize) -> Option<ThreadId> {
    let inside = (UNWINDER[0].load(Relaxed)..UNWINDER[1].load(Relaxed)).contains(&caller);
    if inside { None } else { me() }
}

/// Where the unwinder lies.
pub(crate) static UNWINDER: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// The runtime itself makes calls, by way of a library, that are none of the program's.
static ASIDE: AtomicBool = AtomicBool::new(false);

/// Calls that `f` makes are not controlled.
pub(crate) fn aside<R>(f: impl FnOnce() -> R) -> R {
    let before = ASIDE.swap(true, Relaxed);
    let result = f();
    ASIDE.store(before, Relaxed);
    result
}

/// Everything is as it would be without us from here on.
pub(crate) fn deactivate() {
    ACTIVE.store(false, Relaxed);
}

/// Makes the runtime, once.
pub(crate) fn create(shared: &'static Shared) {
    RUNTIME.store(Box::into_raw(Box::new(Runtime::new(shared))), Relaxed);
}

/// Looks at the runtime. Only the thread that has the turn may, and `f` must not hand it over.
pub(crate) fn with<R>(f: impl FnOnce(&mut Runtime) -> R) -> R {
    if INSIDE.load(Relaxed) {
        end::give_up(
            "a signal came while the runtime was at work, and its handler makes calls that are controlled, or the runtime itself has crashed",
        );
    }
    INSIDE.store(true, Relaxed);
    // SAFETY: made before anything could call this and never freed. The caller has the turn, so nobody else is in here, and the
    // reference ends with `f`.
    let result = f(unsafe { &mut *RUNTIME.load(Relaxed) });
    INSIDE.store(false, Relaxed);
    if ASKED.load(Relaxed) {
        ASKED.store(false, Relaxed);
        signals::asked();
    }
    result
}

/// Is the runtime at work?
pub(crate) fn is_inside() -> bool {
    INSIDE.load(Relaxed)
}

/// The host wants to know where the program is, as soon as the runtime is no longer at work.
pub(crate) fn ask_where() {
    ASKED.store(true, Relaxed);
}

static ASKED: AtomicBool = AtomicBool::new(false);

/// Somebody looks at the runtime.
static INSIDE: AtomicBool = AtomicBool::new(false);

/// The calling thread becomes the main thread of an execution, and is running.
pub(crate) fn begin(plan: &gordian_model::Plan) {
    with(|rt| {
        rt.conductor.begin(plan);
        rt.racy.begin(plan);
        hooks::chosen::begin(rt.shared);
        if hooks::chosen::are_some() {
            // What orders accesses is not seen.
            rt.conductor.set_races(Races::Ignore);
        }
        let unwatched = rt.shared.unwatched.load(Relaxed) != 0;
        rt.memory = unwatched.then(|| rt.conductor.create(Atomic::new(0).into(), SiteId::UNKNOWN));
        rt.shared.process.store(sys::process_number(), Relaxed);
        // SAFETY: it touches nothing.
        let handle = unsafe { libc::pthread_self() };
        rt.admit(ThreadId::MAIN, super::time::Clock::default(), handle);
        rt.control(ThreadId::MAIN).number.store(sys::thread_number(), Relaxed);
        rt.shared.running.store(sys::thread_number(), Relaxed);
        rt.begin_inputs(plan);
        SLOT.set(Some(&raw const rt.control(ThreadId::MAIN).turn));
        let here = std::ptr::from_ref(&rt) as usize;
        // Arguments and the environment lie above it.
        rt.control(ThreadId::MAIN).stack = (here.saturating_sub(MAIN_STACK), here + (1 << 20));
    });
    ME.set(ThreadId::MAIN.0);
    ACTIVE.store(true, Relaxed);
}

impl Runtime {
    /// The threads spawned by the running one run up to their first ops, the oldest first.
    fn queue_newborns(&mut self) {
        while let Some(child) = self.newborns.pop() {
            self.stack.push(child);
        }
    }

    /// The thread that has the turn next. Does not return if the execution is over, unless it is to end like any process.
    fn next(&mut self, me: ThreadId) -> ThreadId {
        if self.conductor.is_over() {
            return end::over(self, me);
        }
        if let Some(thread) = self.stack.pop().or_else(|| self.conductor.next_released()) {
            return thread;
        }
        match self.conductor.decide() {
            Decision::Run(thread) => {
                self.conductor.switch_to(thread);
                thread
            }
            Decision::End => end::over(self, me),
        }
    }

    /// Something went wrong: the execution ends here.
    pub(crate) fn fail(&mut self, me: ThreadId, failure: Failure) {
        self.conductor.fail(failure);
        end::over(self, me);
    }
}

/// Lets the threads go on that are to go on before the calling one, until it has the turn again. The caller has announced an op, or waits
/// for the end of another thread, or has ended (`for_ever`: then this does not wait).
fn hand_over(me: ThreadId, for_ever: bool) {
    let next = with(|rt| {
        rt.queue_newborns();
        rt.next(me)
    });
    if next == me {
        return;
    }
    if carriers::are_used() {
        let (from, to) = with(|rt| {
            let to = rt.control(next).context;
            rt.unmask(next);
            (&raw mut rt.control(me).context.pointer, to)
        });
        // SAFETY: the other does not run, as this one does, and has noted down its registers when it last did, or has yet to begin.
        unsafe { carriers::switch(from, to) };
    } else {
        pass(next);
        if !for_ever {
            wait(me);
        }
    }
}

/// Gives the turn to a thread.
fn pass(next: ThreadId) {
    let turn: *const AtomicU32 = with(|rt| &raw const rt.control(next).turn);
    // SAFETY: never freed. From the store on the other thread has the turn.
    unsafe {
        (*turn).store(1, Release);
        sys::futex_wake(&*turn);
    }
}

/// Sleeps until the calling thread has the turn.
pub(crate) fn wait(me: ThreadId) {
    let turn = SLOT.get().expect("a thread under control has one");
    // SAFETY: never freed.
    let turn = unsafe { &*turn };
    while turn.swap(0, Acquire) == 0 {
        sys::futex_wait(turn, 0);
    }
    with(|rt| {
        rt.shared.running.store(rt.control(me).number.load(Relaxed), Relaxed);
        let dying = std::mem::take(&mut rt.dying);
        if dying != 0 {
            // It runs code of the C library, without the turn, until it is gone.
            let process = rt.shared.process.load(Relaxed);
            while sys::is_alive(process, dying) {
                sys::yield_now();
            }
        }
    });
}

/// Announces an op, waits for the turn, and carries it out. `before` is called when it is the thread's turn, to fill in what only memory
/// can tell, and `after` when it has been carried out.
pub(crate) fn step_around(
    me: ThreadId,
    op: &Op,
    before: impl FnOnce(&mut Runtime, &mut Op),
    after: impl FnOnce(&mut Runtime, &Reply),
) -> Reply {
    if hooks::are_there() && !op.kind.is_pause() && with(|rt| rt.spins(me, op)) {
        // It may be a loop that waits, and counts how often: let others go first now and then, as if it had said that it waits.
        step(me, &Op::new(OpKind::Yield, ObjectId::NONE, op.site));
    }
    with(|rt| {
        rt.beat();
        rt.look_for_unseen(me);
        rt.control(me).within = 0;
        rt.control(me).waiting = Waiting::default();
        if let Visit::Probe { again, renew } = rt.conductor.announce(me, op) {
            let same = hooks::are_there() && !hooks::chosen::are_some() && rt.is_same_state(me, renew);
            if again {
                rt.conductor.probed(me, same);
            }
        }
    });
    hand_over(me, false);
    with(|rt| {
        super::watch::before_step(rt, me);
        let mut op = *rt.conductor.drafted(me);
        let life = rt.objects.life(op.object);
        if let Some((block, _)) = life {
            super::blocks::check(rt, me, (block, 1), op.site);
        }
        before(rt, &mut op);
        rt.conductor.draft(me, op);
        let reply = match rt.memory {
            None => rt.conductor.perform(me),
            Some(memory) => rt.conductor.perform_unwatched(me, memory),
        };
        if let Some((_, life)) = life {
            rt.conductor.touched(me, life, false);
        }
        after(rt, &reply);
        reply
    })
}

/// So many rounds a thread makes in a loop that changes nothing for others before the loop is taken to wait.
const ROUNDS: u32 = 32;

impl Runtime {
    /// Has the thread come round once more in a loop in which it has changed nothing for others, for many rounds?
    fn spins(&mut self, me: ThreadId, op: &Op) -> bool {
        if self.conductor.rounds(me) < ROUNDS {
            return false;
        }
        self.conductor.draft(me, *op);
        self.conductor.is_at_anchor(me) == 1
    }
}

/// As [`step_around`], without anything to be done afterwards.
pub(crate) fn step_when(me: ThreadId, op: &Op, ready: impl FnOnce(&mut Op)) -> Reply {
    step_around(me, op, |_, op| ready(op), |_, _| {})
}

/// An access was judged: if it was a data race, the execution has failed and ends here.
pub(crate) fn judged(rt: &mut Runtime, me: ThreadId, is_race: bool) {
    if is_race {
        end::over(rt, me);
    }
}

/// Announces an op, waits for the turn, and carries it out.
pub(crate) fn step(me: ThreadId, op: &Op) -> Reply {
    super::cancel::look_always(me, op.site);
    step_when(me, op, |_| {})
}

/// The program has threads that meet in memory which is not watched. If that was not known when the execution began, it ends, and the
/// search begins again.
pub(crate) fn meets_in_memory(me: ThreadId) {
    with(|rt| {
        if rt.memory.is_none() && rt.shared.hooked.load(Relaxed) == 0 {
            rt.shared.unwatched.store(1, Relaxed);
            rt.fail(me, Failure::new(FailureKind::Misuse, "threads meet in memory that is not watched"));
        }
    });
}

/// Waits for a thread to end.
pub(crate) fn join(me: ThreadId, target: ThreadId, site: gordian_model::SiteId) {
    let ended = with(|rt| {
        rt.beat();
        rt.look_for_unseen(me);
        rt.conductor.join(me, target, site)
    });
    if !ended {
        hand_over(me, false);
    }
}

/// Lets the threads that the running one has spawned come to their first ops, before it does something that they could notice.
pub(crate) fn settle(me: ThreadId) {
    let any = with(|rt| {
        let any = !rt.newborns.is_empty();
        if any {
            rt.look_for_unseen(me);
            rt.stack.push(me);
        }
        any
    });
    if any {
        hand_over(me, false);
    }
}

/// The thread has ended: somebody else has the turn from here on.
pub(crate) fn finish(me: ThreadId) {
    settle(me);
    with(|rt| {
        rt.look_for_unseen(me);
        let (low, high) = rt.control(me).stack;
        rt.words.forget(low, high);
        rt.shadow.renew(low, high);
        rt.conductor.finish(me);
        // The main thread stays, as a shadow, until the process ends.
        rt.dying = if me == ThreadId::MAIN || carriers::are_used() {
            0
        } else {
            rt.control(me).number.load(Relaxed)
        };
    });
    if carriers::are_used() {
        carriers::ended(with(|rt| rt.control(me).handle));
    }
    hand_over(me, true);
    if carriers::are_used() {
        // Nobody is left, so this was the last thread of the process.
        end::last();
    }
}

/// The thread ends the process: the others go on as far as they can, then this returns.
pub(crate) fn exit(me: ThreadId) {
    settle(me);
    with(|rt| {
        rt.look_for_unseen(me);
        rt.exiting = Some(me);
        rt.conductor.abandon_waiting();
    });
    hand_over(me, false);
}

impl Runtime {
    /// The program is still under control.
    pub(crate) fn beat(&self) {
        let beats = &self.shared.beats;
        beats.store(beats.load(Relaxed) + 1, Relaxed);
    }
}

thread_local! {
    /// Where the thread waits for its turn.
    static SLOT: Cell<Option<*const AtomicU32>> = const { Cell::new(None) };
}

/// The calling thread is this one of the execution, and waits for its turn.
pub(crate) fn enter(me: ThreadId, control: *mut Control) {
    ME.set(me.0);
    // SAFETY: made for this thread before it was started, and never freed.
    unsafe {
        (*control).number.store(sys::thread_number(), Relaxed);
        SLOT.set(Some(&raw const (*control).turn));
    }
    if !carriers::are_used() {
        wait(me);
    }
}
