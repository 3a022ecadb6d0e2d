//! What can be wrong with an execution.

use crate::id::{SiteId, ThreadId};
use serde::{Deserialize, Serialize};

/// The kinds of failure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FailureKind {
    /// A panic that nobody handled; a failed assertion is one.
    Panic,
    /// Threads wait for each other, or for something that nobody will do.
    Deadlock,
    /// Threads run in circles waiting for something that nobody will do.
    Livelock,
    /// Two accesses to one place, at least one a write, that nothing orders.
    DataRace,
    /// A value was never dropped.
    Leak,
    /// One execution took more steps than allowed.
    StepLimit,
    /// The program did something else when the same choices were repeated.
    Nondeterminism,
    /// No order of the calls explains what they returned.
    NotLinearizable,
    /// A call that should return did not.
    Stuck,
    /// A process ended with a failure status.
    AbnormalExit,
    /// A process or thread was stopped by the machine: stack overflow, segmentation fault.
    Crash,
    /// The check itself was set up in a way that cannot work.
    Misuse,
    /// A place that some execution had to reach was reached by none.
    NotCovered,
}

impl std::fmt::Display for FailureKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FailureKind::Panic => "panic",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Livelock => "livelock",
            FailureKind::DataRace => "data race",
            FailureKind::Leak => "leak",
            FailureKind::StepLimit => "step limit",
            FailureKind::Nondeterminism => "nondeterminism",
            FailureKind::NotLinearizable => "not linearizable",
            FailureKind::Stuck => "stuck call",
            FailureKind::AbnormalExit => "abnormal exit",
            FailureKind::Crash => "crash",
            FailureKind::Misuse => "misuse",
            FailureKind::NotCovered => "not covered",
        })
    }
}

/// One line that explains a failure: who waits for what, the other side of a race.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Note {
    /// The thread it is about.
    pub thread: Option<ThreadId>,
    /// What it did or waits for.
    pub text: String,
    /// Where.
    pub site: SiteId,
}

/// How an execution failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The kind.
    pub kind: FailureKind,
    /// The sentence for a person.
    pub message: String,
    /// The thread in which it showed.
    pub thread: Option<ThreadId>,
    /// The place where it showed.
    pub site: SiteId,
    /// What else there is to know.
    pub notes: Vec<Note>,
}

impl Failure {
    /// A failure without notes.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into(), thread: None, site: SiteId::UNKNOWN, notes: Vec::new() }
    }

    /// The same, in a thread at a place.
    pub fn at(mut self, thread: ThreadId, site: SiteId) -> Failure {
        self.thread = Some(thread);
        self.site = site;
        self
    }

    /// The same with one more note.
    pub fn note(mut self, thread: Option<ThreadId>, text: impl Into<String>, site: SiteId) -> Failure {
        self.notes.push(Note { thread, text: text.into(), site });
        self
    }
}
