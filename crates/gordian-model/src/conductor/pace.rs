//! Fairness: a thread that keeps pausing without getting anywhere lets the others go first.

use super::{Conductor, Idle, Status};
use crate::id::ThreadId;
use crate::op::Op;

impl Conductor {
    pub(super) fn let_polite_threads_go(&mut self) -> bool {
        let mut any = false;
        for i in 0..self.threads.len() {
            let me = &mut self.threads[i];
            if me.status == Status::Announced && me.idle == Idle::Polite {
                me.idle = Idle::No;
                me.pauses = self.limits.fair_rounds.saturating_sub(1);
                self.enabled.insert(ThreadId(i as u32));
                any = true;
            }
        }
        any
    }

    /// Keeps count of pausing without getting anywhere, and lets polite threads go again after anybody's step.
    #[inline]
    pub(super) fn pace(&mut self, thread: ThreadId, op: &Op, wrote: bool, progress: bool) {
        let me = &mut self.threads[thread.index()];
        me.paused = op.kind.is_pause() || me.expiring;
        if me.paused {
            me.pauses += 1;
            self.pauses_seen = true;
        }
        if wrote {
            me.changes += 1;
            me.spin.reset();
        }
        if progress {
            me.pauses = 0;
        }
        if self.pauses_seen {
            self.release_polite(thread);
        }
    }

    #[cold]
    pub(super) fn release_polite(&mut self, by: ThreadId) {
        let at = self.trace.len() as u32 - 1;
        for i in 0..self.threads.len() {
            let me = &mut self.threads[i];
            if i != by.index() && me.status == Status::Announced && me.idle == Idle::Polite {
                me.idle = Idle::No;
                me.pauses = self.limits.fair_rounds.saturating_sub(1);
                me.woken_by = Some(at);
                self.trace.cut = true;
                self.enabled.insert(ThreadId(i as u32));
            }
        }
    }
}
