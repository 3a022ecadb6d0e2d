//! What the mirrored types of `std::sync` do under a check: every behaviour that std allows is met, and no other.

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::sync::mpsc::{self, RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use gordian::sync::{Barrier, Condvar, Mutex, RwLock, RwLockWriteGuard, Semaphore, TryLockError};
use gordian::thread::spawn;
use gordian::{Checker, FailureKind, Report};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

const SEARCHES: [&str; 3] = ["exhaustive", "dfs:sleep", "dfs"];
const LONG: Duration = Duration::from_secs(3600);

/// What the body can return, found by all searches alike, and the executions that the optimal one needed.
fn outcomes_with<T: Ord + Debug + Send + 'static>(
    checker: Checker,
    body: impl Fn() -> T + Copy + Send + Sync + 'static,
) -> (BTreeSet<T>, u64) {
    let mut found: Option<(BTreeSet<T>, u64)> = None;
    for search in SEARCHES {
        let seen = Arc::new(std::sync::Mutex::new(BTreeSet::new()));
        let report = checker.clone().search(search).run({
            let seen = Arc::clone(&seen);
            move || {
                let outcome = body();
                seen.lock().unwrap().insert(outcome);
            }
        });
        assert!(report.failure().is_none(), "{search}: {report}");
        assert!(report.complete(), "{search}: {report}");
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        match &found {
            None => found = Some((seen, report.executions())),
            Some((first, executions)) => {
                assert_eq!(*first, seen, "{} and {search} disagree", SEARCHES[0]);
                assert!(*executions <= report.executions(), "{search} needed fewer executions: {report}");
            }
        }
    }
    found.expect("some search ran")
}

fn outcomes<T: Ord + Debug + Send + 'static>(
    body: impl Fn() -> T + Copy + Send + Sync + 'static,
) -> BTreeSet<T> {
    outcomes_with(Checker::new(), body).0
}

/// Every search finds a failure of this kind.
fn fails(kind: FailureKind, body: impl Fn() + Copy + Send + Sync + 'static) -> Report {
    let mut reports = SEARCHES.map(|search| {
        let report = Checker::new().search(search).run(body);
        let failure = report.failure().unwrap_or_else(|| panic!("{search} found nothing: {report}"));
        assert_eq!(failure.kind(), kind, "{search}: {report}");
        let again = gordian::replay(failure.plan(), body);
        assert_eq!(again.failure().map(|f| f.kind()), Some(kind), "{search}, replayed: {again}");
        report
    });
    std::mem::replace(&mut reports[0], gordian::Checker::new().executions(0).run(|| ()))
}

fn set<T: Ord, const N: usize>(values: [T; N]) -> BTreeSet<T> {
    BTreeSet::from(values)
}

#[test]
fn try_lock_really_fails() {
    let seen = outcomes(|| {
        let mutex = Arc::new(Mutex::new(0));
        let other = Arc::clone(&mutex);
        let thread = spawn(move || *other.lock().unwrap() += 1);
        let got = match mutex.try_lock() {
            Ok(value) => Some(*value),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(_)) => unreachable!("nobody panics"),
        };
        thread.join().unwrap();
        got
    });
    assert_eq!(seen, set([None, Some(0), Some(1)]));
}

#[test]
fn a_poisoned_mutex_is_seen_by_the_next_locker() {
    let seen = outcomes(|| {
        let mutex = Arc::new(Mutex::new(0));
        let other = Arc::clone(&mutex);
        let thread = spawn(move || {
            let mut value = other.lock().unwrap();
            *value = 1;
            panic!("while it is held");
        });
        let seen = match mutex.lock() {
            Ok(value) => (false, *value),
            Err(poison) => (true, *poison.into_inner()),
        };
        assert!(thread.join().is_err());
        assert!(mutex.is_poisoned());
        mutex.clear_poison();
        assert!(mutex.lock().is_ok());
        seen
    });
    assert_eq!(seen, set([(false, 0), (true, 1)]));
}

#[test]
fn a_poisoned_rwlock_is_seen_by_the_next_locker_and_readers_do_not_poison() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let (reader, writer) = (Arc::clone(&lock), Arc::clone(&lock));
        let reading = spawn(move || {
            let _value = reader.read();
            panic!("while it is read");
        });
        assert!(reading.join().is_err());
        assert!(!lock.is_poisoned());
        let writing = spawn(move || {
            let _value = writer.write().unwrap();
            panic!("while it is written");
        });
        let seen = lock.read().is_err();
        assert!(writing.join().is_err());
        assert!(lock.write().is_err());
        lock.clear_poison();
        assert!(lock.read().is_ok());
        seen
    });
    assert_eq!(seen, set([false, true]));
}

#[test]
fn two_readers_may_hold_at_once() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(()));
        let inside = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (lock, inside) = (Arc::clone(&lock), Arc::clone(&inside));
                spawn(move || {
                    let _shared = lock.read().unwrap();
                    let others = inside.fetch_add(1, SeqCst);
                    inside.fetch_sub(1, SeqCst);
                    others
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).max()
    });
    assert_eq!(seen, set([Some(0), Some(1)]));
}

#[test]
fn a_writer_is_alone() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let (reader, writer) = (Arc::clone(&lock), Arc::clone(&lock));
        let reading = spawn(move || *reader.read().unwrap());
        let writing = spawn(move || {
            let mut value = writer.write().unwrap();
            *value = 1;
            gordian::thread::yield_now();
            *value = 2;
        });
        let tried = (lock.try_read().map(|v| *v).ok(), lock.try_write().map(|v| *v).ok());
        writing.join().unwrap();
        (reading.join().unwrap(), tried)
    });
    assert!(seen.iter().all(|(read, _)| [0, 2].contains(read)), "{seen:?}");
    assert!(seen.contains(&(0, (None, None))), "{seen:?}");
    assert!(seen.contains(&(2, (Some(2), Some(2)))), "{seen:?}");
    assert!(seen.contains(&(0, (Some(0), None))), "a reader keeps a writer out, not a reader: {seen:?}");
}

#[test]
fn nobody_writes_between_a_write_and_its_downgrade() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = Arc::clone(&lock);
        let thread = spawn(move || *other.write().unwrap() += 10);
        let reading = {
            let other = Arc::clone(&lock);
            spawn(move || *other.read().unwrap())
        };
        let mut value = lock.write().unwrap();
        let before = *value;
        *value += 1;
        let value = RwLockWriteGuard::downgrade(value);
        assert_eq!(*value, before + 1);
        let shared = lock.try_read().is_ok();
        drop(value);
        thread.join().unwrap();
        (shared, reading.join().unwrap())
    });
    assert_eq!(seen, set([(true, 0), (true, 1), (true, 10), (true, 11)]));
}

#[test]
fn a_notify_before_the_wait_is_lost() {
    fails(FailureKind::Deadlock, || {
        let pair = Arc::new((Mutex::new(()), Condvar::new()));
        let other = Arc::clone(&pair);
        let thread = spawn(move || other.1.notify_one());
        let guard = pair.0.lock().unwrap();
        drop(pair.1.wait(guard).unwrap());
        thread.join().unwrap();
    });
}

#[test]
fn a_condition_that_is_tested_under_the_lock_is_not_lost() {
    let seen = outcomes(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&pair);
        let thread = spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let mut waits = 0;
        let mut ready = pair.0.lock().unwrap();
        while !*ready {
            waits += 1;
            ready = pair.1.wait(ready).unwrap();
        }
        drop(ready);
        thread.join().unwrap();
        waits
    });
    assert_eq!(seen, set([0, 1]));
}

#[test]
fn notify_one_wakes_either_waiter() {
    let (seen, executions) = outcomes_with(Checker::new(), || {
        let shared = Arc::new((Mutex::new(None), Condvar::new(), Semaphore::new(0)));
        let threads: Vec<_> = (0..2)
            .map(|me| {
                let shared = Arc::clone(&shared);
                spawn(move || {
                    let mut first = shared.0.lock().unwrap();
                    shared.2.release();
                    first = shared.1.wait(first).unwrap();
                    first.get_or_insert(me);
                })
            })
            .collect();
        shared.2.acquire();
        shared.2.acquire();
        drop(shared.0.lock().unwrap());
        shared.1.notify_one();
        shared.1.notify_one();
        threads.into_iter().for_each(|t| t.join().unwrap());
        *shared.0.lock().unwrap()
    });
    assert_eq!(seen, set([Some(0), Some(1)]));
    assert!(executions >= 2);
}

#[test]
fn notify_one_chooses_among_those_who_wait_when_it_comes_to_it() {
    // The notifier announces its op before anybody waits.
    let seen = outcomes(|| {
        let pair = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
        let notifier = {
            let pair = Arc::clone(&pair);
            spawn(move || pair.1.notify_one())
        };
        let threads: Vec<_> = (0..2)
            .map(|me| {
                let pair = Arc::clone(&pair);
                spawn(move || {
                    let state = pair.0.lock().unwrap();
                    let (mut state, result) = pair.1.wait_timeout(state, LONG).unwrap();
                    if !result.timed_out() {
                        state.push(me);
                    }
                })
            })
            .collect();
        notifier.join().unwrap();
        threads.into_iter().for_each(|t| t.join().unwrap());
        pair.0.lock().unwrap().clone()
    });
    assert_eq!(seen, set([vec![], vec![0], vec![1]]));
}

#[test]
fn notify_all_wakes_everybody_who_waits() {
    let seen = outcomes(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let pair = Arc::clone(&pair);
                spawn(move || drop(pair.1.wait_while(pair.0.lock().unwrap(), |ready| !*ready).unwrap()))
            })
            .collect();
        *pair.0.lock().unwrap() = true;
        pair.1.notify_all();
        threads.into_iter().for_each(|t| t.join().unwrap());
    });
    assert_eq!(seen.len(), 1);
}

#[test]
fn a_timed_wait_may_expire() {
    let seen = outcomes(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&pair);
        let thread = spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let guard = pair.0.lock().unwrap();
        let (ready, result) = pair.1.wait_timeout(guard, LONG).unwrap();
        let seen = (*ready, result.timed_out());
        drop(ready);
        thread.join().unwrap();
        seen
    });
    assert_eq!(seen, set([(false, true), (true, true), (true, false)]));
}

#[test]
fn a_timed_wait_for_a_condition_ends_when_either_comes() {
    let seen = outcomes(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&pair);
        let thread = spawn(move || {
            other.1.notify_one();
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let guard = pair.0.lock().unwrap();
        let (ready, result) = pair.1.wait_timeout_while(guard, LONG, |ready| !*ready).unwrap();
        let seen = (*ready, result.timed_out());
        drop(ready);
        thread.join().unwrap();
        seen
    });
    assert_eq!(seen, set([(false, true), (true, false)]));
}

fn waits_with_an_if() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = Arc::clone(&pair);
    let thread = spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let mut ready = pair.0.lock().unwrap();
    if !*ready {
        ready = pair.1.wait(ready).unwrap();
    }
    assert!(*ready, "woken for no reason");
    drop(ready);
    thread.join().unwrap();
}

#[test]
fn spurious_wakeups_break_an_if_around_a_wait() {
    for search in SEARCHES {
        let calm = Checker::new().search(search).run(waits_with_an_if);
        assert!(calm.failure().is_none() && calm.complete(), "{search}: {calm}");
        let startled = Checker::new().search(search).spurious_wakeups(true).run(waits_with_an_if);
        assert_eq!(startled.failure().map(|f| f.kind()), Some(FailureKind::Panic), "{search}: {startled}");
    }
}

#[test]
fn spurious_wakeups_end_and_a_loop_around_a_wait_bears_them() {
    let (seen, _) = outcomes_with(Checker::new().spurious_wakeups(true), || {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&pair);
        let thread = spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let mut waits = 0;
        let mut ready = pair.0.lock().unwrap();
        while !*ready {
            waits += 1;
            ready = pair.1.wait(ready).unwrap();
        }
        drop(ready);
        thread.join().unwrap();
        waits
    });
    assert_eq!(seen, set([0, 1, 2]));
}

#[test]
fn a_barrier_of_eight_threads_is_one_execution() {
    let report = Checker::new().search("exhaustive").run(|| {
        let barrier = Arc::new(Barrier::new(8));
        let threads: Vec<_> = (1..8)
            .map(|_| {
                let barrier = Arc::clone(&barrier);
                spawn(move || {
                    barrier.wait();
                })
            })
            .collect();
        barrier.wait();
        threads.into_iter().for_each(|t| t.join().unwrap());
    });
    assert!(report.failure().is_none() && report.complete(), "{report}");
    assert_eq!(report.executions(), 1);
}

#[test]
fn is_leader_is_true_for_exactly_one_and_for_each_in_some_execution() {
    let seen = outcomes(|| {
        let barrier = Arc::new(Barrier::new(3));
        let threads: Vec<_> = (1..3)
            .map(|_| {
                let barrier = Arc::clone(&barrier);
                spawn(move || {
                    let result = barrier.wait();
                    let leads = result.is_leader();
                    assert_eq!(leads, result.is_leader(), "it stays so");
                    leads
                })
            })
            .collect();
        let mine = barrier.wait().is_leader();
        let leaders: Vec<bool> =
            std::iter::once(mine).chain(threads.into_iter().map(|t| t.join().unwrap())).collect();
        assert_eq!(leaders.iter().filter(|&&l| l).count(), 1, "{leaders:?}");
        leaders.iter().position(|&l| l)
    });
    assert_eq!(seen, set([Some(0), Some(1), Some(2)]));
}

#[test]
fn a_barrier_with_a_thread_too_few_is_a_deadlock() {
    fails(FailureKind::Deadlock, || {
        let barrier = Arc::new(Barrier::new(3));
        let other = Arc::clone(&barrier);
        let thread = spawn(move || other.wait().is_leader());
        barrier.wait();
        thread.join().unwrap();
    });
}

#[test]
fn a_semaphore_lets_so_many_in() {
    let seen = outcomes(|| {
        let shared = Arc::new((Semaphore::new(2), AtomicUsize::new(0)));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let shared = Arc::clone(&shared);
                spawn(move || {
                    shared.0.acquire();
                    let others = shared.1.fetch_add(1, SeqCst);
                    shared.1.fetch_sub(1, SeqCst);
                    shared.0.release();
                    others
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).max()
    });
    assert_eq!(seen, set([Some(0), Some(1)]));
}

#[test]
fn try_acquire_fails_when_there_is_no_permit() {
    let seen = outcomes(|| {
        let semaphore = Arc::new(Semaphore::new(0));
        let other = Arc::clone(&semaphore);
        let thread = spawn(move || other.add_permits(2));
        let got = [semaphore.try_acquire(), semaphore.try_acquire(), semaphore.try_acquire()];
        thread.join().unwrap();
        got
    });
    assert_eq!(seen, set([[true, true, false], [false, true, true], [false, false, true], [false; 3]]));
}

#[test]
fn messages_of_two_senders_mix_in_every_order_that_keeps_each_ones_own() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        for me in 0..2 {
            let sender = sender.clone();
            spawn(move || {
                sender.send(me * 10).unwrap();
                sender.send(me * 10 + 1).unwrap();
            });
        }
        drop(sender);
        receiver.into_iter().collect::<Vec<i32>>()
    });
    assert_eq!(seen.len(), 6, "{seen:?}");
}

#[test]
fn disconnect_wakes_the_receiver() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::channel::<()>();
        let thread = spawn(move || drop(sender));
        let tried = receiver.try_recv();
        let received = receiver.recv();
        thread.join().unwrap();
        assert_eq!(received, Err(RecvError));
        tried == Err(TryRecvError::Disconnected)
    });
    assert_eq!(seen, set([false, true]));
}

#[test]
fn a_receiver_whose_sender_stays_silent_is_a_deadlock() {
    fails(FailureKind::Deadlock, || {
        let (_sender, receiver) = mpsc::channel::<()>();
        let _ = receiver.recv();
    });
}

#[test]
fn recv_timeout_may_expire() {
    for bound in [None, Some(0), Some(1)] {
        let check = |capacity: usize| {
            let body = move || {
                let (send, receiver): (Box<dyn FnOnce() -> bool + Send>, _) = if capacity == 9 {
                    let (sender, receiver) = mpsc::channel();
                    (Box::new(move || sender.send(1).is_ok()), receiver)
                } else {
                    let (sender, receiver) = mpsc::sync_channel(capacity);
                    (Box::new(move || sender.send(1).is_ok()), receiver)
                };
                let thread = spawn(send);
                let received = match receiver.recv_timeout(LONG) {
                    Ok(_) => "message",
                    Err(RecvTimeoutError::Timeout) => "timeout",
                    Err(RecvTimeoutError::Disconnected) => "disconnected",
                };
                drop(receiver);
                (received, thread.join().unwrap())
            };
            outcomes(body)
        };
        let seen = check(bound.unwrap_or(9));
        assert_eq!(
            seen,
            set([("message", true), ("timeout", false), ("timeout", true)])
                .into_iter()
                .filter(|s| bound != Some(0) || *s != ("timeout", true))
                .collect(),
            "{bound:?}"
        );
    }
}

#[test]
fn a_bounded_channel_blocks_when_it_is_full() {
    let seen = outcomes(|| {
        let sent = Arc::new(AtomicUsize::new(0));
        let (sender, receiver) = mpsc::sync_channel(1);
        let counter = Arc::clone(&sent);
        let thread = spawn(move || {
            for i in 0..3 {
                sender.send(i).unwrap();
                counter.fetch_add(1, SeqCst);
            }
        });
        let before = sent.load(SeqCst);
        assert_eq!(receiver.recv(), Ok(0));
        let between = sent.load(SeqCst);
        assert_eq!([receiver.recv(), receiver.recv(), receiver.recv()], [Ok(1), Ok(2), Err(RecvError)]);
        thread.join().unwrap();
        (before, between)
    });
    assert_eq!(seen, set([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2)]));
}

#[test]
fn a_full_channel_that_nobody_empties_is_a_deadlock() {
    fails(FailureKind::Deadlock, || {
        let (sender, _receiver) = mpsc::sync_channel(1);
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
}

#[test]
fn try_send_fails_when_the_channel_is_full() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(1);
        sender.send(0).unwrap();
        let thread = spawn(move || {
            let got = receiver.recv().unwrap();
            (got, receiver.try_recv())
        });
        let sent = match sender.try_send(1) {
            Ok(()) => "sent",
            Err(TrySendError::Full(1)) => "full",
            Err(TrySendError::Disconnected(1)) => "disconnected",
            Err(_) => unreachable!("the message comes back"),
        };
        (sent, thread.join().unwrap().1.is_ok())
    });
    assert_eq!(seen, set([("full", false), ("sent", false), ("sent", true), ("disconnected", false)]));
}

#[test]
fn either_of_two_senders_may_get_the_last_slot_before_the_receiver_goes() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(1);
        let threads = [sender.clone(), sender].map(|sender| spawn(move || sender.send(()).is_ok()));
        drop(receiver);
        threads.map(|t| t.join().unwrap())
    });
    assert_eq!(seen, set([[false, false], [false, true], [true, false]]));
}

#[test]
fn a_rendezvous_send_waits_for_its_receiver() {
    let seen = outcomes(|| {
        let order = Arc::new(AtomicUsize::new(0));
        let (sender, receiver) = mpsc::sync_channel(0);
        let other = Arc::clone(&order);
        let thread = spawn(move || {
            sender.send("hello").unwrap();
            other.load(SeqCst)
        });
        order.store(1, SeqCst);
        assert_eq!(receiver.recv(), Ok("hello"));
        order.store(2, SeqCst);
        thread.join().unwrap()
    });
    assert_eq!(seen, set([1, 2]), "never 0");
}

#[test]
fn a_rendezvous_message_that_nobody_takes_comes_back() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let threads = [sender.clone(), sender].map(|sender| {
            spawn(move || match sender.send(String::from("mine")) {
                Ok(()) => true,
                Err(SendError(message)) => {
                    assert_eq!(message, "mine");
                    false
                }
            })
        });
        assert_eq!(receiver.recv().as_deref(), Ok("mine"));
        drop(receiver);
        threads.map(|t| t.join().unwrap())
    });
    assert_eq!(seen, set([[false, true], [true, false]]));
}

#[test]
fn a_rendezvous_try_send_succeeds_only_if_somebody_waits() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let thread = spawn(move || receiver.recv_timeout(LONG).ok());
        let sent = match sender.try_send(7) {
            Ok(()) => "sent",
            Err(TrySendError::Full(7)) => "full",
            Err(TrySendError::Disconnected(7)) => "disconnected",
            Err(_) => unreachable!("the message comes back"),
        };
        (sent, thread.join().unwrap())
    });
    assert_eq!(seen, set([("sent", Some(7)), ("full", None), ("disconnected", None)]));
}

#[test]
fn try_recv_takes_a_rendezvous_message_whose_sender_waits() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let thread = spawn(move || sender.send(1).is_ok());
        let tried = receiver.try_recv().ok();
        drop(receiver);
        (tried, thread.join().unwrap())
    });
    assert_eq!(seen, set([(Some(1), true), (None, false)]));
}

#[test]
fn messages_that_nobody_receives_are_dropped_with_the_receiver() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        let message = Arc::new(());
        sender.send(Arc::clone(&message)).unwrap();
        drop(receiver);
        assert!(sender.send(Arc::clone(&message)).is_err());
        Arc::strong_count(&message)
    });
    assert_eq!(seen, set([1]));
}

#[test]
fn a_message_whose_drop_uses_the_channel_is_no_trouble() {
    struct Echo(mpsc::Sender<Echo>);
    impl Drop for Echo {
        fn drop(&mut self) {
            if let Err(SendError(back)) = self.0.send(Echo(self.0.clone())) {
                std::mem::forget(back);
            }
        }
    }
    outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        sender.send(Echo(sender.clone())).unwrap();
        let thread = spawn(move || drop(receiver));
        drop(sender);
        thread.join().unwrap();
    });
}

#[test]
fn a_weak_exchange_fails_without_cause_only_if_that_is_asked_for() {
    fn body() -> (bool, bool) {
        let value = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&value);
        let thread = spawn(move || other.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok());
        let mine = value.compare_exchange_weak(0, 2, SeqCst, SeqCst).is_ok();
        (mine, thread.join().unwrap())
    }
    assert_eq!(outcomes(body), set([(true, false), (false, true)]));
    let (seen, _) = outcomes_with(Checker::new().weak_failures(true), body);
    assert_eq!(seen, set([(true, false), (false, true), (false, false)]));
}

#[test]
fn a_channel_of_an_earlier_execution_is_refused() {
    let kept = Arc::new(std::sync::Mutex::new(None));
    let report = Checker::new().run(move || {
        let value = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&value);
        let thread = spawn(move || other.store(1, SeqCst));
        let mut kept = kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (sender, _receiver) = kept.get_or_insert_with(mpsc::channel);
        value.store(2, SeqCst);
        let _ = sender.send(1);
        thread.join().unwrap();
    });
    let failure = report.failure().expect("the second execution meets it");
    assert!(failure.message().contains("made in one execution is used in another"), "{failure}");
}

#[test]
fn waiting_with_a_timeout_in_a_loop_comes_to_an_end() {
    let report = gordian::Checker::new().run(|| {
        let shared = std::sync::Arc::new((gordian::sync::Mutex::new(false), gordian::sync::Condvar::new()));
        let waiter = std::sync::Arc::clone(&shared);
        let thread = gordian::thread::spawn(move || {
            let mut ready = waiter.0.lock().unwrap();
            while !*ready {
                ready = waiter.1.wait_timeout(ready, std::time::Duration::from_secs(1)).unwrap().0;
            }
        });
        *shared.0.lock().unwrap() = true;
        shared.1.notify_one();
        thread.join().unwrap();
    });
    assert!(report.failure().is_none() && report.complete(), "{report}");
    assert!(report.guarantee().to_string().contains("pauses more than 4 times"), "{report}");
}

#[test]
fn yielding_until_a_mutex_says_so_comes_to_an_end() {
    let report = gordian::Checker::new().run(|| {
        let ready = std::sync::Arc::new(gordian::sync::Mutex::new(false));
        let seen = std::sync::Arc::clone(&ready);
        let thread = gordian::thread::spawn(move || {
            while !*seen.lock().unwrap() {
                gordian::thread::yield_now();
            }
        });
        *ready.lock().unwrap() = true;
        thread.join().unwrap();
    });
    assert!(report.failure().is_none() && report.complete(), "{report}");
}
