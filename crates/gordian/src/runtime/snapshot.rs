//! What a suspended thread holds: its stack with the registers saved there, and the heap its stack points to.
//!
//! A loop that waits comes back to the same state; a loop that counts its rounds does not, wherever it counts. Counters on
//! the stack or in a register show in the stack. One in the heap (`self.spins += 1` in a boxed worker) shows in what the
//! stack points to: the beginning of every heap block that a word on the stack could be the address of. Memory that the runtime itself
//! writes to is left out, and so is what other threads write there. What lies two pointers away is not seen; the book says so.

use super::ours::{Ours, slice, whole};
use super::peek::{self, Refreshed};

/// Registers that the switch saved lie just below the frame that asked for it.
const BELOW: usize = 512;
/// How much is compared from each address on.
pub(super) const REACH: usize = 128;
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

impl Extent {
    /// Where what is compared begins, and how many words that are.
    fn words(self) -> (usize, usize) {
        let start = (self.pointer - BELOW).max(self.limit) & !(size_of::<usize>() - 1);
        (start, (self.base - start) / size_of::<usize>())
    }
}

/// A part of memory that an address on the stack leads to.
struct Piece {
    start: usize,
    len: usize,
    /// So many bytes at its end were not there.
    missing: usize,
}

/// What a thread held when it was last looked at.
#[derive(Default)]
pub(super) struct Snapshot {
    /// The words on the stack.
    stack: Vec<usize>,
    /// How much of the heap is compared from each of them on: nothing, if it is no address there.
    reach: Vec<usize>,
    followed: Vec<Piece>,
    /// What they hold, each at a multiple of [`REACH`].
    heap: Vec<u8>,
    /// How often the parts of memory had been looked up, and which version of what is left out there was.
    looked_up: u32,
    left_out: u32,
    /// The thread itself has changed something in the heap since it was last looked at.
    changed: bool,
}

impl Snapshot {
    /// Takes a new snapshot and says whether it is the same as the last one, if there is one that counts.
    ///
    /// # Safety
    /// The stack from `pointer - BELOW` (but not below `limit`) to `base` is mapped, and its coroutine is suspended.
    pub(super) unsafe fn renew(
        &mut self,
        extent: Extent,
        parts: &mut HeapParts,
        ours: &Ours,
        again: bool,
    ) -> bool {
        let (start, count) = extent.words();
        let mut same = self.stack.len() == count;
        // The same words lead to the same places, if what is left out is the same.
        let afresh = !same || self.looked_up != parts.looked_up || self.left_out != ours.version();
        if afresh {
            (self.looked_up, self.left_out) = (parts.looked_up, ours.version());
            self.stack.resize(count, 0);
            self.reach.resize(count, 0);
        }
        // SAFETY: inside the mapped part of the stack, aligned, and nobody writes to it now. Some of these words
        // were never initialised by the program; a volatile read through a raw pointer just copies the bits.
        let word = |i: usize| unsafe { std::ptr::read_volatile((start as *const usize).add(i)) };
        let mut leads = afresh;
        let mut i = 0;
        while i < count {
            if !afresh
                && let Some(&[a, b, c, d]) = self.stack[i..].first_chunk()
                && (word(i) ^ a) | (word(i + 1) ^ b) | (word(i + 2) ^ c) | (word(i + 3) ^ d) == 0
            {
                // Most words are what they were.
                i += 4;
                continue;
            }
            let now = word(i);
            let known = std::mem::replace(&mut self.stack[i], now);
            if known != now || afresh {
                same &= known == now;
                let on_stack = (extent.limit..extent.base).contains(&now);
                let reach = if !on_stack && is_plausible(now) { parts.reach(now, ours) } else { 0 };
                // A number in the place of another changes nothing about what is followed.
                leads |= std::mem::replace(&mut self.reach[i], reach) != 0 || reach != 0;
            }
            i += 1;
        }
        if again {
            self.leave();
        }
        same &= !std::mem::take(&mut self.changed);
        if leads {
            self.follow();
        }
        if leads || !again {
            self.come_back();
        }
        same
    }

    /// Is what the thread holds the same as in the last snapshot, which is kept? If it has changed something in the heap since then it is not, be it that it
    /// has changed it back.
    ///
    /// # Safety
    /// As [`renew`](Self::renew).
    pub(super) unsafe fn is_still(&mut self, extent: Extent, parts: &HeapParts, ours: &Ours) -> bool {
        let (start, count) = extent.words();
        self.leave();
        !self.changed
            && self.stack.len() == count
            && (self.looked_up, self.left_out) == (parts.looked_up, ours.version())
            // SAFETY: as in `renew`.
            && (0..count).all(|i| unsafe { std::ptr::read_volatile((start as *const usize).add(i)) } == self.stack[i])
    }

    /// The thread suspends before it is looked at again: what it has changed in the heap meanwhile is noticed.
    pub(super) fn leave(&mut self) {
        self.changed |= self.read();
    }

    /// The thread goes on after others. What they changed is not its doing, be it that they wrote to what this one's stack points
    /// to by chance: a freed block, which anybody may be given, or the neighbour of one. What this thread reads of theirs it learns by
    /// its steps.
    pub(super) fn come_back(&mut self) {
        self.read();
    }

    /// Makes room for snapshots, all at once and before the first: an allocation between two looks would change what freed blocks
    /// hold, and what is left out.
    pub(super) fn prepare(&mut self) {
        if self.followed.capacity() == 0 {
            self.stack.reserve(1024);
            self.reach.reserve(1024);
            self.followed.reserve(FOLLOWED);
            self.heap.resize(FOLLOWED * REACH, 0);
        }
    }

    /// The memory that a new snapshot is written to.
    pub(super) fn memory(&self, mut tell: impl FnMut(usize, usize)) {
        whole(&self.stack, &mut tell);
        whole(&self.reach, &mut tell);
        whole(&self.heap, &mut tell);
        whole(&self.followed, &mut tell);
    }

    /// Collects the heap addresses on the stack.
    fn follow(&mut self) {
        self.followed.clear();
        for (&start, &len) in self.stack.iter().zip(&self.reach) {
            if len == 0 || self.followed.iter().any(|f| f.start == start) {
                continue;
            }
            if self.followed.len() == FOLLOWED {
                break;
            }
            self.followed.push(Piece { start, len, missing: 0 });
        }
    }

    /// Reads what the addresses point to, and says whether that is something else than before.
    fn read(&mut self) -> bool {
        let mut different = false;
        for (piece, known) in self.followed.iter_mut().zip(self.heap.chunks_exact_mut(REACH)) {
            let Refreshed { missing, difference } = peek::refresh(piece.start, &mut known[..piece.len]);
            different |= difference != 0 || missing != piece.missing;
            piece.missing = missing;
        }
        different
    }
}

/// Could a word be the address of something?
fn is_plausible(word: usize) -> bool {
    word.is_multiple_of(4) && (0x10000..0x7fff_ffff_f000).contains(&word)
}

/// What a part of memory is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// Allocations lie in it: it is writable, and backed by no file.
    Heap,
    /// It cannot be read, and may be kept for allocations to come: the heaps of threads grow into such parts.
    Reserve,
    /// Code, constants, files.
    Other,
}

/// The parts of memory that allocations lie in. They are looked up when an address is met where something is that was not there
/// when they were last looked up.
pub(super) struct HeapParts {
    /// Where the parts begin and end, and what they are for.
    parts: Vec<(usize, usize, Use)>,
    /// How often the parts were looked up.
    looked_up: u32,
    text: Vec<u8>,
    /// How much is compared from addresses on that were met before, as long as neither the parts nor what is left out are others.
    met: Box<[(usize, usize); MET]>,
    met_when: (u32, u32),
}

impl Default for HeapParts {
    fn default() -> Self {
        HeapParts {
            parts: Vec::with_capacity(4096),
            looked_up: 0,
            text: Vec::with_capacity(120 * 1024),
            met: Box::new([(0, 0); MET]),
            met_when: (0, 0),
        }
    }
}

/// So many addresses are remembered, each at the place that its lowest bits say.
const MET: usize = 256;
/// New parts of memory are looked for so near to those that are known.
const NEAR: usize = 1 << 30;

impl HeapParts {
    /// The memory that looking them up is written to.
    pub(super) fn memory(&self, mut tell: impl FnMut(usize, usize)) {
        whole(&self.parts, &mut tell);
        whole(&self.text, &mut tell);
        slice(&*self.met, &mut tell);
    }

    /// How much is compared from an address on: nothing, if there is no allocation, or it is ours.
    fn reach(&mut self, address: usize, ours: &Ours) -> usize {
        let now = (self.looked_up, ours.version());
        if self.met_when != now {
            self.met_when = now;
            self.met.fill((0, 0));
        }
        let (met, reach) = self.met[(address >> 2) % MET];
        if met == address {
            return reach;
        }
        let reach = match self.look_up(address) {
            Some(Use::Heap) => ours.reach(address),
            Some(Use::Other) => 0,
            // Something may be there the next time.
            Some(Use::Reserve) | None => return 0,
        };
        self.met[(address >> 2) % MET] = (address, reach);
        reach
    }

    /// What is at this address? The parts are looked up if something is there that was not when they last were.
    fn look_up(&mut self, address: usize) -> Option<Use> {
        let known = self.part(address);
        let may_be_new = match known {
            Some(Use::Heap | Use::Other) => false,
            Some(Use::Reserve) => true,
            None => self.is_near(address),
        };
        if may_be_new && peek::refresh(address, &mut [0]).missing == 0 {
            self.read();
            return self.part(address);
        }
        known
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

    fn part(&self, address: usize) -> Option<Use> {
        // Sorted, as the kernel lists them.
        let after = self.parts.partition_point(|p| p.0 <= address);
        self.parts[..after].last().filter(|p| address < p.1).map(|p| p.2)
    }
}

/// A line of the kernel's list: addresses, rights, offset, device, inode, path.
fn parse(line: &str) -> Option<(usize, usize, Use)> {
    let mut fields = line.split_whitespace();
    let (a, b) = fields.next()?.split_once('-')?;
    let rights = fields.next()?;
    let anonymous = fields.nth(3).is_none_or(|path| path == "[heap]");
    let of = match rights {
        _ if !anonymous => Use::Other,
        _ if rights.starts_with("rw") => Use::Heap,
        _ if rights.starts_with("--") => Use::Reserve,
        _ => Use::Other,
    };
    let number = |text| usize::from_str_radix(text, 16).ok();
    Some((number(a)?, number(b)?, of))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The heap of a thread grows into memory that was set aside for it, and was seen to be no heap.
    #[test]
    fn memory_that_was_set_aside_may_become_heap() {
        crate::runtime::overflow::install();
        let (page, rights) = (4096, libc::PROT_READ | libc::PROT_WRITE);
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let (mut parts, ours) = (HeapParts::default(), Ours::default());
        // SAFETY: fresh pages, which nobody else knows of.
        unsafe {
            let pages = libc::mmap(std::ptr::null_mut(), 2 * page, libc::PROT_NONE, kind, -1, 0);
            let [first, second] = [pages as usize, pages as usize + page];
            parts.read();
            assert_eq!([first, second].map(|address| parts.look_up(address)), [Some(Use::Reserve); 2]);
            assert_eq!([first, second].map(|address| parts.reach(address, &ours)), [0, 0]);
            assert_eq!(parts.looked_up, 1, "nothing has come there");
            libc::mprotect(pages, page, rights);
            assert_eq!([first, second].map(|address| parts.reach(address, &ours)), [REACH, 0]);
            assert_eq!(parts.looked_up, 2);
            libc::munmap(pages, 2 * page);
        }
    }

    #[test]
    fn new_memory_is_looked_up_and_numbers_are_not() {
        crate::runtime::overflow::install();
        let (mut parts, ours) = (HeapParts::default(), Ours::default());
        parts.read();
        let new = vec![0_u8; 1 << 22];
        assert_eq!(parts.reach(new.as_ptr() as usize, &ours), REACH);
        let looked_up = parts.looked_up;
        let gap = parts.parts.windows(2).find(|two| two[0].1 < two[1].0).expect("memory has gaps")[0].1;
        assert_eq!(parts.reach(gap, &ours), 0, "nothing is there");
        assert_eq!(parts.reach(parse as *const () as usize, &ours), 0, "that is code");
        assert_eq!(parts.looked_up, looked_up);
    }
}
