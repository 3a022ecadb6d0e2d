//! The runtime that is preloaded into a native program.
//!
//! The program's threads are real threads to the C library, and one of them runs at a time: the one that has the *turn*. The kernel sees
//! one thread that goes from stack to stack (`carriers`).
//! Every call through which threads meet is taken over (`real::entry`) and becomes an op: it is announced to the same
//! [`Conductor`](gordian_model::Conductor), with the same models, that drives tests on Gordian's own types. The conductor decides who
//! goes on, and nothing is said to the host until the execution is over. No blocking
//! function of the C library is called while threads are under control.
//!
//! Before `main` the process turns into a fork server (`start`): each execution is a process of its own that begins there.
//!
//! The whole crate is one of the rooms in which `unsafe` is allowed. The rules:
//! - Only the thread that has the turn touches the `runtime::Runtime` and allocates; a reference into it never lives across a
//!   hand-over, because other threads reach it in between. Whoever begins, or ends, without the turn touches only atomics of its own.
//! - Nothing here uses what it replaces: no locks, no channels, no printing, no clocks of std's. Memory comes from `heap`, system
//!   calls are made directly (`sys`).
//! - Addresses that the program passes are believed as far as the C library would believe them.
#![allow(unsafe_code)]

#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
mod linux {
    pub(crate) mod again;
    pub(crate) mod barrier;
    pub(crate) mod blocks;
    pub(crate) mod c11;
    pub(crate) mod cancel;
    pub(crate) mod carriers;
    pub(crate) mod condvar;
    pub(crate) mod control;
    pub(crate) mod end;
    pub(crate) mod futex;
    pub(crate) mod heap;
    pub(crate) mod hooks;
    pub(crate) mod identity;
    mod inputs;
    pub(crate) mod masks;
    pub(crate) mod mutex;
    pub(crate) mod objects;
    pub(crate) mod once;
    pub(crate) mod pages;
    pub(crate) mod points;
    pub(crate) mod random;
    pub(crate) mod real;
    pub(crate) mod refused;
    pub(crate) mod runtime;
    pub(crate) mod rwlock;
    pub(crate) mod semaphore;
    pub(crate) mod signals;
    pub(crate) mod sigwait;
    pub(crate) mod sites;
    pub(crate) mod snapshot;
    pub(crate) mod start;
    pub(crate) mod sys;
    pub(crate) mod thread;
    pub(crate) mod time;
    pub(crate) mod turn;
    pub(crate) mod watch;
}
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
pub(crate) use linux::*;
