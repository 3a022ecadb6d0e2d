//! The host: creates threads under test, resumes them, and tears down what is left when an execution ends.

use super::panic::{PanicNote, TearDown, install_hook};
use super::snapshot::{Extent, HeapParts, Snapshot, host_stack};
use super::stack::Pool;
use super::storage::Storage;
use super::{CURRENT, Yield, overflow};
use crate::thread::{Local, drop_left_locals};
use crate::time::Clock;
use corosensei::stack::{DefaultStack, Stack};
use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult};
use gordian_model::conductor::Visit;
use gordian_model::{Conductor, Decision, Failure, FailureKind, Names, Plan, Reply, SiteId, ThreadId, Trace};
use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a thread is resumed for.
pub(super) enum Wake {
    Go,
    TearDown,
}

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

pub(super) type Co = Coroutine<Wake, (), (), DefaultStack>;

/// A thread under test.
#[derive(Default)]
pub(super) struct Task {
    pub(super) yielder: *const YieldPointer,
    base: usize,
    limit: usize,
    pub(super) stack_pointer: usize,
    /// The host performs the op it waits with.
    hosted: bool,
    snapshot: Snapshot,
    pub(super) last_panic: Option<PanicNote>,
}

type YieldPointer = Yield;

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
    /// The coroutines of the tasks; apart from them, because one is borrowed while it runs and its task is not.
    coroutines: Vec<Option<Co>>,
    pub(super) running: ThreadId,
    pub(super) request: Request,
    pub(super) decision: Decision,
    pub(super) reply: Reply,
    /// Threads that the running one has spawned and that the host does not know of yet.
    pub(super) newborns: Vec<(ThreadId, Co)>,
    /// Threads that have not begun; the last is the next to do so.
    unborn: Vec<ThreadId>,
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
    pool: Pool,
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
        runtime.pool.set_size(stack_size);
        runtime.shared.covered.clear();
        Engine { runtime: Some(runtime) }
    }

    fn runtime(&mut self) -> &mut Runtime {
        self.runtime.as_mut().expect("there until dropped")
    }

    /// Carries out one execution of `body`.
    pub(crate) fn run(&mut self, plan: &Plan, body: &dyn Fn()) -> &Trace {
        let runtime: *mut Runtime = &raw mut **self.runtime.as_mut().expect("there until dropped");
        // SAFETY: the box is ours, and nothing else uses the runtime while `execute` has it.
        unsafe {
            Runtime::execute(runtime, plan, body);
            &(*runtime).conductor.trace
        }
    }

    pub(crate) fn names(&self) -> &Names {
        &self.runtime.as_ref().expect("there until dropped").conductor.names
    }

    /// The markers that were reached in some execution.
    pub(crate) fn covered(&mut self) -> Vec<&'static str> {
        self.runtime().shared.covered.clone()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let runtime = self.runtime.take();
        IDLE.with(|idle| *idle.borrow_mut() = runtime);
    }
}

impl Runtime {
    fn new() -> Box<Runtime> {
        static PLACES: AtomicU64 = AtomicU64::new(0);
        Box::new(Runtime {
            conductor: Conductor::default(),
            tasks: Vec::new(),
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
            ours: Vec::new(),
            heap: HeapParts::default(),
            pool: Pool::default(),
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
                rt.conductor.begin(plan);
                rt.shared.clear();
                rt.silent = false;
                rt.tearing_down = false;
                rt.starting = false;
                rt.silent_ops = 0;
            }
            CURRENT.with(|c| c.set(rt));
            if let Some(main) = Runtime::create(rt, ThreadId::MAIN, || crate::thread::run_main(body)) {
                Runtime::admit(rt, ThreadId::MAIN, main);
                Runtime::resume(rt, ThreadId::MAIN, Wake::Go);
                Runtime::drive(rt);
            }
            Runtime::tear_down(rt);
            Runtime::drop_statics(rt);
            crate::thread::fail_if_unhandled();
            (*rt).conductor.close();
            LIVE[(*rt).place].store(0, Relaxed);
            CURRENT.with(|c| c.set(std::ptr::null_mut()));
        }
    }

    /// Makes the coroutine of a thread, possibly on the stack of another: the host puts it to the others. Without one there is
    /// no stack for it, and the execution has failed.
    ///
    /// # Safety
    /// As `execute`; and what `body` borrows outlives the thread.
    pub(super) unsafe fn create(rt: *mut Runtime, thread: ThreadId, body: impl FnOnce()) -> Option<Co> {
        // SAFETY: see `execute`.
        let runtime = unsafe { &mut *rt };
        let i = thread.index();
        if runtime.tasks.len() <= i {
            runtime.tasks.resize_with(i + 1, Task::default);
        }
        let stack = match runtime.pool.take() {
            Ok(stack) => stack,
            Err(error) => {
                let message = format!(
                    "no stack of {} bytes for {}: {error}; use smaller stacks with Checker::stack_size, or fewer threads",
                    runtime.pool.size(),
                    runtime.conductor.names.thread(thread)
                );
                runtime.conductor.fail(Failure::new(FailureKind::Misuse, message));
                return None;
            }
        };
        let task = &mut runtime.tasks[i];
        (task.base, task.limit) = (stack.base().get(), stack.limit().get());
        task.last_panic = None;
        task.hosted = false;
        let all = move |yielder: &Yield, wake: Wake| {
            // SAFETY: as in `super::step`; the coroutine runs only while the runtime lives.
            unsafe { (&mut (*rt).tasks)[i].yielder = yielder };
            if let Wake::Go = wake {
                body();
            }
            // SAFETY: as above.
            unsafe { (*rt).request = Request::Ended };
        };
        // SAFETY: what the body borrows outlives the coroutine: that is what the caller promises.
        Some(unsafe { Coroutine::with_stack_unchecked(stack, all) })
    }

    /// Puts a new coroutine to the others. Only the host does so, because it has lent itself one of them while a
    /// thread runs.
    unsafe fn admit(rt: *mut Runtime, thread: ThreadId, coroutine: Co) {
        // SAFETY: see `execute`.
        let runtime = unsafe { &mut *rt };
        let i = thread.index();
        if runtime.coroutines.len() <= i {
            runtime.coroutines.resize_with(i + 1, || None);
        }
        if runtime.coroutines[i].is_some() {
            // Only a plan that was tampered with has two threads of one name.
            let name = runtime.conductor.names.thread(thread);
            let message = format!("two threads are named {name}: the plan is damaged");
            runtime.conductor.fail(Failure::new(FailureKind::Misuse, message));
        } else {
            runtime.coroutines[i] = Some(coroutine);
        }
    }

    /// Lets a thread run until it suspends or ends.
    #[inline(always)]
    unsafe fn resume(rt: *mut Runtime, thread: ThreadId, wake: Wake) {
        // SAFETY: see `execute`. Nothing but the host touches `coroutines`, and the host waits here.
        unsafe {
            (*rt).running = thread;
            let place = &mut (&mut (*rt).coroutines)[thread.index()];
            let coroutine = place.as_mut().expect("only suspended threads are resumed");
            if let CoroutineResult::Return(()) = coroutine.resume(wake) {
                Runtime::bury(rt, thread);
            }
        }
    }

    /// Takes back the stack of a thread that has ended.
    #[inline(never)]
    unsafe fn bury(rt: *mut Runtime, thread: ThreadId) {
        // SAFETY: see `execute`.
        let rt = unsafe { &mut *rt };
        let stack = rt.coroutines[thread.index()].take().expect("it was just there").into_stack();
        rt.pool.give(stack);
        if overflow::happened() {
            rt.request = Request::Over;
            let failure = overflow_failure(&rt.conductor.names, thread, rt.pool.size());
            rt.conductor.fail(failure);
        }
    }

    /// Resumes threads in the order that the conductor decides, until the execution is over.
    unsafe fn drive(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            loop {
                // The most frequent by far, and not to be guessed by way of a table.
                let decision = if (*rt).request == Request::Switch {
                    (*rt).decision
                } else {
                    match (*rt).request {
                        Request::Switch | Request::Ended | Request::Started => Runtime::decide(rt),
                        Request::Start => {
                            Runtime::settle(rt);
                            continue;
                        }
                        Request::Step => {
                            Runtime::announce_for(rt);
                            Runtime::decide(rt)
                        }
                        Request::Over | Request::GiveUp => Decision::End,
                    }
                };
                let Decision::Run(next) = decision else { return };
                if std::mem::take(&mut (&mut (*rt).tasks)[next.index()].hosted) {
                    (*rt).reply = (*rt).conductor.perform(next);
                }
                Runtime::resume(rt, next, Wake::Go);
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
    unsafe fn decide(rt: *mut Runtime) -> Decision {
        // SAFETY: see `execute`.
        unsafe {
            Runtime::start_newborns(rt);
            Runtime::advance_released(rt);
            (*rt).conductor.decide()
        }
    }

    /// Runs newborn threads up to their first ops, then their parent again.
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
    unsafe fn start_newborns(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            let others = (*rt).unborn.len();
            Runtime::admit_newborns(rt);
            while (*rt).unborn.len() > others {
                let child = (*rt).unborn.pop().expect("there is one");
                if !(*rt).conductor.is_over() {
                    Runtime::advance(rt, child);
                }
            }
        }
    }

    /// Puts the coroutines of newborn threads to the others.
    unsafe fn admit_newborns(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        let rt = unsafe { &mut *rt };
        while let Some((child, coroutine)) = rt.newborns.pop() {
            // SAFETY: the host is running, so none of the coroutines is.
            unsafe { Runtime::admit(rt, child, coroutine) };
            rt.unborn.push(child);
        }
    }

    /// Runs a thread, and the threads that it spawns, up to their next ops without deciding anything.
    unsafe fn advance(rt: *mut Runtime, thread: ThreadId) {
        // SAFETY: see `execute`.
        unsafe {
            let was_starting = std::mem::replace(&mut (*rt).starting, true);
            Runtime::resume(rt, thread, Wake::Go);
            // The thread that is resumed changes the request.
            #[allow(clippy::while_immutable_condition)]
            while (*rt).request == Request::Start {
                Runtime::settle(rt);
            }
            if (*rt).request == Request::Step {
                Runtime::announce_for(rt);
            }
            Runtime::start_newborns(rt);
            (*rt).starting = was_starting;
        }
    }

    /// Threads whose joins have come to an end go on to their next ops.
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
            let mut ours = std::mem::take(&mut rt.ours);
            ours.clear();
            ours.push(range(std::slice::from_ref(rt)));
            ours.push(range(&rt.tasks));
            ours.push(host_stack());
            rt.conductor.memory(&mut |start, end| ours.push((start, end)));
            let task = &mut rt.tasks[me.index()];
            let extent = Extent { pointer: task.stack_pointer, limit: task.limit, base: task.base };
            rt.heap.look_up();
            let same = task.snapshot.renew(extent, &rt.heap, &ours);
            rt.ours = ours;
            if again {
                rt.conductor.probed(me, same);
            }
        }
    }

    /// Unwinds every thread that is still suspended, youngest first, so that its values are dropped.
    unsafe fn tear_down(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            (*rt).silent = true;
            (*rt).tearing_down = true;
            // Those that have not begun are dropped as they are, in their turn.
            Runtime::admit_newborns(rt);
            (*rt).unborn.clear();
            for i in (0..(*rt).coroutines.len()).rev() {
                if (&(*rt).coroutines)[i].is_none() {
                    continue;
                }
                let thread = ThreadId(i as u32);
                (*rt).silent_ops = 0;
                // One that unwinds already goes on with that: a second panic on top would end the process.
                let unwinding = (*rt).conductor.is_panicking(thread);
                let wake = if unwinding { Wake::Go } else { Wake::TearDown };
                // The unwinding ends in the body of the thread, unless it was dropping its thread-locals already.
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| Runtime::resume(rt, thread, wake)))
                    && !payload.is::<TearDown>()
                {
                    std::panic::resume_unwind(payload);
                }
                if let Some(mut coroutine) = (&mut (*rt).coroutines)[i].take() {
                    // It could not be unwound: what it holds is leaked.
                    coroutine.force_reset();
                    (*rt).pool.give(coroutine.into_stack());
                }
            }
            (*rt).tearing_down = false;
        }
    }

    /// Drops what statics and the thread-locals of threads that were torn down still hold.
    unsafe fn drop_statics(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            (*rt).running = ThreadId::MAIN;
            (*rt).silent = true;
            (*rt).silent_ops = 0;
            let shared = &(*rt).shared;
            if shared.storage.is_empty() && shared.locals.is_empty() {
                return;
            }
            // Dropping one value may bring others to life, so each is taken out by itself.
            let next = move || {
                drop_left_locals();
                let storage = &mut (*rt).shared.storage;
                match storage.pop() {
                    None => false,
                    Some((object, drop)) => {
                        *(*rt).conductor.object_mut(object) = gordian_model::object::Once::new().into();
                        drop();
                        true
                    }
                }
            };
            loop {
                let dropped = catch_unwind(AssertUnwindSafe(next));
                if let Ok(false) = dropped {
                    break;
                }
                if dropped.is_err() {
                    let note = (&mut (*rt).tasks)[0].last_panic.take();
                    let message = note.map_or_else(String::new, |n| n.message);
                    (*rt).conductor.fail_at_end(Failure::new(
                        FailureKind::Panic,
                        format!("the value of a static panicked when it was dropped at the end of the execution: {message}"),
                    ));
                }
            }
        }
    }
}

/// The memory that a slice takes up.
fn range<T>(slice: &[T]) -> (usize, usize) {
    let range = slice.as_ptr_range();
    (range.start as usize, range.end as usize)
}

/// The coroutine that this OS thread may be running, for a signal handler.
pub(super) fn running() -> Option<CoroutineTrapHandler<()>> {
    let rt = super::current();
    if rt.is_null() {
        return None;
    }
    // SAFETY: the runtime lives as long as it is current. The host has lent the coroutine to itself to resume it, and
    // waits for that; asking where its stack lies reads what nobody changes meanwhile.
    let rt = unsafe { &*rt };
    rt.coroutines.get(rt.running.index())?.as_ref().map(Coroutine::trap_handler)
}

fn overflow_failure(names: &Names, thread: ThreadId, size: usize) -> Failure {
    let message = format!(
        "stack overflow in {}: its stack of {} KiB is used up; if it needs more, give it more with Checker::stack_size",
        names.thread(thread),
        size / 1024
    );
    Failure::new(FailureKind::Crash, message).at(thread, SiteId::UNKNOWN)
}
