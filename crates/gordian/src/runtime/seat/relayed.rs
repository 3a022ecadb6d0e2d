//! Coroutines of corosensei, which know the registers of more processors: a thread that lets another go on asks the host to.

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};
use std::any::Any;

/// All switches go through the host.
pub(in crate::runtime) const DIRECT: bool = false;

/// Where a thread is suspended.
pub(in crate::runtime) struct Seat {
    /// In a box, because tasks move while a thread runs.
    coroutine: Option<Box<Coroutine<(), (), (), DefaultStack>>>,
    yielder: *const Yielder<(), ()>,
}

impl Default for Seat {
    fn default() -> Seat {
        Seat { coroutine: None, yielder: std::ptr::null() }
    }
}

/// Where the host waits; corosensei knows.
#[derive(Default)]
pub(in crate::runtime) struct Home;

impl Seat {
    /// Is there a stack?
    #[inline(always)]
    pub(in crate::runtime) fn is_made(&self) -> bool {
        self.coroutine.is_some()
    }

    /// Takes a stack, on which [`serve`](crate::runtime::coroutines::serve) will be called.
    pub(in crate::runtime) fn make(&mut self, stack: DefaultStack) {
        let all = |yielder: &Yielder<(), ()>, ()| {
            // SAFETY: the coroutine runs only inside an execution, and is the one that runs; the references end before the call.
            unsafe {
                let rt = crate::runtime::current();
                let me = (*rt).running.index();
                (&mut (*rt).tasks)[me].seat.yielder = yielder;
                match crate::runtime::coroutines::serve() {}
            }
        };
        // SAFETY: the closure borrows nothing.
        self.coroutine = Some(Box::new(unsafe { Coroutine::with_stack_unchecked(stack, all) }));
    }

    /// Takes the stack away, whatever lies on it.
    pub(in crate::runtime) fn unmake(&mut self) -> Option<DefaultStack> {
        let mut coroutine = self.coroutine.take()?;
        // SAFETY: what it holds is not used any more; the caller leaks it.
        unsafe { coroutine.force_reset() };
        Some(coroutine.into_stack())
    }

    /// The host lets a thread go on.
    ///
    /// # Safety
    /// The thread is suspended, and this is the host.
    #[inline(always)]
    pub(in crate::runtime) unsafe fn enter(_: *mut Home, seat: *mut Seat) {
        // SAFETY: as promised; nobody touches the coroutine while it runs.
        unsafe {
            let coroutine = (*seat).coroutine.as_deref_mut().expect("only suspended threads are resumed");
            let coroutine = std::ptr::from_mut(coroutine);
            (*coroutine).resume(());
        }
    }

    /// A thread gives the processor back to the host.
    ///
    /// # Safety
    /// It is the one that runs.
    #[inline(always)]
    pub(in crate::runtime) unsafe fn leave(seat: *mut Seat, _: *const Home) {
        // SAFETY: the yielder lies on the stack that this is on.
        unsafe {
            let yielder = (*seat).yielder;
            (*yielder).suspend(());
        }
    }

    /// A thread lets another go on.
    ///
    /// # Safety
    /// None is needed: it is not called.
    pub(in crate::runtime) unsafe fn pass(_: *mut Seat, _: *const Seat) {
        unreachable!("switches go through the host")
    }
}

impl Home {
    /// What a thread that left its stack for good left it with: corosensei hands that to the host itself.
    pub(in crate::runtime) fn escaped(&mut self) -> Option<Box<dyn Any + Send>> {
        None
    }
}
