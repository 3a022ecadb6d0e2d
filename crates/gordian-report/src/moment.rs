//! An execution that has been stopped half-way, as a debugger shows it: the steps so far, and what each thread does next.

use crate::describe::Words;
use crate::facts::Facts;
use crate::look::Look;
use crate::objects::Objects;
use crate::sources::Sources;
use crate::text::{interleaving, place};
use gordian_model::{Names, OpKind, Pending, ThreadId, Trace};
use std::cell::RefCell;

/// A moment of an execution.
pub struct Moment<'a> {
    trace: &'a Trace,
    names: &'a Names,
    objects: Objects,
    facts: Facts,
    look: &'a Look,
}

impl<'a> Moment<'a> {
    /// What each thread is about to do is in the trace's aftermath. If it is known what the execution will have done in the
    /// end, objects have the names that they have there.
    pub fn new(
        trace: &'a Trace,
        whole: Option<&Trace>,
        names: &'a Names,
        sources: &Sources,
        look: &'a Look,
    ) -> Moment<'a> {
        let mut touched =
            whole.filter(|whole| whole.objects.len() >= trace.objects.len()).unwrap_or(trace).clone();
        // What is waited for has a name even if it is never come to.
        let pending = trace.aftermath.iter().flat_map(|a| &a.pending).map(|p| Pending { stuck: true, ..*p });
        touched.aftermath.get_or_insert_default().pending.extend(pending);
        let objects = Objects::new(&touched, names, sources);
        Moment { trace, names, objects, facts: Facts::new(trace), look }
    }

    fn words(&self) -> Words<'_> {
        let Moment { trace, names, ref objects, ref facts, look } = *self;
        Words { trace, names, objects, facts, look, addresses: RefCell::default() }
    }

    /// The table of the steps so far.
    pub fn table(&self) -> String {
        match self.trace.is_empty() {
            true => "no steps so far\n".to_owned(),
            false => interleaving(Vec::new(), &self.words()),
        }
    }

    /// What a thread does next or waits for, and where; nothing if it has ended or is in between.
    pub fn next(&self, thread: ThreadId) -> Option<(String, String)> {
        let pending = self.trace.aftermath.iter().flat_map(|a| &a.pending).find(|p| p.thread == thread)?;
        let words = self.words();
        let label = |object| self.objects.label(object, self.names);
        let what = match pending.kind {
            _ if pending.stuck => words.stuck(pending),
            OpKind::Wait => format!("wait {}, unlock {}", label(pending.object), label(pending.other)),
            OpKind::Wake | OpKind::WakeTimed => {
                format!("wake up {}, lock {}", label(pending.object), label(pending.other))
            }
            kind => format!("{} {}", kind.verb(), label(pending.object)).trim_end().to_owned(),
        };
        Some((what, place(pending.site, self.names)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_model::object::{Atomic, Mutex};
    use gordian_model::{Conductor, Op, Plan};

    #[test]
    fn a_thread_that_can_go_on_says_what_it_does_and_one_that_cannot_why() {
        let mut conductor = Conductor::default();
        conductor.begin(&Plan::default());
        let site = conductor.names.intern("src/lib.rs", 3, 5);
        let lock = conductor.create(Mutex::new().into(), site);
        let count = conductor.create(Atomic::new(0).into(), site);
        let other = conductor.spawn(ThreadId::MAIN);
        conductor.announce(ThreadId::MAIN, &Op::new(OpKind::Lock, lock, site));
        conductor.announce(other, &Op::new(OpKind::Lock, lock, site));
        conductor.decide();
        conductor.perform(ThreadId::MAIN);
        conductor.announce(ThreadId::MAIN, &Op::new(OpKind::Load, count, site));
        let mut trace = conductor.trace.clone();
        trace.aftermath = Some(Box::new(conductor.aftermath()));
        let look = Look::plain(80);
        let moment = Moment::new(&trace, None, &conductor.names, &Sources::none(), &look);
        let (does, place) = moment.next(ThreadId::MAIN).unwrap();
        assert_eq!((does.as_str(), place.as_str()), ("load atomic@3", "src/lib.rs:3"));
        assert_eq!(moment.next(other).unwrap().0, "lock mutex@3: blocked, held by main");
        assert!(moment.table().contains("lock mutex@3"), "{}", moment.table());
        assert_eq!(moment.next(ThreadId(7)), None);
    }
}
