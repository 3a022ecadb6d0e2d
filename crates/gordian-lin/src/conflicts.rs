//! Which of the calls that were made one after the other could as well have been made in another order?

use crate::record::Record;
use crate::test::Calls;
use gordian_model::{Act, ThreadId, Trace};
use gordian_model::{ObjectId, Relation};

/// A call that touched an object, and how.
type Touch = (u32, Act, u16);

/// Finds, in an execution by one thread, for each call those before it with a step that does not commute with one of its own. Two neighbours without such steps can change places, and all calls
/// return the same.
#[derive(Debug, Default)]
pub struct Conflicts {
    touches: Vec<Vec<Touch>>,
    /// The calls before, for each of them by its place in the order. (Some that are before one of these, too, may be missing.)
    pub after: Vec<Calls>,
}

impl Conflicts {
    /// Looks at an execution.
    pub fn find(&mut self, trace: &Trace, record: &Record) {
        self.after.clear();
        self.after.resize(record.spans.len(), 0);
        self.touches.iter_mut().for_each(Vec::clear);
        // Calls that have others work for them may leave them at it.
        if trace.steps.iter().any(|step| step.thread != ThreadId::MAIN) {
            self.after.iter_mut().enumerate().for_each(|(call, after)| *after = (1 << call) - 1);
            return;
        }
        for (call, span) in record.spans.iter().enumerate() {
            let Some(span) = span else { break };
            let end = span.end.map_or(trace.len(), |end| end as usize);
            for step in &trace.steps[span.start as usize..end] {
                for access in &step.accesses {
                    // The end of a thread is that of the only one.
                    if access.object.as_life().is_none() {
                        self.touch(access.object, (call as u32, access.act, access.seq));
                    }
                }
            }
        }
    }

    fn touch(&mut self, object: ObjectId, (call, act, seq): Touch) {
        let i = object.index();
        if self.touches.len() <= i {
            self.touches.resize_with(i + 1, Vec::new);
        }
        for &(other, before, its) in self.touches[i].iter().rev() {
            if other != call && before.relation(its, act, seq) != Relation::Commute {
                self.after[call as usize] |= 1 << other;
            }
            if before.is_total() {
                break;
            }
        }
        self.touches[i].push((call, act, seq));
    }
}
