//! What a thread is to do: a closure of any type, kept in place if it is small enough.

use std::mem::MaybeUninit;

/// Closures up to this size and alignment need no box.
type Space = MaybeUninit<[u128; 8]>;

/// The closure of a thread that has not begun.
pub(super) struct Job {
    /// Takes the closure out and calls it, or only drops it.
    ///
    /// SAFETY of calling it: there is a closure of the type that it was made for in the space, which is not used again.
    take: Option<unsafe fn(*const Space, bool)>,
    space: Space,
}

impl Default for Job {
    fn default() -> Job {
        Job { take: None, space: MaybeUninit::uninit() }
    }
}

impl Job {
    /// Puts a closure in; what was there before has been taken out, or is leaked.
    ///
    /// # Safety
    /// What the closure borrows outlives it.
    #[inline]
    pub(super) unsafe fn put<F: FnOnce()>(&mut self, f: F) {
        if size_of::<F>() <= size_of::<Space>() && align_of::<F>() <= align_of::<Space>() {
            // SAFETY: it fits.
            unsafe { self.space.as_mut_ptr().cast::<F>().write(f) };
            self.take = Some(take::<F>);
        } else {
            let f = Box::new(f);
            // SAFETY: a box fits.
            unsafe { self.space.as_mut_ptr().cast::<Box<F>>().write(f) };
            self.take = Some(take_box::<F>);
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
}

unsafe fn take<F: FnOnce()>(space: *const Space, call: bool) {
    // SAFETY: the promise of `Job::take`.
    let f = unsafe { space.cast::<F>().read() };
    if call {
        f();
    }
}

unsafe fn take_box<F: FnOnce()>(space: *const Space, call: bool) {
    // SAFETY: the promise of `Job::take`.
    let f = unsafe { space.cast::<Box<F>>().read() };
    if call {
        f();
    }
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
