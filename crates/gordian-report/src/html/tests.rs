use super::arrows::{Arrow, Why, arrows};
use super::states::{Shown, timelines};
use super::*;
use gordian_model::object::{Atomic, Channel, Condvar, Mutex, Object, Once, RwLock, Semaphore};
use gordian_model::{Conductor, Decision, FailureKind, Op, OpKind, Plan, Planned};

/// An op of a thread: what, to which object, with which second one, and its argument.
type Act = (OpKind, u32, Option<u32>, u64);

fn op(kind: OpKind, object: u32) -> Act {
    (kind, object, None, 0)
}

/// The execution in which each thread does its ops on these objects, in the order given; then it fails.
fn run(models: Vec<Object>, threads: &[&[Act]], order: &[u32]) -> (Trace, Names) {
    let mut conductor = Conductor::default();
    let planned = |&t: &u32| Planned { thread: ThreadId(t), outcome: 0, expected: None };
    conductor.begin(&Plan { prefix: order.iter().map(planned).collect(), ..Plan::default() });
    for model in models {
        let numbers = if matches!(model, Object::Channel(_)) { Channel::NUMBERS } else { 1 };
        for _ in 0..numbers {
            conductor.create(model.clone(), SiteId::UNKNOWN);
        }
    }
    let mut at = vec![0; threads.len()];
    let mut announce = |conductor: &mut Conductor, t: usize| match threads[t].get(at[t]) {
        Some(&(kind, object, other, arg)) => {
            at[t] += 1;
            let other = other.map_or(ObjectId::NONE, ObjectId);
            let op =
                Op { arg, arg2: 9, detail: 8, other, ..Op::new(kind, ObjectId(object), SiteId::UNKNOWN) };
            conductor.announce(ThreadId(t as u32), &op);
        }
        None => conductor.finish(ThreadId(t as u32)),
    };
    for t in 1..threads.len() {
        conductor.spawn(ThreadId::MAIN);
        announce(&mut conductor, t);
    }
    announce(&mut conductor, 0);
    for _ in order {
        let Decision::Run(thread) = conductor.decide() else { panic!("{:?}", conductor.trace.end) };
        conductor.perform(thread);
        announce(&mut conductor, thread.index());
    }
    conductor.fail(Failure::new(FailureKind::Panic, "over").at(ThreadId::MAIN, SiteId::UNKNOWN));
    (conductor.trace.clone(), conductor.names.clone())
}

/// The arrows as (from, to, why), with steps from one.
fn arrows_of((trace, names): &(Trace, Names)) -> Vec<(u32, u32, Why)> {
    arrows(trace, names).into_iter().map(|Arrow { from, to, why }| (from + 1, to + 1, why)).collect()
}

/// The states of the first object, each with the step that led to it.
fn states_of((trace, names): &(Trace, Names)) -> Vec<(u32, String)> {
    let held = Held { trace, names, value: &|value, _| value.to_string() };
    let mut all = timelines(&held, &Shown::new(trace));
    all.swap_remove(0).states
}

fn states(all: &[(u32, &str)]) -> Vec<(u32, String)> {
    all.iter().map(|&(at, state)| (at, state.to_owned())).collect()
}

#[test]
fn a_read_points_to_the_write_that_it_saw_and_a_store_to_nothing() {
    let store = |value| (OpKind::Store, 0, None, value);
    let load = op(OpKind::Load, 0);
    let ran =
        run(vec![Atomic::new(0).into()], &[&[store(1), store(2)], &[load, load, store(3)]], &[0, 1, 0, 1, 1]);
    assert_eq!(arrows_of(&ran), [(1, 2, Why::Value), (3, 4, Why::Value)]);
    assert_eq!(states_of(&ran), states(&[(0, "0"), (1, "1"), (3, "2"), (5, "3")]));
}

#[test]
fn what_the_last_compare_exchange_wrote_is_known() {
    let exchange = (OpKind::CompareExchange, 0, None, 4);
    let ran = run(vec![Atomic::new(4).into()], &[&[exchange], &[exchange]], &[0, 1]);
    // The second fails, and is a read.
    assert_eq!(states_of(&ran), states(&[(0, "4"), (1, "9")]));
    assert_eq!(arrows_of(&ran), [(1, 2, Why::Value)]);
    let ran = run(vec![Atomic::new(4).into()], &[&[exchange]], &[0]);
    assert_eq!(states_of(&ran), states(&[(0, "4"), (1, "9")]));
}

#[test]
fn an_unlock_points_to_the_lock_and_a_failed_try_to_the_holder() {
    let [lock, unlock, try_lock] = [OpKind::Lock, OpKind::Unlock, OpKind::TryLock].map(|kind| op(kind, 0));
    let ran = run(vec![Mutex::new().into()], &[&[lock, unlock], &[try_lock, lock]], &[0, 1, 0, 1]);
    assert_eq!(arrows_of(&ran), [(1, 2, Why::Held), (3, 4, Why::Lock)]);
    let held =
        [(0, "free"), (1, "held by main since step 1"), (3, "free"), (4, "held by main.1 since step 4")];
    assert_eq!(states_of(&ran), states(&held));
}

#[test]
fn a_writer_comes_after_every_reader() {
    let [read, unread, write] =
        [OpKind::ReadLock, OpKind::ReadUnlock, OpKind::WriteLock].map(|kind| op(kind, 0));
    let ran =
        run(vec![RwLock::new().into()], &[&[read, unread], &[read, unread], &[write]], &[0, 1, 0, 1, 2]);
    assert_eq!(arrows_of(&ran), [(3, 5, Why::Lock), (4, 5, Why::Lock)]);
    let both = "read by main since step 1, main.1 since step 2";
    assert_eq!(states_of(&ran)[2], (2, both.to_owned()));
    assert_eq!(states_of(&ran)[4..], states(&[(4, "free"), (5, "held by main.2 since step 5")]));
}

#[test]
fn a_notification_points_to_the_one_it_wakes() {
    let [lock, unlock] = [OpKind::Lock, OpKind::Unlock].map(|kind| op(kind, 1));
    let [wait, wake] = [OpKind::Wait, OpKind::Wake].map(|kind| (kind, 0, Some(1), 0));
    let notify = op(OpKind::NotifyOne, 0);
    let models = vec![Condvar::new().into(), Mutex::new().into()];
    let ran = run(models, &[&[lock, notify, unlock], &[lock, wait, wake]], &[1, 1, 0, 0, 0, 1]);
    assert_eq!(arrows_of(&ran), [(2, 3, Why::Lock), (5, 6, Why::Lock), (4, 6, Why::Notify)]);
    let expected = [
        (0, "nobody waits"),
        (2, "waiting: main.1"),
        (4, "nobody waits; notified: main.1"),
        (6, "nobody waits"),
    ];
    assert_eq!(states_of(&ran), states(&expected));
}

#[test]
fn a_message_points_to_its_receiver_and_room_to_the_next_sender() {
    let [send, receive, gone] = [OpKind::Send, OpKind::Receive, OpKind::DropSender].map(|kind| op(kind, 0));
    let ran = run(
        vec![Channel::new(Some(1)).into()],
        &[&[send, send, gone], &[receive, receive, receive]],
        &[0, 1, 0, 1, 0, 1],
    );
    let expected = [(1, 2, Why::Message), (2, 3, Why::Room), (3, 4, Why::Message), (5, 6, Why::Gone)];
    assert_eq!(arrows_of(&ran), expected);
    let held = Held { trace: &ran.0, names: &ran.1, value: &|value, _| value.to_string() };
    let all = timelines(&held, &Shown::new(&ran.0));
    assert_eq!(all.len(), 1, "a channel is one object");
    assert_eq!(states_of(&ran)[..2], states(&[(0, "empty"), (1, "1 message")]));
    assert_eq!(states_of(&ran)[5].1, "empty, 1 sender dropped");
}

#[test]
fn the_permits_at_the_beginning_are_worked_out_from_those_at_the_end() {
    let [acquire, release] = [(OpKind::Acquire, 0, None, 0), (OpKind::Release, 0, None, 1)];
    let ran = run(vec![Semaphore::new(1).into()], &[&[acquire, release], &[acquire]], &[0, 0, 1]);
    assert_eq!(
        states_of(&ran),
        states(&[(0, "1 permit"), (1, "0 permits"), (2, "1 permit"), (3, "0 permits")])
    );
    // The second takes the permit that came back.
    assert_eq!(arrows_of(&ran), [(2, 3, Why::Permit)]);
}

#[test]
fn an_initialisation_is_being_done_and_then_done() {
    let [begin, finish] = [(OpKind::OnceBegin, 0, None, 0), (OpKind::OnceEnd, 0, None, Once::COMPLETED)];
    let ran = run(vec![Once::new().into()], &[&[begin, finish], &[begin]], &[0, 0, 1]);
    let expected =
        [(0, "not initialised"), (1, "being initialised by main since step 1"), (2, "initialised")];
    assert_eq!(states_of(&ran), states(&expected));
    assert_eq!(arrows_of(&ran), [(2, 3, Why::Lock)]);
}

#[test]
fn the_whys_are_numbered_as_they_are_listed() {
    assert!(Why::ALL.iter().enumerate().all(|(i, why)| why.0 as usize == i));
}

#[test]
fn what_a_program_says_does_not_become_part_of_the_page() {
    let (trace, names) = run(vec![Atomic::new(0).into()], &[&[op(OpKind::Load, 0)]], &[0]);
    let message = "</script><script>alert(1)</script><!-- {{data}}";
    let failure = Failure::new(FailureKind::Panic, message);
    let page = Page {
        test: "a<b>",
        failure: &failure,
        trace: &trace,
        names: &names,
        original: None,
        exploration: None,
        replay: None,
        insight: &Insight::default(),
        sources: &Sources::none(),
    };
    let text = html(&page);
    assert_eq!(text.matches("</script>").count(), 2, "its own two");
    assert!(!text.contains("alert(1)</script>") && !text.contains("<!-- {{"));
    assert!(text.contains("<title>panic: a&lt;b&gt;</title>"));
    assert!(text.contains("<h1>&lt;/script&gt;"));
}
