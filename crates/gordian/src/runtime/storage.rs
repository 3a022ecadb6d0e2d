//! Values that live as long as an execution: what statics hold.

use std::any::Any;

/// Values owned by the execution, dropped at its end in the reverse order of their creation.
#[derive(Default)]
pub(super) struct Storage {
    values: Vec<Box<dyn Any>>,
}

impl Storage {
    pub(super) fn keep<T: 'static>(&mut self, value: T) -> *const T {
        let value = Box::new(value);
        let address: *const T = &raw const *value;
        self.values.push(value);
        address
    }

    pub(super) fn take(&mut self) -> Vec<Box<dyn Any>> {
        std::mem::take(&mut self.values)
    }
}

/// Makes a second copy of an initialiser, so that a `LazyLock` in a static can run it in every execution.
///
/// Returns `None` for initialisers that own something: those run once.
pub(crate) fn duplicate<F>(initialiser: &F) -> Option<F> {
    // SAFETY: a value without drop glue owns nothing, so two bitwise copies of it do not free anything twice. Such a
    // closure is a function pointer, captures nothing, or captures plain values and shared references. (One that
    // captures a `&'static mut` would be aliased; it can only come from a leaked box, in a static.)
    (!std::mem::needs_drop::<F>()).then(|| unsafe { std::ptr::read(initialiser) })
}
