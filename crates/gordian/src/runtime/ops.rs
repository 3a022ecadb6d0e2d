//! Ops: at once if nothing stands in the way, else when it is the thread's turn.

use super::host::Runtime;
use super::{current, hosted, scrub, step};
use gordian_model::{Op, OpKind, Reply};

/// Carries out an op.
#[inline(always)]
pub(crate) fn op(op: Op) -> Reply {
    let rt = current();
    let may_repeat = !op.is_plain() || op.kind == OpKind::Store;
    // SAFETY: as in `step`.
    unsafe {
        let me = (*rt).running;
        if (*rt).conductor.leads(me, op.site)
            && let Some(reply) = (*rt).conductor.at_once(&op)
        {
            debug_assert!(!Runtime::is_held(rt), "who spawns, or waits for others to end, leads no more");
            return reply;
        }
        // An op that surely changes something is no part of a waiting round, whatever it leaves on the stack. This is not
        // left to `step`, whose larger frame would be compared, too.
        (*rt).conductor.draft(me, op);
        if may_repeat && (*rt).conductor.may_probe(me, &op) && (*rt).conductor.is_probing(me) == 1 {
            if (*rt).conductor.is_at_anchor(me) == 1 {
                scrub();
            }
            return Reply::from_words(hosted(rt));
        }
        Reply::from_words(step(rt))
    }
}
