//! Values that are made when they are first used.

use super::once::{self, Begin};
use crate::runtime::{self, Key, Tag};
use gordian_model::ObjectId;
use gordian_model::object::{Object, Once as Model};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// A value that is made when it is first used; see [`std::sync::LazyLock`].
///
/// In a check its initialiser runs in every execution, so a static holds a new value in each. An initialiser that owns
/// something (a closure that captured a `String`) can only run once; a static cannot have such a one.
pub struct LazyLock<T, F = fn() -> T> {
    tag: Tag,
    /// The value outside of checks, or that of an initialiser that can only run once.
    real: std::sync::OnceLock<T>,
    initialiser: Mutex<Option<F>>,
    /// The initialiser has been started outside of a check.
    started: AtomicBool,
}

#[track_caller]
fn poisoned() -> ! {
    panic!("LazyLock instance has previously been poisoned")
}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// A value that `f` will make.
    #[track_caller]
    pub const fn new(f: F) -> LazyLock<T, F> {
        LazyLock {
            tag: Tag::new(),
            real: std::sync::OnceLock::new(),
            initialiser: Mutex::new(Some(f)),
            started: AtomicBool::new(false),
        }
    }

    fn make(&self) -> T {
        let f = {
            let mut initialiser = self.initialiser.lock().unwrap_or_else(PoisonError::into_inner);
            initialiser.as_ref().and_then(runtime::duplicate).or_else(|| initialiser.take())
        };
        match f {
            Some(f) => f(),
            None => poisoned(),
        }
    }

    /// The value, made if it has not been. See std.
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        if !runtime::active() {
            this.tag.outside();
            return this.real.get_or_init(|| {
                if this.started.swap(true, Relaxed) {
                    poisoned();
                }
                this.make()
            });
        }
        let object = this.object();
        match once::begin(object, false, Model::POISONED) {
            Begin::Now(begun, _) => {
                let value = this.make();
                if Self::REPEATS {
                    Key::new(object, &this.tag).put(value);
                } else if this.real.set(value).is_err() {
                    unreachable!("the initialiser can only run once");
                }
                begun.complete();
            }
            Begin::Complete => {}
            Begin::Poisoned => poisoned(),
        }
        this.value(object)
    }

    /// The value by exclusive access, made if it has not been. See std.
    #[track_caller]
    pub fn force_mut(this: &mut LazyLock<T, F>) -> &mut T {
        LazyLock::force(this);
        LazyLock::get_mut(this).expect("just made")
    }
}

impl<T, F> LazyLock<T, F> {
    /// The initialiser can run in every execution.
    const REPEATS: bool = !std::mem::needs_drop::<F>();

    fn object(&self) -> ObjectId {
        self.tag.object(|| {
            let done = !Self::REPEATS && self.real.get().is_some();
            Object::Once(if done { Model::completed() } else { Model::new() })
        })
    }

    fn value(&self, object: ObjectId) -> &T {
        let value = if Self::REPEATS { Key::new(object, &self.tag).get() } else { self.real.get() };
        value.expect("complete means that there is a value")
    }

    /// The value by exclusive access, if it has been made. See std.
    pub fn get_mut(this: &mut LazyLock<T, F>) -> Option<&mut T> {
        if !Self::REPEATS || !runtime::active() {
            return this.real.get_mut();
        }
        runtime::value_mut(&mut this.tag)
    }

    /// The value, if it has been made. See std.
    #[track_caller]
    pub fn get(this: &LazyLock<T, F>) -> Option<&T> {
        if !runtime::active() {
            this.tag.outside();
            return this.real.get();
        }
        let object = this.object();
        once::peek(object).then(|| this.value(object))
    }
}

impl<T, F> Drop for LazyLock<T, F> {
    fn drop(&mut self) {
        drop(runtime::take_value::<T>(&mut self.tag));
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        LazyLock::force_mut(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    #[track_caller]
    fn default() -> LazyLock<T> {
        LazyLock::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut d = f.debug_tuple("LazyLock");
        match LazyLock::get(self) {
            Some(value) => d.field(value),
            None => d.field(&format_args!("<uninit>")),
        };
        d.finish()
    }
}

impl<T: RefUnwindSafe + UnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}
impl<T: UnwindSafe, F: UnwindSafe> UnwindSafe for LazyLock<T, F> {}
