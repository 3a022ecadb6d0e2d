//! Threads of the program that need no threads of the kernel's.
//!
//! One thread runs at a time, so one thread of the kernel is enough: it goes from stack to stack. What else the C library knows a thread by
//! (its descriptor, its thread-local variables, its stack) comes from a thread that really was created: a *carrier*. It notes down its
//! registers in front of the program's code, and then its kernel half ends, without the C library's noticing. Whoever switches to it later
//! takes its registers, its stack and its thread pointer, and is that thread. A few are made before the process forks.
//!
//! Where a debugger wants to see threads, they are those of the kernel instead (`Shared::kernel_threads`).

use super::real::real;
use super::thread::{Begin, Birth, Create};
use super::{sys, turn};
use libc::{c_int, c_void, pthread_attr_t, pthread_t};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::*};

/// How many are made before the process forks.
const READY: usize = 4;

/// What a thread of the program runs on.
pub(crate) struct Carrier {
    /// The C library's handle, which is the thread pointer, too.
    pub(crate) handle: pthread_t,
    /// Where its registers are while it waits for something to do.
    pointer: usize,
    /// What it is to do.
    pub(crate) birth: *const Birth,
    /// Its stack, with what the C library keeps at the upper end.
    pub(crate) stack: (usize, usize),
    /// What was there from `pointer` on before it was used, if it has been.
    image: Vec<u8>,
    used: bool,
    /// Its thread has ended, and nobody will ask how.
    ended: bool,
    released: bool,
    /// Its stack is the program's.
    lent: bool,
    /// The number of its kernel half, and whether its registers are noted down.
    number: AtomicU32,
    ready: AtomicBool,
}

/// Where the result and the kernel's number of a thread are in its descriptor; zero: not known.
static RESULT: AtomicUsize = AtomicUsize::new(0);
static NUMBER: AtomicUsize = AtomicUsize::new(0);
/// The descriptor of the thread that finds this out, which is the first of its process.
static CREATOR: AtomicUsize = AtomicUsize::new(0);
/// How much of a descriptor is looked at.
const DESCRIPTOR: usize = 2048;
/// Threads have carriers.
static IN_USE: AtomicBool = AtomicBool::new(false);
/// The processor lets programs set the thread pointer.
static QUICK: AtomicBool = AtomicBool::new(false);

/// Do threads have carriers, rather than threads of the kernel's?
pub(crate) fn are_used() -> bool {
    IN_USE.load(Relaxed)
}

/// What the thread that finds out where things are returns.
const SIGN: usize = 0x5a11_ab1e_0dd5_0f7a;

unsafe extern "C-unwind" fn sign(_: *mut c_void) -> *mut c_void {
    super::thread::arm();
    std::ptr::without_provenance_mut(SIGN)
}

/// Called at the end of a thread that is not under control: finds out where its descriptor has what.
pub(crate) fn look_at_descriptor() {
    // SAFETY: it touches nothing.
    let own = unsafe { libc::pthread_self() };
    let (creator, process) = (CREATOR.load(Relaxed), sys::process_number());
    let words = descriptor(own);
    if let Some(i) = words.iter().position(|&word| word == SIGN)
        && creator != 0
    {
        RESULT.store(i * 8, Relaxed);
        // One descriptor is not enough: half of an address can be the number of a thread, too.
        let both = [(words, sys::thread_number()), (descriptor(creator as pthread_t), process)];
        let is_it =
            |at: &usize| both.iter().all(|(words, number)| (words[at / 8] >> (at % 8 * 8)) as u32 == *number);
        NUMBER.store((0..DESCRIPTOR).step_by(4).find(is_it).unwrap_or(0), Relaxed);
    }
}

/// The descriptor of a thread that there is.
fn descriptor(thread: pthread_t) -> &'static [usize] {
    // SAFETY: it is larger than that.
    unsafe { std::slice::from_raw_parts(thread as *const usize, DESCRIPTOR / 8) }
}

/// Makes the first ones, before the process forks for the first time. If the C library is not one that is understood, threads stay the
/// kernel's.
pub(crate) fn prepare() {
    const FSGSBASE: u64 = 2;
    // SAFETY: plain calls of the C library; the functions are ours. Threads that are joined have ended.
    unsafe {
        QUICK.store(libc::getauxval(libc::AT_HWCAP2) & FSGSBASE != 0, Relaxed);
        CREATOR.store(libc::pthread_self() as usize, Relaxed);
        let mut thread: pthread_t = 0;
        let create = real!(c"pthread_create" as Create);
        if create(&raw mut thread, std::ptr::null(), sign, std::ptr::null_mut()) != 0 {
            return;
        }
        type Join = unsafe extern "C" fn(pthread_t, *mut *mut c_void) -> c_int;
        real!(c"pthread_join" as Join)(thread, std::ptr::null_mut());
        if RESULT.load(Relaxed) == 0 || NUMBER.load(Relaxed) == 0 {
            return;
        }
        for _ in 0..READY {
            let Ok(carrier) = make(std::ptr::null()) else { return };
            turn::with(|rt| rt.carriers.push(carrier));
        }
    }
    IN_USE.store(true, Relaxed);
}

/// Where the C library keeps the kernel's number of the calling thread; null if that is not known.
pub(crate) fn own_number() -> *mut u32 {
    match NUMBER.load(Relaxed) {
        0 => std::ptr::null_mut(),
        // SAFETY: it touches nothing.
        at => (unsafe { libc::pthread_self() } as usize + at) as *mut u32,
    }
}

/// No carriers from here on.
pub(crate) fn leave_to_kernel() {
    IN_USE.store(false, Relaxed);
}

/// Makes one, with the attributes of a thread.
///
/// # Safety
/// They must be null or attributes.
unsafe fn make(attributes: *const pthread_attr_t) -> Result<*mut Carrier, c_int> {
    let carrier = Box::into_raw(Box::new(Carrier {
        handle: 0,
        pointer: 0,
        birth: std::ptr::null(),
        stack: (0, 0),
        image: Vec::new(),
        used: false,
        ended: false,
        released: false,
        lent: false,
        number: AtomicU32::new(0),
        ready: AtomicBool::new(false),
    }));
    // SAFETY: the new thread touches nothing but what it is given, and the runtime waits until it is gone.
    unsafe {
        let mut handle: pthread_t = 0;
        let create = real!(c"pthread_create" as Create);
        let error =
            turn::aside(|| create(&raw mut handle, attributes, wait_for_work as Begin, carrier.cast()));
        if error != 0 {
            return Err(error);
        }
        let process = sys::process_number();
        while !(*carrier).ready.load(Acquire) || sys::is_alive(process, (*carrier).number.load(Relaxed)) {
            sys::yield_now();
        }
        (*carrier).handle = handle;
        let from = (*carrier).pointer as *const u8;
        (*carrier).image = std::slice::from_raw_parts(from, (*carrier).stack.1 - from as usize).to_vec();
    }
    Ok(carrier)
}

/// A carrier for a new thread with these attributes, that has this to do.
///
/// # Safety
/// They must be null or attributes.
pub(crate) unsafe fn take(attributes: *const pthread_attr_t) -> Result<*mut Carrier, c_int> {
    // SAFETY: as the caller says.
    let wanted = unsafe { Wanted::of(attributes) };
    let fits = |&&carrier: &&*mut Carrier| {
        // SAFETY: never freed.
        let carrier = unsafe { &*carrier };
        let idle = !carrier.used || carrier.ended && carrier.released;
        idle && !carrier.lent && !wanted.lent && wanted.size <= carrier.stack.1 - carrier.stack.0
    };
    let known = turn::with(|rt| rt.carriers.iter().find(fits).copied());
    let carrier = match known {
        Some(carrier) => carrier,
        None => {
            // SAFETY: as the caller says.
            let carrier = unsafe { make(attributes)? };
            turn::with(|rt| rt.carriers.push(carrier));
            carrier
        }
    };
    // SAFETY: never freed, and nobody runs on it: its thread has ended.
    unsafe {
        (*carrier).renew();
        (*carrier).used = true;
        (*carrier).lent = wanted.lent;
        (*carrier).released = wanted.detached;
        // Calls that name the thread by its number are about the one of the kernel's that there is.
        let number = ((*carrier).handle as usize + NUMBER.load(Relaxed)) as *mut u32;
        number.write(turn::with(|rt| rt.shared.process.load(Relaxed)));
        // A thread begins with the rounding mode, and the like, of the one that creates it.
        let modes = (*carrier).pointer as *mut u32;
        std::arch::asm!("stmxcsr [{0}]", "fnstcw [{0} + 4]", in(reg) modes, options(nostack));
    }
    Ok(carrier)
}

/// What the attributes of a thread ask for.
struct Wanted {
    size: usize,
    /// The program brings the stack.
    lent: bool,
    detached: bool,
}

impl Wanted {
    /// # Safety
    /// They must be null or attributes.
    unsafe fn of(attributes: *const pthread_attr_t) -> Wanted {
        unsafe extern "C" {
            fn pthread_attr_getdetachstate(attributes: *const pthread_attr_t, state: *mut c_int) -> c_int;
            fn pthread_attr_getstackaddr(
                attributes: *const pthread_attr_t,
                address: *mut *mut c_void,
            ) -> c_int;
        }
        let mut wanted = Wanted { size: 0, lent: false, detached: false };
        if !attributes.is_null() {
            let (mut address, mut state) = (std::ptr::null_mut(), 0);
            // SAFETY: as the caller says, and there is room for the answers.
            unsafe {
                libc::pthread_attr_getstacksize(attributes, &raw mut wanted.size);
                pthread_attr_getstackaddr(attributes, &raw mut address);
                pthread_attr_getdetachstate(attributes, &raw mut state);
            }
            wanted.lent = !address.is_null();
            wanted.detached = state == libc::PTHREAD_CREATE_DETACHED;
        }
        wanted
    }
}

impl Carrier {
    /// Puts everything back to what it was when it was made.
    fn renew(&mut self) {
        if self.used {
            // SAFETY: its own stack, which nobody runs on, and what the C library keeps there.
            unsafe {
                (self.pointer as *mut u8).copy_from_nonoverlapping(self.image.as_ptr(), self.image.len())
            };
        }
        (self.used, self.ended, self.released) = (false, false, false);
    }

    /// Where to switch to for its thread to begin.
    pub(crate) fn context(&self) -> Context {
        Context { pointer: self.pointer, thread: self.handle as usize }
    }
}

/// The carrier that has this handle.
fn known(handle: pthread_t) -> Option<&'static mut Carrier> {
    // SAFETY: never freed, and only the thread that has the turn looks at them.
    turn::with(|rt| unsafe {
        rt.carriers.iter().map(|&carrier| &mut *carrier).find(|carrier| carrier.handle == handle)
    })
}

/// Is there a thread with this handle that is no thread of the kernel's?
pub(crate) fn is_one(handle: pthread_t) -> bool {
    are_used() && known(handle).is_some()
}

/// The thread has ended. It runs until it switches to another.
pub(crate) fn ended(handle: pthread_t) {
    if let Some(carrier) = known(handle) {
        carrier.ended = true;
    }
}

/// Nobody will ask how the thread ends; gives what it returned, if it has ended.
pub(crate) fn released(handle: pthread_t) -> *mut c_void {
    let Some(carrier) = known(handle) else { return std::ptr::null_mut() };
    carrier.released = true;
    // SAFETY: that is where the C library puts it.
    unsafe { ((handle as usize + RESULT.load(Relaxed)) as *const *mut c_void).read() }
}

/// What a thread that does not run is at.
#[derive(Clone, Copy, Default)]
pub(crate) struct Context {
    /// Where on its stack its registers are.
    pub(crate) pointer: usize,
    /// The thread pointer.
    pub(crate) thread: usize,
}

/// What a kernel half does: it notes down the registers and ends. What switches to it goes on with what there is to do.
unsafe extern "C-unwind" fn wait_for_work(carrier: *mut c_void) -> *mut c_void {
    let carrier = carrier.cast::<Carrier>();
    // SAFETY: made for this thread, and never freed.
    unsafe {
        let mut about: pthread_attr_t = std::mem::zeroed();
        let (mut low, mut size) = (std::ptr::null_mut(), 0);
        libc::pthread_getattr_np(libc::pthread_self(), &raw mut about);
        libc::pthread_attr_getstack(&raw const about, &raw mut low, &raw mut size);
        libc::pthread_attr_destroy(&raw mut about);
        (*carrier).stack = (low as usize, low as usize + size);
        (*carrier).number.store(sys::thread_number(), Relaxed);
        note_down(&raw mut (*carrier).pointer, (*carrier).ready.as_ptr());
        super::thread::begin((*carrier).birth)
    }
}

/// Notes down the registers, says so, and ends the thread of the kernel's. It returns when something switches to what was noted down.
#[unsafe(naked)]
unsafe extern "C-unwind" fn note_down(pointer: *mut usize, ready: *mut bool) {
    std::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov [rdi], rsp",
        "mov byte ptr [rsi], 1",
        "mov eax, 60",
        "xor edi, edi",
        "syscall",
        "ud2",
    )
}

/// Lets another thread go on, until something switches back: notes down the registers at `from` and takes those at `to`.
///
/// # Safety
/// `to` is where a thread's registers were noted down, that does not run and has not since.
pub(crate) unsafe fn switch(from: *mut usize, to: Context) {
    // SAFETY: as the caller says.
    unsafe { exchange(from, to.pointer, to.thread, QUICK.load(Relaxed)) }
}

#[unsafe(naked)]
unsafe extern "C-unwind" fn exchange(from: *mut usize, to: usize, thread: usize, quick: bool) {
    std::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "test cl, cl",
        "jz 2f",
        "wrfsbase rdx",
        "jmp 3f",
        // arch_prctl(ARCH_SET_FS)
        "2:",
        "mov eax, 158",
        "mov edi, 0x1002",
        "mov rsi, rdx",
        "syscall",
        "3:",
        "ldmxcsr [rsp]",
        "fldcw [rsp + 4]",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}
