//! The sentences for executions that end badly.

use super::{Conductor, Idle, Status};
use crate::cell::{Earlier, Epoch};
use crate::failure::{Failure, FailureKind};
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::names::Names;
use crate::object::Model;
use crate::op::{Op, OpKind};
use crate::plan::Planned;
use smallvec::SmallVec;

pub(super) fn data_race(now: Epoch, write: bool, (earlier, wrote): Earlier, names: &Names) -> Failure {
    let word = |w: bool| if w { "write" } else { "read" };
    let message = format!(
        "data race: {} by {} at {} and {} by {} at {} are not ordered by anything",
        word(write),
        names.thread(now.thread),
        names.place(now.site),
        word(wrote),
        names.thread(earlier.thread),
        names.place(earlier.site),
    );
    Failure::new(FailureKind::DataRace, message)
        .at(now.thread, now.site)
        .note(Some(now.thread), format!("{} here", word(write)), now.site)
        .note(Some(earlier.thread), format!("earlier {} here", word(wrote)), earlier.site)
}

pub(super) fn leak(names: &Names, site: SiteId) -> Failure {
    let message = format!(
        "leak: the Arc created at {} is never dropped (turn this off with Checker::leaks(false))",
        names.place(site)
    );
    let mut failure = Failure::new(FailureKind::Leak, message).note(None, "created here", site);
    failure.site = site;
    failure
}

impl Conductor {
    /// The object in words: its kind and where it was created.
    fn object_words(&self, object: ObjectId) -> String {
        match (object.as_life(), self.trace.object(object)) {
            (Some(thread), _) => self.names.thread(thread),
            (None, Some(info)) => format!("{} {}", info.kind, self.names.place(info.site)),
            (None, None) => "nothing".to_owned(),
        }
    }

    fn waits_for(&self, thread: ThreadId, op: &Op) -> (String, SmallVec<[ThreadId; 2]>) {
        let what = self.object_words(op.object);
        match op.kind {
            OpKind::Join => (format!("waits for {what} to end"), op.object.as_life().into_iter().collect()),
            OpKind::Park => ("is parked and nobody unparks it".to_owned(), SmallVec::new()),
            OpKind::Receive => (format!("waits for a message on {what}"), SmallVec::new()),
            OpKind::Send => (format!("waits for room in {what}"), SmallVec::new()),
            OpKind::SendTaken => (format!("waits until its message is taken from {what}"), SmallVec::new()),
            OpKind::Acquire => (format!("waits for a permit of {what}"), SmallVec::new()),
            OpKind::Leave => (format!("waits at {what} for the others to arrive"), SmallVec::new()),
            OpKind::OnceWait => (format!("waits for {what} to be initialised"), SmallVec::new()),
            OpKind::FutexLeave => (format!("waits to be woken at {what}"), SmallVec::new()),
            OpKind::Wake if !self.is_notified(thread, op.object) => {
                (format!("waits to be notified by {what}"), SmallVec::new())
            }
            _ => {
                let lock = if op.other == ObjectId::NONE { op.object } else { op.other };
                let holders = self.slot(lock).model.holders();
                let by: Vec<String> = holders
                    .iter()
                    .map(|&(t, site)| {
                        let ended = self.threads[t.index()].status == Status::Finished;
                        let ended = if ended {
                            ", which has ended without giving it back (a forgotten guard?)"
                        } else {
                            ""
                        };
                        let who = if t == thread { "itself".to_owned() } else { self.names.thread(t) };
                        format!("{who} since {}{ended}", self.names.place(site))
                    })
                    .collect();
                let held =
                    if by.is_empty() { String::new() } else { format!(", held by {}", by.join(" and ")) };
                let text = format!("waits to {} {}{held}", op.kind.verb(), self.object_words(lock));
                (text, holders.iter().map(|h| h.0).collect())
            }
        }
    }

    fn is_notified(&self, thread: ThreadId, condvar: ObjectId) -> bool {
        matches!(&self.slot(condvar).model, crate::object::Object::Condvar(c) if c.is_notified(thread))
    }

    /// Nobody can go on, and not everybody is done.
    pub(super) fn stuck(&self) -> Failure {
        let mut waiting = Vec::new();
        let mut circling = false;
        for (i, me) in self.threads.iter().enumerate() {
            let Some(op) = me.announced() else { continue };
            let thread = ThreadId(i as u32);
            if me.idle == Idle::Proved {
                circling = true;
                let watched: Vec<String> = me.spin_objects().map(|o| self.object_words(o)).collect();
                let what = if watched.is_empty() {
                    "runs in a loop that looks at nothing".to_owned()
                } else {
                    format!("runs in a loop until {} changes", watched.join(" or "))
                };
                waiting.push((thread, what, op.site, SmallVec::new()));
            } else {
                let (what, whom) = self.waits_for(thread, op);
                waiting.push((thread, what, op.site, whom));
            }
        }
        let kind = if circling { FailureKind::Livelock } else { FailureKind::Deadlock };
        let cycle = find_cycle(&waiting.iter().map(|w| (w.0, w.3.clone())).collect::<Vec<_>>());
        let over = self.threads.first().is_some_and(|main| main.status == Status::Finished);
        let mut message = match &cycle {
            Some(cycle) => {
                let mut path: Vec<String> = cycle.iter().map(|&t| self.names.thread(t)).collect();
                path.push(path[0].clone());
                if path.len() == 2 {
                    format!("{kind}: {} waits for itself", path[0])
                } else {
                    format!("{kind}: {} wait for each other", path.join(" -> "))
                }
            }
            None => {
                let who: Vec<String> = waiting.iter().map(|w| self.names.thread(w.0)).collect();
                format!("{kind}: {} cannot go on, and nothing is left that could change that", who.join(", "))
            }
        };
        if over {
            message.push_str(
                "; the closure has returned, so these threads outlive it: join them, or let them end by dropping what they wait for",
            );
        }
        let mut failure = Failure::new(kind, message);
        if let Some(first) = waiting.first() {
            failure = failure.at(first.0, first.2);
        }
        for (thread, text, site, _) in waiting {
            failure = failure.note(Some(thread), text, site);
        }
        failure
    }

    pub(super) fn too_many_steps(&self) -> Failure {
        let last = self.trace.steps.last().expect("a limit of steps is reached by steps");
        let recent = self.trace.steps.iter().rev().take(1000);
        let mine = recent.clone().filter(|s| s.thread == last.thread).count();
        let sites: std::collections::BTreeSet<SiteId> =
            recent.filter(|s| s.thread == last.thread).map(|s| s.site).collect();
        let places: Vec<String> = sites.iter().take(4).map(|&s| self.names.place(s)).collect();
        let message = format!(
            "step limit: the execution took {} steps; {} made {mine} of the last 1,000, at {}. If it waits in a loop, say so in the loop with std's hint::spin_loop or thread::yield_now; if it is just long, raise the limit with Checker::steps or #[gordian::test(steps = N)]",
            self.trace.len(),
            self.names.thread(last.thread),
            places.join(", "),
        );
        Failure::new(FailureKind::StepLimit, message).at(last.thread, last.site)
    }

    /// The plan wants a step that cannot happen here.
    pub(super) fn departure(&self, planned: Planned) -> Failure {
        let names = &self.names;
        let who = names.thread(planned.thread);
        let expected = match planned.expected {
            Some((kind, site)) => format!("{who} to {} at {}", kind.verb(), names.place(site)),
            None => format!("{who} to step"),
        };
        let me = self.threads.get(planned.thread.index());
        let seen = match me.map(|me| (me.status, me.announced())) {
            None | Some((Status::Absent, _)) => "that thread does not exist".to_owned(),
            Some((Status::Finished, _)) => "that thread has ended".to_owned(),
            Some((_, Some(op))) if planned.expected.is_none_or(|e| e == (op.kind, op.site)) => {
                format!("that thread cannot do so now ({})", self.waits_for(planned.thread, op).0)
            }
            Some((_, Some(op))) => {
                format!("that thread is about to {} at {}", op.kind.verb(), names.place(op.site))
            }
            Some((_, None)) => "that thread is between two steps".to_owned(),
        };
        let unwinding = if me.is_some_and(|me| me.panicking) { ", unwinding from a panic" } else { "" };
        let message = format!(
            "nondeterminism: at step {} of {} the same choices led elsewhere: expected {expected}, but {seen}{unwinding}. Usual causes: real time, random numbers, hash maps with random state, addresses used as keys, a static that keeps its value over executions (a Mutex or std type), or threads that Gordian does not control",
            self.trace.len() + 1,
            self.deviations.last().map_or(self.prefix.len(), |last| last.choice as usize + 1),
        );
        Failure::new(FailureKind::Nondeterminism, message)
            .at(planned.thread, planned.expected.map_or(SiteId::UNKNOWN, |e| e.1))
    }
}

impl super::Thread {
    fn spin_objects(&self) -> impl Iterator<Item = ObjectId> + '_ {
        let mut objects: Vec<ObjectId> = self.spin.reads().collect();
        objects.sort_unstable();
        objects.dedup();
        objects.into_iter()
    }
}

/// A cycle in "waits for", if there is one.
fn find_cycle(waits: &[(ThreadId, SmallVec<[ThreadId; 2]>)]) -> Option<Vec<ThreadId>> {
    fn walk(
        at: ThreadId,
        waits: &[(ThreadId, SmallVec<[ThreadId; 2]>)],
        path: &mut Vec<ThreadId>,
        done: &mut Vec<ThreadId>,
    ) -> Option<Vec<ThreadId>> {
        if let Some(start) = path.iter().position(|&t| t == at) {
            return Some(path[start..].to_vec());
        }
        if done.contains(&at) {
            return None;
        }
        path.push(at);
        let next = waits.iter().find(|w| w.0 == at).map(|w| w.1.clone()).unwrap_or_default();
        for thread in next {
            if let Some(cycle) = walk(thread, waits, path, done) {
                return Some(cycle);
            }
        }
        path.pop();
        done.push(at);
        None
    }
    let mut done = Vec::new();
    waits.iter().find_map(|&(t, _)| walk(t, waits, &mut Vec::new(), &mut done))
}
