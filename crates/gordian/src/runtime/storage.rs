//! Values that live at most as long as an execution: what `OnceLock` and `LazyLock` hold.
//!
//! A value belongs to an object of the execution, not to the memory of the primitive, because a primitive in a
//! static is another object in every execution, and in executions that run side by side. A primitive that is dropped
//! takes its value with it; the rest goes at the end of the execution.

use super::current;
use super::job::drop_box;
use gordian_model::ObjectId;

struct Value {
    address: *mut (),
    /// SAFETY of calling it: `address` came from a `Box` of the type it was made for, and is not used again.
    drop: unsafe fn(*mut ()),
    /// The primitive is known to outlive the execution, so its value is dropped at the end of it. Otherwise it was
    /// leaked inside the execution, and what it held is leaked as well.
    outlives: bool,
}

/// The values of an execution, by object.
#[derive(Default)]
pub(super) struct Storage {
    values: Vec<Option<Value>>,
    count: usize,
}

impl Storage {
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value that was put in last, if it is to be dropped at the end of the execution.
    pub(super) fn pop(&mut self) -> Option<(ObjectId, impl FnOnce() + use<>)> {
        while self.count > 0 {
            match self.values.pop()? {
                Some(value) => {
                    self.count -= 1;
                    if value.outlives {
                        // SAFETY: it is out of the table, so nobody else drops it.
                        let drop = move || unsafe { (value.drop)(value.address) };
                        return Some((ObjectId(self.values.len() as u32), drop));
                    }
                }
                None => continue,
            }
        }
        self.values.clear();
        None
    }
}

fn storage<'a>() -> &'a mut Storage {
    // SAFETY: as in `super::with`; every use below is a short access that runs no foreign code.
    unsafe { &mut (*current()).shared.storage }
}

/// A typed key to the value of an object. Whoever makes one promises to use it for one type only, which a primitive
/// does by being generic: the object was registered by it.
pub(crate) struct Key<'a, T> {
    object: ObjectId,
    owner: &'a super::Tag,
    value: std::marker::PhantomData<T>,
}

impl<'a, T> Key<'a, T> {
    /// The value of the object that `owner` stands for in this execution. `owner` is a field of a primitive that is
    /// generic in `T` and gives the value up by [`take`](Self::take) before it is dropped.
    pub(crate) fn new(object: ObjectId, owner: &'a super::Tag) -> Key<'a, T> {
        Key { object, owner, value: std::marker::PhantomData }
    }

    /// The value.
    pub(crate) fn get(&self) -> Option<&'a T> {
        let value = storage().values.get(self.object.index())?.as_ref()?;
        // SAFETY: made by `put` for this type; it stays until `take`, which needs the primitive for itself alone, or
        // the end of the execution, which no thread under test survives.
        Some(unsafe { &*value.address.cast::<T>() })
    }

    /// Puts the value in; the model says that there is none.
    pub(crate) fn put(&self, value: T) -> &'a T {
        assert!(self.get().is_none(), "initialised twice");
        let outlives = self.owner.outlives_execution();
        let address = Box::into_raw(Box::new(value));
        let storage = storage();
        let i = self.object.index();
        if storage.values.len() <= i {
            storage.values.resize_with(i + 1, || None);
        }
        storage.values[i] = Some(Value { address: address.cast(), drop: drop_box::<T>, outlives });
        storage.count += 1;
        // SAFETY: as in `get`.
        unsafe { &*address }
    }
}

/// The value of an object, for the primitive that has it for itself alone.
pub(crate) fn value_mut<T>(owner: &mut super::Tag) -> Option<&mut T> {
    let i = owner.registered()? as usize;
    let value = storage().values.get_mut(i)?.as_mut()?;
    // SAFETY: as in `Key::get`; the exclusive borrow of the tag is one of the primitive.
    Some(unsafe { &mut *value.address.cast::<T>() })
}

/// Takes the value of an object out. Its next use is that of a new object.
pub(crate) fn take_value<T>(owner: &mut super::Tag) -> Option<T> {
    let i = owner.registered()? as usize;
    let storage = storage();
    let value = storage.values.get_mut(i)?.take()?;
    storage.count -= 1;
    // SAFETY: made by `put` for this type, and out of the table.
    Some(unsafe { *Box::from_raw(value.address.cast::<T>()) })
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
