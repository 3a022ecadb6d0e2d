//! Threads that borrow.

use super::builder::Builder;
use super::handle::Thread;
use super::life::{self, Claim};
use crate::runtime;
use gordian_model::{ObjectId, OpKind};
use std::cell::RefCell;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};

/// Threads started in the scope, and whether the panic of one was seen by nobody.
#[derive(Default)]
struct Started {
    threads: Vec<gordian_model::ThreadId>,
}

enum Inner<'scope, 'env: 'scope> {
    Std(&'scope std::thread::Scope<'scope, 'env>),
    Checked(RefCell<Started>),
}

/// A scope to spawn threads in; see [`std::thread::Scope`].
pub struct Scope<'scope, 'env: 'scope> {
    inner: Inner<'scope, 'env>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

#[allow(unsafe_code)]
mod markers {
    use super::Scope;
    // SAFETY: in a check the list of threads is only reached from the one OS thread that runs the execution, by one
    // coroutine at a time and never across a switch; outside, std's scope is `Sync` itself.
    unsafe impl Sync for Scope<'_, '_> {}
    // SAFETY: as above.
    unsafe impl Send for Scope<'_, '_> {}
}

// As std's: a panic leaves nothing behind in the list that its next user could misread.
impl std::panic::RefUnwindSafe for Scope<'_, '_> {}

/// Creates a scope for spawning threads that borrow; see [`std::thread::scope`].
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    if !runtime::active() {
        // Declared before std's scope, so that it is still there when threads that outlive the closure use it.
        let place = std::cell::UnsafeCell::new(None::<Scope<'env, 'env>>);
        return std::thread::scope(|s| {
            // SAFETY: written once, before anybody can have a reference to it. The lifetime of the reference is that of
            // std's scope, which ends before `place` does, and the struct only holds a reference to std's scope.
            #[allow(unsafe_code)]
            let scope = unsafe {
                let place: *mut Option<Scope<'_, 'env>> = place.get().cast::<Option<Scope<'_, 'env>>>();
                place.write(Some(Scope { inner: Inner::Std(s), scope: PhantomData, env: PhantomData }));
                (*place).as_ref().expect("just written")
            };
            f(scope)
        });
    }
    let site = runtime::site(Location::caller());
    let scope = Scope {
        inner: Inner::Checked(RefCell::new(Started::default())),
        scope: PhantomData,
        env: PhantomData,
    };
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    let Inner::Checked(started) = &scope.inner else { unreachable!("made above") };
    if runtime::is_silent() {
        // Torn down: the younger threads are gone already.
        return result.unwrap_or_else(|payload| resume_unwind(payload));
    }
    let mut next = 0;
    while let Some(thread) = { started.borrow().threads.get(next).copied() } {
        runtime::join(thread, site);
        crate::time::catch_up_with(thread);
        next += 1;
    }
    let unseen = runtime::shared(|shared, _| {
        let mut unseen = false;
        for p in shared.panics.iter_mut().filter(|p| started.borrow().threads.contains(&p.thread)) {
            unseen |= !std::mem::replace(&mut p.handled, true);
        }
        unseen
    });
    match result {
        Err(payload) => resume_unwind(payload),
        Ok(_) if unseen => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

impl<'scope> Scope<'scope, '_> {
    /// Spawns a thread in the scope.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.start(Builder::new(), f).expect("failed to spawn thread")
    }

    #[track_caller]
    pub(super) fn start<F, T>(&'scope self, builder: Builder, f: F) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        match &self.inner {
            Inner::Std(scope) => {
                let handle = builder.spawn_std_scoped(scope, f)?;
                let thread = Thread::of_scoped(&handle);
                Ok(ScopedJoinHandle { inner: HandleInner::Std(handle), thread })
            }
            Inner::Checked(started) => {
                // SAFETY: `scope` joins every thread in this list before the frame that owns what they borrow is left,
                // also when it unwinds; a torn-down execution unwinds younger threads first.
                #[allow(unsafe_code)]
                let claim = unsafe { life::start(builder.name, f) };
                let thread = claim.thread();
                started.borrow_mut().threads.push(thread);
                let inner = HandleInner::Checked { claim, scope: PhantomData };
                Ok(ScopedJoinHandle { inner, thread: Thread::checked(thread) })
            }
        }
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

enum HandleInner<'scope, T> {
    Std(std::thread::ScopedJoinHandle<'scope, T>),
    Checked { claim: Claim<T>, scope: PhantomData<&'scope ()> },
}

/// The right to wait for a scoped thread; see [`std::thread::ScopedJoinHandle`].
pub struct ScopedJoinHandle<'scope, T> {
    inner: HandleInner<'scope, T>,
    thread: Thread,
}

#[allow(unsafe_code)]
mod handle_markers {
    use super::ScopedJoinHandle;
    // SAFETY: as for `JoinHandle`, with std's bound: the result is used only by threads of one execution, which take turns.
    unsafe impl<T: Send> Send for ScopedJoinHandle<'_, T> {}
    // SAFETY: as above; `&ScopedJoinHandle` gives no access to the result.
    unsafe impl<T: Send> Sync for ScopedJoinHandle<'_, T> {}
}

impl<T> ScopedJoinHandle<'_, T> {
    /// The thread.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Waits for the thread to end.
    #[track_caller]
    pub fn join(self) -> super::Result<T> {
        match self.inner {
            HandleInner::Std(handle) => handle.join(),
            HandleInner::Checked { claim, .. } => {
                let id = claim.thread();
                runtime::join(id, runtime::site(Location::caller()));
                crate::time::catch_up_with(id);
                let result = claim.redeem().unwrap_or_else(|| Err(life::torn_down()));
                if result.is_err() {
                    life::mark_handled(id);
                }
                result
            }
        }
    }

    /// Has the thread ended?
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.inner {
            HandleInner::Std(handle) => handle.is_finished(),
            HandleInner::Checked { claim, .. } => {
                runtime::simple(OpKind::IsFinished, ObjectId::life(claim.thread())).flag
            }
        }
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
