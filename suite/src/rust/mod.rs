//! Bugs that Rust does not keep anybody from: what std's own types are used wrongly for.

pub mod aba_index;
pub mod channel_permits;
pub mod condvar_if;
pub mod count_lock;
pub mod disconnect;
pub mod lost_waker;
pub mod once_again;
pub mod park_token;
pub mod poison;
pub mod publication;
pub mod scoped;
pub mod seqlock;
pub mod upgrade;
