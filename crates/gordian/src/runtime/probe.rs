//! Comparing the state of a thread that may be waiting in a loop.

use super::host::Runtime;
use super::snapshot::{Extent, host_stack};

impl Runtime {
    /// Compares what the running thread, which has just suspended, holds on its stack.
    ///
    /// # Safety
    /// As `execute`; the host is running.
    pub(super) unsafe fn probe(rt: *mut Runtime, again: bool) {
        // SAFETY: see `execute`; the running thread has just suspended, so its stack is at rest and mapped.
        unsafe {
            let rt = &mut *rt;
            let me = rt.running;
            rt.tasks[me.index()].snapshot.prepare();
            let mut ours = std::mem::take(&mut rt.ours);
            ours.clear();
            ours.push(range(std::slice::from_ref(rt)));
            ours.push(range(&rt.tasks));
            ours.push(host_stack());
            rt.conductor.memory(&mut |start, end| ours.push((start, end)));
            rt.heap.memory(&mut |start, end| ours.push((start, end)));
            for task in &rt.tasks {
                task.snapshot.memory(&mut |start, end| ours.push((start, end)));
            }
            // What is empty hides nothing, and the list itself is written to.
            ours.retain(|&(start, end)| start < end);
            ours.push((
                ours.as_ptr() as usize,
                ours.as_ptr() as usize + ours.capacity() * size_of::<(usize, usize)>(),
            ));
            let task = &mut rt.tasks[me.index()];
            let extent = Extent { pointer: task.stack_pointer, limit: task.limit, base: task.base };
            let same = task.snapshot.renew(extent, &mut rt.heap, &ours);
            rt.ours = ours;
            if again {
                rt.conductor.probed(me, same);
            }
        }
    }
}

/// The memory that a slice takes up.
fn range<T>(slice: &[T]) -> (usize, usize) {
    let range = slice.as_ptr_range();
    (range.start as usize, range.end as usize)
}
