//! Gordian without the feature `check`: std, re-exported, and the few names that std does not have.

pub use std::{hint, thread, thread_local, time};

/// Synchronisation: [`std::sync`].
pub mod sync {
    pub use std::sync::*;

    pub use super::permits::Semaphore;

    /// Turning std's `Arc` into Gordian's and back; here they are the same.
    pub trait FromStd {
        /// The value.
        type Value: ?Sized;
        /// Takes over one of std's.
        fn from_std(inner: Arc<Self::Value>) -> Self;
        /// The reference as one of std's.
        fn into_std(this: Self) -> Arc<Self::Value>;
    }

    impl<T: ?Sized> FromStd for Arc<T> {
        type Value = T;

        fn from_std(inner: Arc<T>) -> Arc<T> {
            inner
        }

        fn into_std(this: Arc<T>) -> Arc<T> {
            this
        }
    }
}

#[path = "sync/permits.rs"]
mod permits;
#[path = "cell/tracked.rs"]
mod tracked;

/// Outside a check there is nothing to choose: always zero.
pub fn choose(n: usize) -> usize {
    assert!(n > 0, "gordian::choose(0): there is nothing to choose from");
    0
}

/// Shareable memory: [`std::cell`].
pub mod cell {
    pub use std::cell::*;

    pub use super::tracked::Tracked;
}

#[path = "future.rs"]
pub mod future;
