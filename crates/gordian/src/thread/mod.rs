//! Threads, as in [`std::thread`].
//!
//! Inside a check a thread is a coroutine under control of the search; outside it is a thread of the operating system.

mod builder;
mod handle;
mod life;
mod local;
mod pause;
mod scoped;

pub use builder::Builder;
pub use handle::{JoinHandle, Thread, ThreadId, current, spawn};
pub(crate) use life::{fail_if_unhandled, run_main};
#[doc(hidden)]
pub use local::KeyId;
pub use local::{AccessError, LocalKey};
pub(crate) use local::{Local, drop_left_locals};
pub use pause::{available_parallelism, panicking, park, park_timeout, sleep, yield_now};
#[allow(deprecated)]
pub use pause::{park_timeout_ms, sleep_ms};
pub use scoped::{Scope, ScopedJoinHandle, scope};
pub use std::thread::Result;
