//! Ops: at once if nothing stands in the way, else when it is the thread's turn.

use super::host::Runtime;
use super::{current, hosted, scrub, step};
use gordian_model::{Op, OpKind, Reply};

/// Carries out an op.
#[inline(always)]
pub(crate) fn op(op: Op) -> Reply {
    let clears = cfg!(debug_assertions) && may_repeat(&op);
    let reply = carry_out(op);
    // Without optimisation whatever is asked or called has a place of its own in the frame, and what is not asked in a round is there as earlier calls
    // left it. So the frame that does the asking is below a call of its own then, and nothing of it is left behind: what is compared is the same in all rounds.
    if clears {
        scrub();
    }
    reply
}

/// Can it be part of a round in which a thread waits? One that surely changes something is not.
#[inline(always)]
fn may_repeat(op: &Op) -> bool {
    !op.is_plain() || op.kind == OpKind::Store
}

#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline(always))]
fn carry_out(op: Op) -> Reply {
    let rt = current();
    // SAFETY: as in `step`.
    unsafe {
        let me = (*rt).running;
        if (*rt).conductor.leads(me, op.site)
            && let Some(reply) = (*rt).conductor.at_once(&op)
        {
            debug_assert!(!Runtime::is_held(rt), "who spawns, or waits for others to end, leads no more");
            return reply;
        }
        // Whatever an op leaves on the stack that cannot be part of such a round does not matter. This is not left to `step`, whose larger frame would
        // be compared, too.
        (*rt).conductor.draft(me, op);
        if may_repeat(&op) && (*rt).conductor.may_probe(me, &op) && (*rt).conductor.is_probing(me) == 1 {
            if (*rt).conductor.is_at_anchor(me) == 1 {
                scrub();
            }
            return Reply::from_words(hosted(rt));
        }
        Reply::from_words(step(rt))
    }
}
