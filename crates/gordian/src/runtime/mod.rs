//! The coroutine runtime: threads under test as stackful coroutines on the OS thread that searches.
//!
//! A thread that comes to an op announces it to the conductor from its own stack. If it is the one to go on, it
//! performs the op and returns to the user's code: no switch. Otherwise it suspends and lets whichever thread the conductor named go on,
//! itself ([`onward`]) or through the host ([`drive`]). While a thread's state is being compared to prove a spin loop idle, the
//! host does all of this in its place, so that nothing but the user's own code writes to its stack.
//!
//! This folder is one of the two rooms in which `unsafe` is allowed. The rules:
//! - The runtime is reached through a raw pointer in a thread-local ([`current`]); a reference to it never lives
//!   across a resume or a suspend, because other code reaches it in between.
//! - A thread under test is resumed only by the OS thread that created it, and never while it is running.
//! - Suspended threads are torn down youngest first, so that borrows between scoped threads stay valid.

mod claim;
mod coroutines;
mod drive;
mod end;
mod engine;
mod host;
mod image;
mod job;
mod onward;
mod ops;
mod ours;
mod outside;
mod overflow;
mod panic;
mod peek;
mod probe;
mod registers;
mod seat;
mod shared;
mod snapshot;
mod spawn;
mod stack;
mod storage;
#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod system_calls;
mod tag;
mod terminal;
mod watch;

pub(crate) use claim::{Claim, Leaving, is_detached};
pub(crate) use engine::Engine;
pub(crate) use ops::op;
pub(crate) use panic::PanicNote;
pub(crate) use shared::{Panicked, Shared};
pub(crate) use spawn::{create, join, settle, spawn};
pub(crate) use storage::{Key, duplicate, take_value, value_mut};
pub(crate) use tag::Tag;
pub(crate) use terminal::columns;
pub(crate) use watch::Debugged;

use coroutines::Wake;
use gordian_model::conductor::Visit;
use gordian_model::{Conductor, Decision, ObjectId, Op, OpKind, Reply, SiteId, ThreadId};
use host::{Request, Runtime};
use std::cell::Cell;
use std::panic::Location;
use std::sync::{TryLockError, TryLockResult};

thread_local! {
    static CURRENT: Cell<*mut Runtime> = const { Cell::new(std::ptr::null_mut()) };
}

/// The runtime of the execution that the calling thread under test belongs to; null outside a check. (What is inlined is compiled with the program, and a
/// debug build of that would make a hundred instructions of it, however well its dependencies are optimised.)
#[cfg_attr(not(debug_assertions), inline)]
fn current() -> *mut Runtime {
    CURRENT.with(Cell::get)
}

/// Are we inside an execution?
#[inline]
pub(crate) fn active() -> bool {
    !current().is_null()
}

/// Looks at the conductor, without switching threads.
#[inline]
pub(crate) fn with<R>(f: impl FnOnce(&mut Conductor, ThreadId) -> R) -> R {
    let rt = current();
    debug_assert!(!rt.is_null());
    // SAFETY: the runtime outlives the execution, we are on its OS thread, and the reference ends before
    // any switch because `f` cannot suspend: it gets no way to.
    let rt = unsafe { &mut *rt };
    f(&mut rt.conductor, rt.running)
}

/// Looks at what the runtime keeps for all threads, without switching threads.
#[inline]
pub(crate) fn shared<R>(f: impl FnOnce(&mut Shared, ThreadId) -> R) -> R {
    let rt = current();
    // SAFETY: as in `with`.
    let rt = unsafe { &mut *rt };
    f(&mut rt.shared, rt.running)
}

/// The thread under test that is running.
#[inline]
pub(crate) fn me() -> ThreadId {
    with(|_, me| me)
}

/// The number of a place in the source.
#[inline]
pub(crate) fn site(location: &'static Location<'static>) -> SiteId {
    // SAFETY: as in `with`.
    let rt = unsafe { &mut *current() };
    rt.sites.get(location, &mut rt.conductor.names)
}

/// Announces the op that the running thread has written down, waits for its turn and carries it out; gives the words of the reply.
///
/// # Safety
/// As `suspend`.
#[inline(never)]
unsafe fn step(rt: *mut Runtime) -> (u64, u64) {
    // SAFETY: `rt` is the live runtime of this OS thread; every access below is a short-lived reborrow that
    // ends before `suspend`.
    unsafe {
        if (*rt).silent {
            return silently().into_words();
        }
        let me = (*rt).running;
        let visit = (*rt).conductor.announce_draft(me);
        debug_assert_eq!(visit, Visit::Plain, "probing is left to the host");
        if Runtime::is_held(rt) {
            rest(rt);
            if (*rt).silent {
                return torn_down(rt).into_words();
            }
        } else {
            let decision = (*rt).conductor.decide();
            if decision != Decision::Run(me) {
                Runtime::pass_on(rt, decision);
                if (*rt).silent {
                    return torn_down(rt).into_words();
                }
            }
        }
        (*rt).conductor.perform_in_words(me)
    }
}

/// Deciding is held up: suspends until it is the thread's turn; it may be asked by a debugger to stop first.
///
/// # Safety
/// As `suspend`.
#[inline(always)]
unsafe fn rest(rt: *mut Runtime) {
    // SAFETY: as promised.
    unsafe {
        if (*rt).watch.is_some() {
            watch::wait(rt);
        } else {
            Runtime::rest(rt);
        }
    }
}

/// A thread that was to make a step is resumed because the execution is torn down. If it unwinds from a panic of its own already, that
/// goes on.
///
/// # Safety
/// As `suspend`.
#[cold]
#[inline(never)]
unsafe fn torn_down(rt: *mut Runtime) -> Reply {
    // SAFETY: as promised.
    if matches!(unsafe { (*rt).wake }, Wake::TearDown) {
        unwind();
    }
    silently()
}

/// Clears the stack below the caller. What earlier calls left there would show in the frames of the next ones, where these leave gaps, and be compared: the
/// first rounds of a loop would look different from each other although nothing is.
#[cold]
#[inline(never)]
fn scrub() {
    std::hint::black_box(&mut [0_u64; 160]);
}

/// Leaves an op to the host, which announces and performs it on its own stack and compares what is on this one. It
/// suspends twice, so that everything that coming back writes to the stack has been written when it is compared. It gives the words of the reply, because those
/// fit into registers: a reply would need a place in the caller's frame, which would be compared before anything was written there.
///
/// # Safety
/// As `suspend`.
#[cold]
#[inline(never)]
unsafe fn hosted(rt: *mut Runtime) -> (u64, u64) {
    // SAFETY: as in `op`.
    unsafe {
        if (*rt).silent {
            return silently().into_words();
        }
        (*rt).twice = true;
        // What is compared differs while the thread has not come to its first op: it is not in a loop yet.
        let begins = usize::from((*rt).starting);
        std::hint::black_box(&begins);
        // The host changes it.
        #[allow(clippy::while_immutable_condition)]
        while (*rt).twice {
            suspend_at_rest(rt);
        }
        std::hint::black_box(&begins);
        if (*rt).silent {
            return silently().into_words();
        }
        (*rt).reply.into_words()
    }
}

/// An op at a place, with nothing but an object.
#[track_caller]
pub(crate) fn simple(kind: OpKind, object: ObjectId) -> Reply {
    op(Op::new(kind, object, site(Location::caller())))
}

/// Waits for a mutex and takes it: [`simple`], with a kind that the compiler knows.
#[inline(never)]
#[track_caller]
pub(crate) fn lock(object: ObjectId) -> Reply {
    op(Op::new(OpKind::Lock, object, site(Location::caller())))
}

/// Gives the processor back to the host.
///
/// # Safety
/// `rt` is the live runtime of this OS thread, and the caller runs on the stack of one of its threads.
#[inline(always)]
unsafe fn suspend(rt: *mut Runtime, request: Request) {
    // SAFETY: as promised.
    unsafe {
        Runtime::leave(rt, request);
        if matches!((*rt).wake, Wake::TearDown) {
            unwind();
        }
    }
}

/// The execution is torn down.
#[cold]
#[inline(never)]
fn unwind() -> ! {
    std::panic::resume_unwind(Box::new(panic::TearDown))
}

/// Gives the processor back to the host, which looks at the stack from here on.
///
/// # Safety
/// As `suspend`.
#[inline(never)]
unsafe fn suspend_at_rest(rt: *mut Runtime) {
    // SAFETY: as promised; the reborrow ends before the switch.
    unsafe {
        let marker = 0u8;
        let me = (*rt).running.index();
        (&mut (*rt).tasks)[me].stack_pointer = std::hint::black_box(&raw const marker) as usize;
        if (*rt).watch.is_some() {
            watch::save_registers(rt);
        }
        suspend(rt, Request::Step);
    }
}

/// Ends the execution here if it is over; called after something other than an op may have ended it.
pub(crate) fn stop_if_over() {
    let rt = current();
    // SAFETY: as in `op`.
    unsafe {
        if !(*rt).silent && (*rt).conductor.is_over() {
            if (*rt).watch.is_some() {
                watch::save_registers(rt);
            }
            suspend(rt, Request::Over);
        }
    }
}

/// The thread cannot go on and will never be resumed. Only while executions are torn down.
pub(crate) fn give_up() -> ! {
    let rt = current();
    // SAFETY: as in `op`.
    unsafe { suspend(rt, Request::GiveUp) };
    unreachable!("a thread that gave up was resumed")
}

/// An execution is being torn down, or statics are dropped after it: ops happen at once.
#[inline]
pub(crate) fn is_silent() -> bool {
    let rt = current();
    // SAFETY: as in `with`.
    !rt.is_null() && unsafe { (*rt).silent }
}

/// Carries out the op that the running thread has written down, without a step.
#[cold]
fn silently() -> Reply {
    let rt = current();
    // SAFETY: as in `with`.
    let (op, reply) = unsafe {
        let rt = &mut *rt;
        rt.silent_ops += 1;
        let resurrected = rt.tearing_down && !std::thread::panicking();
        let me = rt.running;
        let op = *rt.conductor.drafted(me);
        let reply =
            if resurrected || rt.silent_ops > 10_000 { None } else { rt.conductor.try_silently(me, &op) };
        (op, reply)
    };
    match reply {
        Some(reply) => reply,
        // SAFETY: as in `with`.
        None if unsafe { (*rt).tearing_down } => give_up(),
        None => panic!("{} would wait for ever: no thread is left", op.kind.verb()),
    }
}

/// Is this the unwinding that tears an execution down?
pub(crate) fn is_tear_down(payload: &(dyn std::any::Any + Send)) -> bool {
    payload.is::<panic::TearDown>()
}

/// Lets the unwinding that tears an execution down go on; anything else is a panic of the user's.
pub(crate) fn user_panic(payload: Box<dyn std::any::Any + Send>) -> Box<dyn std::any::Any + Send> {
    if payload.is::<panic::TearDown>() {
        std::panic::resume_unwind(payload);
    }
    payload
}

/// What the panic hook saw last in the running thread; the thread is no longer unwinding.
pub(crate) fn take_panic() -> PanicNote {
    // SAFETY: as in `with`.
    let rt = unsafe { &mut *current() };
    let me = rt.running;
    rt.conductor.set_panicking(me, false);
    rt.tasks[me.index()].last_panic.take().unwrap_or_else(|| PanicNote {
        message: "a panic that was raised without the panic hook".to_owned(),
        file: "?".to_owned(),
        line: 0,
        column: 0,
    })
}

/// Is the running thread unwinding from a panic of its own?
#[inline]
pub(crate) fn is_panicking() -> bool {
    std::thread::panicking() && is_panicking_itself()
}

#[cold]
fn is_panicking_itself() -> bool {
    with(|conductor, me| conductor.is_panicking(me))
}

/// The number of the execution.
#[cfg_attr(not(debug_assertions), inline)]
pub(crate) fn epoch() -> u64 {
    let rt = current();
    // SAFETY: as in `with`.
    if rt.is_null() { 0 } else { unsafe { (*rt).epoch } }
}

/// Something that was made in one execution is used in another, or outside.
#[inline]
#[track_caller]
pub(crate) fn same_execution(made_in: u64, what: &str) {
    let now = epoch();
    if now != made_in {
        another_execution(now, what);
    }
}

#[cold]
#[track_caller]
fn another_execution(now: u64, what: &str) -> ! {
    panic!(
        "gordian: a {what} that was made in one execution is used {}; make it inside the closure and do not keep it in a static \
         or in something the closure captures",
        if now == 0 { "outside of it" } else { "in another" }
    );
}

/// Takes the std primitive behind a mirrored one, which the model says is free. In a static it may be held for a moment by an execution
/// that runs beside this one on another OS thread, which goes on meanwhile: then this waits for it.
#[inline]
pub(crate) fn take_real<G>(what: &str, try_take: impl Fn() -> TryLockResult<G>) -> G {
    match try_take() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poison)) => poison.into_inner(),
        Err(TryLockError::WouldBlock) => wait_for_real(what, try_take),
    }
}

#[cold]
#[inline(never)]
fn wait_for_real<G>(what: &str, try_take: impl Fn() -> TryLockResult<G>) -> G {
    let patience = std::time::Duration::from_millis(500);
    let mut since = None;
    loop {
        match try_take() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poison)) => return poison.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let start = *since.get_or_insert_with(std::time::Instant::now);
                // Torn down, a thread that is still suspended has it.
                if is_silent() || !host::others_are_live(epoch()) || start.elapsed() > patience {
                    not_available(what);
                }
                std::thread::yield_now();
            }
        }
    }
}

/// The std primitive behind a mirrored one is taken although the model says that it is free.
pub(crate) fn not_available(what: &str) -> ! {
    if is_silent() {
        give_up();
    }
    panic!(
        "gordian: the {what} is held outside of this execution: a guard was forgotten in an earlier execution or is held by a thread that is not under control; create the {what} inside the closure"
    )
}
