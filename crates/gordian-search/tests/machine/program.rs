//! The language of small concurrent programs, and how they are printed.

use gordian_model::Plan;
use std::fmt;

/// One statement. Numbers name the object of its kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    Load(u8),
    Store(u8, u64),
    /// Stores what was read last, plus something.
    Copy(u8, u64),
    Add(u8, u64),
    Swap(u8, u64),
    Cas(u8, u64, u64),
    CasWeak(u8, u64, u64),
    /// If the value read last is this one.
    If(u64, Vec<Stmt>),
    /// Loads until the value is this one.
    Spin(u8, u64),
    /// Swaps in a one until there was a nought: takes a lock made of a flag.
    SpinSwap(u8),
    /// Stores a one into the second until the first is this one.
    SpinStore(u8, u8, u64),
    Lock(u8, Vec<Stmt>),
    TryLock(u8, Vec<Stmt>, Vec<Stmt>),
    Read(u8, Vec<Stmt>),
    TryRead(u8, Vec<Stmt>, Vec<Stmt>),
    Write(u8, Vec<Stmt>),
    /// Takes for writing, then keeps a share.
    Downgrade(u8, Vec<Stmt>, Vec<Stmt>),
    TryWrite(u8, Vec<Stmt>, Vec<Stmt>),
    Acquire(u8),
    TryAcquire(u8),
    Release(u8, u64),
    Send(u8, u64),
    TrySend(u8, u64),
    Receive(u8),
    TryReceive(u8),
    ReceiveTimed(u8),
    DropSender(u8),
    DropReceiver(u8),
    /// Waits under the mutex of the same number.
    Wait(u8, Vec<Stmt>),
    WaitTimed(u8, Vec<Stmt>),
    NotifyOne(u8),
    NotifyAll(u8),
    Barrier(u8, bool),
    Once(u8, Vec<Stmt>),
    OncePeek(u8),
    OnceWait(u8),
    Clone(u8, Vec<Stmt>),
    Upgrade(u8, Vec<Stmt>),
    Count(u8),
    Park,
    ParkTimed,
    Unpark(u8),
    IsFinished(u8),
    LockTimed(u8, Vec<Stmt>, Vec<Stmt>),
    ReadTimed(u8, Vec<Stmt>, Vec<Stmt>),
    WriteTimed(u8, Vec<Stmt>, Vec<Stmt>),
    AcquireTimed(u8),
    Permits(u8),
    /// Waits for a wake-up that is meant for these bits.
    FutexWait(u8, u64),
    FutexWaitTimed(u8, u64),
    /// Wakes so many with these bits.
    FutexWake(u8, u64, u64),
    /// Wakes so many, and lets so many wait at the other.
    FutexRequeue(u8, u64, u64),
    /// Asks a thread to end, which goes on all the same.
    Cancel(u8),
    TestCancel,
    /// These can be called out of their waits.
    AcquireHeeding(u8),
    AcquireTimedHeeding(u8),
    WaitHeeding(u8, Vec<Stmt>),
    WaitTimedHeeding(u8, Vec<Stmt>),
    /// Waits for a thread that was spawned before.
    JoinHeeding(u8),
    Choose(u64),
    Yield,
    /// Two hints in a row, which are one pause.
    BackOff,
    /// A thread of one's own, joined at the end.
    Spawn(Vec<Stmt>),
}

/// The capacity of each channel.
pub const CAPACITIES: [Option<u32>; 4] = [None, Some(1), Some(0), Some(2)];

/// A program: what main does, then what each thread it spawned does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub bodies: Vec<Vec<Stmt>>,
    /// Main waits for the others.
    pub join: bool,
    /// All objects of a kind are created at one place.
    pub one_site: bool,
    pub weak_failures: bool,
    pub spurious_wakeups: bool,
}

impl Program {
    /// How it is run, when everything that it can do is to be seen.
    pub fn plan(&self) -> Plan {
        let mut plan = Plan::default();
        plan.limits.fair_rounds = 1000;
        plan.options.weak_failures = self.weak_failures;
        plan.options.spurious_wakeups = self.spurious_wakeups;
        plan.options.leaks = false;
        plan.options.count_steps = true;
        plan.options.end_steps = self.asks_for_ends();
        plan.options.cancels = true;
        plan
    }

    /// Does it ask whether threads have ended?
    pub fn asks_for_ends(&self) -> bool {
        let text = format!("{self:?}");
        text.contains("IsFinished") || text.contains("JoinHeeding")
    }

    /// Does it wait in loops?
    pub fn spins(&self) -> bool {
        format!("{self:?}").contains("Spin")
    }
}

impl Stmt {
    /// What is nested in it.
    pub fn blocks(&mut self) -> Vec<&mut Vec<Stmt>> {
        use Stmt::*;
        match self {
            If(_, a) | Lock(_, a) | Read(_, a) | Write(_, a) | Wait(_, a) | WaitTimed(_, a) => vec![a],
            WaitHeeding(_, a) | WaitTimedHeeding(_, a) => vec![a],
            Once(_, a) | Clone(_, a) | Upgrade(_, a) | Spawn(a) => vec![a],
            LockTimed(_, a, b) | ReadTimed(_, a, b) | WriteTimed(_, a, b) => vec![a, b],
            TryLock(_, a, b) | TryRead(_, a, b) | TryWrite(_, a, b) | Downgrade(_, a, b) => vec![a, b],
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Program { join, one_site, weak_failures, spurious_wakeups, .. } = self;
        writeln!(
            f,
            "join: {join}, one_site: {one_site}, weak: {weak_failures}, spurious: {spurious_wakeups}"
        )?;
        for (i, body) in self.bodies.iter().enumerate() {
            writeln!(f, "{} {{", if i == 0 { "main".to_owned() } else { format!("thread {i}") })?;
            show(f, body, 1)?;
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}

fn show(f: &mut fmt::Formatter<'_>, block: &[Stmt], depth: usize) -> fmt::Result {
    for stmt in block {
        let mut bare = stmt.clone();
        bare.blocks().into_iter().for_each(Vec::clear);
        let head = format!("{bare:?}").replace(", []", "").replace("([])", "");
        let mut stmt = stmt.clone();
        let blocks = stmt.blocks();
        if blocks.iter().all(|b| b.is_empty()) {
            writeln!(f, "{:1$}{head};", "", depth * 4)?;
            continue;
        }
        write!(f, "{:1$}{head}", "", depth * 4)?;
        for (i, block) in blocks.into_iter().enumerate() {
            writeln!(f, "{}", if i == 0 { " {" } else { " else {" })?;
            show(f, block, depth + 1)?;
            write!(f, "{:1$}}}", "", depth * 4)?;
        }
        writeln!(f)?;
    }
    Ok(())
}
