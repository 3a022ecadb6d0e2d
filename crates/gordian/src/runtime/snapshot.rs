//! What a suspended thread holds: its stack with the registers saved there, and the heap its stack points to.
//!
//! A loop that waits comes back to the same state; a loop that counts its rounds does not, wherever it counts. Counters on
//! the stack or in a register show in the stack. One in the heap (`self.spins += 1` in a boxed worker) shows in what the
//! stack points to: the beginning of every heap block that a word on the stack could be the address of. Memory that the runtime itself
//! writes to is left out. What lies two pointers away is not seen; the book says so.

/// Registers that the switch saved lie just below the frame that asked for it.
const BELOW: usize = 512;
/// How much is compared from each address on.
const REACH: usize = 128;
/// At most so many addresses are followed.
const FOLLOWED: usize = 256;

/// Where a suspended thread's stack lies.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// The frame that suspended it.
    pub(super) pointer: usize,
    /// The lowest and the highest address.
    pub(super) limit: usize,
    pub(super) base: usize,
}

/// What a thread held when it was last looked at.
#[derive(Default)]
pub(super) struct Snapshot {
    stack: Vec<usize>,
    heap: Vec<u8>,
    /// The addresses in `heap`, and buffers to read with.
    followed: Vec<Part>,
    fresh: Vec<u8>,
}

/// A stretch of memory, in the form that the kernel takes.
type Part = libc::iovec;

impl Snapshot {
    /// Takes a new snapshot and says whether it is the same as the last one. `ours` are the parts of memory (start and
    /// end) that the runtime writes to.
    ///
    /// # Safety
    /// The stack from `pointer - BELOW` (but not below `limit`) to `base` is mapped, and its coroutine is suspended.
    pub(super) unsafe fn renew(
        &mut self,
        extent: Extent,
        parts: &HeapParts,
        ours: &[(usize, usize)],
    ) -> bool {
        let Extent { pointer, limit, base } = extent;
        if self.followed.capacity() == 0 {
            // All at once: an allocation between two looks would change what freed blocks hold.
            self.stack.reserve(1024);
            self.followed.reserve(FOLLOWED);
            self.heap.reserve(FOLLOWED * REACH);
            self.fresh.reserve(FOLLOWED * REACH);
        }
        let start = (pointer - BELOW).max(limit) & !(size_of::<usize>() - 1);
        let count = (base - start) / size_of::<usize>();
        let mut same = self.stack.len() == count;
        self.stack.resize(count, 0);
        for (i, word) in self.stack.iter_mut().enumerate() {
            // SAFETY: inside the mapped part of the stack, aligned, and nobody writes to it now. Some of these words
            // were never initialised by the program; a volatile read through a raw pointer just copies the bits.
            let now = unsafe { std::ptr::read_volatile((start as *const usize).add(i)) };
            same &= *word == now;
            *word = now;
        }
        self.follow(limit, base, parts, ours);
        // Not lazily: the heap has to be remembered even if the stack differs.
        self.same_heap() & same
    }

    /// Collects the heap addresses on the stack.
    fn follow(&mut self, limit: usize, base: usize, parts: &HeapParts, ours: &[(usize, usize)]) {
        self.followed.clear();
        let plausible = |&w: &usize| w.is_multiple_of(4) && !(limit..base).contains(&w) && parts.contains(w);
        for address in self.stack.iter().copied().filter(plausible) {
            if self.followed.len() == FOLLOWED {
                break;
            }
            // Up to the next thing that is ours; nothing if it lies in one.
            let end = ours.iter().fold(address + REACH, |end, &(a, b)| {
                if (a..b).contains(&address) {
                    address
                } else if a > address {
                    end.min(a)
                } else {
                    end
                }
            });
            if end > address {
                self.followed.push(Part { iov_base: address as *mut libc::c_void, iov_len: end - address });
            }
        }
    }

    /// Reads what the addresses point to and compares it with the last time.
    fn same_heap(&mut self) -> bool {
        self.fresh.clear();
        read_all(&self.followed, &mut self.fresh);
        let same = self.fresh == self.heap;
        std::mem::swap(&mut self.fresh, &mut self.heap);
        same
    }
}

/// The stack of this OS thread, on which the host runs.
#[cfg(target_os = "linux")]
pub(super) fn host_stack() -> (usize, usize) {
    thread_local!(static BOUNDS: (usize, usize) = find_host_stack());
    BOUNDS.with(|b| *b)
}

#[cfg(target_os = "linux")]
fn find_host_stack() -> (usize, usize) {
    {
        // SAFETY: plain libc calls; the attributes are initialised by the first and destroyed by the last.
        unsafe {
            let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
            let (mut start, mut size) = (std::ptr::null_mut(), 0);
            if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
                return (0, 0);
            }
            libc::pthread_attr_getstack(&raw const attributes, &raw mut start, &raw mut size);
            libc::pthread_attr_destroy(&raw mut attributes);
            (start as usize, start as usize + size)
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn host_stack() -> (usize, usize) {
    (0, 0)
}

/// The parts of memory that allocations lie in: writable, and backed by no file. They are looked up when a search first
/// needs them; an allocation in a part that was mapped later is not followed.
#[derive(Default)]
pub(super) struct HeapParts {
    parts: Vec<(usize, usize)>,
    known: bool,
}

impl HeapParts {
    /// Another search begins.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    /// Looks the parts up if that has not been done.
    pub(super) fn look_up(&mut self) {
        if std::mem::replace(&mut self.known, true) {
            return;
        }
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let parse = |line: &str| {
            let mut fields = line.split_whitespace();
            let (a, b) = fields.next()?.split_once('-')?;
            let writable = fields.next()?.starts_with("rw");
            let anonymous = fields.nth(3).is_none_or(|path| path == "[heap]");
            (writable && anonymous)
                .then_some((usize::from_str_radix(a, 16).ok()?, usize::from_str_radix(b, 16).ok()?))
        };
        self.parts.clear();
        self.parts.extend(maps.lines().filter_map(parse));
    }

    fn contains(&self, address: usize) -> bool {
        // Sorted, as the kernel lists them.
        let after = self.parts.partition_point(|p| p.0 <= address);
        after > 0 && address < self.parts[after - 1].1
    }
}

/// Reads memory that may not be there, appending what is. (A plain read of an address that only looks like one would be
/// the end of the process; the kernel just stops at it.)
#[cfg(target_os = "linux")]
fn read_all(remote: &[Part], into: &mut Vec<u8>) {
    let total: usize = remote.iter().map(|p| p.iov_len).sum();
    into.resize(total, 0);
    let (mut next, mut filled) = (0, 0);
    while next < remote.len() {
        let local = libc::iovec { iov_base: into[filled..].as_mut_ptr().cast(), iov_len: total - filled };
        let rest = &remote[next..];
        // SAFETY: `local` describes the rest of `into`; the kernel checks the remote addresses, which are our own process's.
        let read = unsafe {
            libc::process_vm_readv(
                libc::getpid(),
                &raw const local,
                1,
                rest.as_ptr(),
                rest.len() as libc::c_ulong,
                0,
            )
        };
        let mut read = usize::try_from(read).unwrap_or(0);
        filled += read;
        while next < remote.len() && read >= remote[next].iov_len {
            read -= remote[next].iov_len;
            next += 1;
        }
        // The next one could not be read (to its end): go on after it.
        next += 1;
    }
    into.truncate(filled);
}

#[cfg(not(target_os = "linux"))]
fn read_all(_: &[Part], _: &mut Vec<u8>) {}
