//! Programs by chance.

use super::program::{Program, Stmt};

/// Chance that can be repeated: xorshift64*.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03);
        for _ in 0..4 {
            chance.below(2);
        }
        chance
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 |= u64::from(self.0 == 0);
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// Which kinds of object a program uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Atomics,
    Mutexes,
    RwLocks,
    Semaphores,
    Channels,
    Condvars,
    Barriers,
    Onces,
    Arcs,
    Lives,
    Timed,
    Futexes,
    Cancels,
    Spins,
}

impl Family {
    pub const ALL: [Family; 14] = [
        Family::Atomics,
        Family::Mutexes,
        Family::RwLocks,
        Family::Semaphores,
        Family::Channels,
        Family::Condvars,
        Family::Barriers,
        Family::Onces,
        Family::Arcs,
        Family::Lives,
        Family::Timed,
        Family::Futexes,
        Family::Cancels,
        Family::Spins,
    ];
}

struct Maker<'a> {
    chance: &'a mut Chance,
    families: Vec<Family>,
    threads: u64,
    variables: u64,
    /// Ops that may still be made in this body.
    left: u64,
    me: u64,
    deep: u32,
}

impl Maker<'_> {
    fn block(&mut self, most: u64) -> Vec<Stmt> {
        let n = 1 + self.chance.below(most);
        (0..n).filter_map(|_| self.stmt()).collect()
    }

    fn maybe(&mut self, most: u64) -> Vec<Stmt> {
        if self.left == 0 || self.deep > 2 || self.chance.one_in(3) {
            return Vec::new();
        }
        self.deep += 1;
        let block = self.block(most);
        self.deep -= 1;
        block
    }

    fn stmt(&mut self) -> Option<Stmt> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let family = if self.chance.one_in(3) {
            Family::Atomics
        } else {
            let n = self.families.len() as u64;
            self.families[self.chance.below(n) as usize]
        };
        let v = self.chance.below(self.variables) as u8;
        let two = self.chance.below(2) as u8;
        let k = 1 + self.chance.below(2);
        Some(match family {
            Family::Atomics => match self.chance.below(12) {
                0..3 => Stmt::Load(v),
                3..5 => Stmt::Store(v, k),
                5 => Stmt::Add(v, k),
                6 => Stmt::Swap(v, k),
                7 => Stmt::Cas(v, self.chance.below(2), k),
                8 => Stmt::CasWeak(v, self.chance.below(2), k),
                9 => Stmt::Copy(v, self.chance.below(2)),
                10 => Stmt::If(self.chance.below(3), self.maybe(2)),
                _ => self.other(),
            },
            Family::Mutexes => match self.chance.below(3) {
                0 | 1 => Stmt::Lock(two, self.maybe(2)),
                _ => Stmt::TryLock(two, self.maybe(2), self.maybe(1)),
            },
            Family::RwLocks => match self.chance.below(8) {
                0..3 => Stmt::Read(two, self.maybe(2)),
                3..5 => Stmt::Write(two, self.maybe(2)),
                5 => Stmt::TryRead(two, self.maybe(2), self.maybe(1)),
                6 => Stmt::TryWrite(two, self.maybe(2), self.maybe(1)),
                _ => Stmt::Downgrade(two, self.maybe(1), self.maybe(1)),
            },
            Family::Semaphores => match self.chance.below(6) {
                0 => Stmt::Acquire(two),
                1 | 2 => Stmt::TryAcquire(two),
                _ => Stmt::Release(two, k),
            },
            Family::Channels => {
                let c = self.chance.below(4) as u8;
                // Only main receives, as with std's channels.
                let sends = self.me != 0;
                match (sends, self.chance.below(12)) {
                    (true, 0..5) => Stmt::Send(c, k),
                    (true, 5..10) => Stmt::TrySend(c, k),
                    (false, 0..3) => Stmt::Receive(c),
                    (false, 3..7) => Stmt::TryReceive(c),
                    (false, 7..10) => Stmt::ReceiveTimed(c),
                    (false, 10) => Stmt::DropReceiver(c),
                    _ => Stmt::DropSender(c),
                }
            }
            Family::Condvars => match self.chance.below(7) {
                0 => Stmt::Wait(two, self.maybe(1)),
                1 | 2 => Stmt::WaitTimed(two, self.maybe(1)),
                3 | 4 => Stmt::NotifyOne(two),
                5 => Stmt::NotifyAll(two),
                _ => Stmt::Lock(two, self.maybe(2)),
            },
            Family::Barriers => Stmt::Barrier(two, self.chance.one_in(2)),
            Family::Onces => match self.chance.below(4) {
                0 | 1 => Stmt::Once(two, self.maybe(1)),
                2 => Stmt::OncePeek(two),
                _ => Stmt::OnceWait(two),
            },
            Family::Arcs => match self.chance.below(3) {
                0 => Stmt::Clone(two, self.maybe(2)),
                1 => Stmt::Upgrade(two, self.maybe(2)),
                _ => Stmt::Count(two),
            },
            Family::Lives => match self.chance.below(7) {
                0 => Stmt::Park,
                1 | 2 => Stmt::ParkTimed,
                3 if self.me > 0 => Stmt::Unpark(0),
                3 | 4 => Stmt::Unpark(self.earlier()),
                5 => Stmt::IsFinished(self.earlier()),
                _ => Stmt::Spawn(self.maybe(2)),
            },
            Family::Timed => match self.chance.below(9) {
                0 | 1 => Stmt::LockTimed(two, self.maybe(2), self.maybe(1)),
                2 => Stmt::Lock(two, self.maybe(2)),
                3 => Stmt::ReadTimed(two, self.maybe(1), self.maybe(1)),
                4 => Stmt::WriteTimed(two, self.maybe(1), self.maybe(1)),
                5 => Stmt::AcquireTimed(two),
                6 => Stmt::Permits(two),
                7 => Stmt::Acquire(two),
                _ => Stmt::Release(two, k),
            },
            Family::Futexes => match self.chance.below(8) {
                0 | 1 => Stmt::FutexWait(two, 1 + self.chance.below(3)),
                2 | 3 => Stmt::FutexWaitTimed(two, 1 + self.chance.below(3)),
                4 | 5 => Stmt::FutexWake(two, k, 1 + self.chance.below(3)),
                6 => Stmt::FutexWake(two, 9, 3),
                _ => Stmt::FutexRequeue(two, self.chance.below(2), k),
            },
            Family::Cancels => match self.chance.below(10) {
                0..3 => Stmt::Cancel(self.earlier()),
                3 => Stmt::TestCancel,
                4 | 5 => Stmt::AcquireHeeding(two),
                6 if self.me > 1 || self.me == 0 => Stmt::JoinHeeding(self.earlier().max(1)),
                6 => Stmt::AcquireTimedHeeding(two),
                7 => Stmt::WaitHeeding(two, self.maybe(1)),
                8 => match self.chance.below(3) {
                    0 => Stmt::WaitTimedHeeding(two, self.maybe(1)),
                    1 => Stmt::NotifyOne(two),
                    _ => Stmt::NotifyAll(two),
                },
                _ => Stmt::Release(two, 1),
            },
            Family::Spins => match self.chance.below(7) {
                0 | 1 => Stmt::Spin(v, self.chance.below(2)),
                2 => Stmt::SpinSwap(v),
                3 => Stmt::SpinStore(v, self.chance.below(self.variables) as u8, self.chance.below(2)),
                4 => Stmt::Store(v, self.chance.below(2)),
                _ => Stmt::Swap(v, self.chance.below(2)),
            },
        })
    }

    fn other(&mut self) -> Stmt {
        match self.chance.below(4) {
            0 | 1 => Stmt::Choose(2),
            2 => [Stmt::Yield, Stmt::BackOff][self.chance.below(2) as usize].clone(),
            _ => Stmt::Spawn(self.maybe(2)),
        }
    }

    /// A thread whose handle this one can have: main has all, the others those spawned before.
    fn earlier(&mut self) -> u8 {
        let n = if self.me == 0 { self.threads } else { self.me };
        self.chance.below(n) as u8
    }
}

/// A program, by chance.
pub fn make(chance: &mut Chance, family: Family) -> Program {
    let threads = 2 + chance.below(2);
    let most = if threads == 2 { 5 } else { 4 };
    let mut families = vec![family];
    if chance.one_in(3) {
        families.push(Family::ALL[chance.below(Family::ALL.len() as u64 - 1) as usize]);
    }
    let variables = 1 + chance.below(3);
    let bodies = (0..threads)
        .map(|me| {
            let left = 1 + chance.below(most);
            let mut maker =
                Maker { chance, families: families.clone(), threads, variables, left, me, deep: 0 };
            maker.block(most)
        })
        .collect();
    Program {
        bodies,
        join: !chance.one_in(4),
        one_site: chance.one_in(2),
        weak_failures: chance.one_in(2),
        spurious_wakeups: chance.one_in(4),
    }
}

impl Program {
    /// The program with shorter bodies and more of them, more choices, and nothing to tell its objects apart by.
    pub fn denser(mut self, chance: &mut Chance) -> Program {
        self.bodies.iter_mut().for_each(|b| b.truncate(2));
        while self.bodies.len() < 4 {
            let like = 1 + chance.below(self.bodies.len() as u64 - 1) as usize;
            self.bodies.push(self.bodies[like].clone());
        }
        for body in &mut self.bodies {
            if chance.one_in(3) {
                let at = chance.below(body.len() as u64 + 1) as usize;
                body.insert(at, Stmt::Choose(2 + chance.below(2)));
            }
        }
        self.one_site = true;
        self.weak_failures = true;
        self
    }
}
