//! Values that are set once.

use super::once::{self, Begin};
use crate::runtime::{self, Key, Tag};
use gordian_model::ObjectId;
use gordian_model::object::{Object, Once as Model};
use std::fmt;

/// A value that is set once; see [`std::sync::OnceLock`].
///
/// In a check it starts empty in every execution, even if it is a static that was set outside; only a value it was
/// created with (`OnceLock::from`) is there from the start.
pub struct OnceLock<T> {
    tag: Tag,
    /// Its value outside of checks, or the one it was created with.
    real: std::sync::OnceLock<T>,
    /// It was created with a value.
    given: bool,
}

impl<T> OnceLock<T> {
    /// An empty one.
    #[must_use]
    #[track_caller]
    pub const fn new() -> OnceLock<T> {
        OnceLock { tag: Tag::new(), real: std::sync::OnceLock::new(), given: false }
    }

    fn object(&self) -> ObjectId {
        self.tag.object(|| Object::Once(if self.given { Model::completed() } else { Model::new() }))
    }

    /// The value in this execution, which the model says is there.
    fn value(&self, object: ObjectId) -> &T {
        let value = if self.given { self.real.get() } else { Key::new(object, &self.tag).get() };
        value.expect("complete means that there is a value")
    }

    /// The value, if it has been set. See std.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if !runtime::active() {
            self.tag.outside();
            return self.real.get();
        }
        let object = self.object();
        once::peek(object).then(|| self.value(object))
    }

    /// The value, by exclusive access. See std.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        if self.given || !runtime::active() {
            return self.real.get_mut();
        }
        runtime::value_mut(&mut self.tag)
    }

    /// Waits for the value. See std.
    #[track_caller]
    pub fn wait(&self) -> &T {
        if !runtime::active() {
            self.tag.outside();
            return self.real.wait();
        }
        let object = self.object();
        once::wait(object, true);
        self.value(object)
    }

    /// Sets the value, or gives it back if there is one. See std.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        if !runtime::active() {
            self.tag.outside();
            return self.real.set(value);
        }
        let mut value = Some(value);
        self.initialise(|| value.take().expect("called once"));
        match value {
            None => Ok(()),
            Some(value) => Err(value),
        }
    }

    /// The value, which `f` makes if there is none. See std.
    #[track_caller]
    pub fn get_or_init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        if !runtime::active() {
            self.tag.outside();
            return self.real.get_or_init(f);
        }
        self.initialise(f)
    }

    #[track_caller]
    fn initialise(&self, f: impl FnOnce() -> T) -> &T {
        let object = self.object();
        if let Begin::Now(begun, _) = once::begin(object, true, Model::ABANDONED) {
            Key::new(object, &self.tag).put(f());
            begun.complete();
        }
        self.value(object)
    }

    /// The value. See std.
    pub fn into_inner(mut self) -> Option<T> {
        self.take()
    }

    /// Takes the value out and leaves it empty. See std.
    pub fn take(&mut self) -> Option<T> {
        if std::mem::take(&mut self.given) || !runtime::active() {
            self.tag.forget();
            return self.real.take();
        }
        let value = runtime::take_value(&mut self.tag);
        self.tag.forget();
        value
    }
}

impl<T> Drop for OnceLock<T> {
    fn drop(&mut self) {
        drop(runtime::take_value::<T>(&mut self.tag));
    }
}

impl<T> Default for OnceLock<T> {
    #[track_caller]
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        OnceLock { tag: Tag::new(), real: std::sync::OnceLock::from(value), given: true }
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[track_caller]
    fn clone(&self) -> OnceLock<T> {
        match self.get() {
            Some(value) => OnceLock::from(value.clone()),
            None => OnceLock::new(),
        }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[track_caller]
    fn eq(&self, other: &OnceLock<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut d = f.debug_tuple("OnceLock");
        match self.get() {
            Some(value) => d.field(value),
            None => d.field(&format_args!("<uninit>")),
        };
        d.finish()
    }
}
