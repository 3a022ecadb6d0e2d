//! Programs compiled to little instructions, each with one op at most.

use super::program::{CAPACITIES, Program, Stmt};
use gordian_model::object::{
    Arc, Atomic, Barrier, Channel, Condvar, Futex, Mutex, Object, Once, RwLock, Semaphore,
};
use gordian_model::{OpKind, Rmw};

/// A shared thing, by kind and number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Thing {
    Nothing,
    Atomic(u8),
    Mutex(u8),
    RwLock(u8),
    Condvar(u8),
    Barrier(u8),
    Once(u8),
    Channel(u8),
    Semaphore(u8),
    Arc(u8),
    Futex(u8),
    Me,
    Thread(u8),
    Child(u8),
}

impl Thing {
    pub(super) fn kind(self) -> u32 {
        match self {
            Thing::Atomic(_) => 0,
            Thing::Mutex(_) => 1,
            Thing::RwLock(_) => 2,
            Thing::Condvar(_) => 3,
            Thing::Barrier(_) => 4,
            Thing::Once(_) => 5,
            Thing::Channel(_) => 6,
            Thing::Semaphore(_) => 7,
            Thing::Arc(_) => 8,
            Thing::Futex(_) => 9,
            _ => unreachable!("no object of its own"),
        }
    }

    pub(super) fn number(self) -> u32 {
        match self {
            Thing::Atomic(n) | Thing::Mutex(n) | Thing::RwLock(n) | Thing::Condvar(n) | Thing::Barrier(n) => {
                n.into()
            }
            Thing::Once(n) | Thing::Channel(n) | Thing::Semaphore(n) | Thing::Arc(n) | Thing::Futex(n) => {
                n.into()
            }
            _ => unreachable!("no object of its own"),
        }
    }

    pub(super) fn model(self, senders: u32) -> Object {
        match self {
            Thing::Atomic(_) => Atomic::new(0).into(),
            Thing::Mutex(_) => Mutex::new().into(),
            Thing::RwLock(_) => RwLock::new().into(),
            Thing::Condvar(_) => Condvar::new().into(),
            Thing::Barrier(_) => Barrier::new(2).into(),
            Thing::Once(_) => Once::new().into(),
            Thing::Channel(n) => {
                let mut channel = Channel::new(CAPACITIES[n as usize]);
                (0..senders).for_each(|_| channel.add_sender());
                channel.into()
            }
            Thing::Semaphore(n) => Semaphore::new(n.into()).into(),
            Thing::Arc(_) => Arc::new().into(),
            Thing::Futex(_) => Futex::new().into(),
            _ => unreachable!("no object of its own"),
        }
    }
}

/// What is remembered of a reply: what a program could see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keep {
    Nothing,
    /// The value, which is also what was read last.
    Value,
    Ok,
    Flag,
    /// A message.
    Message,
    /// The generation of a barrier.
    Generation,
    /// The number of the message sent, with its payload.
    Sent(u64),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Code {
    Do {
        kind: OpKind,
        thing: Thing,
        other: Thing,
        arg: u64,
        arg2: u64,
        keep: Keep,
    },
    /// A wait that the thread can be called out of, without arguments.
    Heeding {
        kind: OpKind,
        thing: Thing,
        other: Thing,
    },
    /// Stores the value read last, plus this.
    Copy(u8, u64),
    UnlessOk(usize),
    UnlessValue(u64, usize),
    /// Goes elsewhere as long as the value read last is not this one; nothing of the round is remembered.
    Until(u64, usize),
    Jump(usize),
    Spawn(usize),
    /// The thread has dropped its end of the channel.
    Dropped(u8),
    /// Unless the end of the channel has been dropped.
    UnlessDropped(u8, usize),
}

pub(super) struct Compiler {
    bodies: Vec<Vec<Code>>,
}

impl Compiler {
    pub(super) fn compile(program: &Program) -> Vec<Vec<Code>> {
        let n = program.bodies.len();
        let mut compiler = Compiler { bodies: vec![Vec::new(); n] };
        for (i, body) in program.bodies.iter().enumerate() {
            let mut code = Vec::new();
            let mut spawned = 0;
            if i == 0 {
                code.extend((1..n).map(Code::Spawn));
                spawned = n as u8 - 1;
            }
            let first = if program.join { 0 } else { spawned };
            compiler.body(body, &mut code, spawned, first);
            compiler.bodies[i] = code;
        }
        compiler.bodies
    }

    fn body(&mut self, body: &[Stmt], code: &mut Vec<Code>, mut spawned: u8, first: u8) {
        self.block(body, code, &mut spawned);
        code.extend((first..spawned).map(|c| plain(OpKind::Join, Thing::Child(c))));
    }

    fn block(&mut self, block: &[Stmt], code: &mut Vec<Code>, spawned: &mut u8) {
        for stmt in block {
            self.stmt(stmt, code, spawned);
        }
    }

    fn guarded(
        &mut self,
        taken: Code,
        then: &[Stmt],
        freed: OpKind,
        otherwise: &[Stmt],
        code: &mut Vec<Code>,
        n: &mut u8,
    ) {
        let Code::Do { thing, .. } = taken else { unreachable!("taking is an op") };
        code.push(taken);
        let skip = code.len();
        code.push(Code::Jump(0));
        self.block(then, code, n);
        code.push(plain(freed, thing));
        let end = code.len();
        code.push(Code::Jump(0));
        code[skip] = Code::UnlessOk(code.len());
        self.block(otherwise, code, n);
        code[end] = Code::Jump(code.len());
    }

    fn stmt(&mut self, stmt: &Stmt, code: &mut Vec<Code>, n: &mut u8) {
        use Code::*;
        let atomic = |kind, v, arg, arg2, keep| Do {
            kind,
            thing: Thing::Atomic(v),
            other: Thing::Nothing,
            arg,
            arg2,
            keep,
        };
        let kept = |kind, thing, keep| Do { kind, thing, other: Thing::Nothing, arg: 0, arg2: 0, keep };
        match *stmt {
            Stmt::Load(v) => code.push(atomic(OpKind::Load, v, 0, 0, Keep::Value)),
            Stmt::Store(v, k) => code.push(atomic(OpKind::Store, v, k, 0, Keep::Nothing)),
            Stmt::Copy(v, k) => code.push(Copy(v, k)),
            Stmt::Add(v, k) => code.push(atomic(Rmw::Add.into(), v, k, 0, Keep::Value)),
            Stmt::Swap(v, k) => code.push(atomic(Rmw::Swap.into(), v, k, 0, Keep::Value)),
            Stmt::Cas(v, a, b) => code.push(atomic(OpKind::CompareExchange, v, a, b, Keep::Value)),
            Stmt::CasWeak(v, a, b) => {
                code.push(atomic(OpKind::CompareExchangeWeak, v, a, b, Keep::Value));
            }
            Stmt::If(k, ref then) => {
                let at = code.len();
                code.push(Jump(0));
                self.block(then, code, n);
                code[at] = UnlessValue(k, code.len());
            }
            Stmt::Spin(v, k) => {
                code.push(atomic(OpKind::Load, v, 0, 0, Keep::Nothing));
                code.push(Until(k, code.len() - 1));
            }
            Stmt::SpinSwap(v) => {
                code.push(atomic(Rmw::Swap.into(), v, 1, 0, Keep::Nothing));
                code.push(Until(0, code.len() - 1));
            }
            Stmt::SpinStore(v, w, k) => {
                let head = code.len();
                code.push(atomic(OpKind::Load, v, 0, 0, Keep::Nothing));
                code.push(Until(k, head + 3));
                code.push(Jump(head + 5));
                code.push(atomic(OpKind::Store, w, 1, 0, Keep::Nothing));
                code.push(Jump(head));
            }
            Stmt::Lock(m, ref then) => {
                code.push(plain(OpKind::Lock, Thing::Mutex(m)));
                self.block(then, code, n);
                code.push(plain(OpKind::Unlock, Thing::Mutex(m)));
            }
            Stmt::TryLock(m, ref then, ref otherwise) => {
                let take = kept(OpKind::TryLock, Thing::Mutex(m), Keep::Ok);
                self.guarded(take, then, OpKind::Unlock, otherwise, code, n);
            }
            Stmt::Read(m, ref then) => {
                code.push(plain(OpKind::ReadLock, Thing::RwLock(m)));
                self.block(then, code, n);
                code.push(plain(OpKind::ReadUnlock, Thing::RwLock(m)));
            }
            Stmt::TryRead(m, ref then, ref otherwise) => {
                let take = kept(OpKind::TryReadLock, Thing::RwLock(m), Keep::Ok);
                self.guarded(take, then, OpKind::ReadUnlock, otherwise, code, n);
            }
            Stmt::Write(m, ref then) => {
                code.push(plain(OpKind::WriteLock, Thing::RwLock(m)));
                self.block(then, code, n);
                code.push(plain(OpKind::WriteUnlock, Thing::RwLock(m)));
            }
            Stmt::TryWrite(m, ref then, ref otherwise) => {
                let take = kept(OpKind::TryWriteLock, Thing::RwLock(m), Keep::Ok);
                self.guarded(take, then, OpKind::WriteUnlock, otherwise, code, n);
            }
            Stmt::Downgrade(m, ref writing, ref reading) => {
                code.push(plain(OpKind::WriteLock, Thing::RwLock(m)));
                self.block(writing, code, n);
                code.push(plain(OpKind::Downgrade, Thing::RwLock(m)));
                self.block(reading, code, n);
                code.push(plain(OpKind::ReadUnlock, Thing::RwLock(m)));
            }
            Stmt::Acquire(s) => code.push(plain(OpKind::Acquire, Thing::Semaphore(s))),
            Stmt::TryAcquire(s) => code.push(kept(OpKind::TryAcquire, Thing::Semaphore(s), Keep::Ok)),
            Stmt::Release(s, k) => code.push(with(OpKind::Release, Thing::Semaphore(s), k)),
            Stmt::Send(c, k) => {
                let at = code.len();
                code.push(Jump(0));
                code.push(kept(OpKind::Send, Thing::Channel(c), Keep::Sent(k)));
                if CAPACITIES[c as usize] == Some(0) {
                    // A rendezvous: the message has been offered; wait until it is taken.
                    let skip = code.len();
                    code.push(Jump(0));
                    code.push(kept(OpKind::SendTaken, Thing::Channel(c), Keep::Ok));
                    code[skip] = UnlessOk(code.len());
                }
                code[at] = UnlessDropped(c, code.len());
            }
            Stmt::TrySend(c, k) => {
                let at = code.len();
                code.push(Jump(0));
                code.push(kept(OpKind::TrySend, Thing::Channel(c), Keep::Sent(k)));
                code[at] = UnlessDropped(c, code.len());
            }
            Stmt::Receive(c) | Stmt::ReceiveTimed(c) | Stmt::TryReceive(c) => {
                let kind = match stmt {
                    Stmt::Receive(_) => OpKind::Receive,
                    Stmt::ReceiveTimed(_) => OpKind::ReceiveTimed,
                    _ => OpKind::TryReceive,
                };
                let at = code.len();
                code.push(Jump(0));
                if CAPACITIES[c as usize] == Some(0) && kind != OpKind::TryReceive {
                    code.push(plain(OpKind::ReceiverWaits, Thing::Channel(c)));
                }
                code.push(kept(kind, Thing::Channel(c), Keep::Message));
                code[at] = UnlessDropped(c + 100, code.len());
            }
            Stmt::DropSender(c) => {
                let at = code.len();
                code.push(Jump(0));
                code.push(plain(OpKind::DropSender, Thing::Channel(c)));
                code.push(Dropped(c));
                code[at] = UnlessDropped(c, code.len());
            }
            Stmt::DropReceiver(c) => {
                let at = code.len();
                code.push(Jump(0));
                code.push(plain(OpKind::DropReceiver, Thing::Channel(c)));
                code.push(Dropped(c + 100));
                code[at] = UnlessDropped(c + 100, code.len());
            }
            Stmt::Wait(c, ref then) | Stmt::WaitTimed(c, ref then) => {
                let timed = matches!(stmt, Stmt::WaitTimed(..));
                let (condvar, mutex) = (Thing::Condvar(c), Thing::Mutex(c));
                let (kind, keep) =
                    if timed { (OpKind::WakeTimed, Keep::Value) } else { (OpKind::Wake, Keep::Nothing) };
                code.push(plain(OpKind::Lock, mutex));
                code.push(Do {
                    kind: OpKind::Wait,
                    thing: condvar,
                    other: mutex,
                    arg: 0,
                    arg2: 0,
                    keep: Keep::Nothing,
                });
                code.push(Do { kind, thing: condvar, other: mutex, arg: 0, arg2: 0, keep });
                self.block(then, code, n);
                code.push(plain(OpKind::Unlock, mutex));
            }
            Stmt::NotifyOne(c) => code.push(plain(OpKind::NotifyOne, Thing::Condvar(c))),
            Stmt::NotifyAll(c) => code.push(plain(OpKind::NotifyAll, Thing::Condvar(c))),
            Stmt::Barrier(b, asks) => {
                code.push(kept(OpKind::Arrive, Thing::Barrier(b), Keep::Generation));
                code.push(plain(OpKind::Leave, Thing::Barrier(b)));
                if asks {
                    code.push(kept(OpKind::IsLeader, Thing::Barrier(b), Keep::Flag));
                }
            }
            Stmt::Once(o, ref then) => {
                code.push(kept(OpKind::OnceBegin, Thing::Once(o), Keep::Ok));
                let at = code.len();
                code.push(Jump(0));
                self.block(then, code, n);
                code.push(plain(OpKind::OnceEnd, Thing::Once(o)));
                code[at] = UnlessOk(code.len());
            }
            Stmt::OncePeek(o) => code.push(kept(OpKind::OncePeek, Thing::Once(o), Keep::Ok)),
            Stmt::OnceWait(o) => code.push(plain(OpKind::OnceWait, Thing::Once(o))),
            Stmt::Clone(a, ref then) => {
                code.push(plain(OpKind::CountUp, Thing::Arc(a)));
                self.block(then, code, n);
                code.push(kept(OpKind::CountDown, Thing::Arc(a), Keep::Flag));
            }
            Stmt::Upgrade(a, ref then) => {
                let take = kept(OpKind::Upgrade, Thing::Arc(a), Keep::Ok);
                self.guarded(take, then, OpKind::CountDown, &[], code, n);
            }
            Stmt::Count(a) => code.push(kept(OpKind::CountRead, Thing::Arc(a), Keep::Value)),
            Stmt::Park => code.push(plain(OpKind::Park, Thing::Me)),
            Stmt::ParkTimed => code.push(plain(OpKind::ParkTimed, Thing::Me)),
            Stmt::Unpark(t) => code.push(plain(OpKind::Unpark, Thing::Thread(t))),
            Stmt::IsFinished(t) => code.push(kept(OpKind::IsFinished, Thing::Thread(t), Keep::Flag)),
            Stmt::LockTimed(m, ref then, ref otherwise) => {
                let take = kept(OpKind::LockTimed, Thing::Mutex(m), Keep::Ok);
                self.guarded(take, then, OpKind::Unlock, otherwise, code, n);
            }
            Stmt::ReadTimed(m, ref then, ref otherwise) => {
                let take = kept(OpKind::ReadLockTimed, Thing::RwLock(m), Keep::Ok);
                self.guarded(take, then, OpKind::ReadUnlock, otherwise, code, n);
            }
            Stmt::WriteTimed(m, ref then, ref otherwise) => {
                let take = kept(OpKind::WriteLockTimed, Thing::RwLock(m), Keep::Ok);
                self.guarded(take, then, OpKind::WriteUnlock, otherwise, code, n);
            }
            Stmt::AcquireTimed(s) => code.push(kept(OpKind::AcquireTimed, Thing::Semaphore(s), Keep::Ok)),
            Stmt::Permits(s) => code.push(kept(OpKind::Permits, Thing::Semaphore(s), Keep::Value)),
            Stmt::FutexWait(f, bits) | Stmt::FutexWaitTimed(f, bits) => {
                let (thing, other) = (Thing::Futex(f), Thing::Nothing);
                let keep = Keep::Nothing;
                code.push(Do { kind: OpKind::FutexWait, thing, other, arg: 1, arg2: bits, keep });
                code.push(match stmt {
                    Stmt::FutexWait(..) => plain(OpKind::FutexLeave, thing),
                    _ => kept(OpKind::FutexLeaveTimed, thing, Keep::Ok),
                });
            }
            Stmt::FutexWake(f, most, bits) => {
                let (thing, other) = (Thing::Futex(f), Thing::Nothing);
                let keep = Keep::Value;
                code.push(Do { kind: OpKind::FutexWake, thing, other, arg: most, arg2: bits, keep });
            }
            Stmt::FutexRequeue(f, woken, moved) => {
                let (thing, other) = (Thing::Futex(f), Thing::Futex(1 - f));
                let keep = Keep::Value;
                code.push(Do { kind: OpKind::FutexRequeue, thing, other, arg: woken, arg2: moved, keep });
            }
            Stmt::Cancel(t) => code.push(plain(OpKind::Cancel, Thing::Thread(t))),
            Stmt::TestCancel => code.push(kept(OpKind::TestCancel, Thing::Me, Keep::Flag)),
            Stmt::AcquireHeeding(s) | Stmt::AcquireTimedHeeding(s) => {
                let timed = matches!(stmt, Stmt::AcquireTimedHeeding(_));
                let kind = if timed { OpKind::AcquireTimed } else { OpKind::Acquire };
                code.push(Heeding { kind, thing: Thing::Semaphore(s), other: Thing::Nothing });
            }
            Stmt::JoinHeeding(t) => {
                code.push(Heeding { kind: OpKind::Join, thing: Thing::Thread(t), other: Thing::Nothing });
            }
            Stmt::WaitHeeding(c, ref then) | Stmt::WaitTimedHeeding(c, ref then) => {
                let timed = matches!(stmt, Stmt::WaitTimedHeeding(..));
                let kind = if timed { OpKind::WakeTimed } else { OpKind::Wake };
                let (thing, other) = (Thing::Condvar(c), Thing::Mutex(c));
                let keep = Keep::Nothing;
                code.push(plain(OpKind::Lock, other));
                code.push(Do { kind: OpKind::Wait, thing, other, arg: 0, arg2: 0, keep });
                code.push(Heeding { kind, thing, other });
                // Who was not notified does not have the mutex yet.
                let at = code.len();
                code.push(UnlessOk(at + 2));
                code.push(Jump(at + 3));
                code.push(plain(OpKind::Lock, other));
                self.block(then, code, n);
                code.push(plain(OpKind::Unlock, other));
            }
            Stmt::Choose(k) => {
                code.push(Do {
                    kind: OpKind::Choose,
                    thing: Thing::Nothing,
                    other: Thing::Nothing,
                    arg: k,
                    arg2: 0,
                    keep: Keep::Value,
                });
            }
            Stmt::Yield => code.push(plain(OpKind::Yield, Thing::Nothing)),
            Stmt::BackOff => code.extend([(); 2].map(|()| plain(OpKind::SpinHint, Thing::Nothing))),
            Stmt::Spawn(ref body) => {
                let mut inner = Vec::new();
                self.body(body, &mut inner, 0, 0);
                self.bodies.push(inner);
                code.push(Spawn(self.bodies.len() - 1));
                *n += 1;
                // A branch may be left out, so the child is joined at once or never; never keeps things interesting.
                let _ = n;
            }
        }
    }
}

fn plain(kind: OpKind, thing: Thing) -> Code {
    with(kind, thing, 0)
}

fn with(kind: OpKind, thing: Thing, arg: u64) -> Code {
    Code::Do { kind, thing, other: Thing::Nothing, arg, arg2: 0, keep: Keep::Nothing }
}
