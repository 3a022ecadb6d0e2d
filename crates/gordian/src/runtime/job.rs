//! What a thread is to do, a closure of any type, and what comes of it: both are kept in place if they are small enough.

use std::mem::MaybeUninit;

/// What has up to this size and alignment needs no box.
type Space = MaybeUninit<[u128; 8]>;

/// The closure of a thread that has not begun, or what is left by one that has.
pub(super) struct Job {
    /// Takes the closure out and calls it, or only drops it.
    ///
    /// SAFETY of calling it: there is a closure of the type that it was made for in the space, which is not used again.
    take: Option<unsafe fn(*const Space, bool)>,
    /// Takes what was left out, into a box, and says how to drop it.
    ///
    /// SAFETY of calling it: as above.
    move_left: Option<unsafe fn(*const Space) -> Boxed>,
    space: Space,
}

/// The address of a box, and what drops it.
type Boxed = (*mut (), unsafe fn(*mut ()));

/// Is there no box needed?
const fn fits<T>() -> bool {
    size_of::<T>() <= size_of::<Space>() && align_of::<T>() <= align_of::<Space>()
}

impl Default for Job {
    fn default() -> Job {
        Job { take: None, move_left: None, space: MaybeUninit::uninit() }
    }
}

impl Job {
    /// Puts a closure in; what was there before has been taken out, or is leaked.
    ///
    /// # Safety
    /// What the closure borrows outlives it.
    #[inline]
    pub(super) unsafe fn put<F: FnOnce()>(&mut self, f: F) {
        self.keep(f);
        self.take = Some(if fits::<F>() { take::<F> } else { take_box::<F> });
    }

    /// Puts something into the space, or a box of it if it does not fit.
    #[inline(always)]
    fn keep<T>(&mut self, value: T) {
        let space = self.space.as_mut_ptr();
        if fits::<T>() {
            // SAFETY: it fits.
            unsafe { space.cast::<T>().write(value) };
        } else {
            // SAFETY: a box fits.
            unsafe { space.cast::<Box<T>>().write(Box::new(value)) };
        }
    }

    /// Takes the closure out, and calls it or drops it. While it runs the place may move, or get another.
    ///
    /// # Safety
    /// `job` is valid; no reference to it is used while the closure runs.
    pub(super) unsafe fn run(job: *mut Job, call: bool) {
        // SAFETY: as promised; the closure is there because `take` is, and both go.
        unsafe {
            if let Some(take) = (*job).take.take() {
                take(&raw const (*job).space, call);
            }
        }
    }

    /// Leaves what has come of the closure, which has been taken out.
    #[inline]
    pub(super) fn leave<R>(&mut self, left: R) {
        debug_assert!(self.take.is_none() && self.move_left.is_none());
        self.keep(left);
        self.move_left = Some(if fits::<R>() { move_left::<R> } else { move_left_box::<R> });
    }

    /// Takes out what was left.
    ///
    /// # Safety
    /// It is of this type.
    #[inline]
    pub(super) unsafe fn take_left<R>(&mut self) -> Option<R> {
        self.move_left.take()?;
        let space = self.space.as_ptr();
        // SAFETY: it is there, as promised, and is not used again.
        Some(unsafe { if fits::<R>() { space.cast::<R>().read() } else { *space.cast::<Box<R>>().read() } })
    }

    /// Moves out what was left, of whatever type it is.
    pub(super) fn move_left(&mut self) -> Option<Boxed> {
        let move_left = self.move_left.take()?;
        // SAFETY: it is there, and is not used again.
        Some(unsafe { move_left(&raw const self.space) })
    }
}

unsafe fn take<F: FnOnce()>(space: *const Space, call: bool) {
    // SAFETY: the promise of `Job::take`.
    unsafe { begin(space.cast::<F>(), call) }
}

unsafe fn take_box<F: FnOnce()>(space: *const Space, call: bool) {
    // SAFETY: the promise of `Job::take`.
    unsafe { begin(space.cast::<Box<F>>(), call) }
}

/// Takes the closure out where it is needed, so that it is moved once.
#[inline(always)]
unsafe fn begin<F: FnOnce()>(place: *const F, call: bool) {
    // SAFETY: the promise of `Job::take`.
    unsafe { if call { place.read()() } else { drop(place.read()) } }
}

unsafe fn move_left<R>(space: *const Space) -> Boxed {
    // SAFETY: the promise of `Job::move_left`.
    let left = Box::new(unsafe { space.cast::<R>().read() });
    (Box::into_raw(left).cast(), drop_box::<R>)
}

unsafe fn move_left_box<R>(space: *const Space) -> Boxed {
    // SAFETY: the promise of `Job::move_left`.
    let left = unsafe { space.cast::<Box<R>>().read() };
    (Box::into_raw(left).cast(), drop_box::<R>)
}

/// # Safety
/// The address came from a `Box` of this type, and is not used again.
pub(super) unsafe fn drop_box<T>(address: *mut ()) {
    // SAFETY: as promised.
    drop(unsafe { Box::from_raw(address.cast::<T>()) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    #[test]
    fn closures_of_any_size_are_called_or_dropped_once() {
        fn check<T: 'static>(ballast: T) {
            for call in [true, false] {
                let (calls, alive) = (Rc::new(Cell::new(0)), Rc::new(()));
                let (seen, held) = (Rc::clone(&calls), (Rc::clone(&alive), &ballast));
                let mut job = Job::default();
                // SAFETY: what it borrows is there until the end of the function, and it runs before that.
                unsafe {
                    job.put(move || {
                        let _held = &held;
                        seen.set(seen.get() + 1);
                    });
                    Job::run(&raw mut job, call);
                    Job::run(&raw mut job, call);
                }
                assert_eq!((calls.get(), Rc::strong_count(&alive)), (u32::from(call), 1));
            }
        }
        check(());
        check([0u8; 1000]);
        let (big, held) = ([1u8; 1000], Cell::new(0));
        let mut job = Job::default();
        // SAFETY: as above.
        unsafe {
            job.put(|| held.set(big.iter().map(|&b| u32::from(b)).sum()));
            Job::run(&raw mut job, true);
            let owned = big.to_vec();
            job.put(move || assert_eq!((big.len(), owned.len()), (1000, 1000)));
            Job::run(&raw mut job, true);
        }
        assert_eq!(held.get(), 1000);
    }
}
