//! A step, a switch, and what a thread waits for, in a few words.

use crate::facts::{Facts, is_memory};
use crate::look::Look;
use crate::objects::{Form, Objects};
use gordian_model::{Act, Names, ObjectId, OpKind, Pending, Step, ThreadId, Trace};
use std::cell::RefCell;

/// What it takes to put a trace into words.
pub(crate) struct Words<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) names: &'a Names,
    pub(crate) objects: &'a Objects,
    pub(crate) facts: &'a Facts,
    pub(crate) look: &'a Look,
    /// Addresses, which are shown by the order in which they were met.
    pub(crate) addresses: RefCell<Vec<u64>>,
}

impl Words<'_> {
    fn label(&self, object: ObjectId) -> String {
        self.objects.label(object, self.names)
    }

    /// The object that a step is about.
    pub(crate) fn object(&self, step: &Step) -> String {
        let first = || step.accesses.iter().find(|a| a.act != Act::Exit).map(|a| a.object);
        let object = Some(step.object).filter(|&o| o != ObjectId::NONE).or_else(first);
        object.map(|object| self.label(object)).unwrap_or_default()
    }

    /// A value; an address would be another in every run.
    pub(crate) fn value(&self, value: u64, object: ObjectId) -> String {
        let like_an_address = (1 << 44..1 << 47).contains(&value);
        if (self.objects.form(object) == Form::Pointer && value > 4096) || like_an_address {
            let mut known = self.addresses.borrow_mut();
            let nth = known.iter().position(|&v| v == value).unwrap_or_else(|| {
                known.push(value);
                known.len() - 1
            });
            return format!("&{}", nth + 1);
        }
        match (self.objects.form(object), value) {
            (Form::Pointer, 0) => "null".to_owned(),
            (Form::Flag, 0) => "false".to_owned(),
            (Form::Flag, 1) => "true".to_owned(),
            (Form::Signed(bits), v) => (((v << (64 - bits)) as i64) >> (64 - bits)).to_string(),
            (_, v) if v > u64::MAX / 2 => (v as i64).to_string(),
            (_, v) => v.to_string(),
        }
    }

    /// Where the value came from that a step met.
    fn origin(&self, at: usize) -> String {
        self.facts.from[at].map_or_else(|| "initial".to_owned(), |step| format!("from {}", step + 1))
    }

    /// What a step did.
    pub(crate) fn step(&self, at: usize) -> String {
        let step = &self.trace.steps[at];
        let (verb, object) = (step.kind.verb(), self.object(step));
        let arrow = self.look.arrow();
        if is_memory(step.kind) {
            let value = |v: u64| self.value(v, step.object);
            let (old, origin) = (value(step.value), self.origin(at));
            let change = match self.facts.new[at] {
                Some(new) => format!("{old} {arrow} {}", value(new)),
                None => format!("{old} {arrow} ?"),
            };
            return match step.kind {
                OpKind::Load => format!("{verb} {object} = {old} ({origin})"),
                OpKind::Store => format!("{verb} {object}: {change}"),
                OpKind::CompareExchange | OpKind::CompareExchangeWeak if !step.ok => {
                    let expected = value(step.arg);
                    let why =
                        if expected == old { "for no reason".to_owned() } else { format!("not {expected}") };
                    format!("{verb} {object} fails: {old} ({origin}), {why}")
                }
                _ => format!("{verb} {object}: {change} ({origin})"),
            };
        }
        match step.kind {
            OpKind::Choose => format!("{verb} {} of {}", step.value, step.outcomes),
            OpKind::Wait => format!("{verb} {object}, unlock {}", self.label(step.other)),
            OpKind::Wake | OpKind::WakeTimed | OpKind::Acquire | OpKind::AcquireTimed | OpKind::Join
                if !step.ok && self.is_asked(at, step.thread) =>
            {
                format!("{verb} {object}: cancelled")
            }
            OpKind::Wake | OpKind::WakeTimed if !step.ok => format!("time out {object}"),
            OpKind::Wake | OpKind::WakeTimed => {
                let verb =
                    if step.value == 0 && step.kind == OpKind::WakeTimed { "time out" } else { "wake up" };
                format!("{verb} {object}, lock {}", self.label(step.other))
            }
            OpKind::TryLock | OpKind::TryReadLock | OpKind::TryWriteLock if !step.ok => {
                format!("{verb} {object} fails{}", self.held_by(at, step.object, step.thread))
            }
            OpKind::LockTimed
            | OpKind::ReadLockTimed
            | OpKind::WriteLockTimed
            | OpKind::AcquireTimed
            | OpKind::FutexLeaveTimed
                if !step.ok =>
            {
                format!("{verb} {object} times out")
            }
            OpKind::FutexWait if !step.ok => format!("{verb} {object}: another value is there"),
            OpKind::FutexWake if step.value == 0 => format!("{verb} {object}: nobody waits"),
            OpKind::Permits => format!("{verb} {object} = {}", step.value),
            OpKind::TryAcquire | OpKind::TrySend | OpKind::Send if !step.ok => {
                format!("{verb} {object} fails")
            }
            OpKind::Receive | OpKind::TryReceive if !step.ok => format!("{verb} {object} finds nothing"),
            OpKind::ReceiveTimed | OpKind::ParkTimed if !step.ok => format!("{verb} {object} times out"),
            OpKind::NotifyOne | OpKind::NotifyAll if step.value == 0 => {
                format!("{verb} {object}: nobody waits")
            }
            _ if object.is_empty() => verb.to_owned(),
            _ => format!("{verb} {object}"),
        }
    }

    /// Was the thread asked to end before this step?
    fn is_asked(&self, at: usize, thread: ThreadId) -> bool {
        let life = ObjectId::life(thread);
        self.trace.steps[..at].iter().any(|step| step.kind == OpKind::Cancel && step.object == life)
    }

    fn held_by(&self, at: usize, lock: ObjectId, but: ThreadId) -> String {
        let holders: Vec<String> =
            self.facts.holders(at, lock, but).into_iter().map(|t| self.names.thread(t)).collect();
        if holders.is_empty() { String::new() } else { format!(", held by {}", holders.join(", ")) }
    }

    /// Why another thread makes step `at` than the one before it; nothing if that one has ended.
    pub(crate) fn switch(&self, at: usize) -> Option<String> {
        let before = &self.trace.steps[at - 1];
        if self.trace.is_preemption(at) {
            return Some("switch (preempted)".to_owned());
        }
        let thread = before.thread;
        let ended = before.accesses.iter().any(|a| a.act == Act::Exit && a.object == ObjectId::life(thread));
        if ended {
            return None;
        }
        if before.kind.is_pause() {
            return Some("switch (pauses)".to_owned());
        }
        let pending = || self.pending().find(|p| p.thread == thread).copied();
        let why = match self.facts.next(at - 1) {
            Some(next) => {
                let step = &self.trace.steps[next];
                let joined = step.after.iter().map(|&s| s as usize).filter(|&s| s >= at).max();
                if let Some(joined) = joined {
                    let joined = self.names.thread(self.trace.steps[joined].thread);
                    format!("waits for {joined} to end")
                } else if step.woken_by.is_some() {
                    format!("spins until {} changes", self.object(step))
                } else {
                    self.obstacle(at, thread, (step.kind, step.object, step.other))
                }
            }
            None => match pending() {
                Some(p) if p.stuck && !p.kind.can_block() => {
                    format!("spins until {} changes", self.label(p.object))
                }
                Some(p) => self.obstacle(at, thread, (p.kind, p.object, p.other)),
                None => return None,
            },
        };
        Some(format!("switch ({why})"))
    }

    fn pending(&self) -> impl Iterator<Item = &Pending> {
        self.trace.aftermath.iter().flat_map(|a| &a.pending)
    }

    /// What keeps a thread from its next op.
    fn obstacle(
        &self,
        at: usize,
        thread: ThreadId,
        (kind, object, other): (OpKind, ObjectId, ObjectId),
    ) -> String {
        let label = self.label(object);
        match kind {
            OpKind::Join => format!("waits for {label} to end"),
            OpKind::Park => "parked".to_owned(),
            OpKind::FutexLeave => format!("waits at {label}"),
            OpKind::Receive => format!("blocked on {label}, empty"),
            OpKind::Send => format!("blocked on {label}, full"),
            OpKind::Wake => {
                let held = self.held_by(at, other, thread);
                let lock =
                    if held.is_empty() { String::new() } else { format!(" or {}{held}", self.label(other)) };
                format!("waits for {label}{lock}")
            }
            kind if kind.is_timed() => format!("waits for {label} or a timeout"),
            kind if kind.can_block() => format!("blocked on {label}{}", self.held_by(at, object, thread)),
            _ => "lets others go first".to_owned(),
        }
    }

    /// What a thread could not do when the execution ended.
    pub(crate) fn stuck(&self, pending: &Pending) -> String {
        let Pending { thread, kind, object, other, .. } = *pending;
        let verb = kind.verb();
        if !kind.can_block() {
            return format!("{verb} {} for ever", self.label(object));
        }
        let obstacle = self.obstacle(self.trace.len(), thread, (kind, object, other));
        match kind {
            OpKind::Join | OpKind::Park | OpKind::Wake | OpKind::FutexLeave => obstacle,
            _ => format!("{verb} {}: {obstacle}", self.label(object))
                .replace(&format!(": blocked on {}", self.label(object)), ": blocked"),
        }
    }
}
