//! What a thread leaves for whoever joins it, and the right to it.
//!
//! It lies where the closure of the thread was, so that to spawn a thread allocates nothing. Whoever has the right to it may come too late, when the
//! execution has ended: then it waits in a table for all executions.

use super::host::Runtime;
use super::{current, epoch};
use gordian_model::ThreadId;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::num::NonZeroU64;
use std::sync::{Mutex, PoisonError};

/// The right to what a thread leaves, which is dropped with it.
pub(crate) struct Claim<R> {
    thread: ThreadId,
    /// The number of the execution that it belongs to.
    epoch: NonZeroU64,
    left: PhantomData<fn() -> R>,
}

/// Something left by a thread of an execution that has ended.
struct Late {
    thread: ThreadId,
    epoch: u64,
    address: *mut (),
    /// Drops what is at the address, and the memory.
    drop: unsafe fn(*mut ()),
}

// SAFETY: whoever spawns a thread asks that what it leaves can be sent.
unsafe impl Send for Late {}

static LATE: Mutex<Vec<Late>> = Mutex::new(Vec::new());

impl<R> Claim<R> {
    /// The right to what the thread, which was just spawned, leaves.
    ///
    /// # Safety
    /// It leaves an `R` and nothing else, which can be sent if this can; nobody else has a claim.
    #[inline]
    pub(crate) unsafe fn new(thread: ThreadId) -> Claim<R> {
        let epoch = NonZeroU64::new(epoch()).expect("a thread is spawned in an execution");
        Claim { thread, epoch, left: PhantomData }
    }

    #[inline]
    pub(crate) fn thread(&self) -> ThreadId {
        self.thread
    }

    /// The execution that the thread belongs to.
    #[inline]
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.get()
    }

    /// Takes what the thread has left, for whoever will not ask again.
    #[inline]
    pub(crate) fn redeem(self) -> Option<R> {
        ManuallyDrop::new(self).take()
    }

    /// Takes what the thread has left, if it has.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<R> {
        let rt = current();
        // SAFETY: as in `super::with`; what the thread leaves is an `R`, as was promised.
        unsafe {
            if rt.is_null() || (*rt).epoch != self.epoch() {
                return None;
            }
            (*rt).take_left(self.thread)
        }
    }

    /// Nobody will ask whether the thread has panicked.
    pub(crate) fn detach(&self) {
        // SAFETY: as in `super::with`.
        unsafe { &mut *current() }.tasks[self.thread.index()].detached = true;
    }
}

impl<R> Drop for Claim<R> {
    #[inline(never)]
    fn drop(&mut self) {
        if epoch() != self.epoch() {
            return drop_late(self.thread, self.epoch());
        }
        let left = self.take();
        if left.is_none() {
            // SAFETY: as in `super::with`.
            unsafe { &mut *current() }.tasks[self.thread.index()].unclaimed = true;
        }
    }
}

/// What the running thread leaves. When this is dropped the thread has come to its end, and what it has left goes if nobody has a
/// claim any more.
pub(crate) struct Leaving<R>(PhantomData<R>);

impl<R> Leaving<R> {
    /// # Safety
    /// This is what the claim on the running thread is for.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Leaving<R> {
        Leaving(PhantomData)
    }

    /// The running thread leaves this.
    #[inline(always)]
    pub(crate) fn leave(&self, left: R) {
        // SAFETY: as in `super::with`.
        let rt = unsafe { &mut *current() };
        rt.left += 1;
        rt.tasks[rt.running.index()].job.leave(left);
    }
}

impl<R> Drop for Leaving<R> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: as in `super::with`.
        let rt = unsafe { &mut *current() };
        if rt.tasks[rt.running.index()].unclaimed {
            drop_unclaimed::<R>();
        }
    }
}

#[cold]
#[inline(never)]
fn drop_unclaimed<R>() {
    // SAFETY: as in `super::with`, and as promised in `Leaving::new`; the reference ends before anything is dropped.
    let left = unsafe {
        let rt = &mut *current();
        rt.take_left::<R>(rt.running)
    };
    drop(left);
}

/// Will nobody ask whether the running thread has panicked?
pub(crate) fn is_detached() -> bool {
    // SAFETY: as in `super::with`.
    let rt = unsafe { &*current() };
    rt.tasks[rt.running.index()].detached
}

impl Runtime {
    /// # Safety
    /// What the thread has left is an `R`.
    #[inline]
    unsafe fn take_left<R>(&mut self, thread: ThreadId) -> Option<R> {
        // SAFETY: as promised.
        let left = unsafe { self.tasks[thread.index()].job.take_left() };
        self.left -= usize::from(left.is_some());
        left
    }

    /// The execution has ended: what threads have left and nobody has taken is kept for those that have claims.
    #[inline]
    pub(super) fn keep_left(&mut self) {
        if self.left > 0 {
            self.keep_late();
        }
    }

    #[cold]
    #[inline(never)]
    fn keep_late(&mut self) {
        self.left = 0;
        let mut late = LATE.lock().unwrap_or_else(PoisonError::into_inner);
        for (i, task) in self.tasks.iter_mut().enumerate() {
            if let Some((address, drop)) = task.job.move_left() {
                late.push(Late { thread: ThreadId(i as u32), epoch: self.epoch, address, drop });
            }
        }
    }
}

#[cold]
#[inline(never)]
fn drop_late(thread: ThreadId, epoch: u64) {
    let mut table = LATE.lock().unwrap_or_else(PoisonError::into_inner);
    let found = table.iter().position(|late| (late.thread, late.epoch) == (thread, epoch));
    let late = found.map(|i| table.swap_remove(i));
    drop(table);
    if let Some(late) = late {
        // SAFETY: it is out of the table, so nobody else drops it.
        unsafe { (late.drop)(late.address) };
    }
}

#[cfg(test)]
mod tests {
    use crate::runtime::Engine;
    use crate::sync::atomic::AtomicUsize as Atomic;
    use crate::thread::{self, JoinHandle};
    use gordian_model::Plan;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::sync::{Arc, Mutex};

    /// Counts how often it is dropped.
    struct Counted<B>(Arc<AtomicUsize>, #[allow(dead_code)] B);

    impl<B> Drop for Counted<B> {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    type Handle<B> = JoinHandle<Counted<B>>;

    /// How often the result of a thread was dropped in an execution in which `with` got the handle. Where the thread has an op it ends
    /// after that, elsewhere before.
    fn dropped<B: Default + Send + 'static>(has_op: bool, with: impl Fn(Handle<B>)) -> Arc<AtomicUsize> {
        let drops = Arc::new(AtomicUsize::new(0));
        let mut engine = Engine::new(256 * 1024, None);
        let body = || {
            let atomic = Arc::new(Atomic::new(0));
            atomic.store(1, SeqCst);
            let drops = Arc::clone(&drops);
            with(thread::spawn(move || {
                if has_op {
                    atomic.load(SeqCst);
                }
                Counted(drops, B::default())
            }));
            thread::yield_now();
        };
        for _ in 0..3 {
            assert!(engine.run(&Plan::default(), &body).failure().is_none());
        }
        drops
    }

    fn check<B: Default + Send + 'static>() {
        let late: Mutex<Vec<Handle<B>>> = Mutex::default();
        for has_op in [false, true] {
            let drops = |with: &dyn Fn(Handle<B>)| dropped::<B>(has_op, with).load(SeqCst);
            assert_eq!(drops(&|handle| drop(handle.join().unwrap())), 3);
            assert_eq!(drops(&drop), 3);
            assert_eq!(drops(&std::mem::forget), 0);
            let kept = dropped::<B>(has_op, |handle| late.lock().unwrap().push(handle));
            assert_eq!(kept.load(SeqCst), 0);
            let last = late.lock().unwrap().pop();
            std::thread::spawn(move || drop(last)).join().unwrap();
            assert_eq!(kept.load(SeqCst), 1);
            late.lock().unwrap().clear();
            assert_eq!(kept.load(SeqCst), 3);
        }
    }

    #[test]
    fn what_a_thread_leaves_is_dropped_once_whenever_the_handle_goes() {
        check::<()>();
        check::<[[u64; 30]; 2]>();
    }

    #[test]
    fn what_a_thread_leaves_goes_when_the_execution_is_torn_down() {
        let drops = Arc::new(AtomicUsize::new(0));
        let mut engine = Engine::new(256 * 1024, None);
        let body = || {
            let drops = Arc::clone(&drops);
            let handle = thread::spawn(move || Counted(drops, ()));
            thread::yield_now();
            assert!(handle.thread().name().is_some(), "it has none");
        };
        assert!(engine.run(&Plan::default(), &body).failure().is_some());
        assert_eq!(drops.load(SeqCst), 1);
    }
}
