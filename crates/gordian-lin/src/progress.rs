//! Operations that must not wait for other threads.
//!
//! Whatever a thread waits for, it waits for a thread that may have been suspended for good. So an operation that is said to be free of obstruction, of locks or of waiting is wrong as soon as a
//! thread in the middle of it cannot go on, in whichever execution.

use crate::record::Record;
use gordian_model::{OpKind, ThreadId, Trace};

/// What is said of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Progress {
    /// It may wait for other threads.
    #[default]
    Blocking,
    /// It goes on whatever happens to the other threads.
    LockFree,
    /// The same, and it takes no more than so many steps.
    WaitFree(u32),
}

/// A call that did not make the progress that its operation promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hindered {
    /// It could not go on before this step.
    Waits {
        /// The call.
        call: usize,
        /// The step that some other thread took meanwhile; the number of steps, if nobody took one.
        step: usize,
    },
    /// It took more steps than it may.
    Slow {
        /// The call.
        call: usize,
        /// Its steps.
        steps: usize,
    },
}

/// The first call that waits, or takes too long, although it must not.
pub fn hindered(trace: &Trace, record: &Record, promise: &dyn Fn(usize) -> Progress) -> Option<Hindered> {
    record.spans.iter().enumerate().find_map(|(call, span)| {
        let span = (*span)?;
        let promise = promise(call);
        if promise == Progress::Blocking {
            return None;
        }
        let end = span.end.map_or(trace.len(), |end| (end as usize).min(trace.len()));
        let range = span.start as usize..end;
        if let Progress::WaitFree(most) = promise {
            let steps = range.clone().filter(|&i| trace.steps[i].thread == span.thread).count();
            if steps > most as usize {
                return Some(Hindered::Slow { call, steps });
            }
        }
        if span.end.is_none() && trace.failure().is_some_and(|f| is_stuck(f.kind)) {
            return Some(Hindered::Waits { call, step: trace.len() });
        }
        range
            .clone()
            .find(|&i| !trace.is_enabled(i, span.thread) && waits_at(trace, span.thread, i, end))
            .map(|step| Hindered::Waits { call, step })
    })
}

fn is_stuck(kind: gordian_model::FailureKind) -> bool {
    matches!(kind, gordian_model::FailureKind::Deadlock | gordian_model::FailureKind::Livelock)
}

/// Does a thread that is not enabled before step `at` wait for somebody? One that pauses only lets others go first.
fn waits_at(trace: &Trace, thread: ThreadId, at: usize, end: usize) -> bool {
    let next = trace.steps.iter().skip(at).take(end - at).find(|step| step.thread == thread);
    next.is_some_and(|step| {
        let pauses = matches!(step.kind, OpKind::Yield | OpKind::SpinHint | OpKind::Sleep);
        step.woken_by.is_some() || (step.kind.can_block() && !pauses)
    })
}
