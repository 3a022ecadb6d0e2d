//! Handles to threads.

use super::builder::Builder;
use super::life::{self, Claim};
use crate::runtime;
use gordian_model::{ObjectId, OpKind};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// Spawns a thread; see [`std::thread::spawn`].
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    if !runtime::active() {
        return Builder::new().spawn(f).expect("failed to spawn thread");
    }
    JoinHandle::checked(life::start_free(None, f))
}

#[derive(Clone)]
enum Who {
    Std(std::thread::Thread),
    Checked { thread: gordian_model::ThreadId, epoch: u64, name: Option<Arc<str>> },
}

/// A handle to a thread; see [`std::thread::Thread`].
#[derive(Clone)]
pub struct Thread(Who);

/// The identity of a thread; see [`std::thread::ThreadId`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(Id);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Id {
    Std(std::thread::ThreadId),
    Checked(u32),
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Id::Std(id) => id.fmt(f),
            Id::Checked(id) => write!(f, "ThreadId({})", id + 1),
        }
    }
}

impl Thread {
    #[inline(always)]
    pub(super) fn checked(thread: gordian_model::ThreadId) -> Thread {
        let nameless = thread != gordian_model::ThreadId::MAIN
            && runtime::shared(|shared, _| shared.thread_names.is_empty());
        let name = if nameless { None } else { name_of(thread) };
        Thread(Who::Checked { thread, epoch: runtime::epoch(), name })
    }

    pub(super) fn std(thread: std::thread::Thread) -> Thread {
        Thread(Who::Std(thread))
    }

    /// The identity of the thread.
    pub fn id(&self) -> ThreadId {
        ThreadId(match &self.0 {
            Who::Std(thread) => Id::Std(thread.id()),
            Who::Checked { thread, .. } => Id::Checked(thread.0),
        })
    }

    /// The name given with [`Builder::name`].
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Who::Std(thread) => thread.name(),
            Who::Checked { name, .. } => name.as_deref(),
        }
    }

    /// Gives the thread the token that [`park`](super::park) waits for.
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            Who::Std(thread) => thread.unpark(),
            Who::Checked { thread, epoch, .. } => {
                runtime::same_execution(*epoch, "Thread");
                runtime::simple(OpKind::Unpark, ObjectId::life(*thread));
            }
        }
    }
}

#[inline(never)]
fn name_of(thread: gordian_model::ThreadId) -> Option<Arc<str>> {
    let name = runtime::shared(|shared, _| {
        shared.thread_names.iter().find(|n| n.0 == thread).map(|n| Arc::from(n.1.as_str()))
    });
    name.or_else(|| (thread == gordian_model::ThreadId::MAIN).then(|| Arc::from("main")))
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id()).field("name", &self.name()).finish_non_exhaustive()
    }
}

/// The calling thread; see [`std::thread::current`].
pub fn current() -> Thread {
    if runtime::active() { Thread::checked(runtime::me()) } else { Thread::std(std::thread::current()) }
}

enum Inner<T> {
    Std(std::thread::JoinHandle<T>),
    Checked(Joinable<T>),
}

/// There until somebody joins; if nobody does, the thread is detached.
struct Joinable<T>(Option<Claim<T>>);

/// The right to wait for a thread; see [`std::thread::JoinHandle`].
pub struct JoinHandle<T> {
    inner: Inner<T>,
    thread: Thread,
}

// As std's: whoever holds the handle can only take the result out, once, and the result was sent to it.
#[allow(unsafe_code)]
mod markers {
    use super::JoinHandle;
    // SAFETY: the result is only reached in the execution; std promises the same for every `T`, because `spawn` asks
    // for `T: Send` before a handle can exist.
    unsafe impl<T> Send for JoinHandle<T> {}
    // SAFETY: as above; `&JoinHandle` gives no access to the result.
    unsafe impl<T> Sync for JoinHandle<T> {}
}

impl<T> JoinHandle<T> {
    #[inline]
    pub(super) fn checked(claim: Claim<T>) -> JoinHandle<T> {
        let thread = Thread::checked(claim.thread());
        JoinHandle { inner: Inner::Checked(Joinable(Some(claim))), thread }
    }

    pub(super) fn std(handle: std::thread::JoinHandle<T>) -> JoinHandle<T> {
        let thread = Thread::std(handle.thread().clone());
        JoinHandle { inner: Inner::Std(handle), thread }
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Waits for the thread to end.
    #[track_caller]
    pub fn join(self) -> super::Result<T> {
        match self.inner {
            Inner::Std(handle) => handle.join(),
            Inner::Checked(mut joinable) => {
                let claim = joinable.0.take().expect("there until joined");
                let thread = claim.thread();
                runtime::same_execution(claim.epoch(), "JoinHandle");
                runtime::join(thread, runtime::site(Location::caller()));
                crate::time::catch_up_with(thread);
                let result = claim.redeem().unwrap_or_else(|| Err(life::torn_down()));
                if result.is_err() {
                    life::mark_handled(thread);
                }
                result
            }
        }
    }

    /// Has the thread ended?
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.inner {
            Inner::Std(handle) => handle.is_finished(),
            Inner::Checked(joinable) => {
                let claim = joinable.0.as_ref().expect("there until joined");
                runtime::same_execution(claim.epoch(), "JoinHandle");
                runtime::simple(OpKind::IsFinished, ObjectId::life(claim.thread())).flag
            }
        }
    }
}

impl<T> Drop for Joinable<T> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(claim) = self.0.take() {
            detach(claim);
        }
    }
}

/// The handle goes without having been used to join.
#[inline(never)]
fn detach<T>(mut claim: Claim<T>) {
    if runtime::active() && runtime::epoch() == claim.epoch() {
        runtime::settle();
        life::detach(&mut claim);
        runtime::stop_if_over();
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
