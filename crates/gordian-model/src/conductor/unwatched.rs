//! Programs whose memory is not watched. What a thread does between two ops may be seen by others, and nobody knows when: then every
//! step depends on every other, and nothing can be left out of a search.

use super::{Conductor, wake_dependent};
use crate::access::{Access, Act};
use crate::id::{ObjectId, ThreadId};
use crate::op::Reply;

impl Conductor {
    /// As [`perform`](Self::perform), and the step has written to all memory, for which one object stands.
    pub fn perform_unwatched(&mut self, thread: ThreadId, memory: ObjectId) -> Reply {
        if self.recalling {
            // That it has is in its record.
            return self.perform_again(thread);
        }
        let at = self.trace.len();
        let reply = self.perform_in_full(thread);
        let access = Access { object: memory, act: Act::Write, seq: 0 };
        self.trace.steps[at].accesses.push(access);
        if !self.sleep.is_empty() && at >= self.sleep_from {
            wake_dependent(&mut self.sleep, thread, &[access], &self.trace.objects);
        }
        self.follow_up(thread, at);
        reply
    }
}
