//! Threads: they begin on a carrier, or as a thread of the kernel's that waits for its turn, and end when all that the C library does at
//! their ends has been done.

use super::control::Control;
use super::real::{entry, real};
use super::sites::site;
use super::time::Clock;
use super::{cancel, carriers, mutex, signals, turn};
use gordian_model::{ObjectId, Op, OpKind, SiteId, ThreadId};
use libc::{c_int, c_void, pthread_attr_t, pthread_t};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

pub(crate) type Routine = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
pub(crate) type Create =
    unsafe extern "C" fn(*mut pthread_t, *const pthread_attr_t, Begin, *mut c_void) -> c_int;
pub(crate) type Begin = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;

/// What a new thread is told.
pub(crate) struct Birth {
    thread: ThreadId,
    control: *mut Control,
    routine: Routine,
    argument: *mut c_void,
    /// How large its stack is.
    stack: usize,
}

/// How many threads are still to be refused in this execution.
pub(crate) static REFUSED: AtomicU32 = AtomicU32::new(0);

entry!(
    /// See pthread_create(3).
    pthread_create, 4 => create
);

pub(crate) unsafe extern "C-unwind" fn create(
    handle: *mut pthread_t,
    attributes: *const pthread_attr_t,
    routine: Routine,
    argument: *mut c_void,
    _caller: usize,
) -> c_int {
    // Looked up only where it is called: that takes longer than what an execution needs for a thread.
    let create = || real!(c"pthread_create" as Create);
    let Some(me) = turn::me() else {
        // SAFETY: passed on as it came.
        return unsafe { create()(handle, attributes, routine, argument) };
    };
    if REFUSED.load(Relaxed) > 0 {
        REFUSED.fetch_sub(1, Relaxed);
        return libc::EAGAIN;
    }
    // SAFETY: the program's own attributes.
    let stack = unsafe { stack_size(attributes) };
    let birth = turn::with(|rt| {
        rt.beat();
        let before = rt.conductor.names.threads();
        let thread = rt.conductor.spawn(me);
        if rt.conductor.names.threads() > before {
            let (parent, nth) = rt.conductor.names.spawned().last().expect("it was just added");
            rt.shared.add_thread(parent, nth);
        }
        let clock = Clock::after(&rt.control(me).clock);
        rt.admit(thread, clock, 0);
        rt.inherit_mask(me, thread);
        let control = std::ptr::from_mut(rt.control(thread));
        Box::into_raw(Box::new(Birth { thread, control, routine, argument, stack }))
    });
    let error = if carriers::are_used() {
        // SAFETY: the program's own attributes, and its place for the handle. Nobody runs on the carrier yet.
        match unsafe { carriers::take(attributes) } {
            // SAFETY: as above.
            Ok(carrier) => unsafe {
                handle.write((*carrier).handle);
                (*carrier).birth = birth;
                (*birth).stack = (*carrier).stack.1 - (*carrier).stack.0;
                turn::with(|rt| rt.control((*birth).thread).context = (*carrier).context());
                0
            },
            Err(error) => error,
        }
    } else {
        // SAFETY: the new thread waits for its turn before it touches anything but what it is given.
        unsafe { create()(handle, attributes, begin_alone, birth.cast()) }
    };
    if error != 0 {
        // As if it had been spawned and had ended: the numbers of its parent's children stay what they are.
        // SAFETY: nobody else has it.
        let birth = unsafe { Box::from_raw(birth) };
        turn::with(|rt| rt.conductor.finish(birth.thread));
        return error;
    }
    turn::with(|rt| {
        // SAFETY: the C library has just written it. The box is the new thread's, but nothing in it changes.
        let (thread, handle) = unsafe { ((*birth).thread, *handle) };
        rt.control(thread).handle = handle;
        rt.handles.retain(|&(known, _)| known != handle);
        rt.handles.push((handle, thread));
        rt.newborns.push(thread);
    });
    0
}

/// How large the stack of a thread with these attributes is.
///
/// # Safety
/// They must be null or attributes.
unsafe fn stack_size(attributes: *const pthread_attr_t) -> usize {
    let mut size = 0;
    if !attributes.is_null() {
        // SAFETY: as the caller says.
        unsafe { libc::pthread_attr_getstacksize(attributes, &raw mut size) };
    }
    if size == 0 { 8 << 20 } else { size }
}

/// What a thread of the kernel's begins with.
unsafe extern "C-unwind" fn begin_alone(birth: *mut c_void) -> *mut c_void {
    signals::own_stack();
    // SAFETY: made for this thread.
    unsafe { begin(birth.cast()) }
}

/// The calling thread is one of the program's from here on.
///
/// # Safety
/// It was made for this thread.
pub(crate) unsafe fn begin(birth: *const Birth) -> *mut c_void {
    // SAFETY: as the caller says. It is never freed, as the process ends with the execution.
    let Birth { thread, control, routine, argument, stack } = unsafe { &*birth };
    turn::enter(*thread, *control);
    // The C library keeps what it knows of a thread at the upper end of its stack, and thread-local variables below that.
    // SAFETY: it touches nothing.
    let top = unsafe { libc::pthread_self() } as usize;
    let here = std::ptr::from_ref(&top) as usize & !7;
    turn::with(|rt| {
        rt.control(*thread).stack = (top - stack, top);
        rt.control(*thread).base = here;
    });
    arm();
    // SAFETY: what the program asked for.
    let result = unsafe { routine(*argument) };
    cancel::ends(*thread);
    result
}

/// The key whose destructor ends a thread: those of thread-local values come before it, and it comes again until the last round.
static KEY: AtomicU32 = AtomicU32::new(0);
/// How often the C library goes through the destructors of keys.
const ROUNDS: usize = 4;

/// Makes the key, before any thread is under control.
pub(crate) fn prepare() {
    let mut key = 0;
    // SAFETY: the destructor is a function of ours.
    unsafe { libc::pthread_key_create(&raw mut key, Some(ended)) };
    KEY.store(key, Relaxed);
}

/// The calling thread will end under control.
pub(crate) fn arm() {
    // SAFETY: the key was made.
    unsafe { libc::pthread_setspecific(KEY.load(Relaxed), std::ptr::without_provenance(1)) };
}

unsafe extern "C" fn ended(round: *mut c_void) {
    let round = round as usize;
    if round < ROUNDS {
        // SAFETY: the key is ours.
        unsafe { libc::pthread_setspecific(KEY.load(Relaxed), std::ptr::without_provenance(round + 1)) };
        return;
    }
    let Some(me) = turn::me() else { return carriers::look_at_descriptor() };
    mutex::abandon(me);
    if turn::with(|rt| rt.conductor.options().end_steps) {
        turn::step(me, &Op::new(OpKind::End, ObjectId::life(me), SiteId::UNKNOWN));
    }
    turn::finish(me);
}

/// The thread under control that has this handle and can still be joined.
fn known(handle: pthread_t) -> Option<ThreadId> {
    turn::with(|rt| rt.handles.iter().find(|&&(known, _)| known == handle).map(|&(_, thread)| thread))
}

fn forget(handle: pthread_t) {
    turn::with(|rt| rt.handles.retain(|&(known, _)| known != handle));
}

entry!(
    /// See pthread_join(3).
    pthread_join, 2 => join
);

type Join = unsafe extern "C" fn(pthread_t, *mut *mut c_void) -> c_int;

pub(crate) unsafe extern "C-unwind" fn join(
    handle: pthread_t,
    result: *mut *mut c_void,
    caller: usize,
) -> c_int {
    let target = turn::me().and_then(|me| Some((me, known(handle)?)));
    if let Some((me, target)) = target {
        if me == target {
            return libc::EDEADLK;
        }
        let at = site(caller);
        let detail = cancel::detail(me);
        if detail != 0
            && !turn::step(me, &Op { detail, ..Op::new(OpKind::Join, ObjectId::life(target), at) }).ok
        {
            cancel::obey(me);
        }
        turn::join(me, target, at);
        turn::with(|rt| {
            let theirs = rt.control(target).clock;
            rt.control(me).clock.catch_up(&theirs);
        });
        forget(handle);
    }
    if carriers::is_one(handle) {
        if target.is_none() {
            return libc::EINVAL;
        }
        let value = carriers::released(handle);
        if !result.is_null() {
            // SAFETY: the program's own place.
            unsafe { result.write(value) };
        }
        return 0;
    }
    // SAFETY: passed on as it came. The thread has ended, so this does not wait.
    unsafe { real!(c"pthread_join" as Join)(handle, result) }
}

entry!(
    /// See pthread_tryjoin_np(3).
    pthread_tryjoin_np, 2 => try_join
);

unsafe extern "C-unwind" fn try_join(handle: pthread_t, result: *mut *mut c_void, caller: usize) -> c_int {
    let Some((me, target)) = turn::me().and_then(|me| Some((me, known(handle)?))) else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"pthread_tryjoin_np" as Join)(handle, result) };
    };
    if me == target {
        return libc::EDEADLK;
    }
    if !turn::step(me, &Op::new(OpKind::IsFinished, ObjectId::life(target), site(caller))).flag {
        return libc::EBUSY;
    }
    // SAFETY: passed on as it came; the thread has ended.
    unsafe { join(handle, result, caller) }
}

entry!(
    /// See pthread_timedjoin_np(3).
    pthread_timedjoin_np, 3 => timed_join
);
entry!(
    /// See pthread_clockjoin_np(3).
    pthread_clockjoin_np, 4 => clock_join
);

unsafe extern "C-unwind" fn timed_join(
    handle: pthread_t,
    result: *mut *mut c_void,
    until: *const libc::timespec,
    caller: usize,
) -> c_int {
    // SAFETY: passed on as it came.
    unsafe { clock_join(handle, result, libc::CLOCK_REALTIME, until, caller) }
}

unsafe extern "C-unwind" fn clock_join(
    handle: pthread_t,
    result: *mut *mut c_void,
    clock: libc::clockid_t,
    until: *const libc::timespec,
    caller: usize,
) -> c_int {
    type Timed =
        unsafe extern "C" fn(pthread_t, *mut *mut c_void, libc::clockid_t, *const libc::timespec) -> c_int;
    let Some((me, target)) = turn::me().and_then(|me| Some((me, known(handle)?))) else {
        // SAFETY: passed on as it came.
        return unsafe { real!(c"pthread_clockjoin_np" as Timed)(handle, result, clock, until) };
    };
    if me == target {
        return libc::EDEADLK;
    }
    if !turn::step(me, &Op::new(OpKind::IsFinished, ObjectId::life(target), site(caller))).flag {
        cancel::look(me, site(caller));
        // SAFETY: the program's own.
        super::time::expired(me, clock, unsafe { until.as_ref() });
        return libc::ETIMEDOUT;
    }
    // SAFETY: passed on as it came; the thread has ended.
    unsafe { join(handle, result, caller) }
}

entry!(
    /// See pthread_detach(3).
    pthread_detach, 1 => detach
);

pub(crate) unsafe extern "C-unwind" fn detach(handle: pthread_t, _caller: usize) -> c_int {
    if turn::me().is_some() {
        forget(handle);
        if carriers::is_one(handle) {
            carriers::released(handle);
            return 0;
        }
    }
    // SAFETY: passed on as it came; it does not wait.
    unsafe { real!(c"pthread_detach" as unsafe extern "C" fn(pthread_t) -> c_int)(handle) }
}
