//! Threads under test come and are waited for. Neither is a step.

use super::coroutines::Wake;
use super::host::{Request, Runtime};
use super::job::Job;
use super::{current, give_up, rest, suspend, unwind, with};
use gordian_model::object::Object;
use gordian_model::{Decision, ObjectId, SiteId, ThreadId};

/// Makes a thread under test. It runs up to its first op when its parent comes to its next op, or before that when the
/// parent [settles](settle).
///
/// # Safety
/// What `body` borrows must outlive the thread, or the frame that owns it must not be left before the thread has ended.
#[inline]
pub(crate) unsafe fn spawn(name: Option<String>, body: impl FnOnce()) -> ThreadId {
    let rt = current();
    // SAFETY: the caller promises that the borrows hold; the rest as in `step`.
    unsafe {
        let (child, job) = conceive(rt);
        if let Some(job) = job {
            job.put(body);
        }
        if let Some(name) = name {
            (*rt).shared.thread_names.push((child, name));
        }
        child
    }
}

/// A new thread, and where to put what it is to do.
///
/// # Safety
/// As `suspend`; where to put it is asked for no more when threads switch.
unsafe fn conceive<'a>(rt: *mut Runtime) -> (ThreadId, Option<&'a mut Job>) {
    // SAFETY: as promised.
    let rt = unsafe { &mut *rt };
    if rt.silent {
        give_up();
    }
    let child = rt.conductor.spawn(rt.running);
    rt.newborns.push(child);
    (child, rt.bring_up(child))
}

/// Lets the threads that the running one has spawned come to their first ops, before it does something that is no op, but
/// that they could notice or it could notice of them. Says whether there were any.
#[inline]
pub(crate) fn settle() -> bool {
    let rt = current();
    // SAFETY: as in `step`.
    unsafe { !(*rt).newborns.is_empty() && start_newborns(rt) }
}

/// A new object; threads that were spawned before it was made have the lower numbers for theirs.
pub(crate) fn create(model: Object, site: SiteId) -> ObjectId {
    settle();
    with(|conductor, _| conductor.create(model, site))
}

/// # Safety
/// As `suspend`.
#[cold]
#[inline(never)]
unsafe fn start_newborns(rt: *mut Runtime) -> bool {
    // A thread that unwinds would have them run while Rust takes them to panic; they wait for its next op.
    // SAFETY: as promised.
    let now = unsafe { !(*rt).silent } && !std::thread::panicking();
    if now {
        // SAFETY: as promised.
        unsafe { suspend(rt, Request::Start) };
    }
    now
}

/// Waits for a thread under test to end.
#[inline]
pub(crate) fn join(target: ThreadId, site: SiteId) {
    let rt = current();
    // SAFETY: as in `step`.
    unsafe {
        match begin_to_join(rt, target, site) {
            Joining::Done => return,
            Joining::Held => rest(rt),
            Joining::Passed(decision) => Runtime::pass_on(rt, decision),
        }
        if (*rt).silent {
            if matches!((*rt).wake, Wake::TearDown) {
                unwind();
            }
            // Torn down while it unwinds: what it waits for will not come.
            give_up();
        }
    }
}

/// Where a thread that joins another stands.
enum Joining {
    /// The other has ended.
    Done,
    /// It waits, and deciding is held up.
    Held,
    /// It waits, and this was decided.
    Passed(Decision),
}

/// Says whether the thread has to wait, and what is to be done then.
///
/// # Safety
/// As `suspend`.
#[inline(always)]
unsafe fn begin_to_join(rt: *mut Runtime, target: ThreadId, site: SiteId) -> Joining {
    // SAFETY: as in `step`.
    unsafe {
        if (*rt).silent {
            if !(*rt).conductor.is_finished(target) {
                give_up();
            }
            return Joining::Done;
        }
        if (*rt).conductor.join((*rt).running, target, site) {
            return Joining::Done;
        }
        if Runtime::is_held(rt) {
            return Joining::Held;
        }
        Joining::Passed((*rt).conductor.decide())
    }
}
