//! Where a thread under test is while it does not run, and how control goes from one stack to another.
//!
//! Where the registers are known, a thread lets another go on without asking the host ([`direct`]): each step of the way is
//! half as long, and the processor predicts most returns, since threads under test tend to come back to the same code.
//! Elsewhere all switches go through the host and are corosensei's ([`relayed`]).

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod direct;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(super) use direct::{DIRECT, Home, Seat};

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod relayed;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub(super) use relayed::{DIRECT, Home, Seat};
