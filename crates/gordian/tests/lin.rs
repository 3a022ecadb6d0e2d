//! Linearizability: verdicts, rules, criteria, stuck calls, progress, and what is said of mistakes.
#![cfg(feature = "check")]
#![allow(missing_docs)]

use gordian::FailureKind;
use gordian::lin::{Criterion, Object, Report};
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::sync::{Condvar, Mutex};
use gordian::{hint, thread};
use gordian_lin::{Choosable, Drawer, Shape};
use std::collections::{BTreeSet, VecDeque};

fn kind(report: &Report) -> Option<FailureKind> {
    report.failure().map(|failure| failure.kind())
}

fn message(report: &Report) -> String {
    report.failure().map(|failure| failure.message().to_owned()).unwrap_or_default()
}

fn notes(report: &Report) -> String {
    report.failure().map(|f| f.notes().collect::<Vec<_>>().join("\n")).unwrap_or_default()
}

fn queue() -> Object<Mutex<VecDeque<u32>>> {
    Object::new(|| Mutex::new(VecDeque::new()))
        .op("push", 1..=3, |queue: &Mutex<VecDeque<u32>>, value| queue.lock().unwrap().push_back(value))
        .op("pop", [()], |queue, ()| queue.lock().unwrap().pop_front())
}

/// A counter that loses updates.
fn counter() -> Object<AtomicUsize> {
    Object::new(|| AtomicUsize::new(0)).op("increment", [()], |counter: &AtomicUsize, ()| {
        let seen = counter.load(SeqCst);
        counter.store(seen + 1, SeqCst);
        seen + 1
    })
}

#[test]
fn a_locked_queue_is_linearizable_in_every_interleaving() {
    let report = queue().tests(0).executions(100_000).run();
    assert_eq!(kind(&report), None, "{report}");
    assert!(report.guarantee().contains("in every interleaving"), "{report}");
    assert!(!report.guarantee().contains("tried"), "{report}");
    assert!(report.tests() > 100 && report.histories() > report.tests(), "{report}");
}

#[test]
fn a_lost_update_is_found_and_the_test_is_small() {
    // Drawn tests only, so that there is something to make small.
    let report = counter().small(false).run();
    assert_eq!(kind(&report), Some(FailureKind::NotLinearizable), "{report}");
    assert_eq!(
        report.calls().iter().map(|c| c.1.as_str()).collect::<Vec<_>>(),
        ["increment()", "increment()"]
    );
    assert_eq!(report.failure().unwrap().preemptions(), 1);
    assert!(
        notes(&report)
            .contains("after main.2's increment(), main.1's increment() would have returned 2, not 1"),
        "{report}"
    );
    let again = counter().test(&report.test().unwrap()).run();
    assert_eq!((kind(&again), again.tests()), (kind(&report), 1));
}

/// Two places; a look reads them one after the other.
fn places() -> Object<[AtomicUsize; 2]> {
    Object::new(|| [const { AtomicUsize::new(0) }; 2])
        .op("set", [0, 1], |places: &[AtomicUsize; 2], i: usize| places[i].store(1, SeqCst))
        .op("look", [()], |places, ()| (places[0].load(SeqCst), places[1].load(SeqCst)))
}

#[test]
fn a_violation_is_found_whichever_execution_stands_for_its_class() {
    // (0, 1) can be explained only by set(1) before set(0). They do not depend on each other, so that one execution stands for both orders, and that set(0) is over before set(1) begins shows
    // in one of them only.
    for test in [";0.1|0.0|1.0;", ";0.0|0.1|1.0;"] {
        for search in ["exhaustive", "dfs:source", "dfs:sleep", "preemptions:2"] {
            let report = places().search(search).test(test).run();
            assert_eq!(kind(&report), Some(FailureKind::NotLinearizable), "{search} {test}: {report}");
        }
        let naive = places().search("exhaustive").naive(true).test(test).run();
        assert_eq!(kind(&naive), None, "Line-Up's rule happens to find it in {test}: {naive}");
        let brute = places().search("dfs").naive(true).test(test).run();
        assert_eq!(kind(&brute), Some(FailureKind::NotLinearizable), "{test}: {brute}");
    }
}

/// A queue whose length is counted beside it.
fn counted() -> Object<(Mutex<VecDeque<u32>>, AtomicUsize)> {
    Object::new(|| (Mutex::new(VecDeque::new()), AtomicUsize::new(0)))
        .op("push", 1..=2, |q: &(Mutex<VecDeque<u32>>, AtomicUsize), v| {
            q.0.lock().unwrap().push_back(v);
            q.1.fetch_add(1, SeqCst);
        })
        .op("pop", [()], |q, ()| {
            if q.1.load(SeqCst) == 0 {
                return None;
            }
            let value = q.0.lock().unwrap().pop_front();
            value.inspect(|_| _ = q.1.fetch_sub(1, SeqCst))
        })
        .op("len", [()], |q, ()| q.1.load(SeqCst))
}

/// Verdicts of a test: of every class by its own rule, and of every single execution by brute force.
fn compare<T: Send + Sync + 'static>(
    object: fn() -> Object<T>,
    ops: &[usize],
    more: &[&str],
    criterion: Criterion,
) -> [u32; 2] {
    let ops = ops.iter().map(|&arguments| Choosable { weight: 1, arguments, owned: false }).collect();
    let shape = Shape { threads: 3, calls: 2, before: 1, after: 1 };
    let drawer = Drawer::new(ops, 5, shape);
    let small = drawer.small().into_iter().step_by(5);
    let mut verdicts = [0; 2];
    let drawn = small.chain((0..20).map(|n| drawer.draw(n))).map(|test| test.to_string());
    for test in drawn.chain(more.iter().map(|&test| test.to_owned())) {
        let run =
            |object: Object<T>| object.criterion(criterion).minimise(0).test(&test).executions(30_000).run();
        let brute = run(object().search("dfs").naive(true));
        let is_wrong = kind(&brute).is_some();
        if !is_wrong && !brute.guarantee().contains("every interleaving") {
            continue;
        }
        verdicts[usize::from(is_wrong)] += 1;
        for search in ["exhaustive", "dfs:source"] {
            let report = run(object().search(search));
            assert_eq!(
                kind(&report),
                kind(&brute),
                "{test} under {search}, {criterion:?}\n{report}\n{brute}"
            );
        }
    }
    verdicts
}

#[test]
fn judging_a_class_is_judging_each_of_its_executions() {
    for criterion in
        [Criterion::Linearizable, Criterion::SequentiallyConsistent, Criterion::QuiescentlyConsistent]
    {
        let all = [
            compare(places, &[2, 1], &[], criterion),
            compare(counted, &[2, 1, 1], &[], criterion),
            compare(queue, &[3, 1], &[], criterion),
            compare(counter, &[1], &[], criterion),
        ];
        let of = |i: usize| all.iter().map(|v| v[i]).sum::<u32>();
        assert!(of(0) > 40 && of(1) > 20, "{all:?}");
    }
    // Calls that wait for ever.
    let forgets = || waiting(true);
    let more = [";1.0|0.0 0.1|1.0;", ";1.0|0.0|0.1|1.0;", ";1.0|1.0|0.0 0.0;0.1"];
    let verdicts = compare(forgets, &[2, 1], &more, Criterion::Linearizable);
    assert!(verdicts[0] > 20 && verdicts[1] > 1, "{verdicts:?}");
}

#[test]
fn what_is_shown_is_an_execution_that_shows_it() {
    let report = places().search("exhaustive").test(";0.1|0.0|1.0;").run();
    let failure = report.failure().unwrap();
    assert!(notes(&report).contains("set(0) is over before set(1) begins"), "{report}");
    // The store of set(0), by main.2, comes before that of set(1), by main.1.
    let stores: Vec<u32> = failure
        .trace()
        .steps
        .iter()
        .filter(|s| s.kind == gordian_model::OpKind::Store)
        .map(|s| s.thread.0)
        .collect();
    assert_eq!(stores, [2, 1], "{report}");
}

#[test]
fn weaker_criteria_allow_more() {
    let run = |criterion, test: &str| kind(&places().criterion(criterion).test(test).run());
    // Nothing but real time speaks against it.
    assert_eq!(run(Criterion::SequentiallyConsistent, ";0.1|0.0|1.0;"), None);
    assert_eq!(run(Criterion::QuiescentlyConsistent, ";0.1|0.0|1.0;"), None);
    // One thread sets both: its own order speaks against it, except where only quiet moments count.
    let wrong = Some(FailureKind::NotLinearizable);
    assert_eq!(run(Criterion::SequentiallyConsistent, ";0.0 0.1|1.0;"), wrong);
    assert_eq!(run(Criterion::QuiescentlyConsistent, ";0.0 0.1|1.0;"), None);
    // A lost update cannot be explained at all.
    for criterion in
        [Criterion::Linearizable, Criterion::SequentiallyConsistent, Criterion::QuiescentlyConsistent]
    {
        assert_eq!(kind(&counter().criterion(criterion).run()), wrong);
    }
}

type Waiting = (Mutex<VecDeque<u32>>, Condvar);

/// A queue that waits for something to take out, and forgets to wake those who wait if `forgets`.
fn waiting(forgets: bool) -> Object<Waiting> {
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

/// A map from keys to counts, each under a lock of its own; `get` of key 1 sees nothing of the last `add`, if it is `late`.
fn map(late: bool) -> Object<[Mutex<u32>; 3]> {
    Object::new(|| [const { Mutex::new(0) }; 3])
        .op("add", 0..3, |map: &[Mutex<u32>; 3], key: usize| {
            let mut count = map[key].lock().unwrap();
            *count += 1;
            *count
        })
        .op("get", 0..3, move |map, key: usize| {
            let count = *map[key].lock().unwrap();
            if late && key == 1 { count.saturating_sub(1) } else { count }
        })
}

#[test]
fn keys_are_explained_one_by_one_with_the_same_verdicts() {
    let report = map(false).partitioned().tests(10).run();
    assert_eq!(kind(&report), None, "{report}");
    // Alone, too, it sees one less, so that this is its specification; a specification that somebody wrote finds it.
    assert_eq!(kind(&map(true).partitioned().tests(10).run()), None);
    let specified = |partitioned: bool| {
        let object = Object::new(|| [const { Mutex::new(0_u32) }; 3])
            .specified_by([0_u32; 3])
            .op_as(
                "add",
                0..3,
                |map: &[Mutex<u32>; 3], key: usize| *map[key].lock().unwrap() += 1,
                |s, key| s[key] += 1,
            )
            .op_as(
                "get",
                0..3,
                |map, key: usize| (*map[key].lock().unwrap()).saturating_sub(u32::from(key == 1)),
                |s, key| s[key],
            )
            .equal_states();
        if partitioned { object.partitioned().run() } else { object.run() }
    };
    for partitioned in [false, true] {
        assert_eq!(kind(&specified(partitioned)), Some(FailureKind::NotLinearizable));
    }
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

#[test]
fn panics_are_answers_if_that_is_said() {
    let object = || {
        Object::new(|| Mutex::new(0_u32))
            .op("put", [()], |n: &Mutex<u32>, ()| *n.lock().unwrap_or_else(|e| e.into_inner()) += 1)
            .op("take", [()], |n, ()| {
                let mut n = n.lock().unwrap_or_else(|e| e.into_inner());
                assert!(*n > 0, "nothing there");
                *n -= 1;
            })
    };
    let report = object().run();
    assert_eq!(kind(&report), Some(FailureKind::Misuse), "{report}");
    let said = message(&report);
    assert!(said.contains("take() fails by itself") && said.contains("nothing there"), "{said}");
    assert!(said.contains("Object::panics(true)"), "{said}");
    let report = object().panics(true).tests(5).run();
    assert_eq!(kind(&report), None, "{report}");
}

#[test]
fn mistakes_get_a_sentence_each() {
    let said = |report: Report| {
        assert_eq!(kind(&report), Some(FailureKind::Misuse), "{report}");
        message(&report)
    };
    let times = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let random = Object::new(|| AtomicUsize::new(0)).op("draw", [()], move |counter: &AtomicUsize, ()| {
        counter.load(SeqCst);
        times.fetch_add(1, SeqCst)
    });
    let sentence = said(random.run());
    assert!(sentence.contains("draw() is not deterministic"), "{sentence}");
    let choosing =
        Object::new(|| AtomicUsize::new(0)).op("draw", [()], |_: &AtomicUsize, ()| gordian::choose(2));
    let sentence = said(choosing.run());
    assert!(sentence.contains("draw()") && sentence.contains("not deterministic"), "{sentence}");
    assert!(said(Object::new(|| Mutex::new(0)).run()).contains("nothing to call"));
    assert!(
        said(counter().op("never", Vec::<u32>::new(), |_, _| ()).run()).contains("never has no arguments")
    );
    assert!(said(counter().size(20, 20).run()).contains("at most 64 calls"));
    assert!(said(counter().test("what").run()).contains("is no test"));
    assert!(said(counter().test(";7.0|0.0;").run()).contains("are not there"));
    assert!(said(counter().search("exhaustif").run()).contains("exhaustive"));
    assert!(
        said(Object::new(|| Mutex::new(0)).weight(3).run())
            .contains("Object::weight is about the operation before it")
    );
    assert!(said(counter().equal_states().run()).contains("there is none"));
    assert!(said(counter().specified_by(0_u32).run()).contains("comes before the operations"));
    gordian::Checker::new().run(|| {
        let report = counter().run();
        assert!(report.failure().unwrap().message().contains("inside a check"));
    });
    let unspecified =
        Object::new(|| Mutex::new(0))
            .specified_by(())
            .op("look", [()], |n: &Mutex<i32>, ()| *n.lock().unwrap());
    assert!(said(unspecified.run()).contains("look has no part in the specification"));
}

#[test]
fn states_that_are_told_apart_give_the_same_verdicts() {
    let stated = |object: Object<Mutex<VecDeque<u32>>>| object.state(|queue| queue.lock().unwrap().clone());
    let (with, without) = (stated(queue()).tests(10).run(), queue().tests(10).run());
    assert_eq!(kind(&with), None, "{with}");
    assert_eq!((with.executions(), with.histories()), (without.executions(), without.histories()));
    let state = |q: &(Mutex<VecDeque<u32>>, AtomicUsize)| (q.0.lock().unwrap().clone(), q.1.load(SeqCst));
    let (with, without) = (counted().state(state).run(), counted().run());
    assert_eq!(kind(&with), Some(FailureKind::NotLinearizable));
    assert_eq!((kind(&with), with.test()), (kind(&without), without.test()));
}

/// Run by the test below, as a process of its own.
#[test]
fn child() {
    if std::env::var_os("LIN_CHILD").is_some() {
        counter().check();
    }
}

#[test]
fn a_saved_execution_is_repeated() {
    let folder = std::env::temp_dir().join(format!("gordian-lin-{}", std::process::id()));
    let run = |environment: &[(&str, &str)]| {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["child", "--exact"])
            .env("LIN_CHILD", "1")
            .env("GORDIAN_REPORT", &folder)
            .env("RUST_BACKTRACE", "0")
            .envs(environment.iter().copied())
            .output()
            .unwrap();
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let first = run(&[]);
    let saved = folder.join("child/1.trace");
    assert!(first.contains("saved: ") && saved.exists() && folder.join("child/1.html").exists(), "{first}");
    let again = run(&[("GORDIAN_REPLAY", saved.to_str().unwrap())]);
    assert!(again.contains("the same failure in the same 4 steps"), "{again}");
    assert!(again.contains("increment() returned 1 (steps 1 to 4)"), "{again}");
    let other = run(&[("GORDIAN_SEARCH", "exhaustif")]);
    assert!(other.contains("GORDIAN_SEARCH") && other.contains("exhaustive"), "{other}");
    std::fs::remove_dir_all(&folder).unwrap();
}
