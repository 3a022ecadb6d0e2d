//! Making up tests: all small ones first, then larger ones by chance.

use crate::test::{Call, Test};
use gordian_model::Chance;
use std::collections::HashSet;

/// How large drawn tests are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Threads.
    pub threads: usize,
    /// Calls of each.
    pub calls: usize,
    /// The most calls that come first.
    pub before: usize,
    /// The most calls that come last.
    pub after: usize,
}

impl Default for Shape {
    /// Three threads with three calls each, as in Line-Up and the CB-DPOR thesis (4.2).
    fn default() -> Shape {
        Shape { threads: 3, calls: 3, before: 2, after: 3 }
    }
}

/// The most tests of each small kind; where there are more, so many of them are drawn.
const SMALL: usize = 60;

/// An operation that tests are made up of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choosable {
    /// How often it is called, beside others.
    pub weight: u32,
    /// The number of arguments to choose from.
    pub arguments: usize,
    /// Is it called by one thread only?
    pub owned: bool,
}

/// Makes up tests.
#[derive(Clone, Debug)]
pub struct Drawer {
    ops: Vec<Choosable>,
    seed: u64,
    shape: Shape,
}

impl Drawer {
    /// Makes up tests of operations. The same seed makes up the same tests.
    pub fn new(ops: Vec<Choosable>, seed: u64, shape: Shape) -> Drawer {
        Drawer { ops, seed, shape }
    }

    /// A call of the thread that owns what only one may call, or of another; nothing, if that one may call nothing.
    fn call(&self, owner: bool, chance: &mut Chance) -> Option<Call> {
        let may = |op: &Choosable| if op.owned && !owner { 0 } else { u64::from(op.weight) };
        let all: u64 = self.ops.iter().map(may).sum();
        let mut left = chance.below(all.max(1));
        let op = self.ops.iter().position(|op| {
            let is_it = left < may(op);
            left = left.saturating_sub(may(op));
            is_it
        })?;
        Some(Call { op: op as u16, arg: chance.below(self.ops[op].arguments as u64) as u16 })
    }

    fn calls(&self, n: usize, owner: bool, chance: &mut Chance) -> Vec<Call> {
        (0..n).filter_map(|_| self.call(owner, chance)).collect()
    }

    /// Does one thread at most call what only one may?
    fn is_fair(&self, test: &Test) -> bool {
        let owns = |calls: &&Vec<Call>| calls.iter().any(|c| self.ops[usize::from(c.op)].owned);
        test.threads.iter().filter(owns).count() <= 1
    }

    /// The `n`-th test of the full size.
    pub fn draw(&self, n: u64) -> Test {
        let mut chance = Chance::of(self.seed, n);
        let Shape { threads, calls, before, after } = self.shape;
        let before = chance.below(before as u64 + 1) as usize;
        let after = chance.below(after as u64 + 1) as usize;
        Test {
            before: self.calls(before, true, &mut chance),
            threads: (0..threads).map(|i| self.calls(calls, i == 0, &mut chance)).collect(),
            after: self.calls(after, true, &mut chance),
        }
    }

    /// The small tests: two threads with one call each, also after one call of the main thread; three with one each; two with two each. Of those that
    /// differ only in which thread is which there is one.
    pub fn small(&self) -> Vec<Test> {
        let calls: Vec<Call> = (self.ops.iter().enumerate())
            .filter(|(_, op)| op.weight > 0)
            .flat_map(|(op, choosable)| {
                (0..choosable.arguments).map(move |arg| Call { op: op as u16, arg: arg as u16 })
            })
            .collect();
        let mut tests = Vec::new();
        for (before, threads, each) in [(0, 2, 1), (1, 2, 1), (0, 3, 1), (0, 2, 2), (1, 2, 2)] {
            if threads > self.shape.threads || each > self.shape.calls || before > self.shape.before {
                continue;
            }
            self.all_of((before, threads, each), &calls, &mut tests);
        }
        tests
    }

    fn all_of(&self, (before, threads, each): (usize, usize, usize), calls: &[Call], tests: &mut Vec<Test>) {
        let places = before + threads * each;
        let many = (calls.len() as u128).pow(places as u32);
        let place = |all: &[Call]| {
            let mut threads: Vec<Vec<Call>> = all[before..].chunks(each).map(<[Call]>::to_vec).collect();
            threads.sort();
            Test { before: all[..before].to_vec(), threads, after: Vec::new() }
        };
        let mut seen = HashSet::new();
        if many <= 4 * SMALL as u128 {
            for n in 0..many {
                let digit =
                    |i: usize| calls[(n / (calls.len() as u128).pow(i as u32)) as usize % calls.len()];
                let test = place(&(0..places).map(digit).collect::<Vec<_>>());
                if self.is_fair(&test) && seen.insert(test.clone()) {
                    tests.push(test);
                }
            }
            return;
        }
        let mut chance = Chance::of(self.seed, !(places as u64));
        for _ in 0..4 * SMALL {
            let mut all = self.calls(before + each, true, &mut chance);
            all.extend(self.calls(places - before - each, false, &mut chance));
            if all.len() < places {
                return;
            }
            let test = place(&all);
            if seen.len() < SMALL && seen.insert(test.clone()) {
                tests.push(test);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(weight: u32, arguments: usize) -> Choosable {
        Choosable { weight, arguments, owned: false }
    }

    #[test]
    fn what_only_one_thread_may_call_is_called_by_one() {
        let owned = Choosable { owned: true, ..op(3, 2) };
        let drawer = Drawer::new(vec![op(1, 1), owned], 1, Shape::default());
        let tests: Vec<Test> = (0..200).map(|n| drawer.draw(n)).chain(drawer.small()).collect();
        assert!(tests.iter().all(|t| drawer.is_fair(t)));
        assert!(tests.iter().any(|t| t.threads.iter().flatten().any(|c| c.op == 1)));
        // Whoever may call nothing calls nothing.
        let alone = Drawer::new(vec![owned], 1, Shape::default()).draw(0);
        assert_eq!(alone.threads.iter().map(Vec::len).collect::<Vec<_>>(), [3, 0, 0]);
    }

    #[test]
    fn a_seed_makes_up_the_same_tests() {
        let drawer = |seed| Drawer::new(vec![op(1, 3), op(2, 1)], seed, Shape::default());
        assert_eq!(drawer(1).draw(5), drawer(1).draw(5));
        assert_ne!(drawer(1).draw(5), drawer(2).draw(5));
        assert_eq!(drawer(3).small(), drawer(3).small());
    }

    #[test]
    fn weights_decide_how_often_an_operation_is_called() {
        let drawer = Drawer::new(vec![op(1, 3), op(0, 1), op(3, 1)], 1, Shape::default());
        let mut times = [0_u32; 3];
        (0..1_000)
            .flat_map(|n| drawer.draw(n).calls().collect::<Vec<_>>())
            .for_each(|c| times[c.op as usize] += 1);
        assert_eq!(times[1], 0);
        assert!((2 * times[0]..4 * times[0]).contains(&times[2]), "{times:?}");
    }

    #[test]
    fn small_tests_are_all_there_once() {
        let drawer = Drawer::new(vec![op(1, 1), op(1, 1)], 1, Shape { before: 0, ..Shape::default() });
        let small = drawer.small();
        let of = |threads: usize, calls: usize| {
            small.iter().filter(|t| t.threads.len() == threads && t.threads[0].len() == calls).count()
        };
        // Multisets: of 2 calls 2, of 2 calls 3, of 4 sequences 2.
        assert_eq!((of(2, 1), of(3, 1), of(2, 2)), (3, 4, 10));
        assert_eq!(small.iter().collect::<HashSet<_>>().len(), small.len());
    }
}
