//! Fairness: a thread that keeps pausing without getting anywhere lets the others go first.

use super::{Conductor, Idle, Status, Thread};
use crate::id::ThreadId;
use crate::op::OpKind;

impl Conductor {
    #[inline]
    pub(super) fn let_polite_threads_go(&mut self) -> bool {
        self.polite_seen && self.do_let_polite_threads_go()
    }

    #[inline(never)]
    fn do_let_polite_threads_go(&mut self) -> bool {
        let mut any = false;
        for i in 0..self.threads.len() {
            let me = &mut self.threads[i];
            if me.status == Status::Announced && me.idle == Idle::Polite {
                if self.abandons {
                    // The program is over, and this thread would go round for ever.
                    self.trace.cut = true;
                    continue;
                }
                me.idle = Idle::No;
                me.pauses = self.limits.fair_rounds.saturating_sub(1);
                self.enabled.insert(ThreadId(i as u32));
                any = true;
            }
        }
        any
    }

    /// Polite threads go again after anybody's step.
    #[cold]
    pub(super) fn release_polite(&mut self, by: ThreadId) {
        if self.abandons {
            return;
        }
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

impl Thread {
    /// It has paused, and announces what comes next. A loop that backs off gives several hints in a row before it looks again: together they are one pause, at the
    /// end of which others may go first. (Not so those who yield or sleep: they may look at something in between that is not seen.)
    #[cold]
    #[inline(never)]
    pub(super) fn comes_from_a_pause(&mut self) {
        self.hints = if self.op.kind == OpKind::SpinHint { self.hints + 1 } else { 0 };
        self.paused = !self.goes_on_hinting();
    }

    /// Is this part of the pause before it? No pause is longer than that of the most common way to back off.
    fn goes_on_hinting(&self) -> bool {
        (1..64).contains(&self.hints)
    }

    /// Keeps count of pausing without getting anywhere, after a step.
    #[inline]
    pub(super) fn pace(&mut self, wrote: bool, progress: bool) {
        self.paused = self.op.kind.is_pause() || self.expiring;
        if self.paused && !self.goes_on_hinting() {
            self.pauses += 1;
        }
        if wrote {
            self.changes += 1;
            self.spin.reset();
        }
        if progress {
            self.pauses = 0;
        }
    }
}
