//! A switch of our own: what a suspended stack goes on with lies on that stack, and its pointer is kept.

use corosensei::stack::{DefaultStack, Stack};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Threads can let each other go on.
pub(in crate::runtime) const DIRECT: bool = true;

/// Where a thread is suspended.
#[derive(Default)]
pub(in crate::runtime) struct Seat {
    /// Its stack pointer; zero without a stack.
    pointer: usize,
    stack: Option<DefaultStack>,
}

/// Where the host waits.
#[derive(Default)]
pub(in crate::runtime) struct Home {
    pointer: usize,
    /// What a thread left its stack with; it does not come back.
    escaped: Option<Box<dyn Any + Send>>,
}

/// Leaves this stack, whose pointer goes to `from`, and goes on where another was left. What was left there is the address to go on at,
/// and the two registers that cannot be named here; all others are lost to both sides.
///
/// It jumps and does not return: a jump is predicted by where it went before, and leaves alone what the processor knows of calls.
///
/// # Safety
/// `from` can be written to; `to` is what was written the last time that stack was left, or made by `Seat::make`.
#[inline(always)]
unsafe fn switch(from: *mut usize, to: usize) {
    // SAFETY: as promised; what is pushed is popped when somebody comes back.
    unsafe {
        std::arch::asm!(
            "push rbp",
            "push rbx",
            "lea rax, [rip + 2f]",
            "push rax",
            "mov [rdi], rsp",
            "mov rsp, rsi",
            "pop rax",
            "jmp rax",
            "2:",
            "pop rbx",
            "pop rbp",
            inout("rdi") from => _,
            inout("rsi") to => _,
            out("r12") _,
            out("r13") _,
            out("r14") _,
            out("r15") _,
            clobber_abi("sysv64"),
        );
    }
}

/// Where a stack begins.
extern "C" fn root() -> ! {
    // SAFETY: a thread begins only inside an execution, and is the one that runs.
    let escaped = catch_unwind(AssertUnwindSafe(|| unsafe { crate::runtime::coroutines::serve() }));
    let Err(payload) = escaped;
    // SAFETY: as above; the references end before the switch.
    unsafe {
        let rt = crate::runtime::current();
        (*rt).home.escaped = Some(payload);
        (*rt).fall();
        let me = (*rt).running.index();
        Seat::leave(&raw mut (&mut (*rt).tasks)[me].seat, &raw const (*rt).home);
    }
    unreachable!("a stack that was left for good was gone back to")
}

impl Seat {
    /// Is there a stack?
    #[inline(always)]
    pub(in crate::runtime) fn is_made(&self) -> bool {
        self.pointer != 0
    }

    /// Takes a stack, on which [`serve`](crate::runtime::coroutines::serve) will be called.
    pub(in crate::runtime) fn make(&mut self, stack: DefaultStack) {
        let base = stack.base().get();
        // Functions begin with what they return to at such an address, and 0 is where a walk over the stack ends.
        let words = [root as *const () as usize, 0, 0, 0];
        let pointer = base - size_of_val(&words);
        // SAFETY: the stack is ours, and larger than that.
        unsafe { (pointer as *mut [usize; 4]).write(words) };
        (self.pointer, self.stack) = (pointer, Some(stack));
    }

    /// Takes the stack away, whatever lies on it.
    pub(in crate::runtime) fn unmake(&mut self) -> Option<DefaultStack> {
        self.pointer = 0;
        self.stack.take()
    }

    /// The host lets a thread go on.
    ///
    /// # Safety
    /// The thread is suspended, and this is the host.
    #[inline(always)]
    pub(in crate::runtime) unsafe fn enter(home: *mut Home, seat: *const Seat) {
        // SAFETY: as promised.
        unsafe { switch(&raw mut (*home).pointer, (*seat).pointer) };
    }

    /// A thread gives the processor back to the host.
    ///
    /// # Safety
    /// It is the one that runs.
    #[inline(always)]
    pub(in crate::runtime) unsafe fn leave(seat: *mut Seat, home: *const Home) {
        // SAFETY: as promised; the host waits whenever a thread runs.
        unsafe { switch(&raw mut (*seat).pointer, (*home).pointer) };
    }

    /// A thread lets another go on.
    ///
    /// # Safety
    /// It is the one that runs, and the other is suspended.
    #[inline(always)]
    pub(in crate::runtime) unsafe fn pass(seat: *mut Seat, next: *const Seat) {
        // SAFETY: as promised.
        unsafe { switch(&raw mut (*seat).pointer, (*next).pointer) };
    }
}

impl Home {
    /// What a thread that left its stack for good left it with.
    pub(in crate::runtime) fn escaped(&mut self) -> Option<Box<dyn Any + Send>> {
        self.escaped.take()
    }

    /// Where the host goes on, and with which stack pointer: for a signal handler, after which a thread does not come back.
    pub(in crate::runtime) fn landing(&self) -> (usize, usize) {
        // SAFETY: the host waits, and has left there what it goes on with.
        (unsafe { *(self.pointer as *const usize) }, self.pointer + size_of::<usize>())
    }
}
