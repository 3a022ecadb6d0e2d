//! Thread factories.

use super::handle::{JoinHandle, Thread};
use super::life;
use super::scoped::{Scope, ScopedJoinHandle};
use crate::runtime;
use std::io;

/// A thread factory; see [`std::thread::Builder`].
#[derive(Debug)]
#[must_use = "must eventually spawn the thread"]
pub struct Builder {
    pub(super) name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// A factory for threads without a name.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Builder {
        Builder { name: None, stack_size: None }
    }

    /// Names the thread.
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// The size of the stack outside a check. Inside one, all stacks have the size given to the checker.
    pub fn stack_size(mut self, size: usize) -> Builder {
        self.stack_size = Some(size);
        self
    }

    fn std(self) -> std::thread::Builder {
        let mut builder = std::thread::Builder::new();
        if let Some(name) = self.name {
            builder = builder.name(name);
        }
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        builder
    }

    /// Spawns a thread.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        if !runtime::active() {
            return Ok(JoinHandle::std(self.std().spawn(f)?));
        }
        Ok(JoinHandle::checked(life::start_free(self.name, f)))
    }

    /// Spawns a thread without asking that what it borrows is `'static`.
    ///
    /// # Safety
    /// The caller must make sure that the thread has ended before anything it borrows is gone.
    #[track_caller]
    #[allow(unsafe_code)]
    pub unsafe fn spawn_unchecked<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        if !runtime::active() {
            // SAFETY: the caller's promise.
            return Ok(JoinHandle::std(unsafe { self.std().spawn_unchecked(f)? }));
        }
        // SAFETY: the caller's promise.
        let claim = unsafe { life::start(self.name, f) };
        Ok(JoinHandle::checked(claim))
    }

    /// Spawns a thread that may borrow from outside the scope.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        scope.start(self, f)
    }

    pub(super) fn spawn_std_scoped<'scope, F, T>(
        self,
        scope: &'scope std::thread::Scope<'scope, '_>,
        f: F,
    ) -> io::Result<std::thread::ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.std().spawn_scoped(scope, f)
    }
}

impl Thread {
    pub(super) fn of_scoped<T>(handle: &std::thread::ScopedJoinHandle<'_, T>) -> Thread {
        Thread::std(handle.thread().clone())
    }
}
