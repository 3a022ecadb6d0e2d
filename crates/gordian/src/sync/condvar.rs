//! Condition variables.

use super::{Mutex, MutexGuard};
use crate::runtime::{self, Tag};
use crate::time;
use gordian_model::object::{Condvar as Model, Object};
use gordian_model::{ObjectId, Op, OpKind};
use std::fmt;
use std::panic::Location;
use std::sync::{LockResult, PoisonError};
use std::time::Duration;

/// A condition variable; see [`std::sync::Condvar`].
///
/// In a check a timed wait may expire at any moment, and nobody wakes for no reason unless
/// [`Checker::spurious_wakeups`](crate::Checker::spurious_wakeups) allows it.
pub struct Condvar {
    tag: Tag,
    real: std::sync::Condvar,
}

/// Did a timed wait expire? See [`std::sync::WaitTimeoutResult`].
#[derive(Debug, PartialEq, Eq, Copy, Clone)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// The wait ended because the time was over.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// Changes what a lock gave, poisoned or not.
fn map<G, H>(result: LockResult<G>, f: impl FnOnce(G) -> H) -> LockResult<H> {
    match result {
        Ok(guard) => Ok(f(guard)),
        Err(poison) => Err(PoisonError::new(f(poison.into_inner()))),
    }
}

impl Condvar {
    /// A new condition variable.
    #[must_use]
    #[track_caller]
    pub const fn new() -> Condvar {
        Condvar { tag: Tag::new(), real: std::sync::Condvar::new() }
    }

    fn object(&self) -> ObjectId {
        self.tag.object(|| Object::Condvar(Model::new()))
    }

    /// Gives the mutex back, waits, takes it again. `true`: nobody notified the thread.
    #[track_caller]
    fn wait_checked<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        wake: OpKind,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        let mutex = guard.mutex();
        let site = runtime::site(Location::caller());
        let op = |kind| Op { other: mutex.object(), ..Op::new(kind, self.object(), site) };
        let (wait, wake) = (op(OpKind::Wait), op(wake));
        guard.release_quietly();
        runtime::op(wait);
        let reply = runtime::op(wake);
        map(mutex.granted(reply.flag), |guard| (guard, reply.value == 0))
    }

    /// A wait outside a check.
    fn wait_std<'a, T, G>(
        &self,
        guard: MutexGuard<'a, T>,
        wait: impl FnOnce(&std::sync::Condvar, std::sync::MutexGuard<'a, T>) -> LockResult<G>,
        wrap: impl FnOnce(&'a Mutex<T>, G) -> (MutexGuard<'a, T>, bool),
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        self.tag.outside();
        let mutex = guard.mutex();
        map(wait(&self.real, guard.into_std()), |inner| wrap(mutex, inner))
    }

    /// Waits to be notified. See std.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let result = if runtime::active() {
            self.wait_checked(guard, OpKind::Wake)
        } else {
            let wrap = |mutex, inner| (MutexGuard::from_std(mutex, inner), false);
            self.wait_std(guard, std::sync::Condvar::wait, wrap)
        };
        map(result, |(guard, _)| guard)
    }

    /// Waits as long as the condition holds. See std.
    #[track_caller]
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Waits to be notified, for some time at most. See std.
    #[deprecated(note = "replaced by `std::sync::Condvar::wait_timeout`")]
    #[track_caller]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        ms: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        let result = self.wait_timeout(guard, Duration::from_millis(u64::from(ms)));
        map(result, |(guard, result)| (guard, !result.timed_out()))
    }

    /// Waits to be notified, for some time at most. See std.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        dur: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let result = if runtime::active() {
            let result = self.wait_checked(guard, OpKind::WakeTimed);
            let (Ok((_, expired)) | Err((_, expired))) = result.as_ref().map_err(PoisonError::get_ref);
            if *expired {
                time::pass(dur);
            }
            result
        } else {
            let wait = |real: &std::sync::Condvar, inner| real.wait_timeout(inner, dur);
            self.wait_std(guard, wait, |mutex, (inner, result)| {
                (MutexGuard::from_std(mutex, inner), result.timed_out())
            })
        };
        map(result, |(guard, expired)| (guard, WaitTimeoutResult(expired)))
    }

    /// Waits as long as the condition holds, for some time at most. See std.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        dur: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        if !runtime::active() {
            let wait = |real: &std::sync::Condvar, inner| real.wait_timeout_while(inner, dur, condition);
            let result = self.wait_std(guard, wait, |mutex, (inner, result)| {
                (MutexGuard::from_std(mutex, inner), result.timed_out())
            });
            return map(result, |(guard, expired)| (guard, WaitTimeoutResult(expired)));
        }
        // Virtual time stands still while the thread waits, so it is over when one wait has expired.
        let mut result = WaitTimeoutResult(false);
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            if result.timed_out() {
                return Ok((guard, result));
            }
            (guard, result) = self.wait_timeout(guard, dur)?;
        }
    }

    /// Wakes one waiter, if there is any. See std. In a check each waiter is tried.
    #[track_caller]
    pub fn notify_one(&self) {
        if !runtime::active() {
            self.tag.outside();
            return self.real.notify_one();
        }
        runtime::simple(OpKind::NotifyOne, self.object());
    }

    /// Wakes all waiters. See std.
    #[track_caller]
    pub fn notify_all(&self) {
        if !runtime::active() {
            self.tag.outside();
            return self.real.notify_all();
        }
        runtime::simple(OpKind::NotifyAll, self.object());
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Condvar {
        Condvar::new()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
