//! What each object held after each step, worked out from what the steps did: the values of atomics, who holds a lock, how
//! many messages a channel has.

use gordian_model::{Access, Act, Names, ObjectId, ObjectKind, OpKind, Step, ThreadId, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// An object and how its state changed.
pub(super) struct Timeline {
    pub(super) object: ObjectId,
    /// After so many steps it was this; the first entry is for none.
    pub(super) states: Vec<(u32, String)>,
}

/// The objects by the numbers they are shown under: a channel has three.
pub(super) struct Shown {
    channels: BTreeSet<ObjectId>,
}

impl Shown {
    pub(super) fn new(trace: &Trace) -> Shown {
        let kind = |o: ObjectId| trace.object(o).map(|info| info.kind);
        let channels = trace.steps.iter().map(|s| s.object).filter(|&o| kind(o) == Some(ObjectKind::Channel));
        Shown { channels: channels.collect() }
    }

    pub(super) fn object(&self, object: ObjectId) -> ObjectId {
        let before = self.channels.range(..=object).next_back();
        // Room and readiness follow the messages.
        before.copied().filter(|first| object.0 - first.0 < 3).unwrap_or(object)
    }

    /// The objects of a step, each once.
    pub(super) fn of(&self, step: &Step) -> Vec<ObjectId> {
        let mut objects = Vec::new();
        for access in step.accesses.iter().filter(|a| !is_exit(a, step)) {
            let object = self.object(access.object);
            if !objects.contains(&object) {
                objects.push(object);
            }
        }
        objects
    }
}

/// The end of a thread is noted with its last step, unless it is a step of its own; when it came is not known then.
fn is_exit(access: &Access, step: &Step) -> bool {
    access.act == Act::Exit && access.object.as_life().is_some() && step.kind != OpKind::End
}

/// What is needed to put states into words: the trace, its names, and how the values of an atomic are written.
pub(super) struct Held<'a> {
    pub(super) trace: &'a Trace,
    pub(super) names: &'a Names,
    pub(super) value: &'a dyn Fn(u64, ObjectId) -> String,
}

pub(super) fn timelines(held: &Held<'_>, shown: &Shown) -> Vec<Timeline> {
    let &Held { trace, names, value } = held;
    let mut touched: BTreeMap<ObjectId, Vec<u32>> = BTreeMap::new();
    for (i, step) in trace.steps.iter().enumerate() {
        for object in shown.of(step) {
            touched.entry(object).or_default().push(i as u32);
        }
    }
    let timeline = |(object, at): (ObjectId, Vec<u32>)| {
        let mut states = match trace.object(object).map(|info| info.kind) {
            Some(ObjectKind::Atomic) => atomic(trace, value, object, &at),
            kind => replayed(trace, names, object, kind.unwrap_or(ObjectKind::Life), &at),
        };
        states.dedup_by(|later, earlier| later.1 == earlier.1);
        Timeline { object, states }
    };
    touched.into_iter().map(timeline).collect()
}

/// Every step on an atomic tells what was there before it; the last one left what the trace says.
fn atomic(
    trace: &Trace,
    value: &dyn Fn(u64, ObjectId) -> String,
    object: ObjectId,
    at: &[u32],
) -> Vec<(u32, String)> {
    let befores = at.iter().map(|&i| Some(trace.steps[i as usize].value));
    let left = left(trace, object);
    let points = std::iter::once(0).chain(at.iter().map(|&i| i + 1));
    let word = |held: Option<u64>| held.map_or_else(|| UNKNOWN.to_owned(), |held| value(held, object));
    points.zip(befores.chain([left]).map(word)).collect()
}

/// Stands for what no step tells and the trace does not say.
const UNKNOWN: &str = "not recorded";

/// What the object held when the execution failed.
fn left(trace: &Trace, object: ObjectId) -> Option<u64> {
    trace.aftermath.as_ref()?.values.get(object.index()).copied()?
}

fn replayed(
    trace: &Trace,
    names: &Names,
    object: ObjectId,
    kind: ObjectKind,
    at: &[u32],
) -> Vec<(u32, String)> {
    let mut state = State { permits: first_permits(trace, object, at), ..State::default() };
    let mut states = vec![(0, state.words(kind, names))];
    for &i in at {
        let step = &trace.steps[i as usize];
        for access in step.accesses.iter().filter(|a| a.object == object && !is_exit(a, step)) {
            state.change(step, access, i + 1);
        }
        states.push((i + 1, state.words(kind, names)));
    }
    states
}

/// The permits at the beginning, from those at the end.
fn first_permits(trace: &Trace, object: ObjectId, at: &[u32]) -> Option<i64> {
    let accesses = at.iter().flat_map(|&i| &trace.steps[i as usize].accesses);
    let change = |act| match act {
        Act::Put => 1,
        Act::Get | Act::TryGet => -1,
        _ => 0,
    };
    let changed: i64 = accesses.filter(|a| a.object == object).map(|a| change(a.act)).sum();
    left(trace, object).map(|left| left as i64 - changed)
}

/// What the acts on one object have led to.
#[derive(Default)]
struct State {
    /// Who holds it, since which step.
    writer: Option<(ThreadId, u32)>,
    readers: Vec<(ThreadId, u32)>,
    poisoned: bool,
    initialised: bool,
    waiting: Vec<ThreadId>,
    notified: Vec<ThreadId>,
    rounds: u32,
    arrived: u32,
    messages: i64,
    permits: Option<i64>,
    closed: u32,
    shut: bool,
    up: u32,
    down: u32,
    token: bool,
    asked: bool,
    ended: bool,
    /// Who waits at a futex cannot be told from the steps.
    unclear: bool,
}

impl State {
    fn change(&mut self, step: &Step, access: &Access, number: u32) {
        use Act::*;
        let me = step.thread;
        match access.act {
            Take | TryTake => self.writer = Some((me, number)),
            Share | TryShare => self.readers.push((me, number)),
            Free => {
                self.writer = None;
                let unlocks = matches!(step.kind, OpKind::Unlock | OpKind::WriteUnlock);
                self.poisoned |= unlocks && step.arg != 0;
            }
            Unshare => {
                if let Some(k) = self.readers.iter().position(|r| r.0 == me) {
                    self.readers.swap_remove(k);
                }
            }
            Mark => self.poisoned = false,
            Exit if access.object.as_life().is_some() => self.ended = true,
            // The end of an initialisation, one way or the other.
            Exit => (self.initialised, self.poisoned) = (access.seq == 1, access.seq != 1),
            // A word that was not as expected keeps nobody.
            Enqueue if !step.ok => {}
            Enqueue => {
                let at = self.waiting.partition_point(|&t| t < me);
                self.waiting.insert(at, me);
            }
            Notify if step.kind == OpKind::NotifyOne && (step.outcome as usize) < self.waiting.len() => {
                self.notified.push(self.waiting.remove(step.outcome as usize));
            }
            // Others have come to wait there, or are gone.
            Notify if step.kind == OpKind::FutexRequeue => self.unclear = true,
            Notify if step.kind == OpKind::FutexWake => {
                // Which ones were woken is not said, unless all were.
                self.unclear |= step.value as usize != self.waiting.len();
                self.notified.append(&mut self.waiting);
            }
            Notify => self.notified.append(&mut self.waiting),
            Woken | WokenTimed => self.notified.retain(|&t| t != me),
            Expired => self.waiting.retain(|&t| t != me),
            Arrive => self.arrived += 1,
            ArriveLast => (self.rounds, self.arrived) = (self.rounds + 1, 0),
            Put => self.hold(1),
            Get | TryGet => self.hold(-1),
            Close => self.closed += 1,
            Shut => self.shut = true,
            Count | CountWrite if matches!(step.kind, OpKind::CountUp | OpKind::Upgrade) => self.up += 1,
            Count | Down | CountWrite => self.down += 1,
            Unpark | UnparkAgain => self.token = true,
            Park | ParkTimed => self.token = false,
            Cancel | CancelAgain => self.asked = true,
            _ => {}
        }
    }

    /// More or fewer messages or permits.
    fn hold(&mut self, more: i64) {
        self.messages += more;
        self.permits = self.permits.map(|permits| permits + more);
    }

    fn words(&self, kind: ObjectKind, names: &Names) -> String {
        let all =
            |threads: &[ThreadId]| threads.iter().map(|&t| names.thread(t)).collect::<Vec<_>>().join(", ");
        let since = |&(thread, step): &(ThreadId, u32)| format!("{} since step {step}", names.thread(thread));
        let count = |n: i64, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let poisoned = if self.poisoned { ", poisoned" } else { "" };
        match kind {
            ObjectKind::Mutex | ObjectKind::RwLock => {
                let held = match (&self.writer, &self.readers[..]) {
                    (Some(writer), _) => format!("held by {}", since(writer)),
                    (None, []) => "free".to_owned(),
                    (None, readers) => {
                        format!("read by {}", readers.iter().map(since).collect::<Vec<_>>().join(", "))
                    }
                };
                held + poisoned
            }
            ObjectKind::Once => match &self.writer {
                Some(by) => format!("being initialised by {}", since(by)),
                None if self.initialised => "initialised".to_owned(),
                None if self.poisoned => "poisoned".to_owned(),
                None => "not initialised".to_owned(),
            },
            ObjectKind::Futex if self.unclear => UNKNOWN.to_owned(),
            ObjectKind::Condvar | ObjectKind::Futex => {
                let waiting = match &self.waiting[..] {
                    [] => "nobody waits".to_owned(),
                    threads => format!("waiting: {}", all(threads)),
                };
                match &self.notified[..] {
                    [] => waiting,
                    threads => format!("{waiting}; notified: {}", all(threads)),
                }
            }
            ObjectKind::Barrier => format!("round {}: {} arrived", self.rounds + 1, self.arrived),
            ObjectKind::Channel => {
                let mut words = match self.messages {
                    0 => "empty".to_owned(),
                    n => count(n, "message"),
                };
                if self.closed > 0 {
                    words += &format!(", {} dropped", count(i64::from(self.closed), "sender"));
                }
                if self.shut { "receiver dropped".to_owned() } else { words }
            }
            ObjectKind::Semaphore => self.permits.map_or_else(|| UNKNOWN.to_owned(), |n| count(n, "permit")),
            ObjectKind::Arc => format!("cloned {} times, dropped {} times", self.up, self.down),
            ObjectKind::Life if self.ended => "ended".to_owned(),
            ObjectKind::Life if self.asked => "asked to end".to_owned(),
            ObjectKind::Life if self.token => "has a token".to_owned(),
            ObjectKind::Life => "no token".to_owned(),
            ObjectKind::Atomic => String::new(),
        }
    }
}
