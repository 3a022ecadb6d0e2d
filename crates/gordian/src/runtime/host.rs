//! The host: starts threads under test and resumes them in the order that the conductor decides.

use super::coroutines::{Co, Task, Wake};
use super::outside::Outside;
use super::panic::{PanicNote, install_hook};
use super::snapshot::{Extent, HeapParts, host_stack};
use super::stack::Pool;
use super::storage::Storage;
use super::watch::{self, Debugged, Watch};
use super::{CURRENT, overflow};
use crate::thread::Local;
use crate::time::Clock;
use gordian_model::conductor::Visit;
use gordian_model::{Conductor, Decision, End, Names, Plan, Reply, SiteId, ThreadId, Trace};
use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a thread that suspended wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Request {
    /// The thread has come to its end.
    #[default]
    Ended,
    /// It has announced an op; the decision has been made.
    Switch,
    /// It has come to its next op, or to a join, and has left deciding to the host.
    Started,
    /// It has written down an op, to be announced and performed by the host.
    Step,
    /// It goes on when the threads in `newborns` have come to their first ops.
    Start,
    /// The execution is over.
    Over,
    /// It cannot be unwound.
    GiveUp,
}

/// How far the panic of a thread has been dealt with.
pub(crate) struct Panicked {
    pub(crate) thread: ThreadId,
    pub(crate) note: PanicNote,
    pub(crate) handled: bool,
}

/// What all threads of an execution share besides the conductor.
#[derive(Default)]
pub(crate) struct Shared {
    /// Values that live as long as the execution.
    pub(super) storage: Storage,
    /// Objects whose tags belong to an execution that runs beside this one, by the address of the tag.
    pub(super) contended: HashMap<usize, u32, BuildHasherDefault<DefaultHasher>>,
    /// Objects that an earlier execution has used.
    pub(super) older: HashSet<u32, BuildHasherDefault<DefaultHasher>>,
    /// Thread-local values.
    pub(crate) locals: Vec<Local>,
    pub(crate) panics: Vec<Panicked>,
    /// Names given by `thread::Builder`.
    pub(crate) thread_names: Vec<(ThreadId, String)>,
    /// References handed out as raw pointers: address and object.
    pub(crate) raw: Vec<(usize, u32)>,
    /// Virtual time of each thread.
    pub(crate) times: Vec<Clock>,
    /// Markers reached by `cover!`.
    pub(crate) covered: Vec<&'static str>,
}

impl Shared {
    fn clear(&mut self) {
        self.contended.clear();
        self.older.clear();
        self.locals.clear();
        self.panics.clear();
        self.thread_names.clear();
        self.raw.clear();
        self.times.clear();
    }
}

/// A cache from places in the source, by address, to their numbers.
pub(super) struct Sites {
    cache: Box<[(usize, SiteId); 256]>,
}

impl Sites {
    #[inline]
    pub(super) fn get(&mut self, location: &'static Location<'static>, names: &mut Names) -> SiteId {
        let address = std::ptr::from_ref(location) as usize;
        let entry = &mut self.cache[(address >> 3) & 255];
        if entry.0 != address {
            *entry = (address, names.intern(location.file(), location.line(), location.column()));
        }
        entry.1
    }
}

/// Everything an OS thread needs to carry out executions.
pub(super) struct Runtime {
    pub(super) conductor: Conductor,
    pub(super) tasks: Vec<Task>,
    /// How many of them are live.
    pub(super) live: usize,
    /// The coroutines of the tasks; apart from them, because one is borrowed while it runs and its task is not.
    pub(super) coroutines: Vec<Option<Co>>,
    pub(super) running: ThreadId,
    pub(super) request: Request,
    pub(super) decision: Decision,
    pub(super) reply: Reply,
    /// Threads that the running one has spawned and that the host does not know of yet.
    pub(super) newborns: Vec<ThreadId>,
    /// Threads that have not begun; the last is the next to do so.
    pub(super) unborn: Vec<ThreadId>,
    /// The running thread comes to its next op and no further.
    starting: bool,
    /// The thread that leaves its op to the host is to suspend once more before it is announced.
    pub(super) twice: bool,
    pub(super) silent: bool,
    pub(super) tearing_down: bool,
    pub(super) silent_ops: u32,
    pub(super) epoch: u64,
    pub(super) sites: Sites,
    pub(super) shared: Shared,
    /// Memory that the runtime writes to, for snapshots.
    ours: Vec<(usize, usize)>,
    heap: HeapParts,
    pub(super) pool: Pool,
    /// A debugger looks at the execution. All deciding is then left to the host.
    pub(super) watch: Option<Box<Watch>>,
    place: usize,
}

/// The executions that are running now, one place for each OS thread that searches.
static LIVE: [AtomicU64; 256] = [const { AtomicU64::new(0) }; 256];
static EPOCHS: AtomicU64 = AtomicU64::new(1);

/// Is the execution with this number running?
pub(super) fn is_live(epoch: u64) -> bool {
    LIVE.iter().any(|place| place.load(Relaxed) == epoch)
}

/// Is an execution other than this one running?
pub(super) fn others_are_live(epoch: u64) -> bool {
    LIVE.iter().map(|place| place.load(Relaxed)).any(|live| live != 0 && live != epoch)
}

thread_local! {
    /// The runtime of this OS thread, kept for the next check.
    static IDLE: RefCell<Option<Box<Runtime>>> = const { RefCell::new(None) };
}

/// Carries out executions on this OS thread.
pub(crate) struct Engine {
    runtime: Option<Box<Runtime>>,
    /// What the executions did outside of control.
    pub(crate) outside: Outside,
}

impl Engine {
    /// An engine for one search. Names start afresh, or are taken over from a plan that was saved.
    pub(crate) fn new(stack_size: usize, names: Option<Names>) -> Engine {
        install_hook();
        overflow::install();
        let mut runtime = IDLE.with(|idle| idle.borrow_mut().take()).unwrap_or_else(Runtime::new);
        match names {
            Some(names) => {
                runtime.conductor.names = names;
                runtime.sites.cache.fill((0, SiteId::UNKNOWN));
            }
            None => runtime.conductor.names.forget_threads(),
        }
        runtime.heap.forget();
        runtime.conductor.forget();
        runtime.set_stack_size(stack_size);
        runtime.shared.covered.clear();
        Engine { runtime: Some(runtime), outside: Outside::default() }
    }

    fn runtime(&mut self) -> &mut Runtime {
        self.runtime.as_mut().expect("there until dropped")
    }

    /// Carries out one execution of `body`.
    pub(crate) fn run(&mut self, plan: &Plan, body: &dyn Fn()) -> &Trace {
        self.run_named(plan, body).0
    }

    pub(crate) fn run_named(&mut self, plan: &Plan, body: &dyn Fn()) -> (&Trace, &Names) {
        let runtime: *mut Runtime = &raw mut **self.runtime.as_mut().expect("there until dropped");
        self.outside.begin();
        // SAFETY: the box is ours, and nothing else uses the runtime while `execute` has it.
        unsafe {
            Runtime::execute(runtime, plan, body);
            (&(*runtime).conductor.trace, &(*runtime).conductor.names)
        }
    }

    /// Lets the last execution end otherwise.
    pub(crate) fn rule(&mut self, end: End) {
        self.runtime().conductor.trace.end = end;
    }

    /// What the last execution did.
    pub(crate) fn trace(&self) -> &Trace {
        &self.runtime.as_ref().expect("there until dropped").conductor.trace
    }

    pub(crate) fn names(&self) -> &Names {
        &self.runtime.as_ref().expect("there until dropped").conductor.names
    }

    /// Lets a debugger stop the next execution before a step.
    pub(crate) fn watch(&mut self, debugged: Debugged) {
        self.runtime().watch = Some(Watch::new(debugged));
    }

    /// The markers that were reached in some execution.
    pub(crate) fn covered(&mut self) -> Vec<&'static str> {
        self.runtime().shared.covered.clone()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let mut runtime = self.runtime.take();
        if let Some(runtime) = &mut runtime {
            runtime.watch = None;
            runtime.rest();
        }
        IDLE.with(|idle| *idle.borrow_mut() = runtime);
    }
}

impl Runtime {
    fn new() -> Box<Runtime> {
        static PLACES: AtomicU64 = AtomicU64::new(0);
        Box::new(Runtime {
            conductor: Conductor::default(),
            tasks: Vec::new(),
            live: 0,
            coroutines: Vec::new(),
            running: ThreadId::MAIN,
            request: Request::Ended,
            decision: Decision::End,
            reply: Reply::DONE,
            newborns: Vec::new(),
            unborn: Vec::new(),
            starting: false,
            twice: false,
            silent: false,
            tearing_down: false,
            silent_ops: 0,
            epoch: 0,
            sites: Sites { cache: Box::new([(0, SiteId::UNKNOWN); 256]) },
            shared: Shared::default(),
            // With room, as for snapshots.
            ours: Vec::with_capacity(512),
            heap: HeapParts::default(),
            pool: Pool::default(),
            watch: None,
            place: PLACES.fetch_add(1, Relaxed) as usize % LIVE.len(),
        })
    }

    /// # Safety
    /// `rt` is valid and nobody else uses it. `body` outlives the call.
    unsafe fn execute(rt: *mut Runtime, plan: &Plan, body: &dyn Fn()) {
        // SAFETY: as promised; references into `*rt` end before each resume.
        unsafe {
            {
                let rt = &mut *rt;
                rt.epoch = EPOCHS.fetch_add(1, Relaxed);
                LIVE[rt.place].store(rt.epoch, Relaxed);
                if rt.watch.is_some() {
                    // Whoever looks wants to see who could go on.
                    rt.conductor.forget();
                }
                rt.conductor.begin(plan);
                rt.shared.clear();
                rt.silent = false;
                rt.tearing_down = false;
                rt.starting = rt.watch.is_some();
                rt.silent_ops = 0;
            }
            CURRENT.with(|c| c.set(rt));
            (*rt).bring_up(ThreadId::MAIN, || crate::thread::run_main(body));
            if (*rt).embody(ThreadId::MAIN) {
                Runtime::resume(rt, ThreadId::MAIN, Wake::Go);
                Runtime::drive(rt);
            }
            watch::at_end(rt);
            Runtime::tear_down(rt);
            Runtime::drop_statics(rt);
            crate::thread::fail_if_unhandled();
            (*rt).conductor.close();
            watch::at_end(rt);
            LIVE[(*rt).place].store(0, Relaxed);
            CURRENT.with(|c| c.set(std::ptr::null_mut()));
        }
    }

    /// Resumes threads in the order that the conductor decides, until the execution is over.
    unsafe fn drive(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            loop {
                // Most often the thread has decided.
                let decision =
                    if (*rt).request == Request::Switch { (*rt).decision } else { Runtime::answer(rt) };
                let Decision::Run(next) = decision else { return };
                (*rt).conductor.switch_to(next);
                if std::mem::take(&mut (&mut (*rt).tasks)[next.index()].hosted) {
                    watch::before_step(rt, next, false);
                    (*rt).reply = (*rt).conductor.perform(next);
                }
                Runtime::resume(rt, next, Wake::Go);
            }
        }
    }

    /// Does what the running thread wants, then decides.
    ///
    /// This, and what it calls in the usual case, is inlined: every return to what was called before a switch is one that the
    /// processor predicts wrongly.
    #[inline(always)]
    unsafe fn answer(rt: *mut Runtime) -> Decision {
        // SAFETY: see `execute`.
        unsafe {
            loop {
                match (*rt).request {
                    Request::Switch => return (*rt).decision,
                    Request::Ended | Request::Started => return Runtime::decide(rt),
                    Request::Start => Runtime::settle(rt),
                    Request::Step => {
                        Runtime::announce_for(rt);
                        return Runtime::decide(rt);
                    }
                    Request::Over | Request::GiveUp => return Decision::End,
                }
            }
        }
    }

    /// Is deciding left to the host? It is while threads have not come to their first or next ops.
    ///
    /// # Safety
    /// As `execute`.
    #[inline]
    pub(super) unsafe fn is_held(rt: *mut Runtime) -> bool {
        // SAFETY: see `execute`.
        unsafe { (*rt).starting || !(*rt).newborns.is_empty() }
    }

    /// Which thread steps next, when all have come to their ops?
    #[inline(always)]
    unsafe fn decide(rt: *mut Runtime) -> Decision {
        // SAFETY: see `execute`.
        unsafe {
            Runtime::start_newborns(rt);
            Runtime::advance_released(rt);
            (*rt).conductor.decide()
        }
    }

    /// Runs newborn threads up to their first ops, then their parent again.
    #[inline(never)]
    unsafe fn settle(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            let parent = (*rt).running;
            Runtime::start_newborns(rt);
            if (*rt).conductor.is_over() {
                (*rt).request = Request::Over;
            } else {
                Runtime::resume(rt, parent, Wake::Go);
            }
        }
    }

    /// Runs newborn threads up to their first ops, the oldest first, and each one's own before the next.
    #[inline(always)]
    unsafe fn start_newborns(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            if (*rt).newborns.is_empty() {
                return;
            }
            let others = (*rt).unborn.len();
            while let Some(child) = (*rt).newborns.pop() {
                (*rt).unborn.push(child);
            }
            while (*rt).unborn.len() > others {
                let child = (*rt).unborn.pop().expect("there is one");
                if !(*rt).conductor.is_over() && (*rt).embody(child) {
                    Runtime::advance(rt, child);
                }
            }
        }
    }

    /// Runs a thread, and the threads that it spawns, up to their next ops without deciding anything.
    #[inline(always)]
    unsafe fn advance(rt: *mut Runtime, thread: ThreadId) {
        // SAFETY: see `execute`.
        unsafe {
            let was_starting = std::mem::replace(&mut (*rt).starting, true);
            Runtime::resume(rt, thread, Wake::Go);
            if matches!((*rt).request, Request::Start | Request::Step) || !(*rt).newborns.is_empty() {
                Runtime::go_on_advancing(rt);
            }
            (*rt).starting = was_starting;
        }
    }

    /// The thread that was advanced wants something, or has spawned others. A call of its own, so that a thread that is looked at
    /// here, before anything was decided, differs by where it was resumed from what it is at its next ops.
    #[inline(never)]
    unsafe fn go_on_advancing(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            // The thread that is resumed changes the request.
            #[allow(clippy::while_immutable_condition)]
            while (*rt).request == Request::Start {
                Runtime::settle(rt);
            }
            if (*rt).request == Request::Step {
                Runtime::announce_for(rt);
            }
            Runtime::start_newborns(rt);
        }
    }

    /// Threads whose joins have come to an end go on to their next ops.
    #[inline(always)]
    unsafe fn advance_released(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            while let Some(thread) = (*rt).conductor.next_released() {
                if (*rt).conductor.is_over() {
                    return;
                }
                Runtime::advance(rt, thread);
            }
        }
    }

    /// Announces the op that the running thread has left to the host.
    #[inline(never)]
    unsafe fn announce_for(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            let me = (*rt).running;
            Runtime::resume(rt, me, Wake::Go);
            (*rt).twice = false;
            (&mut (*rt).tasks)[me.index()].hosted = true;
            if let Visit::Probe { again } = (*rt).conductor.announce_draft(me) {
                Runtime::probe(rt, again);
            }
        }
    }

    /// Compares what the running thread, which has just suspended, holds on its stack.
    unsafe fn probe(rt: *mut Runtime, again: bool) {
        // SAFETY: see `execute`; the running thread has just suspended, so its stack is at rest and mapped.
        unsafe {
            let rt = &mut *rt;
            let me = rt.running;
            rt.tasks[me.index()].snapshot.prepare();
            let mut ours = std::mem::take(&mut rt.ours);
            ours.clear();
            ours.push(range(std::slice::from_ref(rt)));
            ours.push(range(&rt.tasks));
            ours.push(range(&rt.coroutines));
            ours.push(host_stack());
            rt.conductor.memory(&mut |start, end| ours.push((start, end)));
            rt.heap.memory(&mut |start, end| ours.push((start, end)));
            for task in &rt.tasks {
                task.snapshot.memory(&mut |start, end| ours.push((start, end)));
            }
            // What is empty hides nothing, and the list itself is written to.
            ours.retain(|&(start, end)| start < end);
            ours.push((
                ours.as_ptr() as usize,
                ours.as_ptr() as usize + ours.capacity() * size_of::<(usize, usize)>(),
            ));
            let task = &mut rt.tasks[me.index()];
            let extent = Extent { pointer: task.stack_pointer, limit: task.limit, base: task.base };
            let same = task.snapshot.renew(extent, &mut rt.heap, &ours);
            rt.ours = ours;
            if again {
                rt.conductor.probed(me, same);
            }
        }
    }
}

/// The memory that a slice takes up.
fn range<T>(slice: &[T]) -> (usize, usize) {
    let range = slice.as_ptr_range();
    (range.start as usize, range.end as usize)
}
