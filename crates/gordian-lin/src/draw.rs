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

/// Makes up tests.
#[derive(Clone, Debug)]
pub struct Drawer {
    /// For each operation its weight and the number of its arguments.
    ops: Vec<(u32, usize)>,
    seed: u64,
    shape: Shape,
}

impl Drawer {
    /// Makes up tests of operations, each with a weight and a number of arguments. The same seed makes up the same tests.
    pub fn new(ops: Vec<(u32, usize)>, seed: u64, shape: Shape) -> Drawer {
        Drawer { ops, seed, shape }
    }

    fn call(&self, chance: &mut Chance) -> Call {
        let all: u64 = self.ops.iter().map(|op| u64::from(op.0)).sum();
        let mut left = chance.below(all.max(1));
        let mut op = 0;
        while op + 1 < self.ops.len() && left >= u64::from(self.ops[op].0) {
            left -= u64::from(self.ops[op].0);
            op += 1;
        }
        Call { op: op as u16, arg: chance.below(self.ops[op].1 as u64) as u16 }
    }

    fn calls(&self, n: usize, chance: &mut Chance) -> Vec<Call> {
        (0..n).map(|_| self.call(chance)).collect()
    }

    /// The `n`-th test of the full size.
    pub fn draw(&self, n: u64) -> Test {
        let mut chance = Chance::of(self.seed, n);
        let Shape { threads, calls, before, after } = self.shape;
        let before = chance.below(before as u64 + 1) as usize;
        let after = chance.below(after as u64 + 1) as usize;
        Test {
            before: self.calls(before, &mut chance),
            threads: (0..threads).map(|_| self.calls(calls, &mut chance)).collect(),
            after: self.calls(after, &mut chance),
        }
    }

    /// The small tests: two threads with one call each, also after one call of the main thread; three with one each; two with two each. Of those that
    /// differ only in which thread is which there is one.
    pub fn small(&self) -> Vec<Test> {
        let calls: Vec<Call> = (self.ops.iter().enumerate())
            .filter(|(_, op)| op.0 > 0)
            .flat_map(|(op, &(_, args))| (0..args).map(move |arg| Call { op: op as u16, arg: arg as u16 }))
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
                if seen.insert(test.clone()) {
                    tests.push(test);
                }
            }
            return;
        }
        let mut chance = Chance::of(self.seed, !(places as u64));
        for _ in 0..4 * SMALL {
            let test = place(&self.calls(places, &mut chance));
            if seen.len() < SMALL && seen.insert(test.clone()) {
                tests.push(test);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_up_the_same_tests() {
        let drawer = |seed| Drawer::new(vec![(1, 3), (2, 1)], seed, Shape::default());
        assert_eq!(drawer(1).draw(5), drawer(1).draw(5));
        assert_ne!(drawer(1).draw(5), drawer(2).draw(5));
        assert_eq!(drawer(3).small(), drawer(3).small());
    }

    #[test]
    fn weights_decide_how_often_an_operation_is_called() {
        let drawer = Drawer::new(vec![(1, 3), (0, 1), (3, 1)], 1, Shape::default());
        let mut times = [0_u32; 3];
        (0..1_000)
            .flat_map(|n| drawer.draw(n).calls().collect::<Vec<_>>())
            .for_each(|c| times[c.op as usize] += 1);
        assert_eq!(times[1], 0);
        assert!((2 * times[0]..4 * times[0]).contains(&times[2]), "{times:?}");
    }

    #[test]
    fn small_tests_are_all_there_once() {
        let drawer = Drawer::new(vec![(1, 1), (1, 1)], 1, Shape { before: 0, ..Shape::default() });
        let small = drawer.small();
        let of = |threads: usize, calls: usize| {
            small.iter().filter(|t| t.threads.len() == threads && t.threads[0].len() == calls).count()
        };
        // Multisets: of 2 calls 2, of 2 calls 3, of 4 sequences 2.
        assert_eq!((of(2, 1), of(3, 1), of(2, 2)), (3, 4, 10));
        assert_eq!(small.iter().collect::<HashSet<_>>().len(), small.len());
    }
}
