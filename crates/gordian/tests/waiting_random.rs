//! Small random programs with loops that wait, in every form that people write them: each search sees the outcomes that there are, says that a
//! program may wait for ever if it may, and nothing else. What there is comes from the programs' own graph of states, which knows nothing of Gordian.
//!
//! `GORDIAN_RANDOM_ROUNDS=N` draws N programs, `GORDIAN_RANDOM_FIRST=S` begins with another. What a loop leaves on its stack depends on how it was compiled, so both kinds of
//! build are worth a try.

mod common;

use common::dice::Dice;
use gordian::sync::atomic::{AtomicU8, Ordering::SeqCst};
use gordian::{Checker, FailureKind, hint, thread};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What a thread does, with the values of two atomics.
#[derive(Clone, Copy, Debug)]
enum Part {
    Load(usize),
    Store(usize, u8),
    Add(usize),
    Exchange(usize, u8, u8),
    /// As long as the atomic has this value.
    Wait(usize, u8),
    WaitPausing(usize, u8),
    WaitYielding(usize, u8),
    WaitInACall(usize, u8),
    WaitBackingOff(usize, u8),
    /// Pauses after every third look only.
    WaitPausingRarely(usize, u8),
    /// And tells what it has after that.
    WaitAndTell(usize, u8),
    /// As long as both have these.
    WaitForEither([u8; 2]),
    /// Until it is 0, which it then no longer is.
    LockByExchange(usize),
    /// Until it is not 1, which it then is.
    LockBySwap(usize),
    LockLookingFirst(usize),
    /// Looks three times, and tells how often it had this value.
    LookThrice(usize, u8),
    /// As long as it has this value, three rounds at most; tells how many those were.
    WaitAWhile(usize, u8),
}
use Part::*;

type Program = Vec<Vec<Part>>;

/// What each thread told, and the last values.
type Outcome = (Vec<Vec<u8>>, [u8; 2]);

#[inline(never)]
fn is(atomic: &AtomicU8, value: u8) -> bool {
    let seen = atomic.load(SeqCst);
    seen == value
}

#[inline(never)]
fn back_off(rounds: &mut u32) {
    for _ in 0..*rounds {
        hint::spin_loop();
    }
    *rounds = (*rounds * 2).min(4);
}

fn perform(part: Part, atomics: &[AtomicU8; 2], tell: &mut Vec<u8>) {
    match part {
        Load(x) => tell.push(atomics[x].load(SeqCst)),
        Store(x, value) => atomics[x].store(value, SeqCst),
        Add(x) => tell.push(atomics[x].fetch_add(1, SeqCst)),
        Exchange(x, from, to) => {
            tell.push(atomics[x].compare_exchange(from, to, SeqCst, SeqCst).is_ok() as u8)
        }
        Wait(x, value) => while atomics[x].load(SeqCst) == value {},
        WaitPausing(x, value) => {
            while atomics[x].load(SeqCst) == value {
                hint::spin_loop();
            }
        }
        WaitYielding(x, value) => {
            while atomics[x].load(SeqCst) == value {
                thread::yield_now();
            }
        }
        WaitInACall(x, value) => while is(&atomics[x], value) {},
        WaitBackingOff(x, value) => {
            let mut rounds = 1;
            while atomics[x].load(SeqCst) == value {
                back_off(&mut rounds);
            }
        }
        WaitPausingRarely(x, value) => {
            let mut looks = 0;
            while atomics[x].load(SeqCst) == value {
                looks += 1;
                if looks == 3 {
                    thread::yield_now();
                    looks = 0;
                }
            }
        }
        WaitAndTell(x, value) => loop {
            let seen = atomics[x].load(SeqCst);
            if seen != value {
                break tell.push(seen);
            }
        },
        WaitForEither([a, b]) => while atomics[0].load(SeqCst) == a && atomics[1].load(SeqCst) == b {},
        LockByExchange(x) => while atomics[x].compare_exchange(0, 1, SeqCst, SeqCst).is_err() {},
        LockBySwap(x) => while atomics[x].swap(1, SeqCst) == 1 {},
        LockLookingFirst(x) => loop {
            while atomics[x].load(SeqCst) == 1 {}
            if atomics[x].swap(1, SeqCst) != 1 {
                break;
            }
        },
        WaitAWhile(x, value) => {
            let mut rounds = 0;
            while rounds < 3 && atomics[x].load(SeqCst) == value {
                hint::spin_loop();
                rounds += 1;
            }
            tell.push(rounds);
        }
        LookThrice(x, value) => tell.push((0..3).filter(|_| atomics[x].load(SeqCst) == value).count() as u8),
    }
}

/// The same, one access at a time. `at` is how far it has come; it gives how far it is then, or that it is done.
fn step(part: Part, at: u8, atomics: &mut [u8; 2], tell: &mut Vec<u8>) -> Option<u8> {
    let again = |waits: bool| waits.then_some(0);
    match part {
        Load(x) => tell.push(atomics[x]),
        Store(x, value) => atomics[x] = value,
        Add(x) => {
            tell.push(atomics[x]);
            atomics[x] = atomics[x].wrapping_add(1);
        }
        Exchange(x, from, to) => {
            tell.push((atomics[x] == from) as u8);
            if atomics[x] == from {
                atomics[x] = to;
            }
        }
        Wait(x, value)
        | WaitPausing(x, value)
        | WaitYielding(x, value)
        | WaitInACall(x, value)
        | WaitBackingOff(x, value)
        | WaitPausingRarely(x, value) => return again(atomics[x] == value),
        WaitAndTell(x, value) => {
            if atomics[x] == value {
                return Some(0);
            }
            tell.push(atomics[x]);
        }
        WaitForEither([a, _]) if at == 0 => return (atomics[0] == a).then_some(1),
        WaitForEither([_, b]) => return again(atomics[1] == b),
        LockByExchange(x) => {
            if atomics[x] != 0 {
                return Some(0);
            }
            atomics[x] = 1;
        }
        LockBySwap(x) => return again(std::mem::replace(&mut atomics[x], 1) == 1),
        LockLookingFirst(x) if at == 0 => return Some((atomics[x] != 1) as u8),
        LockLookingFirst(x) => return again(std::mem::replace(&mut atomics[x], 1) == 1),
        WaitAWhile(x, value) => {
            let rounds = at + (atomics[x] == value) as u8;
            if rounds > at && rounds < 3 {
                return Some(rounds);
            }
            tell.push(rounds);
        }
        LookThrice(x, value) => {
            // Two bits for how often it looked, the others for how often it was so.
            let now = at + 1 + 4 * (atomics[x] == value) as u8;
            if now % 4 < 3 {
                return Some(now);
            }
            tell.push(now / 4);
        }
    }
    None
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// Where each thread is: which part, and how far in it.
    places: Vec<(usize, u8)>,
    told: Vec<Vec<u8>>,
    atomics: [u8; 2],
}

/// All outcomes there are, unless some execution waits for ever; `None` if there are too many states.
fn truth(program: &Program) -> Option<Result<BTreeSet<Outcome>, ()>> {
    let first =
        State { places: vec![(0, 0); program.len()], told: vec![Vec::new(); program.len()], atomics: [0, 0] };
    let mut numbers = HashMap::from([(first.clone(), 0)]);
    let mut states = vec![first];
    let mut followers: Vec<Vec<usize>> = Vec::new();
    let mut outcomes = BTreeSet::new();
    let mut ends = Vec::new();
    while let Some(state) = states.get(followers.len()).cloned() {
        if states.len() > 100_000 {
            return None;
        }
        let mut next = Vec::new();
        for (thread, parts) in program.iter().enumerate() {
            let mut state = state.clone();
            let (part, at) = &mut state.places[thread];
            let Some(&doing) = parts.get(*part) else { continue };
            match step(doing, *at, &mut state.atomics, &mut state.told[thread]) {
                Some(further) => *at = further,
                None => (*part, *at) = (*part + 1, 0),
            }
            next.push(*numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            }));
        }
        if next.is_empty() {
            ends.push(followers.len());
            outcomes.insert((state.told, state.atomics));
        }
        followers.push(next);
    }
    // From where can an end be reached?
    let mut before = vec![Vec::new(); states.len()];
    for (state, next) in followers.iter().enumerate() {
        next.iter().for_each(|&next| before[next].push(state));
    }
    let mut ending = vec![false; states.len()];
    while let Some(state) = ends.pop() {
        if !std::mem::replace(&mut ending[state], true) {
            ends.extend(&before[state]);
        }
    }
    Some(if ending.into_iter().all(|ends| ends) { Ok(outcomes) } else { Err(()) })
}

/// What a search sees; whether that is all; and how it fails.
fn explore(program: &Program, search: &str) -> (BTreeSet<Outcome>, bool, Option<FailureKind>, String) {
    let seen = Arc::new(std::sync::Mutex::new(BTreeSet::new()));
    let report =
        Checker::new().search(search).executions(3_000).steps(1_000).fair_rounds(100).minimise(0).run({
            let (seen, program) = (Arc::clone(&seen), program.clone());
            move || {
                let atomics = Arc::new([AtomicU8::new(0), AtomicU8::new(0)]);
                let run = |parts: &[Part], atomics: &[AtomicU8; 2]| {
                    let mut told = Vec::new();
                    parts.iter().for_each(|&part| perform(part, atomics, &mut told));
                    told
                };
                let others: Vec<_> = program[1..]
                    .iter()
                    .map(|parts| {
                        let (parts, atomics) = (parts.clone(), Arc::clone(&atomics));
                        thread::spawn(move || run(&parts, &atomics))
                    })
                    .collect();
                let mut told = vec![run(&program[0], &atomics)];
                told.extend(others.into_iter().map(|other| other.join().unwrap()));
                let last = atomics.each_ref().map(|atomic| atomic.load(SeqCst));
                seen.lock().unwrap().insert((told, last));
            }
        });
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    (seen, report.complete(), report.failure().map(|failure| failure.kind()), report.to_string())
}

fn part(dice: &mut Dice) -> Part {
    // Mostly for a value that is there at first and soon is not any more.
    let (x, value) = (dice.roll(2) as usize, (dice.roll(4) == 0) as u8);
    match dice.roll(24) {
        0 | 1 => Load(x),
        2..=5 => Store(x, dice.roll(3) as u8),
        6..=8 => Add(x),
        9 | 10 => Exchange(x, value, dice.roll(3) as u8),
        11 => Wait(x, value),
        12 => WaitPausing(x, value),
        13 => WaitYielding(x, value),
        14 => WaitInACall(x, value),
        15 => WaitBackingOff(x, value),
        16 => WaitAndTell(x, value),
        17 => WaitForEither([value, dice.roll(2) as u8]),
        18 => LockByExchange(x),
        19 => LockBySwap(x),
        20 => LockLookingFirst(x),
        21 => LookThrice(x, value),
        22 => WaitPausingRarely(x, value),
        _ => WaitAWhile(x, value),
    }
}

fn program(dice: &mut Dice) -> Program {
    let threads = 2 + dice.roll(2);
    let most = if threads == 2 { 4 } else { 3 };
    (0..threads).map(|_| (0..1 + dice.roll(most)).map(|_| part(dice)).collect()).collect()
}

/// They look at everything, if they come to their end.
const COMPLETE: [&str; 10] = [
    "exhaustive",
    "auto",
    "dfs",
    "dfs:sleep",
    "dfs:dpor",
    "dfs:source",
    "preemptions:30",
    "delays:60",
    "best-first:mdpor,pb",
    "best-first:rand",
];
/// They look at some executions.
const SOME: [&str; 6] = ["random", "pos", "urw", "surw", "pct:3", "variables:1,preemptions:2,threads:2"];

#[test]
fn every_search_sees_what_there_is() {
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = number("GORDIAN_RANDOM_FIRST").unwrap_or(1);
    let (mut proofs, mut stuck) = (0, 0);
    for seed in first..first + number("GORDIAN_RANDOM_ROUNDS").unwrap_or(200) {
        let program = program(&mut Dice::new(seed));
        let Some(truth) = truth(&program) else { continue };
        for search in COMPLETE.into_iter().chain(SOME) {
            let (seen, ended, failure, report) = explore(&program, search);
            let complete = ended && COMPLETE.contains(&search);
            let told = format!("program {seed} under {search}: {program:?}\n{report}");
            match (&truth, failure) {
                (Ok(outcomes), None) => {
                    assert!(seen.is_subset(outcomes), "{told}\n{:?}", seen.difference(outcomes));
                    let missed = outcomes.difference(&seen).next();
                    assert!(!complete || missed.is_none(), "{told}\nmissed: {missed:?}");
                    proofs += complete as u32;
                }
                (Err(()), Some(FailureKind::Livelock)) => stuck += 1,
                (Err(()), None) => assert!(!complete, "it may wait for ever: {told}"),
                (_, Some(_)) => panic!("a false alarm: {told}"),
            }
        }
    }
    assert!(proofs > 0 && stuck > 0, "{proofs} {stuck}");
    println!("{proofs} searches that came to their end, {stuck} that found that a program may wait for ever");
}
