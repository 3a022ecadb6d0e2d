//! Comparing the state of a thread that may be waiting in a loop.

use super::host::Runtime;
use super::snapshot::Extent;

impl Runtime {
    /// Compares what the running thread, which has just suspended, holds on its stack, or remembers it, or both.
    ///
    /// # Safety
    /// As `execute`; the host is running.
    pub(super) unsafe fn probe(rt: *mut Runtime, again: bool, renew: bool) {
        // SAFETY: see `execute`; the running thread has just suspended, so its stack is at rest and mapped.
        unsafe {
            let rt = &mut *rt;
            let me = rt.running;
            rt.tasks[me.index()].snapshot.prepare();
            let mut ours = rt.ours.take().unwrap_or_default();
            rt.note_ours(&mut ours);
            let task = &mut rt.tasks[me.index()];
            let extent = Extent { pointer: task.stack_pointer, limit: task.limit, base: task.base };
            let same = match renew {
                true => task.snapshot.renew(extent, &mut rt.heap, &ours, again),
                false => task.snapshot.is_still(extent, &rt.heap, &ours),
            };
            rt.ours = Some(ours);
            if again {
                rt.conductor.probed(me, same);
            }
        }
    }
}
