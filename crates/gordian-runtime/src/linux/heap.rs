//! The runtime's own memory. The program's `malloc` is left alone: it may be in the middle of something when the runtime is called,
//! and what it gives out should not depend on what the runtime does.
//!
//! Blocks have sizes that are powers of two; what is given back is kept for the next of its size. Only the thread that has the turn
//! is ever in here (see the crate's page), so nothing is locked.

use crate::sys;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;

const CLASSES: usize = 40;
const SMALLEST: u32 = 4;
const CHUNK: usize = 1 << 20;

struct Heap {
    free: [*mut u8; CLASSES],
    next: *mut u8,
    end: *mut u8,
}

struct Own(UnsafeCell<Heap>);

// SAFETY: the thread that has the turn is the only one that allocates.
unsafe impl Sync for Own {}

#[global_allocator]
static OWN: Own = Own(UnsafeCell::new(Heap {
    free: [std::ptr::null_mut(); CLASSES],
    next: std::ptr::null_mut(),
    end: std::ptr::null_mut(),
}));

/// The power of two that a block of this layout takes up.
fn class(layout: Layout) -> usize {
    let size = layout.size().max(layout.align()).max(1 << SMALLEST);
    size.next_power_of_two().trailing_zeros() as usize
}

// SAFETY: a block is at least as large as asked for and aligned to its size, which is at least the alignment; blocks do not overlap,
// because each is cut from a chunk once.
unsafe impl GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let class = class(layout);
        if class >= CLASSES {
            return std::ptr::null_mut();
        }
        // SAFETY: only one thread is in here, and the reference ends with the call. What is in the list are free blocks, large
        // enough for a pointer, in which the next one was written.
        unsafe {
            let heap = &mut *self.0.get();
            let first = heap.free[class];
            if !first.is_null() {
                heap.free[class] = first.cast::<*mut u8>().read();
                return first;
            }
            let size = 1usize << class;
            let mut at = heap.next.wrapping_add(heap.next.align_offset(size));
            if heap.next.is_null() || at as usize + size > heap.end as usize {
                // Twice the size leaves room for the alignment.
                let chunk = if size > CHUNK / 2 { 2 * size } else { CHUNK };
                heap.next = sys::map(chunk);
                if heap.next.is_null() {
                    return std::ptr::null_mut();
                }
                heap.end = heap.next.add(chunk);
                at = heap.next.add(heap.next.align_offset(size));
            }
            heap.next = at.add(size);
            at
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let class = class(layout);
        // SAFETY: as above; the block is free now and large enough for a pointer.
        unsafe {
            let heap = &mut *self.0.get();
            block.cast::<*mut u8>().write(heap.free[class]);
            heap.free[class] = block;
        }
    }
}
