//! A step that does not switch threads allocates nothing, once the buffers are warm; nor does a search for each execution.

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

#[test]
fn drawing_the_next_thread_allocates_nothing() {
    static MOST: Count = Count::new(0);
    for search in ["random", "urw", "pos", "surw", "pct:3", "pctvb:3,1"] {
        static EXECUTIONS: Count = Count::new(0);
        EXECUTIONS.store(0, SeqCst);
        let report = Checker::new().search(search).executions(60).run(|| {
            let count = std::sync::Arc::new(AtomicUsize::new(0));
            let other = std::sync::Arc::clone(&count);
            let adding = move || {
                for _ in 0..50 {
                    other.fetch_add(1, SeqCst);
                }
            };
            let thread = thread::spawn(adding.clone());
            let before = ALLOCATIONS.with(Cell::get);
            adding();
            thread.join().unwrap();
            let allocated = ALLOCATIONS.with(Cell::get) - before;
            if EXECUTIONS.fetch_add(1, SeqCst) > 20 {
                MOST.fetch_max(allocated, SeqCst);
            }
        });
        assert!(report.failure().is_none(), "{report}");
        assert_eq!(MOST.load(SeqCst), 0, "{search}");
    }
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

#[test]
fn searches_with_a_frontier_allocate_nothing_for_an_execution() {
    // Statics, because what a closure makes it allocates.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    fn body() {
        let add = || {
            for _ in 0..6 {
                COUNT.fetch_add(1, SeqCst);
            }
        };
        let threads = [thread::spawn(add), thread::spawn(add)];
        threads.into_iter().for_each(|t| t.join().unwrap());
    }
    let alone = allocations_of("dfs", body);
    for search in ["best-first:mdpor,pb", "best-first:ss,pb/preemptions:9", "preemptions:9,dfs", "delays:9"] {
        // What the threads and the check itself need is needed by any search.
        let allocated = allocations_of(search, body);
        assert!(allocated <= alone + 0.02, "{search}: {allocated} an execution instead of {alone}");
    }
}

/// Allocations for each execution of a search that is done for the third time.
fn allocations_of(search: &str, body: fn()) -> f64 {
    let mut each = 0.0;
    for _ in 0..3 {
        let before = ALLOCATIONS.with(Cell::get);
        let report = Checker::new().search(search).run(body);
        let allocated = ALLOCATIONS.with(Cell::get) - before;
        assert!(report.complete(), "{report}");
        each = allocated as f64 / report.executions() as f64;
    }
    each
}
