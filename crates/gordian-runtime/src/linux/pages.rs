//! Which pages of memory a process has written to since it was forked, and what was in them before.
//!
//! That is known from the kernel's page tables: a page that has not been written to since the fork is still the one of the process that was
//! forked from, and so not exclusive. A page that is written to for the first time causes a fault. So as long as the count of faults stays
//! what it is, the pages that were written to are among those that are known to have been. In the long run an execution costs a copy of
//! these, and no fault.

use super::again::{close, far, open, shared_memory};
use super::{blocks, sys};
use libc::c_int;

const PAGE: usize = 4096;
/// The most pieces of memory, and pages that executions write to. With more there are new processes.
const PIECES: usize = 1024;
const WRITTEN: usize = 4096;
/// The most memory, in pages, that is mapped for the program to write to.
const MOST: usize = 1 << 18;
/// How much room for blocks is put back.
pub(crate) const BLOCKS: usize = 16 << 20;

/// A piece of memory that the program can write to.
#[derive(Clone, Copy)]
struct Piece {
    start: usize,
    pages: usize,
    /// What was in it.
    image: *mut u8,
    /// For each page, what is known of it.
    known: *mut Known,
}

/// What is known of a page. At first nothing: it was not there, so it was zero.
type Known = u8;
/// It is in the image.
const SAVED: Known = 1;
/// It has been written to.
const CHANGED: Known = 2;

/// All memory that the program can write to. It lies in memory that is shared, and is all zeros at first.
pub(crate) struct Pages {
    /// A descriptor of the page tables.
    pub(crate) tables: c_int,
    count: usize,
    pieces: [Piece; PIECES],
    /// Pages that have been written to, each with what was in it, or null for zeros.
    written: [(usize, *const u8); WRITTEN],
    writes: usize,
    buffer: [u64; 8192],
}

impl Pages {
    /// Notes down all memory; nothing if there is too much of it.
    pub(crate) fn copy_all(&mut self) -> Option<()> {
        let maps = far(open(c"/proc/self/maps"));
        let mut room = 0;
        let mut text = [0u8; 512];
        let mut held = 0;
        let mut files = [false; PIECES];
        loop {
            let at = text.as_mut_ptr() as usize + held;
            // SAFETY: there is that much room.
            let n = unsafe { sys::call(libc::SYS_read, [maps as usize, at, text.len() - held, 0, 0, 0]) };
            if n <= 0 {
                break;
            }
            held += n as usize;
            // Lines that are longer than the room have names that are not of interest.
            while let Some(line) = text[..held].iter().position(|&byte| byte == b'\n') {
                if let Some((start, end, is_file)) = std::str::from_utf8(&text[..line]).ok().and_then(read) {
                    // Of the room for blocks only the beginning is used, or the process ends.
                    let (blocks, until) = blocks::room();
                    let used = (blocks + BLOCKS).min(until);
                    for (start, end) in [(start, end.min(used)), (start.max(until), end)] {
                        let pages = end.saturating_sub(start) / PAGE;
                        if pages > 0 {
                            room += pages;
                            *files.get_mut(self.count)? = is_file;
                            let none = std::ptr::null_mut();
                            self.pieces[self.count] = Piece { start, pages, image: none, known: none };
                            self.count += 1;
                        }
                    }
                }
                text.copy_within(line + 1..held, 0);
                held -= line + 1;
            }
            if held == text.len() {
                // The end of a long line decides nothing: what comes before the name is short.
                held = 256;
            }
        }
        close(maps);
        if room > MOST {
            return None;
        }
        let mut image = shared_memory(room * PAGE);
        let mut known = shared_memory(room);
        if image.is_null() || known.is_null() {
            return None;
        }
        for (i, &is_file) in files[..self.count].iter().enumerate() {
            self.pieces[i].image = image;
            self.pieces[i].known = known;
            let piece = self.pieces[i];
            each_page(self.tables, &mut self.buffer, piece, |piece, page, entry| {
                if entry & (PRESENT | SWAPPED) != 0 || is_file {
                    // SAFETY: the page can be read, and there is room for a copy of it.
                    unsafe {
                        let from = (piece.start + page * PAGE) as *const u8;
                        piece.image.add(page * PAGE).copy_from_nonoverlapping(from, PAGE);
                        piece.known.add(page).write(SAVED);
                    }
                }
                Some(())
            })?;
            // SAFETY: there is that much room.
            unsafe {
                image = image.add(piece.pages * PAGE);
                known = known.add(piece.pages);
            }
        }
        Some(())
    }

    /// Looks for pages that have been written to since the fork; nothing if there are too many.
    pub(crate) fn look(&mut self) -> Option<()> {
        for i in 0..self.count {
            let piece = self.pieces[i];
            each_page(self.tables, &mut self.buffer, piece, |piece, page, entry| {
                // SAFETY: there is one for each page.
                let known = unsafe { &mut *piece.known.add(page) };
                let is_own = entry & SWAPPED != 0 || entry & PRESENT != 0 && entry & EXCLUSIVE != 0;
                if *known != CHANGED && is_own {
                    let image = match *known {
                        SAVED => piece.image.wrapping_add(page * PAGE),
                        _ => std::ptr::null_mut(),
                    };
                    *self.written.get_mut(self.writes)? = (piece.start + page * PAGE, image);
                    self.writes += 1;
                    *known = CHANGED;
                }
                Some(())
            })?;
        }
        // There are always some, where the kernel says so.
        (self.writes > 0).then_some(())
    }

    /// Puts back what was in the pages that have been written to.
    pub(crate) fn put_back(&self) {
        for &(page, image) in &self.written[..self.writes] {
            let page = page as *mut u8;
            // SAFETY: it is mapped for the process to write to, and the only one who runs has nothing there: see `again::cycle`.
            unsafe {
                if image.is_null() {
                    page.write_bytes(0, PAGE);
                } else {
                    page.copy_from_nonoverlapping(image, PAGE);
                }
            }
        }
    }
}

/// Goes through the page table of a piece.
fn each_page(
    tables: c_int,
    buffer: &mut [u64; 8192],
    piece: Piece,
    mut each: impl FnMut(Piece, usize, u64) -> Option<()>,
) -> Option<()> {
    let mut page = 0;
    while page < piece.pages {
        let wanted = (piece.pages - page).min(buffer.len());
        let at = (piece.start / PAGE + page) * 8;
        let into = buffer.as_mut_ptr() as usize;
        // SAFETY: there is that much room.
        let n = unsafe { sys::call(libc::SYS_pread64, [tables as usize, into, wanted * 8, at, 0, 0]) };
        if n <= 0 {
            return None;
        }
        for (i, &entry) in buffer[..n as usize / 8].iter().enumerate() {
            each(piece, page + i, entry)?;
        }
        page += n as usize / 8;
    }
    Some(())
}

const PRESENT: u64 = 1 << 63;
const SWAPPED: u64 = 1 << 62;
const EXCLUSIVE: u64 = 1 << 56;

/// A line about a private piece of memory that can be written to: where it lies and whether it is of a file.
fn read(line: &str) -> Option<(usize, usize, bool)> {
    let mut words = line.split_ascii_whitespace();
    let (range, permissions, _, _, file) =
        (words.next()?, words.next()?, words.next()?, words.next()?, words.next()?);
    if permissions.get(..2)? != "rw" || permissions.get(3..)? != "p" {
        return None;
    }
    let (start, end) = range.split_once('-')?;
    let address = |text: &str| usize::from_str_radix(text, 16).ok();
    Some((address(start)?, address(end)?, file != "0"))
}
