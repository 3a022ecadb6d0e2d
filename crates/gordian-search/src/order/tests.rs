//! Races of small executions.

use super::*;
use gordian_model::conductor::Conductor;
use gordian_model::object::{Atomic, Channel, Mutex, Object, RwLock};
use gordian_model::{ObjectId, Op, Plan, Planned, Relation, SiteId, dependent};

/// The races of an execution in which each thread does its ops on one object, in the order given.
fn races(model: Object, threads: &[&[(OpKind, u64)]], order: &[u32]) -> Vec<Race> {
    let mut conductor = Conductor::default();
    let planned = |&t: &u32| Planned { thread: ThreadId(t), outcome: 0, expected: None };
    conductor.begin(&Plan { prefix: order.iter().map(planned).collect(), ..Plan::default() });
    let object = conductor.create(model, SiteId::UNKNOWN);
    let mut at = vec![0; threads.len()];
    let mut announce = |conductor: &mut Conductor, t: usize| match threads[t].get(at[t]) {
        Some(&(kind, arg)) => {
            at[t] += 1;
            let op = Op { arg, arg2: 1, detail: 8, ..Op::new(kind, object, SiteId(t as u32)) };
            conductor.announce(ThreadId(t as u32), &op);
        }
        None => conductor.finish(ThreadId(t as u32)),
    };
    for t in 1..threads.len() {
        assert_eq!(conductor.spawn(ThreadId::MAIN), ThreadId(t as u32));
        announce(&mut conductor, t);
    }
    announce(&mut conductor, 0);
    while let gordian_model::Decision::Run(thread) = conductor.decide() {
        conductor.perform(thread);
        announce(&mut conductor, thread.index());
    }
    let steps = &conductor.trace.steps;
    assert_eq!(steps.iter().map(|s| s.thread.0).collect::<Vec<_>>(), order, "{:?}", conductor.trace.end);
    let (mut found, mut clocks) = (Vec::new(), Order::default());
    for _ in steps {
        clocks.push(steps, &mut found);
    }
    found
}

const LOAD: (OpKind, u64) = (OpKind::Load, 0);
const STORE: (OpKind, u64) = (OpKind::Store, 1);
const LOCK: (OpKind, u64) = (OpKind::Lock, 0);
const UNLOCK: (OpKind, u64) = (OpKind::Unlock, 0);

#[test]
fn a_write_races_with_the_reads_before_it_and_reads_with_nothing() {
    let races = races(Atomic::new(0).into(), &[&[LOAD], &[LOAD], &[STORE]], &[0, 1, 2]);
    assert_eq!(races, [(1, 2), (0, 2)]);
}

#[test]
fn what_is_between_two_writes_hides_their_race() {
    let races = races(Atomic::new(0).into(), &[&[STORE], &[LOAD], &[STORE]], &[0, 1, 2]);
    assert_eq!(races, [(0, 1), (1, 2)]);
}

#[test]
fn a_failed_compare_exchange_is_a_read() {
    let cas = (OpKind::CompareExchange, 7);
    assert_eq!(races(Atomic::new(0).into(), &[&[cas], &[LOAD]], &[0, 1]), []);
    let cas = (OpKind::CompareExchange, 0);
    assert_eq!(races(Atomic::new(0).into(), &[&[cas], &[LOAD]], &[0, 1]), [(0, 1)]);
}

#[test]
fn a_lock_races_with_the_lock_before_it_and_not_with_the_unlock() {
    let races = races(Mutex::new().into(), &[&[LOCK, UNLOCK], &[LOCK, UNLOCK]], &[0, 0, 1, 1]);
    assert_eq!(races, [(0, 2)]);
}

#[test]
fn a_failed_try_lock_races_with_the_lock_and_the_unlock_with_it() {
    let races = races(Mutex::new().into(), &[&[LOCK, UNLOCK], &[(OpKind::TryLock, 0)]], &[0, 1, 0]);
    assert_eq!(races, [(0, 1), (1, 2)]);
}

#[test]
fn sends_race_with_each_other_and_a_receive_with_none_of_them() {
    let mut channel = Channel::new(None);
    channel.add_sender();
    let (send, receive) = ((OpKind::Send, 0), (OpKind::Receive, 0));
    let races = races(channel.into(), &[&[receive], &[send], &[send]], &[1, 2, 0]);
    assert_eq!(races, [(0, 1)]);
}

#[test]
fn steps_that_are_cut_off_are_forgotten() {
    let mut conductor = Conductor::default();
    conductor.begin(&Plan::default());
    let object = conductor.create(Atomic::new(0).into(), SiteId::UNKNOWN);
    let other = conductor.spawn(ThreadId::MAIN);
    for thread in [ThreadId::MAIN, other] {
        conductor.announce(thread, &Op { detail: 8, ..Op::new(OpKind::Store, object, SiteId::UNKNOWN) });
    }
    for _ in 0..2 {
        let gordian_model::Decision::Run(thread) = conductor.decide() else { panic!("two steps") };
        conductor.perform(thread);
    }
    let (mut order, mut races) = (Order::default(), Vec::new());
    for _ in 0..3 {
        order.truncate(1);
        while order.len() < 2 {
            order.push(&conductor.trace.steps, &mut races);
        }
    }
    assert_eq!(races, [(0, 1); 3]);
}

/// What [`Order::leading`] says, asked of each step.
fn plainly_leading(order: &Order, steps: &[Step], at: usize, last: usize, let_go: bool) -> Vec<usize> {
    let (mut leading, goal) = (vec![last], &steps[last]);
    for k in (at + 1..last).rev().filter(|&k| !order.before(at, k)) {
        let meet = |a: &Access, b: &Access| match a.act.relation(a.seq, b.act, b.seq) {
            Relation::Race => true,
            Relation::Enables => let_go,
            Relation::Commute => false,
        };
        let touch = |a: &Access| goal.accesses.iter().any(|b| a.object == b.object && meet(a, b));
        if leading[1..].iter().any(|&m| order.before(k, m))
            || steps[k].thread == goal.thread
            || goal.after.contains(&(k as u32))
            || goal.woken_by == Some(k as u32)
            || steps[k].accesses.iter().any(touch)
        {
            leading.push(k);
        }
    }
    leading.reverse();
    leading
}

#[test]
fn bits_and_clocks_agree_also_where_the_one_becomes_the_other() {
    // More threads than a clock has room for at first, and so many that more is kept.
    [10, 2 * leading::FEW].into_iter().for_each(agree);
}

/// An execution of so many threads, drawn by chance.
fn drawn(many: usize, mut chance: u32) -> Conductor {
    let kinds = [OpKind::Load, OpKind::Store, OpKind::Load];
    let mut draw = |most: usize| {
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (chance >> 16) as usize % most
    };
    let mut conductor = Conductor::default();
    conductor.begin(&Plan::default());
    let objects = [0; 3].map(|_| conductor.create(Atomic::new(0).into(), SiteId::UNKNOWN));
    let threads: Vec<ThreadId> = (0..many).map(|_| conductor.spawn(ThreadId::MAIN)).collect();
    for _ in 0..100 {
        let thread = threads[draw(threads.len())];
        let (kind, object) = (kinds[draw(3)], objects[draw(3)]);
        conductor.announce(thread, &Op { detail: 8, ..Op::new(kind, object, SiteId::UNKNOWN) });
        assert_eq!(conductor.decide(), gordian_model::Decision::Run(thread));
        conductor.perform(thread);
    }
    conductor
}

fn agree(many: usize) {
    let executions = [drawn(many, 7), drawn(many, 8)];
    let (mut bits, mut clocks) = (Order::default(), Order::default());
    clocks.keep_clocks();
    let (mut found, mut expected, mut leading) = (Vec::new(), Vec::new(), Vec::new());
    // From zero on it may be another execution.
    let lengths = [(0, 10), (0, 64), (0, 65), (0, 60), (0, 100), (0, 0), (1, 63), (1, 100), (1, 0), (0, 100)];
    for (execution, len) in lengths {
        let steps = &executions[execution].trace.steps;
        bits.truncate(len);
        clocks.truncate(len);
        while bits.len() < len {
            bits.push(steps, &mut found);
            clocks.push(steps, &mut expected);
        }
        assert_eq!(found, expected);
        // Back and forth, since answers are kept.
        let all = (0..len).chain((0..len).rev());
        for (a, b) in all.flat_map(|b| (0..=b).map(move |a| (a, b))) {
            assert_eq!(bits.before(a, b), clocks.before(a, b), "{len}");
            let nothing_since = !(a..b).any(|s| bits.before(s, b));
            let nth = |thread, number: u32| {
                let mut own = (0..len).filter(|&s| steps[s].thread == thread);
                number.checked_sub(1).and_then(|number| own.nth(number as usize))
            };
            for order in [&mut bits, &mut clocks] {
                assert_eq!(order.is_first_since(b, a, nth), nothing_since, "{a} {b} of {len}");
                for let_go in [true, false].into_iter().filter(|_| a < b) {
                    order.leading(steps, a, b, let_go, &mut leading);
                    assert_eq!(leading, plainly_leading(order, steps, a, b, let_go), "{a} {b} of {len}");
                }
            }
            // Half of what is before it, so that there are others in between.
            let earlier = a..a + (b - a) / 2;
            let depends = earlier.clone().any(|s| dependent(&steps[s].accesses, &steps[b].accesses));
            assert_eq!(bits.depends_on_any(b, earlier), depends, "{a} {b} of {len}");
        }
    }
    assert!(bits.wide && found.len() > 100);
}

/// An execution of four threads that load and store, take locks and shares, try to, and send and receive, drawn by chance.
pub(crate) fn mixed(mut chance: u32) -> Conductor {
    let (with_tries, with_odd_shares) = (chance % 2 == 1, chance % 4 >= 2);
    let mut draw = |most: usize| {
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (chance >> 16) as usize % most
    };
    let mut conductor = Conductor::default();
    let planned = |t: usize| Planned { thread: ThreadId(t as u32), outcome: 0, expected: None };
    let prefix = (0..60).map(|_| planned(draw(5))).collect();
    conductor.begin(&Plan { prefix, lenient: true, ..Plan::default() });
    let mut channel = Channel::new(None);
    (0..3).for_each(|_| channel.add_sender());
    let memory = [0; 2].map(|_| conductor.create(Atomic::new(0).into(), SiteId::UNKNOWN));
    let mutex = conductor.create(Mutex::new().into(), SiteId::UNKNOWN);
    let channel = conductor.create(channel.into(), SiteId::UNKNOWN);
    let shared = conductor.create(RwLock::new().into(), SiteId::UNKNOWN);
    let mut left: Vec<Vec<(OpKind, ObjectId)>> = vec![Vec::new(); 5];
    for ops in &mut left[1..] {
        // The last comes first.
        ops.push((OpKind::DropSender, channel));
        while ops.len() < 10 {
            let object = memory[draw(2)];
            match draw(12) {
                0 | 1 => ops.push((OpKind::Load, object)),
                2 => ops.push((OpKind::Store, object)),
                3 => ops.push((OpKind::Send, channel)),
                4 if with_tries => ops.push((OpKind::TryReceive, channel)),
                4 => ops.push((OpKind::Receive, channel)),
                5 if with_tries => ops.push((OpKind::TryLock, mutex)),
                6 if with_odd_shares => ops.push((OpKind::ReadUnlock, shared)),
                7 if with_odd_shares => ops.push((OpKind::ReadLock, shared)),
                6 | 7 => ops.extend([
                    (OpKind::WriteUnlock, shared),
                    (OpKind::Store, object),
                    (OpKind::WriteLock, shared),
                ]),
                8 => ops.extend([(OpKind::WriteUnlock, shared), (OpKind::WriteLock, shared)]),
                9 => ops.extend([
                    (OpKind::ReadUnlock, shared),
                    (OpKind::Load, object),
                    (OpKind::ReadLock, shared),
                ]),
                10 => ops.extend([(OpKind::ReadUnlock, shared), (OpKind::ReadLock, shared)]),
                _ => ops.extend([(OpKind::Unlock, mutex), (OpKind::Load, object), (OpKind::Lock, mutex)]),
            }
        }
    }
    let mut go_on = |conductor: &mut Conductor, t: usize| match left[t].pop() {
        Some((kind, object)) => {
            let op = Op { arg: 1, detail: 8, ..Op::new(kind, object, SiteId(t as u32)) };
            conductor.announce(ThreadId(t as u32), &op);
        }
        None => conductor.finish(ThreadId(t as u32)),
    };
    (1..5).for_each(|_| _ = conductor.spawn(ThreadId::MAIN));
    (0..5).for_each(|t| go_on(&mut conductor, t));
    while let gordian_model::Decision::Run(thread) = conductor.decide() {
        conductor.perform(thread);
        go_on(&mut conductor, thread.index());
    }
    conductor
}

#[test]
fn usual_steps_are_added_as_all_others_are() {
    let (mut plainly, mut order) = (Order::default(), Order::default());
    let (mut expected, mut found, mut all) = (Vec::new(), Vec::new(), 0);
    for chance in 0..400 {
        let execution = mixed(chance);
        let steps = &execution.trace.steps[..];
        assert!(steps.len() < WORD, "{}", steps.len());
        // Each with what is left of the one before it, then from somewhere in the middle.
        for from in [0, steps.len() / 2, steps.len().saturating_sub(1)] {
            for order in [&mut plainly, &mut order] {
                order.truncate(from);
            }
            expected.clear();
            found.clear();
            while plainly.len() < steps.len() {
                plainly.push(steps, &mut expected);
            }
            order.extend(steps, &mut found);
            assert_eq!(found, expected, "{chance} from {from}");
            assert_eq!(order.events[..], plainly.events[..], "{chance} from {from}");
            assert_eq!(order.touches[..], plainly.touches[..], "{chance} from {from}");
            assert_eq!(order.threads, plainly.threads);
            assert_eq!(order.objects, plainly.objects);
            all += found.len();
        }
    }
    assert!(all > 2_000, "{all}");
}
