//! A step that does not switch threads allocates nothing, once the buffers are warm.

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::sync::{Mutex, RwLock};
use gordian::{Checker, thread};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::AtomicUsize as Count;

thread_local!(static ALLOCATIONS: Cell<usize> = const { Cell::new(0) });

struct Counting;

// SAFETY: everything is passed on to the system's allocator.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(address, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn steps_allocate_nothing() {
    static EXECUTIONS: Count = Count::new(0);
    static MOST: Count = Count::new(0);
    for _ in 0..6 {
        one_search(&EXECUTIONS, &MOST);
    }
    assert!(EXECUTIONS.load(SeqCst) >= 6);
    assert_eq!(MOST.load(SeqCst), 0);
}

fn one_search(executions: &'static Count, most: &'static Count) {
    let report = Checker::new().run(move || {
        let count = AtomicUsize::new(0);
        let (mutex, rwlock) = (Mutex::new(0), RwLock::new(0));
        let waiting = thread::spawn(thread::park);
        let before = ALLOCATIONS.with(Cell::get);
        for i in 0..50 {
            count.fetch_add(1, SeqCst);
            let _ = count.compare_exchange(i, i + 1, SeqCst, SeqCst);
            *mutex.lock().unwrap() += count.load(SeqCst);
            *rwlock.write().unwrap() += 1;
            assert!(rwlock.try_read().is_ok());
        }
        let allocated = ALLOCATIONS.with(Cell::get) - before;
        // The first executions warm the buffers.
        if executions.fetch_add(1, SeqCst) > 2 {
            most.fetch_max(allocated, SeqCst);
        }
        waiting.thread().unpark();
        waiting.join().unwrap();
    });
    assert!(report.failure().is_none(), "{report}");
}
