//! What would have been possible before a step: who holds what there, and what is there to take.

use super::{Order, Touch};
use gordian_model::{Access, Act, ObjectId, OpKind, Step, ThreadId};
use smallvec::SmallVec;

impl Order {
    /// The touches of an object that are there when a step goes before step `at`: those before it, and those after it
    /// that do not happen after it. The latest comes first.
    pub(super) fn remaining(&self, object: ObjectId, at: usize) -> impl Iterator<Item = &Touch> {
        let keeps = move |t: &&Touch| {
            (t.step as usize) < at || ((t.step as usize) > at && !self.before(at, t.step as usize))
        };
        self.touches(object).filter(keeps)
    }

    /// Are there acts in the step of which it matters what was there? Otherwise it was possible at any time.
    #[inline]
    pub(super) fn may_have_waited(step: &Step) -> bool {
        step.accesses.iter().any(|access| Order::waits(access.act))
    }

    /// Does it matter for such an act what was there?
    #[inline]
    pub(super) fn waits(act: Act) -> bool {
        matches!(act, Act::Saw | Act::Take | Act::Share | Act::Get | Act::Interrupted)
    }

    /// Could the thread have been called out of its wait where step `at` was? Nothing if that is not all that matters.
    fn is_called_before(&self, at: usize, step: &Step, steps: &[Step]) -> Option<bool> {
        let life = ObjectId::life(step.thread);
        let heeds = step
            .accesses
            .iter()
            .find(|a| a.object == life && matches!(a.act, Act::Heed | Act::Interrupted))?;
        let is_asked = || self.remaining(life, at).any(|t| t.access.act == Act::Cancel);
        let first = &steps[at].accesses;
        match step.kind {
            OpKind::Acquire if heeds.act == Act::Interrupted => {
                let takes = |a: &Access| a.object == step.object && matches!(a.act, Act::Get | Act::TryGet);
                Some(first.iter().any(takes) || is_asked())
            }
            OpKind::Wake | OpKind::WakeTimed => {
                // Without the notification it does not need the mutex.
                let mine = |a: &Access| {
                    let same = |b: &Access| b.object == a.object && b.seq == a.seq;
                    a.act == Act::Notify && step.accesses.iter().any(|b| b.act == Act::WokenTimed && same(b))
                };
                let leaves = heeds.act == Act::Interrupted || first.iter().any(mine);
                leaves.then(|| step.kind == OpKind::WakeTimed || is_asked())
            }
            _ if heeds.act == Act::Interrupted => Some(is_asked()),
            _ => None,
        }
    }

    /// Could `step`, which may have waited, have been taken where step `at` was? Not if somebody holds the lock there and
    /// gives it back only after (and because of) `at`, or if the message it got is sent only after that.
    pub(super) fn possible_before(&self, at: usize, step: &Step, steps: &[Step]) -> bool {
        if let Some(possible) = self.is_called_before(at, step, steps) {
            return possible;
        }
        step.accesses.iter().all(|access| match access.act {
            Act::Saw => {
                let ended = |t: &Touch| t.access.act == Act::Exit && (t.access.seq == 1 || step.arg == 0);
                self.holders(access.object, at).is_empty()
                    && (step.kind != OpKind::OnceWait || self.remaining(access.object, at).any(ended))
            }
            Act::Take | Act::Share => {
                // Who took it at `at` found it free, and whoever had it later has it because of that.
                let takes =
                    |a: &Access| a.object == access.object && matches!(a.act, Act::Take | Act::TryTake);
                steps[at].accesses.iter().any(takes)
                    || self
                        .holders(access.object, at)
                        .into_iter()
                        .all(|(holder, shared)| holder == step.thread || (shared && access.act == Act::Share))
            }
            Act::Get => {
                let takes = |a: &Access| a.object == access.object && matches!(a.act, Act::Get | Act::TryGet);
                steps[at].accesses.iter().any(takes)
                    || !self
                        .touches(access.object)
                        .any(|t| t.access.act == Act::Put && t.access.seq == access.seq)
                    || self
                        .remaining(access.object, at)
                        .any(|t| t.access.act == Act::Put && t.access.seq == access.seq)
            }
            _ => true,
        })
    }

    fn holders(&self, object: ObjectId, at: usize) -> SmallVec<[(ThreadId, bool); 4]> {
        let mut held: SmallVec<[(ThreadId, bool); 4]> = SmallVec::new();
        let touches: SmallVec<[&Touch; 16]> = self.remaining(object, at).collect();
        for touch in touches.into_iter().rev() {
            let thread = self.thread_of(touch);
            match touch.access.act {
                Act::Take | Act::TryTake => held.push((thread, false)),
                Act::Share | Act::TryShare => held.push((thread, true)),
                Act::Free | Act::Unshare => {
                    if let Some(k) = held.iter().position(|h| h.0 == thread) {
                        held.swap_remove(k);
                    }
                }
                _ => {}
            }
        }
        held
    }
}
