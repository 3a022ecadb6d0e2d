//! Synchronisation, as in [`std::sync`].

mod arc;
pub mod atomic;
mod barrier;
mod condvar;
mod lazy_lock;
pub mod mpsc;
mod mutex;
mod once;
mod once_lock;
mod permits;
mod rwlock;
mod semaphore;

pub use arc::{Arc, FromStd, MakeMut, Weak};
pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use lazy_lock::LazyLock;
pub use mutex::{Mutex, MutexGuard};
#[allow(deprecated)]
pub use once::{ONCE_INIT, Once, OnceState};
pub use once_lock::OnceLock;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use semaphore::Semaphore;
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use crate::runtime;
use gordian_model::{ObjectId, Op, OpKind, Reply};

/// An op that is no step: exclusive access to the object shows that no other thread can tell when it happens.
#[track_caller]
fn quietly(kind: OpKind, object: ObjectId) -> Reply {
    let op = Op::new(kind, object, runtime::site(std::panic::Location::caller()));
    runtime::with(|conductor, me| conductor.silently(me, &op))
}
