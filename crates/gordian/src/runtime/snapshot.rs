//! What a suspended thread holds: its stack with the registers saved there, and the heap its stack points to.
//!
//! A loop that waits comes back to the same state; a loop that counts its rounds does not, wherever it counts. Counters on
//! the stack or in a register show in the stack. One in the heap (`self.spins += 1` in a boxed worker) shows in what the
//! stack points to: the beginning of every heap block that a word on the stack could be the address of. Memory that the runtime itself
//! writes to is left out, and so is what other threads write there. What lies two pointers away is not seen; the book says so.

use super::peek;

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
    /// The words on the stack, and whether each is an address in the heap.
    stack: Vec<(usize, bool)>,
    heap: Vec<u8>,
    /// The parts of memory (start and end) in `heap`, and a buffer to read with.
    followed: Vec<(usize, usize)>,
    /// What was left out.
    ours: Vec<(usize, usize)>,
    /// How often the parts of memory had been looked up.
    looked_up: u32,
    fresh: Vec<u8>,
    /// The thread itself has changed something in the heap since it was last looked at.
    changed: bool,
}

impl Snapshot {
    /// Takes a new snapshot and says whether it is the same as the last one. `ours` are the parts of memory (start and
    /// end) that the runtime writes to.
    ///
    /// # Safety
    /// The stack from `pointer - BELOW` (but not below `limit`) to `base` is mapped, and its coroutine is suspended.
    pub(super) unsafe fn renew(
        &mut self,
        extent: Extent,
        parts: &mut HeapParts,
        ours: &[(usize, usize)],
    ) -> bool {
        let Extent { pointer, limit, base } = extent;
        let start = (pointer - BELOW).max(limit) & !(size_of::<usize>() - 1);
        let count = (base - start) / size_of::<usize>();
        let mut same = self.stack.len() == count;
        self.stack.resize(count, (0, false));
        for (i, (word, leads)) in self.stack.iter_mut().enumerate() {
            // SAFETY: inside the mapped part of the stack, aligned, and nobody writes to it now. Some of these words
            // were never initialised by the program; a volatile read through a raw pointer just copies the bits.
            let now = unsafe { std::ptr::read_volatile((start as *const usize).add(i)) };
            if *word != now || self.looked_up != parts.looked_up {
                same &= *word == now;
                *word = now;
                *leads = is_plausible(now) && !(limit..base).contains(&now) && parts.holds(now);
            }
        }
        self.leave();
        same &= !std::mem::take(&mut self.changed);
        // The same words lead to the same places, if what is left out is the same.
        if !same || self.looked_up != parts.looked_up || self.ours != ours {
            self.looked_up = parts.looked_up;
            self.ours.clear();
            self.ours.extend_from_slice(ours);
            self.follow();
            self.come_back();
        }
        same
    }

    /// The thread suspends before it is looked at again: what it has changed in the heap meanwhile is noticed.
    pub(super) fn leave(&mut self) {
        self.read();
        self.changed |= self.fresh != self.heap;
        std::mem::swap(&mut self.fresh, &mut self.heap);
    }

    /// The thread goes on after others. What they changed is not its doing, be it that they wrote to what this one's stack points
    /// to by chance: a freed block, which anybody may be given, or the neighbour of one. What this thread reads of theirs it learns by
    /// its steps.
    pub(super) fn come_back(&mut self) {
        self.read();
        std::mem::swap(&mut self.fresh, &mut self.heap);
    }

    /// Makes room for snapshots, all at once and before the first: an allocation between two looks would change what freed blocks
    /// hold, and what is left out.
    pub(super) fn prepare(&mut self) {
        if self.followed.capacity() == 0 {
            self.stack.reserve(1024);
            self.followed.reserve(FOLLOWED);
            self.ours.reserve(512);
            self.heap.reserve(FOLLOWED * REACH);
            self.fresh.reserve(FOLLOWED * REACH);
        }
    }

    /// The memory that a new snapshot is written to.
    pub(super) fn memory(&self, tell: &mut dyn FnMut(usize, usize)) {
        whole(&self.stack, tell);
        whole(&self.heap, tell);
        whole(&self.fresh, tell);
        whole(&self.followed, tell);
        whole(&self.ours, tell);
    }

    /// Collects the heap addresses on the stack.
    fn follow(&mut self) {
        self.followed.clear();
        for &(address, leads) in &self.stack {
            if !leads || self.followed.iter().any(|f| f.0 == address) {
                continue;
            }
            if self.followed.len() == FOLLOWED {
                break;
            }
            // Up to the next thing that is ours; nothing if it lies in one.
            let end = self.ours.iter().fold(address + REACH, |end, &(a, b)| {
                if (a..b).contains(&address) {
                    address
                } else if a > address {
                    end.min(a)
                } else {
                    end
                }
            });
            if end > address {
                self.followed.push((address, end));
            }
        }
    }

    /// Reads what the addresses point to.
    fn read(&mut self) {
        self.fresh.clear();
        for &(start, end) in &self.followed {
            peek::append(start, end, &mut self.fresh);
        }
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

/// Tells where a buffer begins and ends.
fn whole<T>(buffer: &Vec<T>, tell: &mut dyn FnMut(usize, usize)) {
    let start = buffer.as_ptr() as usize;
    tell(start, start + buffer.capacity() * size_of::<T>());
}

/// Could a word be the address of something?
fn is_plausible(word: usize) -> bool {
    word.is_multiple_of(4) && (0x10000..0x7fff_ffff_f000).contains(&word)
}

/// The parts of memory that allocations lie in: writable, and backed by no file. They are looked up when an address is met
/// that was in no part of memory when they were last looked up.
pub(super) struct HeapParts {
    /// Where the parts begin and end, and whether allocations lie in them.
    parts: Vec<(usize, usize, bool)>,
    /// Words that turned out to be no addresses.
    numbers: Vec<usize>,
    /// How often the parts were looked up.
    looked_up: u32,
    text: Vec<u8>,
}

impl Default for HeapParts {
    fn default() -> Self {
        HeapParts {
            parts: Vec::with_capacity(4096),
            numbers: Vec::with_capacity(NUMBERS),
            looked_up: 0,
            text: Vec::with_capacity(120 * 1024),
        }
    }
}

/// At most so many words are remembered to be no addresses; further ones are taken for such.
const NUMBERS: usize = 64;
/// New parts of memory are looked for so near to those that are known.
const NEAR: usize = 1 << 30;

impl HeapParts {
    /// Another search begins.
    pub(super) fn forget(&mut self) {
        if self.numbers.len() == NUMBERS {
            self.numbers.clear();
        }
    }

    /// The memory that looking them up is written to.
    pub(super) fn memory(&self, tell: &mut dyn FnMut(usize, usize)) {
        whole(&self.parts, tell);
        whole(&self.numbers, tell);
        whole(&self.text, tell);
    }

    /// Is there an allocation at this address? The parts are looked up if it is in none that is known.
    fn holds(&mut self, address: usize) -> bool {
        if let Some(part) = self.part(address) {
            return part.2;
        }
        if !self.is_near(address) || self.numbers.contains(&address) || self.numbers.len() == NUMBERS {
            return false;
        }
        self.read();
        let part = self.part(address);
        if part.is_none() {
            self.numbers.push(address);
        }
        part.is_some_and(|p| p.2)
    }

    /// Is there a part of memory near by? New ones are made beside those that are there.
    fn is_near(&self, address: usize) -> bool {
        let after = self.parts.partition_point(|p| p.0 <= address);
        self.parts.is_empty()
            || self.parts[..after].last().is_some_and(|p| address - p.1 < NEAR)
            || self.parts.get(after).is_some_and(|p| p.0 - address < NEAR)
    }

    /// Reads the list of the kernel, without an allocation, which could change what is being compared.
    #[cold]
    fn read(&mut self) {
        self.looked_up += 1;
        self.parts.clear();
        self.text.clear();
        let room = self.text.capacity() as u64;
        let read = std::fs::File::open("/proc/self/maps").and_then(|maps| {
            std::io::Read::read_to_end(&mut std::io::Read::take(maps, room), &mut self.text)
        });
        if read.is_err() {
            return;
        }
        for line in self.text.split(|&byte| byte == b'\n') {
            let Ok(line) = std::str::from_utf8(line) else { continue };
            if self.parts.len() < self.parts.capacity() {
                self.parts.extend(parse(line));
            }
        }
    }

    fn part(&self, address: usize) -> Option<(usize, usize, bool)> {
        // Sorted, as the kernel lists them.
        let after = self.parts.partition_point(|p| p.0 <= address);
        self.parts[..after].last().copied().filter(|p| address < p.1)
    }
}

/// A line of the kernel's list: addresses, rights, offset, device, inode, path.
fn parse(line: &str) -> Option<(usize, usize, bool)> {
    let mut fields = line.split_whitespace();
    let (a, b) = fields.next()?.split_once('-')?;
    let writable = fields.next()?.starts_with("rw");
    let anonymous = fields.nth(3).is_none_or(|path| path == "[heap]");
    let number = |text| usize::from_str_radix(text, 16).ok();
    Some((number(a)?, number(b)?, writable && anonymous))
}
