//! The heap of programs with hooks. Within an execution nothing is given out twice, and what was given back is marked in the shadow of
//! memory: so a use after free shows at the access itself, whoever comes first, and a new object is never taken for an old one.
//!
//! Programs without hooks keep the C library's heap.

use super::hooks::{self, calls, shadow::Judged};
use super::real::{entry, real};
use super::runtime::Runtime;
use super::sys;
use super::turn;
use gordian_model::{End, Failure, FailureKind, SiteId, ThreadId};
use libc::{c_int, c_void};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How much an execution can ask for in all. What is not used takes up no memory.
const ROOM: usize = 1 << 36;
const SMALLEST: usize = 16;
/// What is given back gives its memory back to the system from this size on.
const LARGE: usize = 64 << 10;

static START: AtomicUsize = AtomicUsize::new(0);
static NEXT: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone, Copy)]
struct Block {
    size: usize,
    made: (ThreadId, SiteId),
    freed: Option<(ThreadId, SiteId)>,
}

/// The blocks of an execution, by where they begin.
#[derive(Default)]
pub(crate) struct Blocks(BTreeMap<usize, Block>);

impl Blocks {
    /// The block that an address points into, if it has not been given back: where it begins, and its size.
    pub(crate) fn alive(&self, address: usize) -> Option<(usize, usize)> {
        let (&start, block) = is_ours(address).then(|| self.0.range(..=address).next_back())??;
        (block.freed.is_none() && address < start + block.size).then_some((start, block.size))
    }
}

/// Reserves the room, before the process forks for the first time.
pub(crate) fn prepare() {
    let start = sys::map(ROOM);
    START.store(start as usize, Relaxed);
    NEXT.store(start as usize, Relaxed);
}

/// Where the room lies; nowhere if there is none.
pub(crate) fn room() -> (usize, usize) {
    match START.load(Relaxed) {
        0 => (usize::MAX - ROOM, usize::MAX),
        start => (start, start + ROOM),
    }
}

/// How much of it has been given out.
pub(crate) fn used() -> usize {
    NEXT.load(Relaxed) - START.load(Relaxed)
}

/// The calling thread, if it gets its memory from here.
fn customer() -> Option<ThreadId> {
    if !hooks::are_there() || START.load(Relaxed) == 0 { None } else { turn::me() }
}

fn is_ours(address: usize) -> bool {
    let start = START.load(Relaxed);
    start != 0 && (start..start + ROOM).contains(&address)
}

fn take(me: ThreadId, size: usize, align: usize, caller: usize) -> *mut c_void {
    let align = align.max(SMALLEST);
    let Some(end) = size.checked_add(align).filter(|&most| most < ROOM) else {
        return std::ptr::null_mut();
    };
    let next = NEXT.load(Relaxed);
    let at = next.next_multiple_of(align);
    if next + end > START.load(Relaxed) + ROOM {
        return std::ptr::null_mut();
    }
    // A gap follows, so that an access just behind a block meets no other.
    NEXT.store((at + size.max(1)).next_multiple_of(SMALLEST) + SMALLEST, Relaxed);
    let site = calls::site(caller);
    turn::with(|rt| rt.blocks.0.insert(at, Block { size, made: (me, site), freed: None }));
    at as *mut c_void
}

fn give_back(me: ThreadId, address: usize, caller: usize) {
    let site = calls::site(caller);
    turn::with(|rt| {
        let fails = |rt: &mut Runtime, what: [&str; 2]| {
            let who = rt.conductor.names.thread(me);
            let failure =
                Failure::new(FailureKind::Crash, format!("crash: {}{who} frees {}", what[0], what[1]));
            let failure = told(failure.at(me, site), rt, address);
            rt.fail(me, failure);
        };
        let Some(&block) = rt.blocks.0.get(&address) else {
            return fails(rt, ["", "what is no block of memory, but lies inside of one"]);
        };
        if block.freed.is_some() {
            return fails(rt, ["double free: ", "memory that has been freed"]);
        }
        let end = address + block.size.max(1);
        if !rt.shadow.access_known(&mut rt.conductor, me, (address, end), site) {
            // It was judged as a write, and is told as what it is.
            if let End::Failed(failure) = &mut rt.conductor.trace.end {
                failure.message = failure.message.replacen("data race: write by", "data race: free by", 1);
                if let Some(note) = failure.notes.first_mut() {
                    note.text = "freed here".to_owned();
                }
            }
            turn::judged(rt, me, true);
        }
        rt.blocks.0.insert(address, Block { freed: Some((me, site)), ..block });
        rt.shadow.free(address, end);
        rt.words.forget(address, end);
        if let Some(life) = rt.objects.life_of(address) {
            rt.conductor.touched(me, life, true);
        }
        rt.objects.forget(address, end);
        rt.conductor.not_idle(me);
        if block.size >= LARGE {
            let (from, to) = (address.next_multiple_of(4096), end & !4095);
            // SAFETY: whole pages of a block that nobody may use any more.
            unsafe {
                let advice = libc::MADV_DONTNEED as usize;
                sys::call(libc::SYS_madvise, [from, to - from, advice, 0, 0, 0]);
            }
        }
    });
}

/// Who made the block that an address lies in or behind, and who freed it.
fn told(mut failure: Failure, rt: &Runtime, address: usize) -> Failure {
    if let Some((_, block)) = rt.blocks.0.range(..=address).next_back() {
        if let Some((thread, site)) = block.freed {
            failure = failure.note(Some(thread), "freed here", site);
        }
        let (thread, site) = block.made;
        failure = failure.note(Some(thread), format!("made here, with {} bytes", block.size), site);
    }
    failure
}

/// The memory at an address has been freed, and a thread is about to use it: the execution ends.
pub(crate) fn used_after_free(rt: &mut Runtime, me: ThreadId, address: usize, site: SiteId) {
    let failure = Failure::new(
        FailureKind::Crash,
        format!("crash: use after free: {} uses memory that has been freed", rt.conductor.names.thread(me)),
    );
    let failure = told(failure.at(me, site), rt, address);
    rt.fail(me, failure);
}

/// Ends the execution if the memory has been freed.
pub(crate) fn check(rt: &mut Runtime, me: ThreadId, (address, bytes): (usize, usize), site: SiteId) {
    if is_ours(address) && rt.shadow.is_freed(address, bytes) == Judged::Freed {
        used_after_free(rt, me, address, site);
    }
}

fn size_of_block(address: usize) -> usize {
    turn::with(|rt| rt.blocks.0.get(&address).map_or(0, |block| block.size))
}

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(align: usize, size: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
}

fn refused() -> *mut c_void {
    // SAFETY: it is the calling thread's.
    unsafe { *libc::__errno_location() = libc::ENOMEM };
    std::ptr::null_mut()
}

/// As the C library gives it back.
fn or_refused(block: *mut c_void) -> *mut c_void {
    if block.is_null() { refused() } else { block }
}

entry!(
    /// See malloc(3).
    malloc, 1 => malloc_
);
entry!(
    /// See calloc(3).
    calloc, 2 => calloc_
);
entry!(
    /// See realloc(3).
    realloc, 2 => realloc_
);
entry!(
    /// See reallocarray(3).
    reallocarray, 3 => reallocarray_
);
entry!(
    /// See free(3).
    free, 1 => free_
);
entry!(
    /// See memalign(3).
    memalign, 2 => memalign_
);
entry!(
    /// See aligned_alloc(3).
    aligned_alloc, 2 => memalign_
);
entry!(
    /// See posix_memalign(3).
    posix_memalign, 3 => posix_memalign_
);
entry!(
    /// See valloc(3).
    valloc, 1 => valloc_
);
entry!(
    /// See malloc_usable_size(3).
    malloc_usable_size, 1 => usable_size
);

unsafe extern "C-unwind" fn malloc_(size: usize, caller: usize) -> *mut c_void {
    match customer() {
        Some(me) => or_refused(take(me, size, SMALLEST, caller)),
        // SAFETY: passed on as it came.
        None => unsafe { __libc_malloc(size) },
    }
}

unsafe extern "C-unwind" fn calloc_(count: usize, size: usize, caller: usize) -> *mut c_void {
    let Some(me) = customer() else {
        // SAFETY: passed on as it came.
        return unsafe { __libc_calloc(count, size) };
    };
    // What nobody has had before is zero.
    count.checked_mul(size).map_or_else(refused, |size| or_refused(take(me, size, SMALLEST, caller)))
}

unsafe extern "C-unwind" fn realloc_(block: *mut c_void, size: usize, caller: usize) -> *mut c_void {
    let ours = is_ours(block as usize);
    let Some(me) = customer().filter(|_| ours || block.is_null()) else {
        if ours {
            // Not under control any more: the block stays where it is, and a new one is the C library's.
            // SAFETY: the old block has at least what is copied: what follows it is ours, too.
            unsafe {
                let new = __libc_malloc(size);
                if !new.is_null() {
                    libc::memcpy(new, block, size.min(size_of_block(block as usize)));
                }
                return new;
            }
        }
        // SAFETY: passed on as it came.
        return unsafe { __libc_realloc(block, size) };
    };
    if block.is_null() {
        return or_refused(take(me, size, SMALLEST, caller));
    }
    let new = if size == 0 { std::ptr::null_mut() } else { take(me, size, SMALLEST, caller) };
    if !new.is_null() {
        let old = size_of_block(block as usize);
        // SAFETY: both blocks have so many bytes, and they do not overlap.
        unsafe { libc::memcpy(new, block, size.min(old)) };
    }
    if size == 0 || !new.is_null() {
        give_back(me, block as usize, caller);
        return new;
    }
    refused()
}

unsafe extern "C-unwind" fn reallocarray_(
    block: *mut c_void,
    count: usize,
    size: usize,
    caller: usize,
) -> *mut c_void {
    // SAFETY: passed on as it came.
    count.checked_mul(size).map_or_else(refused, |size| unsafe { realloc_(block, size, caller) })
}

unsafe extern "C-unwind" fn free_(block: *mut c_void, caller: usize) {
    if block.is_null() {
        return;
    }
    match customer() {
        Some(me) if is_ours(block as usize) => give_back(me, block as usize, caller),
        // At the end of the process what is left of ours is left.
        _ if is_ours(block as usize) => {}
        // SAFETY: passed on as it came.
        _ => unsafe { __libc_free(block) },
    }
}

unsafe extern "C-unwind" fn memalign_(align: usize, size: usize, caller: usize) -> *mut c_void {
    match customer() {
        Some(me) if align.is_power_of_two() => or_refused(take(me, size, align, caller)),
        // SAFETY: passed on as it came.
        _ => unsafe { __libc_memalign(align, size) },
    }
}

unsafe extern "C-unwind" fn posix_memalign_(
    block: *mut *mut c_void,
    align: usize,
    size: usize,
    caller: usize,
) -> c_int {
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    // SAFETY: the program passes where the result goes, and it is left alone on failure.
    unsafe {
        let new = match customer() {
            Some(me) => take(me, size, align, caller),
            None => __libc_memalign(align, size),
        };
        if new.is_null() {
            return libc::ENOMEM;
        }
        block.write(new);
    }
    0
}

unsafe extern "C-unwind" fn valloc_(size: usize, caller: usize) -> *mut c_void {
    // SAFETY: passed on.
    unsafe { memalign_(4096, size, caller) }
}

unsafe extern "C-unwind" fn usable_size(block: *mut c_void, _caller: usize) -> usize {
    if is_ours(block as usize) {
        return size_of_block(block as usize);
    }
    type Size = unsafe extern "C" fn(*mut c_void) -> usize;
    // SAFETY: passed on as it came.
    unsafe { real!(c"malloc_usable_size" as Size)(block) }
}
