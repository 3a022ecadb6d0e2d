//! Calls that wait: for ever, for each other, and although they must not.

use super::{kind, message, queue};
use gordian::FailureKind;
use gordian::lin::Object;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::sync::{Condvar, Mutex};
use gordian::{hint, thread};
use std::collections::{BTreeSet, VecDeque};

pub(super) type Waiting = (Mutex<VecDeque<u32>>, Condvar);

/// A queue that waits for something to take out, and forgets to wake those who wait if `forgets`.
pub(super) fn waiting(forgets: bool) -> Object<Waiting> {
    Object::new(|| (Mutex::new(VecDeque::new()), Condvar::new()))
        .op("push", 1..=2, move |(queue, condvar): &Waiting, value| {
            let mut queue = queue.lock().unwrap();
            queue.push_back(value);
            // Only if nobody can have been woken before.
            if !forgets || queue.len() == 1 {
                condvar.notify_one();
            }
        })
        .op("pop", [()], |(queue, condvar), ()| {
            let mut queue = queue.lock().unwrap();
            while queue.is_empty() {
                queue = condvar.wait(queue).unwrap();
            }
            queue.pop_front().unwrap()
        })
}

#[test]
fn a_call_that_waits_for_ever_is_explained_if_it_does_so_alone_too() {
    let report = waiting(false).tests(10).run();
    assert_eq!(kind(&report), None, "{report}");
    let report = waiting(true).run();
    assert_eq!(kind(&report), Some(FailureKind::Stuck), "{report}");
    assert!(message(&report).contains("pop() never returns"), "{report}");
}

/// Who got what.
type Got = Vec<(usize, u32)>;

#[test]
fn stuck_calls_are_the_same_with_a_reduction_and_without() {
    use std::sync::{Arc, Mutex};
    // Who gets what and who waits for ever, over all executions of two pops and a push, or two.
    let outcomes = |search: &str, pushes: u32| {
        let seen: Arc<Mutex<BTreeSet<Got>>> = Arc::default();
        let all = Arc::clone(&seen);
        let report = gordian::Checker::new().search(search).keep_going(true).run(move || {
            let got = Arc::new(Mutex::new(Vec::new()));
            struct Done(Arc<Mutex<Got>>, Arc<Mutex<BTreeSet<Got>>>);
            impl Drop for Done {
                fn drop(&mut self) {
                    let mut got = std::mem::take(&mut *self.0.lock().unwrap());
                    got.sort_unstable();
                    self.1.lock().unwrap().insert(got);
                }
            }
            let _done = Done(Arc::clone(&got), Arc::clone(&all));
            let queue = Arc::new((gordian::sync::Mutex::new(VecDeque::new()), Condvar::new()));
            let threads: Vec<_> = (0..2)
                .map(|i| {
                    let (queue, got) = (Arc::clone(&queue), Arc::clone(&got));
                    thread::spawn(move || {
                        let mut items = queue.0.lock().unwrap();
                        while items.is_empty() {
                            items = queue.1.wait(items).unwrap();
                        }
                        let item = items.pop_front().unwrap();
                        got.lock().unwrap().push((i, item));
                    })
                })
                .collect();
            for value in 0..pushes {
                queue.0.lock().unwrap().push_back(value);
                queue.1.notify_one();
            }
            threads.into_iter().for_each(|t| t.join().unwrap());
        });
        assert!(report.complete(), "{report}");
        seen.lock().unwrap().clone()
    };
    for pushes in [1, 2] {
        let all = outcomes("dfs", pushes);
        assert!(all.len() >= 2, "{all:?}");
        // It abandons no execution in the middle, as others do.
        assert_eq!(outcomes("exhaustive", pushes), all);
    }
}

/// Hands values over from one thread to another, each waiting for the other.
#[derive(Default)]
struct Exchange {
    slot: Mutex<(Option<u32>, bool)>,
    changed: Condvar,
}

impl Exchange {
    fn give(&self, value: u32) {
        let mut slot = self.slot.lock().unwrap();
        while slot.0.is_some() || slot.1 {
            slot = self.changed.wait(slot).unwrap();
        }
        slot.0 = Some(value);
        self.changed.notify_all();
        while !slot.1 {
            slot = self.changed.wait(slot).unwrap();
        }
        slot.1 = false;
        self.changed.notify_all();
    }

    fn take(&self) -> u32 {
        let mut slot = self.slot.lock().unwrap();
        while slot.0.is_none() {
            slot = self.changed.wait(slot).unwrap();
        }
        let value = slot.0.take().unwrap();
        slot.1 = true;
        self.changed.notify_all();
        value
    }
}

/// Gives that wait, takes that wait, and which of them have met, with the value.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Meetings {
    givers: Vec<(usize, u32)>,
    takers: Vec<usize>,
    met: BTreeSet<(usize, u32)>,
}

#[test]
fn calls_that_wait_for_each_other_have_two_moments() {
    // One after the other neither give nor take ever returns, so that it takes a specification that says what waiting is.
    let exchange = || {
        Object::new(Exchange::default)
            .specified_by(Meetings::default())
            .waiting_op_as(
                "give",
                [1, 2],
                |e: &Exchange, value| e.give(value),
                |s: &mut Meetings, me, value| {
                    // Whoever takes next is met; which of several takers is not said.
                    s.givers.push((me, value));
                    None
                },
                |s, me, value| {
                    let i = s.takers.first().map(|_| 0)?;
                    let at = s.givers.iter().position(|g| g.0 == me)?;
                    let taker = s.takers.remove(i);
                    s.givers.remove(at);
                    s.met.insert((taker, value));
                    Some(())
                },
            )
            .waiting_op_as(
                "take",
                [()],
                |e, ()| e.take(),
                |s, me, ()| {
                    s.takers.push(me);
                    s.takers.sort_unstable();
                    None
                },
                |s, me, ()| {
                    let met = s.met.iter().find(|m| m.0 == me).copied()?;
                    s.met.remove(&met);
                    Some(met.1)
                },
            )
            .equal_states()
    };
    let report = exchange().test(";0.0|1.0;").search("exhaustive").executions(100_000).run();
    assert_eq!(kind(&report), None, "{report}");
    assert!(report.guarantee().contains("in every interleaving"), "{report}");
    // Without the specification it looks wrong.
    let alone = Object::new(Exchange::default)
        .op("give", [1], |e: &Exchange, value| e.give(value))
        .op("take", [()], |e, ()| e.take())
        .test(";0.0|1.0;")
        .run();
    assert_eq!(kind(&alone), Some(FailureKind::NotLinearizable), "{alone}");
}

#[test]
fn an_operation_that_must_not_wait_is_caught_waiting() {
    let locked = queue().lock_free().run();
    assert_eq!(kind(&locked), Some(FailureKind::Stuck), "{locked}");
    assert!(message(&locked).contains("pop() has to wait for another thread"), "{locked}");
    let spin = |polite: bool| {
        Object::new(|| (AtomicUsize::new(0), AtomicUsize::new(0)))
            .op("add", [()], move |(lock, value): &(AtomicUsize, AtomicUsize), ()| {
                while lock.swap(1, SeqCst) == 1 {
                    if polite {
                        hint::spin_loop()
                    }
                }
                let seen = value.load(SeqCst);
                value.store(seen + 1, SeqCst);
                lock.store(0, SeqCst);
                seen
            })
            .lock_free()
            .run()
    };
    for polite in [false, true] {
        assert_eq!(kind(&spin(polite)), Some(FailureKind::Stuck), "{polite}");
    }
    // Trying again is not waiting: somebody else got on.
    let retry = |pause: bool| {
        Object::new(|| AtomicUsize::new(0)).op("add", [()], move |value: &AtomicUsize, ()| {
            loop {
                let seen = value.load(SeqCst);
                if value.compare_exchange(seen, seen + 1, SeqCst, SeqCst).is_ok() {
                    return seen;
                }
                if pause {
                    thread::yield_now();
                }
            }
        })
    };
    for pause in [false, true] {
        let report = retry(pause).lock_free().tests(5).run();
        assert_eq!(kind(&report), None, "{report}");
        let report = retry(pause).wait_free(2).run();
        assert_eq!(kind(&report), Some(FailureKind::Stuck), "{report}");
        assert!(
            message(&report).contains("takes") && message(&report).contains("more than it may"),
            "{report}"
        );
    }
    let report = Object::new(|| AtomicUsize::new(0))
        .op("add", [()], |value: &AtomicUsize, ()| value.fetch_add(1, SeqCst))
        .wait_free(1)
        .tests(5)
        .run();
    assert_eq!(kind(&report), None, "{report}");
}
