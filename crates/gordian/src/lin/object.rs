//! What is to be tested: how an object is made, and its operations.

use super::operation::{Listed, Specified, Typed};
use crate::checker::{IntoSearch, Observer};
use gordian_lin::{Criterion, Progress, Shape, Test};
use gordian_search::Search;
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What threads can use at the same time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used by several threads at once, so there is nothing to check for linearizability",
    label = "an object under test must be `Send + Sync + 'static`",
    note = "put what is not inside a lock or an atomic of gordian::sync, or, if the type is safe by other means, say so with an `unsafe impl`"
)]
pub trait Concurrent: Send + Sync + 'static {}
impl<T: Send + Sync + 'static> Concurrent for T {}

type Make<T> = Box<dyn Fn() -> T + Send + Sync>;
/// The number of a state: equal ones have the same.
pub(super) type Number<T> = Box<dyn Fn(&T) -> u32 + Send + Sync>;

/// Takes a state and the number for a new one, and gives the number of the state.
pub(super) type Numbering<S> = Box<dyn FnMut(&S, u32) -> u32 + Send>;

/// A specification: its first state, and numbers for equal states, if they are told apart.
pub(super) struct Model<S> {
    pub(super) start: S,
    pub(super) number: Option<fn() -> Numbering<S>>,
}

/// How much is tried.
#[derive(Clone, Debug)]
pub(super) struct Effort {
    pub(super) search: Search,
    pub(super) seed: u64,
    pub(super) shape: Shape,
    pub(super) small: bool,
    pub(super) tests: u64,
    pub(super) executions: u64,
    pub(super) steps: Option<u32>,
    pub(super) time: Option<Duration>,
    pub(super) minimise: Option<u64>,
    pub(super) only: Option<Test>,
}

/// An object and its operations, to be checked for linearizability: whatever calls of several threads return, at once, they could have returned
/// one after the other.
///
/// ```
/// use gordian::lin::Object;
/// use gordian::sync::Mutex;
/// use std::collections::VecDeque;
///
/// Object::new(|| Mutex::new(VecDeque::new()))
///     .op("push", 1..=3, |queue, value| queue.lock().unwrap().push_back(value))
///     .op("pop", [()], |queue, ()| queue.lock().unwrap().pop_front())
///     .tests(5)
///     .check();
/// ```
///
/// No specification is needed: what the calls return one after the other is found out by trying. One can be given with [`specified_by`](Self::specified_by).
pub struct Object<T, S = ()> {
    pub(super) make: Make<T>,
    pub(super) model: Option<Model<S>>,
    pub(super) listed: Vec<Listed<T, S>>,
    pub(super) state: Option<Number<T>>,
    pub(super) criterion: Criterion,
    pub(super) partitioned: bool,
    pub(super) panics: bool,
    pub(super) naive: bool,
    pub(super) thorough: bool,
    pub(super) judged: bool,
    pub(super) observer: Option<Observer>,
    pub(super) effort: Effort,
    pub(super) name: String,
    /// What was wrong with something said above.
    pub(super) wrong: Option<String>,
    /// Messages of panics; answers are numbered after this list.
    pub(super) panicked: Mutex<Vec<String>>,
}

impl<T: Concurrent> Object<T> {
    /// An object that is made anew for every execution.
    pub fn new(make: impl Fn() -> T + Send + Sync + 'static) -> Object<T> {
        Object {
            make: Box::new(make),
            model: None,
            listed: Vec::new(),
            state: None,
            criterion: Criterion::default(),
            partitioned: false,
            panics: false,
            naive: false,
            thorough: false,
            judged: true,
            observer: None,
            effort: Effort {
                search: Search::default(),
                seed: 0,
                shape: Shape::default(),
                small: true,
                tests: 100,
                executions: 1_000,
                steps: None,
                time: None,
                minimise: None,
                only: None,
            },
            name: String::new(),
            wrong: None,
            panicked: Mutex::default(),
        }
    }

    /// A specification: its first state. Every operation then says what it does to that, see [`op_as`](Self::op_as).
    pub fn specified_by<S: Clone + Send + Sync + 'static>(self, start: S) -> Object<T, S> {
        let wrong = (!self.listed.is_empty()).then(|| {
            "Object::specified_by comes before the operations, which have to say what they do to the specification".to_owned()
        });
        Object {
            make: self.make,
            model: Some(Model { start, number: None }),
            listed: Vec::new(),
            state: self.state,
            criterion: self.criterion,
            partitioned: self.partitioned,
            panics: self.panics,
            naive: self.naive,
            thorough: self.thorough,
            judged: self.judged,
            observer: self.observer,
            effort: self.effort,
            name: self.name,
            wrong: self.wrong.or(wrong),
            panicked: self.panicked,
        }
    }

    /// An operation: its name, the arguments to choose from, and the call.
    pub fn op<A, R>(
        self,
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
        call: impl Fn(&T, A) -> R + Send + Sync + 'static,
    ) -> Object<T>
    where
        A: Clone + Debug + Send + Sync + 'static,
        R: PartialEq + Debug + Send + 'static,
    {
        self.add(Typed::new(name, arguments, call))
    }
}

impl<T: Concurrent, S: Clone + Send + Sync + 'static> Object<T, S> {
    /// An operation and what it does to the specification.
    pub fn op_as<A, R>(
        self,
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
        call: impl Fn(&T, A) -> R + Send + Sync + 'static,
        specified: impl Fn(&mut S, A) -> R + Send + Sync + 'static,
    ) -> Object<T, S>
    where
        A: Clone + Debug + Send + Sync + 'static,
        R: PartialEq + Debug + Send + 'static,
    {
        let request: Specified<S, A, R> =
            Box::new(move |state, _, argument| Some(specified(state, argument)));
        self.add(Typed { request: Some(request), ..Typed::new(name, arguments, call) })
    }

    /// An operation that may wait for another call, as a dual data structure has it (Scherer and Scott, DISC 2004): the request takes effect at one moment,
    /// and if it returns nothing, the call returns at a later one, as soon as the follow-up returns something. Both are told the number of the call, so that its request can be found again.
    pub fn waiting_op_as<A, R>(
        self,
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
        call: impl Fn(&T, A) -> R + Send + Sync + 'static,
        request: impl Fn(&mut S, usize, A) -> Option<R> + Send + Sync + 'static,
        follow_up: impl Fn(&mut S, usize, A) -> Option<R> + Send + Sync + 'static,
    ) -> Object<T, S>
    where
        A: Clone + Debug + Send + Sync + 'static,
        R: PartialEq + Debug + Send + 'static,
    {
        let request: Specified<S, A, R> = Box::new(request);
        self.add(Typed {
            request: Some(request),
            follow_up: Some(Box::new(follow_up)),
            ..Typed::new(name, arguments, call)
        })
    }

    /// Tells equal states of the specification apart from others: orders of calls that lead to the same state are not tried twice.
    pub fn equal_states(mut self) -> Object<T, S>
    where
        S: Hash + Eq,
    {
        match &mut self.model {
            Some(model) => {
                model.number = Some(|| {
                    let mut numbers: HashMap<S, u32> = HashMap::new();
                    Box::new(move |state, new| *numbers.entry(state.clone()).or_insert(new))
                });
            }
            None => {
                self.wrong.get_or_insert_with(|| {
                    "Object::equal_states is about the states of a specification, and there is none (Object::specified_by); for the object itself there is Object::state"
                        .to_owned()
                });
            }
        }
        self
    }
}

impl<T: Concurrent, S> Object<T, S> {
    fn add<A, R>(mut self, operation: Typed<T, S, A, R>) -> Object<T, S>
    where
        A: Clone + Debug + Send + Sync + 'static,
        R: PartialEq + Debug + Send + 'static,
        S: 'static,
    {
        if operation.arguments.is_empty() {
            self.wrong.get_or_insert_with(|| {
                format!(
                    "{} has no arguments to choose from; an operation that takes none has one: [()]",
                    operation.name
                )
            });
        }
        let operation = Box::new(operation);
        let listed = Listed { operation, weight: 1, owned: false, progress: Progress::Blocking };
        self.listed.push(listed);
        self
    }

    fn last(mut self, method: &str, change: impl FnOnce(&mut Listed<T, S>)) -> Object<T, S> {
        match self.listed.last_mut() {
            Some(listed) => change(listed),
            None => {
                let wrong = format!("Object::{method} is about the operation before it, and there is none");
                self.wrong.get_or_insert(wrong);
            }
        }
        self
    }

    /// How often the last operation is called in drawn tests, beside the others, which have 1. With 0 it is called only by tests that are given.
    pub fn weight(self, weight: u32) -> Object<T, S> {
        self.last("weight", |listed| listed.weight = weight)
    }

    /// The last operation is called by one thread only, together with all others of which that is said: the owner of a deque, the one who puts in. Tests are drawn
    /// so that the others do not call it.
    pub fn by_one_thread(self) -> Object<T, S> {
        self.last("by_one_thread", |listed| listed.owned = true)
    }

    /// The last operation never waits for another thread: a thread in the middle of it can go on even if all others are suspended for good. (This is obstruction-freedom;
    /// of lock-freedom it is what a test can refute.)
    pub fn lock_free(self) -> Object<T, S> {
        self.last("lock_free", |listed| listed.progress = Progress::LockFree)
    }

    /// The same, and it never takes more than so many steps.
    pub fn wait_free(self, steps: u32) -> Object<T, S> {
        self.last("wait_free", |listed| listed.progress = Progress::WaitFree(steps))
    }

    /// What the object is like, when nothing is under way: orders of calls that lead to equal states are not tried twice. It must say all that later calls can notice.
    pub fn state<K: Hash + Eq + Send + 'static>(
        mut self,
        state: impl Fn(&T) -> K + Send + Sync + 'static,
    ) -> Object<T, S> {
        let numbers: Mutex<HashMap<K, u32>> = Mutex::default();
        self.state = Some(Box::new(move |object| {
            let state = state(object);
            let mut numbers = numbers.lock().unwrap_or_else(PoisonError::into_inner);
            let new = numbers.len() as u32;
            *numbers.entry(state).or_insert(new)
        }));
        self
    }

    /// Calls with different arguments touch different things, as the keys of a map do. They are explained key by key, which is much less work.
    pub fn partitioned(mut self) -> Object<T, S> {
        self.partitioned = true;
        self
    }

    /// A weaker criterion than linearizability.
    pub fn criterion(mut self, criterion: Criterion) -> Object<T, S> {
        self.criterion = criterion;
        self
    }

    /// Panics are answers like others. Without this, an operation that panics when it is called alone is an error.
    pub fn panics(mut self, are_answers: bool) -> Object<T, S> {
        self.panics = are_answers;
        self
    }

    /// Judges executions by when their own calls began and ended only, not by all executions of their class. This is Line-Up's rule, and misses violations together with a reduction.
    #[doc(hidden)]
    pub fn naive(mut self, naive: bool) -> Object<T, S> {
        self.naive = naive;
        self
    }

    /// Looks for orders even where it follows from dependences that there is one: for tests of Gordian itself, as it finds the same.
    #[doc(hidden)]
    pub fn thorough(mut self, thorough: bool) -> Object<T, S> {
        self.thorough = thorough;
        self
    }

    /// Explores only, and judges nothing: for measurements of Gordian itself.
    #[doc(hidden)]
    pub fn judged(mut self, judged: bool) -> Object<T, S> {
        self.judged = judged;
        self
    }

    /// Calls the closure with what each execution did: for measurements of Gordian itself.
    #[doc(hidden)]
    pub fn observe(mut self, observer: impl FnMut(&gordian_model::Trace) + Send + 'static) -> Object<T, S> {
        self.observer = Some(Observer::new(observer));
        self
    }

    /// How to search each test: a text of the grammar, or a [`Search`].
    pub fn search(mut self, search: impl IntoSearch) -> Object<T, S> {
        match search.into_search() {
            Ok(search) => self.effort.search = search,
            Err(message) => drop(self.wrong.get_or_insert(message)),
        }
        self
    }

    /// What tests are drawn from, and what random searches start from.
    pub fn seed(mut self, seed: u64) -> Object<T, S> {
        self.effort.seed = seed;
        self
    }

    /// So many threads with so many calls each in the drawn tests; 3 and 3 if nothing is said.
    pub fn size(mut self, threads: usize, calls: usize) -> Object<T, S> {
        self.effort.shape = Shape { threads, calls, ..self.effort.shape };
        self
    }

    /// At most so many calls of the main thread before and after the threads; 2 and 3 if nothing is said.
    pub fn around(mut self, before: usize, after: usize) -> Object<T, S> {
        self.effort.shape = Shape { before, after, ..self.effort.shape };
        self
    }

    /// Are small tests tried first? They are if nothing is said.
    pub fn small(mut self, first: bool) -> Object<T, S> {
        self.effort.small = first;
        self
    }

    /// At most so many drawn tests; 100 if nothing is said.
    pub fn tests(mut self, most: u64) -> Object<T, S> {
        self.effort.tests = most;
        self
    }

    /// At most so many executions of each test; 1,000 if nothing is said.
    pub fn executions(mut self, most: u64) -> Object<T, S> {
        self.effort.executions = most;
        self
    }

    /// At most so many steps in one execution.
    pub fn steps(mut self, most: u32) -> Object<T, S> {
        self.effort.steps = Some(most);
        self
    }

    /// At most so much time for all tests.
    pub fn time(mut self, most: Duration) -> Object<T, S> {
        self.effort.time = Some(most);
        self
    }

    /// At most so many executions to make the execution that is shown small with.
    pub fn minimise(mut self, executions: u64) -> Object<T, S> {
        self.effort.minimise = Some(executions);
        self
    }

    /// Only this test, as a report names it.
    pub fn test(mut self, test: &str) -> Object<T, S> {
        self.effort.only = Test::parse(test);
        if self.effort.only.is_none() {
            self.wrong.get_or_insert_with(|| {
                format!("{test:?} is no test: it has the form BEFORE;THREAD|THREAD;AFTER, with calls as OPERATION.ARGUMENT by number, such as \";0.0|1.0;\"")
            });
        }
        self
    }

    /// The name of the test; failures are saved under it.
    pub fn name(mut self, name: impl Into<String>) -> Object<T, S> {
        self.name = name.into();
        self
    }
}

/// Lets calls be numbered per object and shared with executions.
pub(super) type Shared<T, S> = Arc<Object<T, S>>;
