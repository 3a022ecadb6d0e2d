//! Small random programs over one kind of object at a time: the optimal search, sleep sets and brute force see the same outcomes.

mod common;

use common::dice::Dice;
use gordian::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError};
use gordian::sync::{Barrier, Condvar, Mutex, RwLock, RwLockWriteGuard, Semaphore};
use gordian::thread::spawn;
use gordian::{Checker, FailureKind};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(3600);

/// What each thread does, as numbers that a family of programs gives a meaning to.
type Program = Vec<Vec<u64>>;

/// What each thread saw.
type Outcome = Vec<Vec<i64>>;

/// All outcomes, or the kind of failure.
fn explore(
    program: &Program,
    search: &str,
    run: fn(&Program) -> Outcome,
) -> Result<BTreeSet<Outcome>, FailureKind> {
    let seen = Arc::new(std::sync::Mutex::new(BTreeSet::new()));
    let report = Checker::new().search(search).spurious_wakeups(program[0][0] == 0).run({
        let (seen, program) = (Arc::clone(&seen), program.clone());
        move || {
            let outcome = run(&program);
            seen.lock().unwrap().insert(outcome);
        }
    });
    match report.failure() {
        None => {
            assert!(report.complete());
            Ok(std::mem::take(&mut *seen.lock().unwrap()))
        }
        Some(failure) if failure.kind() == FailureKind::Deadlock => Err(FailureKind::Deadlock),
        Some(failure) => panic!("{search}: {failure}"),
    }
}

/// Programs of two or three threads with at most `ops` ops out of `kinds`.
fn compare(name: &str, rounds: u64, ops: u64, kinds: u64, run: fn(&Program) -> Outcome) {
    let more = std::env::var("GORDIAN_RANDOM_ROUNDS").ok().and_then(|r| r.parse().ok());
    for seed in 1..=more.unwrap_or(rounds) {
        let mut dice = Dice::new(seed);
        let threads = 2 + dice.roll(2);
        let most = if threads == 3 { ops - 1 } else { ops };
        let program: Program =
            (0..threads).map(|_| (0..1 + dice.roll(most)).map(|_| dice.roll(kinds)).collect()).collect();
        let results: Vec<_> = ["dfs", "dfs:sleep", "exhaustive"]
            .into_iter()
            .map(|search| {
                let result = catch_unwind(AssertUnwindSafe(|| explore(&program, search, run)));
                result.unwrap_or_else(|_| panic!("{name}, seed {seed}: {search} of {program:?}"))
            })
            .collect();
        assert_eq!(results[0], results[1], "{name}, seed {seed}: dfs and dfs:sleep of {program:?}");
        assert_eq!(results[0], results[2], "{name}, seed {seed}: dfs and exhaustive of {program:?}");
    }
}

/// Runs each thread's part with what it shares; the first thread is the main one.
fn together<S: Send + Sync + 'static>(program: &Program, shared: S, step: fn(&S, u64) -> i64) -> Outcome {
    let shared = Arc::new(shared);
    let threads: Vec<_> = program[1..]
        .iter()
        .map(|ops| {
            let (ops, shared) = (ops.clone(), Arc::clone(&shared));
            spawn(move || ops.into_iter().map(|op| step(&shared, op)).collect::<Vec<_>>())
        })
        .collect();
    let mine = program[0].iter().map(|&op| step(&shared, op)).collect();
    std::iter::once(mine).chain(threads.into_iter().map(|t| t.join().unwrap())).collect()
}

#[test]
fn mutexes() {
    compare("mutexes", 100, 3, 6, |program| {
        together(program, [Mutex::new(0), Mutex::new(0)], |locks, op| {
            let add = |value: &mut i64| std::mem::replace(value, *value + 1);
            match op {
                0 | 1 => add(&mut locks[op as usize].lock().unwrap()),
                2 | 3 => locks[op as usize - 2].try_lock().map_or(-1, |mut v| add(&mut v)),
                4 => {
                    let mut outer = locks[0].lock().unwrap();
                    let inner = locks[1].try_lock().map_or(-1, |mut v| add(&mut v));
                    add(&mut outer) * 10 + inner
                }
                _ => {
                    let mut outer = locks[1].lock().unwrap();
                    let inner = locks[0].lock().unwrap();
                    add(&mut outer) * 10 + *inner
                }
            }
        })
    });
}

#[test]
fn rwlocks() {
    compare("rwlocks", 60, 3, 6, |program| {
        together(program, RwLock::new(0i64), |lock, op| match op {
            0 => *lock.read().unwrap(),
            1 => lock.try_read().map_or(-1, |v| *v),
            2 => {
                let mut value = lock.write().unwrap();
                *value += 1;
                *value
            }
            3 => lock.try_write().map_or(-1, |mut v| {
                *v += 1;
                *v
            }),
            4 => {
                let mut value = lock.write().unwrap();
                *value += 1;
                let value = RwLockWriteGuard::downgrade(value);
                *value * 10 + lock.try_read().map_or(-1, |v| *v)
            }
            _ => {
                let value = lock.read().unwrap();
                *value * 10 + lock.try_write().map_or(-1, |v| *v)
            }
        })
    });
}

#[test]
fn condvars() {
    compare("condvars", 300, 3, 5, |program| {
        together(program, (Mutex::new(0i64), Condvar::new()), |(mutex, condvar), op| match op {
            0 => {
                let (value, result) = condvar.wait_timeout(mutex.lock().unwrap(), LONG).unwrap();
                *value * 2 + i64::from(result.timed_out())
            }
            1 => {
                condvar.notify_one();
                0
            }
            2 => {
                condvar.notify_all();
                0
            }
            3 => {
                let mut value = mutex.lock().unwrap();
                *value += 1;
                condvar.notify_one();
                *value
            }
            _ => *condvar.wait(mutex.lock().unwrap()).unwrap(),
        })
    });
}

#[test]
fn semaphores() {
    compare("semaphores", 300, 3, 4, |program| {
        together(program, Semaphore::new(1), |semaphore, op| match op {
            0 => {
                semaphore.acquire();
                0
            }
            1 => i64::from(semaphore.try_acquire()),
            _ => {
                semaphore.add_permits(op as usize - 1);
                0
            }
        })
    });
}

#[test]
fn barriers() {
    compare("barriers", 100, 2, 2, |program| {
        together(program, Barrier::new(2), |barrier, op| {
            let result = barrier.wait();
            if op == 0 { -1 } else { i64::from(result.is_leader()) }
        })
    });
}

fn receive(receiver: &mut Option<Receiver<i64>>, op: u64) -> i64 {
    let Some(end) = receiver else { return -9 };
    match op {
        0 => end.recv().unwrap_or(-1),
        1 | 4 => end.try_recv().unwrap_or_else(|e| if e == TryRecvError::Empty { -2 } else { -1 }),
        2 => end.recv_timeout(LONG).unwrap_or_else(|e| if e == RecvTimeoutError::Timeout { -3 } else { -1 }),
        _ => {
            *receiver = None;
            -4
        }
    }
}

fn send(sender: &mut Option<SyncSender<i64>>, message: i64, op: u64) -> i64 {
    let Some(end) = sender else { return -9 };
    match op {
        0 | 1 => end.send(message).map_or(-1, |()| 0),
        2 | 4 => match end.try_send(message) {
            Ok(()) => 0,
            Err(TrySendError::Full(_)) => -2,
            Err(TrySendError::Disconnected(_)) => -1,
        },
        _ => {
            *sender = None;
            -4
        }
    }
}

fn channels(program: &Program, bound: usize) -> Outcome {
    let (sender, receiver) = mpsc::sync_channel(bound);
    let threads: Vec<_> = (1..program.len())
        .map(|me| {
            let (ops, mut sender) = (program[me].clone(), Some(sender.clone()));
            spawn(move || {
                let number = |i: usize| (me * 10 + i) as i64;
                ops.into_iter()
                    .enumerate()
                    .map(|(i, op)| send(&mut sender, number(i), op))
                    .collect::<Vec<_>>()
            })
        })
        .collect();
    drop(sender);
    let mut receiver = Some(receiver);
    let mine = program[0].iter().map(|&op| receive(&mut receiver, op)).collect();
    drop(receiver);
    std::iter::once(mine).chain(threads.into_iter().map(|t| t.join().unwrap())).collect()
}

#[test]
fn rendezvous_channels() {
    compare("rendezvous channels", 300, 3, 5, |program| channels(program, 0));
}

#[test]
fn channels_with_room_for_one() {
    compare("channels with room for one", 300, 3, 5, |program| channels(program, 1));
}

#[test]
fn channels_with_room_for_two() {
    compare("channels with room for two", 300, 3, 5, |program| channels(program, 2));
}
