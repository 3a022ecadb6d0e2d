//! Synchronisation, as in [`std::sync`].

mod arc;
pub mod atomic;
mod lazy_lock;
mod mutex;
mod once;
mod once_lock;

pub use arc::{Arc, FromStd, MakeMut, Weak};
pub use lazy_lock::LazyLock;
pub use mutex::{Mutex, MutexGuard};
#[allow(deprecated)]
pub use once::{ONCE_INIT, Once, OnceState};
pub use once_lock::OnceLock;
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
