//! The runtime of an OS thread, and an execution from its beginning to its end.

use super::CURRENT;
use super::coroutines::{Task, Wake};
use super::ours::Ours;
use super::seat::Home;
use super::shared::{Shared, Sites};
use super::snapshot::HeapParts;
use super::stack::Pool;
use super::watch::{self, Watch};
use gordian_model::{Conductor, Decision, Plan, Reply, ThreadId};
use std::ops::Range;
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

/// Everything an OS thread needs to carry out executions.
pub(super) struct Runtime {
    pub(super) conductor: Conductor,
    pub(super) tasks: Vec<Task>,
    /// How many of them are live.
    pub(super) live: usize,
    /// How many have left something that nobody has taken.
    pub(super) left: usize,
    pub(super) running: ThreadId,
    /// Where the host waits while a thread runs.
    pub(super) home: Home,
    /// What threads are resumed for.
    pub(super) wake: Wake,
    /// The running thread has left its stack, and cannot go back there.
    pub(super) fallen: bool,
    pub(super) request: Request,
    pub(super) decision: Decision,
    pub(super) reply: Reply,
    /// Threads that the running one has spawned and that the host does not know of yet.
    pub(super) newborns: Vec<ThreadId>,
    /// Threads that have not begun; the last is the next to do so.
    pub(super) unborn: Vec<ThreadId>,
    /// The running thread comes to its next op and no further.
    pub(super) starting: bool,
    /// Threads start each other, without the host, until all have come to their ops.
    pub(super) chain: bool,
    /// The thread that leaves its op to the host is to suspend once more before it is announced.
    pub(super) twice: bool,
    pub(super) silent: bool,
    pub(super) tearing_down: bool,
    pub(super) silent_ops: u32,
    /// The number of the execution, and those for the next ones.
    pub(super) epoch: u64,
    epochs: Range<u64>,
    pub(super) sites: Sites,
    pub(super) shared: Shared,
    /// Memory that the runtime writes to, for snapshots.
    pub(super) ours: Option<Ours>,
    pub(super) heap: HeapParts,
    pub(super) pool: Pool,
    /// A debugger looks at the execution. All deciding is then left to the host.
    pub(super) watch: Option<Box<Watch>>,
    /// All switches go through the host, as where threads cannot let each other go on.
    #[cfg(test)]
    pub(super) relayed: bool,
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

impl Runtime {
    pub(super) fn new() -> Box<Runtime> {
        static PLACES: AtomicU64 = AtomicU64::new(0);
        Box::new(Runtime {
            conductor: Conductor::default(),
            tasks: Vec::new(),
            live: 0,
            left: 0,
            running: ThreadId::MAIN,
            home: Home::default(),
            wake: Wake::Go,
            fallen: false,
            request: Request::Ended,
            decision: Decision::End,
            reply: Reply::DONE,
            newborns: Vec::new(),
            unborn: Vec::new(),
            starting: false,
            chain: false,
            twice: false,
            silent: false,
            tearing_down: false,
            silent_ops: 0,
            epoch: 0,
            epochs: 0..0,
            sites: Sites::default(),
            shared: Shared::default(),
            ours: Some(Ours::default()),
            heap: HeapParts::default(),
            pool: Pool::default(),
            watch: None,
            #[cfg(test)]
            relayed: false,
            place: PLACES.fetch_add(1, Relaxed) as usize % LIVE.len(),
        })
    }

    /// Takes new numbers, and gives the first. Several at a time, because others may take some too, and to see to that takes as long as a few
    /// steps.
    #[cold]
    fn take_epochs(&mut self) -> u64 {
        const SEVERAL: u64 = 256;
        let first = EPOCHS.fetch_add(SEVERAL, Relaxed);
        self.epochs = first + 1..first + SEVERAL;
        first
    }

    /// # Safety
    /// `rt` is valid and nobody else uses it. `body` outlives the call.
    pub(super) unsafe fn execute(rt: *mut Runtime, plan: &Plan, body: &dyn Fn()) {
        // SAFETY: as promised; references into `*rt` end before each resume.
        unsafe {
            {
                let rt = &mut *rt;
                rt.epoch = rt.epochs.next().unwrap_or_else(|| rt.take_epochs());
                LIVE[rt.place].store(rt.epoch, Relaxed);
                if rt.watch.is_some() {
                    // Whoever looks wants to see who could go on.
                    rt.conductor.forget();
                }
                rt.conductor.begin(plan);
                if rt.watch.is_some() {
                    rt.conductor.watch();
                }
                rt.shared.clear();
                rt.silent = false;
                rt.tearing_down = false;
                rt.starting = rt.watch.is_some();
                rt.chain = false;
                rt.silent_ops = 0;
            }
            CURRENT.with(|c| c.set(rt));
            if let Some(job) = (*rt).bring_up(ThreadId::MAIN) {
                job.put(|| crate::thread::run_main(body));
            }
            if (*rt).embody(ThreadId::MAIN) {
                Runtime::resume(rt, ThreadId::MAIN, Wake::Go);
                Runtime::drive(rt);
            }
            watch::at_end(rt);
            Runtime::wind_up(rt);
            (*rt).conductor.close();
            watch::at_end(rt);
            (*rt).keep_left();
            LIVE[(*rt).place].store(0, Relaxed);
            CURRENT.with(|c| c.set(std::ptr::null_mut()));
        }
    }
}
