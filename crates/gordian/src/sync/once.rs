//! Things that are done once.

use crate::runtime::{self, Tag};
use gordian_model::object::{Object, Once as Model};
use gordian_model::{ObjectId, Op, OpKind, Reply};
use std::cell::Cell;
use std::fmt;
use std::panic::Location;

/// Code that runs once; see [`std::sync::Once`].
///
/// Whatever was done outside a check is done again in every execution. An initialiser that calls the same `Once` again
/// waits for itself, which a check reports as a deadlock.
pub struct Once {
    tag: Tag,
    real: std::sync::Once,
}

/// What an initialiser is told; see [`std::sync::OnceState`].
pub struct OnceState {
    poisoned: bool,
    /// As std's, it is not `Sync`.
    not_sync: Cell<()>,
}

impl OnceState {
    /// Did an earlier initialiser panic? See std.
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }

    fn new(poisoned: bool) -> OnceState {
        OnceState { poisoned, not_sync: Cell::new(()) }
    }
}

impl fmt::Debug for OnceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.not_sync.get();
        f.debug_struct("OnceState").field("poisoned", &self.is_poisoned()).finish()
    }
}

#[track_caller]
fn op(object: ObjectId, kind: OpKind, arg: u64) -> Reply {
    runtime::op(Op { arg, ..Op::new(kind, object, runtime::site(Location::caller())) })
}

/// An initialisation that has begun and is to be ended, also when it unwinds.
pub(super) struct Begun {
    object: ObjectId,
    site: &'static Location<'static>,
    outcome: u64,
}

impl Begun {
    /// Ends it well.
    pub(super) fn complete(mut self) {
        self.outcome = Model::COMPLETED;
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if runtime::active() {
            let site = runtime::site(self.site);
            runtime::op(Op { arg: self.outcome, ..Op::new(OpKind::OnceEnd, self.object, site) });
        }
    }
}

/// What came of the wish to begin.
pub(super) enum Begin {
    /// It is for the caller to do; `true` if an earlier attempt panicked.
    Now(Begun, bool),
    Complete,
    Poisoned,
}

/// Waits until nobody is at it, and begins it if it has not been done. `force`: also if it is poisoned.
/// `if_it_panics` is how it ends if the caller does not complete it.
#[track_caller]
pub(super) fn begin(object: ObjectId, force: bool, if_it_panics: u64) -> Begin {
    let reply = op(object, OpKind::OnceBegin, u64::from(force));
    match (reply.ok, reply.flag) {
        (true, poisoned) => {
            Begin::Now(Begun { object, site: Location::caller(), outcome: if_it_panics }, poisoned)
        }
        (false, false) => Begin::Complete,
        (false, true) => Begin::Poisoned,
    }
}

/// Waits until it is done. `false`: it is poisoned, which `force` would have waited through.
#[track_caller]
pub(super) fn wait(object: ObjectId, force: bool) -> bool {
    !op(object, OpKind::OnceWait, u64::from(force)).flag
}

/// Is it done?
#[track_caller]
pub(super) fn peek(object: ObjectId) -> bool {
    op(object, OpKind::OncePeek, 0).ok
}

impl Once {
    /// Nothing has been done yet.
    #[must_use]
    #[track_caller]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Once {
        Once { tag: Tag::new(), real: std::sync::Once::new() }
    }

    fn object(&self) -> ObjectId {
        self.tag.object(|| Object::Once(Model::new()))
    }

    /// Runs the closure if this is the first call. See std.
    #[track_caller]
    pub fn call_once<F>(&self, f: F)
    where
        F: FnOnce(),
    {
        if !runtime::active() {
            self.tag.outside();
            return self.real.call_once(f);
        }
        match begin(self.object(), false, Model::POISONED) {
            Begin::Now(begun, _) => {
                f();
                begun.complete();
            }
            Begin::Complete => {}
            Begin::Poisoned => panic!("Once instance has previously been poisoned"),
        }
    }

    /// As [`call_once`](Self::call_once), also if an earlier attempt panicked. See std.
    #[track_caller]
    pub fn call_once_force<F>(&self, f: F)
    where
        F: FnOnce(&OnceState),
    {
        if !runtime::active() {
            self.tag.outside();
            return self.real.call_once_force(|state| f(&OnceState::new(state.is_poisoned())));
        }
        if let Begin::Now(begun, poisoned) = begin(self.object(), true, Model::POISONED) {
            f(&OnceState::new(poisoned));
            begun.complete();
        }
    }

    /// Has it been done? See std.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        if !runtime::active() {
            self.tag.outside();
            return self.real.is_completed();
        }
        peek(self.object())
    }

    /// Waits until it has been done. See std.
    #[track_caller]
    pub fn wait(&self) {
        if !runtime::active() {
            self.tag.outside();
            return self.real.wait();
        }
        assert!(wait(self.object(), false), "Once instance has previously been poisoned");
    }

    /// As [`wait`](Self::wait), through attempts that panicked. See std.
    #[track_caller]
    pub fn wait_force(&self) {
        if !runtime::active() {
            self.tag.outside();
            return self.real.wait_force();
        }
        wait(self.object(), true);
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

/// The initial value of a [`Once`]; see [`std::sync::ONCE_INIT`].
#[deprecated(note = "the `Once::new()` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ONCE_INIT: Once = Once::new();
