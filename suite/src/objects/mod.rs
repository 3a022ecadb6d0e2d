//! Objects for many threads, to be checked for linearizability from the list of their operations alone: those of table 6-1 of the thesis on CB-DPOR, and others, each right and wrong.

pub(crate) mod basket_queue;
pub mod check;
pub mod deque;
pub mod elimination;
pub mod epochs;
pub mod harris;
pub mod hazard;
pub mod left_right;
mod nodes;
pub(crate) mod optimistic_queue;
pub mod published;
pub mod rate;
pub mod ring;
pub mod sequence_lock;
pub mod table;
pub mod thesis;
pub mod treiber;

use gordian::FailureKind;
use gordian::lin::{Object, Report};
use gordian_model::Trace;
use std::time::Duration;

/// An object with a published mistake.
#[derive(Clone, Copy)]
pub struct Subject {
    /// A word for it.
    pub name: &'static str,
    /// Where it was described.
    pub source: &'static str,
    /// What goes wrong.
    pub about: &'static str,
    /// How the wrong version fails.
    pub kind: FailureKind,
    /// The object and its operations: wrong if so told.
    pub object: fn(bool) -> Box<dyn Checked>,
}

impl Subject {
    /// What most have in common.
    pub const USUAL: Subject = Subject {
        name: "",
        source: "",
        about: "",
        kind: FailureKind::NotLinearizable,
        object: |_| unreachable!("every subject has one of its own"),
    };
}

/// How much is tried.
#[derive(Clone, Debug)]
pub struct Effort {
    /// How each test is searched.
    pub search: String,
    /// Are small tests tried first?
    pub small: bool,
    /// At most so many drawn tests.
    pub tests: u64,
    /// At most so many executions of each.
    pub executions: u64,
    /// At most so much time for all.
    pub time: Duration,
    /// What tests are drawn from.
    pub seed: u64,
    /// Only this test, and what it shows is not made small.
    pub test: Option<String>,
    /// Are executions judged, or only made?
    pub judged: bool,
    /// Is nothing left out that follows from dependences?
    pub thorough: bool,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            search: "auto".to_owned(),
            small: true,
            tests: 1_000,
            executions: 1_000,
            time: Duration::from_secs(60),
            seed: 0,
            test: None,
            judged: true,
            thorough: false,
        }
    }
}

/// Called with what each execution did.
pub type Observer = Box<dyn FnMut(&Trace) + Send>;

/// An object of any type.
pub trait Checked {
    /// Tries tests.
    fn check(self: Box<Self>, effort: &Effort, observer: Option<Observer>) -> Report;
}

impl<T: Send + Sync + 'static, S: Clone + Send + Sync + 'static> Checked for Object<T, S> {
    fn check(self: Box<Self>, effort: &Effort, observer: Option<Observer>) -> Report {
        let mut object = self
            .search(&*effort.search)
            .small(effort.small)
            .tests(effort.tests)
            .executions(effort.executions)
            .time(effort.time)
            .seed(effort.seed)
            .judged(effort.judged)
            .thorough(effort.thorough);
        if let Some(test) = &effort.test {
            object = object.test(test).minimise(0);
        }
        if let Some(observer) = observer {
            object = object.observe(observer);
        }
        object.run()
    }
}

/// A stack of values from 1 to 9.
fn stack<T: Send + Sync + 'static>(
    make: impl Fn() -> T + Send + Sync + 'static,
    push: fn(&T, usize),
    pop: fn(&T) -> Option<usize>,
) -> Box<dyn Checked> {
    Box::new(Object::new(make).op("push", 1..=9, push).op("pop", [()], move |stack: &T, ()| pop(stack)))
}

/// A queue of values from 1 to 9.
fn queue<T: Send + Sync + 'static>(
    make: impl Fn() -> T + Send + Sync + 'static,
    enqueue: impl Fn(&T, usize) + Send + Sync + 'static,
    dequeue: impl Fn(&T) -> Option<usize> + Send + Sync + 'static,
) -> Box<dyn Checked> {
    let object = Object::new(make).op("enqueue", 1..=9, enqueue);
    Box::new(object.op("dequeue", [()], move |queue: &T, ()| dequeue(queue)))
}

/// A set of keys from 1 to 3.
fn set<T: Send + Sync + 'static>(
    make: impl Fn() -> T + Send + Sync + 'static,
    [insert, remove, contains]: [fn(&T, usize) -> bool; 3],
) -> Box<dyn Checked> {
    let object = Object::new(make).op("insert", 1..=3, insert).op("remove", 1..=3, remove);
    // Whether one key is in a set says nothing about another.
    Box::new(object.op("contains", 1..=3, contains).partitioned())
}

/// Every object.
pub const SUBJECTS: &[Subject] = &[
    thesis::BOOST,
    thesis::LATE,
    thesis::MOIR,
    thesis::BASKET,
    thesis::OPTIMISTIC,
    thesis::LAZY_LIST,
    thesis::SKIP_LIST,
    thesis::RANGE_SET,
    thesis::REFERENCE_CACHE,
    treiber::SUBJECT,
    harris::SUBJECT,
    elimination::SUBJECT,
    deque::SUBJECT,
    ring::EARLY,
    ring::EMPTY,
    hazard::SUBJECT,
    epochs::SUBJECT,
    left_right::SUBJECT,
    sequence_lock::SUBJECT,
];
