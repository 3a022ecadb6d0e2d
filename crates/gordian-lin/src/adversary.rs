//! Which calls are over before which others begin?
//!
//! That depends on the execution, and executions of one class differ in it. So an adversary chooses among all executions of the class: it lets calls begin as late and end as early as their dependences allow.
//! To end call `a`, all calls with a step that happens before one of `a`'s must have begun (CB-DPOR thesis, 3.4: two calls may be taken for overlapping only if each depends on the other; where neither does, both
//! orders have to be right).

use crate::test::Calls;
use smallvec::SmallVec;

/// What an order of the calls has to keep to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Criterion {
    /// What was over before something else began comes before it (Herlihy and Wing, 1990).
    #[default]
    Linearizable,
    /// The order of each thread's own calls is kept (Lamport, 1979).
    SequentiallyConsistent,
    /// What was over at a moment when no call was under way comes before what began then (Aspnes, Herlihy, Shavit, 1994).
    QuiescentlyConsistent,
}

/// Whose order counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rule {
    /// That of every execution of the class.
    #[default]
    AllOfTheClass,
    /// That of the execution itself.
    AsItHappened,
}

/// What the adversary chooses from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Game<'a> {
    /// The calls that take part.
    pub(crate) members: Calls,
    /// For each call what the program calls before it.
    pub(crate) program: &'a [Calls],
    /// And what after it.
    pub(crate) later: &'a [Calls],
    /// For each call the calls with steps that happen before one of its own.
    pub(crate) depends: &'a [Calls],
    /// The execution is over at moments only when nothing is under way.
    pub(crate) quiescent: bool,
}

/// The choices are many where calls do not depend on each other; after so many the rest is not looked at.
const MOST: u32 = 4_096;

/// What an adversary has chosen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Choice {
    /// For each call what is over when it begins.
    pub(crate) before: Vec<Calls>,
    /// The calls in the order in which they end.
    pub(crate) ends: Vec<usize>,
}

impl Game<'_> {
    /// What could be over when each call begins, in whichever execution of the class. Whatever the adversary chooses is part of that. Tells whether calls could be made in an order that keeps to it, as far as two of them are concerned:
    /// of two calls of which neither depends on the other, each could be over when the other begins.
    pub(crate) fn at_worst(&self, before: &mut Vec<Calls>) -> bool {
        before.clear();
        before.resize(self.program.len(), 0);
        // At first, what depends on each call.
        for call in each(self.members) {
            each(self.depends[call]).for_each(|earlier| before[earlier] |= 1 << call);
        }
        let mut possible = true;
        for call in each(self.members) {
            // What its thread calls later cannot be over, even if it has no steps.
            let others = self.members & !(1 << call) & !before[call] & !self.later[call];
            possible &= others & !self.depends[call] & !self.program[call] == 0;
            before[call] = others;
        }
        possible
    }

    /// Lets the adversary choose in every way that can matter; `judge` says whether it may go on. Tells whether all ways were tried.
    pub(crate) fn play<E>(&self, judge: &mut dyn FnMut(&Choice) -> Result<bool, E>) -> Result<bool, E> {
        let mut choice = Choice { before: vec![0; self.program.len()], ends: Vec::new() };
        let mut left = MOST;
        self.choose(0, 0, &mut choice, &mut left, judge)?;
        Ok(left > 0)
    }

    fn choose<E>(
        &self,
        mut begun: Calls,
        mut ended: Calls,
        choice: &mut Choice,
        left: &mut u32,
        judge: &mut dyn FnMut(&Choice) -> Result<bool, E>,
    ) -> Result<bool, E> {
        // Ending early only makes it harder to explain.
        let ends = choice.ends.len();
        for call in each(begun & !ended) {
            if self.needs(call) & !begun == 0 {
                ended |= 1 << call;
                choice.ends.push(call);
            }
        }
        if begun == self.members {
            *left -= 1;
            let goes_on = judge(choice)?;
            choice.ends.truncate(ends);
            return Ok(goes_on && *left > 0);
        }
        // Whoever begins with more calls could have begun with less, and been harder to explain.
        let mut sets: SmallVec<[Calls; 8]> = SmallVec::new();
        for call in each(self.members & !ended) {
            let set = self.begins_with(call, begun);
            // What has to wait for another call of its thread to end cannot begin yet.
            let over = if self.quiescent { ended | set } else { ended };
            let can = || each(set).all(|c| self.program[c] & self.members & !over == 0);
            if set != 0 && sets.iter().all(|&other| other & !set != 0) && can() {
                sets.retain(|other| set & !*other != 0);
                sets.push(set);
            }
        }
        debug_assert!(!sets.is_empty(), "some call can always go on");
        for set in sets {
            for call in each(set) {
                choice.before[call] = ended;
            }
            begun |= set;
            let goes_on = self.choose(begun, ended, choice, left, judge)?;
            begun &= !set;
            if !goes_on {
                return Ok(false);
            }
        }
        choice.ends.truncate(ends);
        Ok(true)
    }

    /// The calls that must have begun for this one to end.
    fn needs(&self, call: usize) -> Calls {
        (self.depends[call] | 1 << call) & self.members
    }

    /// The calls that have to begin for this one to end; where only quiet moments count, for all of them to end.
    fn begins_with(&self, call: usize, begun: Calls) -> Calls {
        let mut set = self.needs(call) & !begun;
        if self.quiescent {
            loop {
                let more = each(set).fold(set, |more, c| more | (self.needs(c) & !begun));
                if more == set {
                    break;
                }
                set = more;
            }
        }
        set
    }
}

/// The members of a set.
pub(crate) fn each(mut set: Calls) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let call = set.trailing_zeros() as usize;
            set &= set - 1;
            call
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_model::Chance;

    /// Steps of calls in one order that they can be taken in: who takes each, in which call, and what happens before it.
    struct Steps {
        call: Vec<usize>,
        happens_after: Vec<u64>,
    }

    /// Threads with calls of up to two steps each, which read and write two variables in a random order.
    fn draw(chance: &mut Chance) -> (Vec<Calls>, Steps) {
        let threads: Vec<usize> = (0..2 + chance.below(2)).map(|_| 1 + chance.below(2) as usize).collect();
        let mut program = Vec::new();
        let mut queues: Vec<Vec<usize>> = Vec::new();
        for &calls in &threads {
            let first = program.len();
            let mut queue = Vec::new();
            for i in 0..calls {
                program.push((first..first + i).fold(0, |set, c| set | 1 << c));
                queue.extend((0..chance.below(3)).map(|_| first + i));
            }
            queues.push(queue);
        }
        let mut order: Vec<usize> = queues.iter().enumerate().flat_map(|(t, q)| vec![t; q.len()]).collect();
        order.truncate(8);
        chance.shuffle(&mut order);
        let mut taken = vec![0; queues.len()];
        let mut steps = Steps { call: Vec::new(), happens_after: Vec::new() };
        let mut touches: Vec<(usize, u64, bool)> = Vec::new();
        for &thread in &order {
            let call = queues[thread][taken[thread]];
            taken[thread] += 1;
            let (variable, writes) = (chance.below(2), chance.below(2) == 0);
            let mut after = 0;
            for (i, &(t, v, w)) in touches.iter().enumerate() {
                if t == thread || (v == variable && (w || writes)) {
                    after |= 1 << i | steps.happens_after[i];
                }
            }
            touches.push((thread, variable, writes));
            steps.call.push(call);
            steps.happens_after.push(after);
        }
        (program, steps)
    }

    fn depends(program: &[Calls], steps: &Steps) -> Vec<Calls> {
        let mut depends = vec![0; program.len()];
        for (i, &call) in steps.call.iter().enumerate() {
            let earlier = each(steps.happens_after[i]).map(|j| steps.call[j]).filter(|&c| c != call);
            depends[call] |= earlier.fold(0, |set, c| set | 1 << c);
        }
        depends
    }

    /// Moments of an execution: a step, or the beginning or the end of a call. All orders of them in which calls take their steps, what happens before comes before, and
    /// threads make one call after the other; gives what was over when each call began.
    fn all_orders(program: &[Calls], steps: &Steps, quiescent: bool) -> Vec<Vec<Calls>> {
        struct Walk<'a> {
            program: &'a [Calls],
            steps: &'a Steps,
            quiescent: bool,
            found: Vec<Vec<Calls>>,
        }
        fn go(
            walk: &mut Walk<'_>,
            (done, begun, ended, quiet): (u64, Calls, Calls, Calls),
            before: &mut Vec<Calls>,
        ) {
            let all = (1 << walk.program.len()) - 1;
            if ended == all {
                walk.found.push(before.clone());
                return;
            }
            let quiet = if begun == ended { ended } else { quiet };
            for call in each(all & !begun) {
                if walk.program[call] & !ended == 0 {
                    before[call] = if walk.quiescent { quiet } else { ended };
                    go(walk, (done, begun | 1 << call, ended, quiet), before);
                }
            }
            for i in 0..walk.steps.call.len() {
                let can = begun >> walk.steps.call[i] & 1 == 1 && walk.steps.happens_after[i] & !done == 0;
                if done >> i & 1 == 0 && can {
                    go(walk, (done | 1 << i, begun, ended, quiet), before);
                }
            }
            for call in each(begun & !ended) {
                let over = |i: &usize| walk.steps.call[*i] == call && done >> i & 1 == 0;
                if !(0..walk.steps.call.len()).any(|i| over(&i)) {
                    go(walk, (done, begun, ended | 1 << call, quiet), before);
                }
            }
        }
        let mut walk = Walk { program, steps, quiescent, found: Vec::new() };
        go(&mut walk, (0, 0, 0, 0), &mut vec![0; program.len()]);
        walk.found.sort();
        walk.found.dedup();
        walk.found
    }

    #[test]
    fn the_adversary_chooses_the_hardest_of_all_executions_of_a_class() {
        let mut chance = Chance::new(7);
        let (mut choices, mut independent) = (0, 0);
        for _ in 0..400 {
            let (program, steps) = draw(&mut chance);
            if steps.call.len() + 2 * program.len() > 11 {
                continue;
            }
            let depends = depends(&program, &steps);
            for quiescent in [false, true] {
                let members = (1 << program.len()) - 1;
                let mut later = vec![0; program.len()];
                for (call, &before) in program.iter().enumerate() {
                    each(before).for_each(|earlier| later[earlier] |= 1 << call);
                }
                let game = Game { members, program: &program, later: &later, depends: &depends, quiescent };
                let mut chosen = Vec::new();
                let all = game.play(&mut |choice: &Choice| {
                    chosen.push(choice.before.clone());
                    Ok::<bool, ()>(true)
                });
                assert_eq!(all, Ok(true));
                let orders = all_orders(&program, &steps, quiescent);
                let weaker = |a: &[Calls], b: &[Calls]| a.iter().zip(b).all(|(a, b)| a & !b == 0);
                for choice in &chosen {
                    let real = orders.iter().any(|order| weaker(choice, order));
                    assert!(real, "{choice:?} is in no execution: {program:?} {depends:?} {:?}", steps.call);
                }
                for order in &orders {
                    let harder = chosen.iter().any(|choice| weaker(order, choice));
                    assert!(
                        harder,
                        "nothing is as hard as {order:?}: {program:?} {depends:?} {:?}",
                        steps.call
                    );
                }
                let mut worst = Vec::new();
                independent += u32::from(!game.at_worst(&mut worst));
                assert!(orders.iter().all(|order| weaker(order, &worst)));
                choices += chosen.len();
            }
        }
        assert!(choices > 400 && independent > 50, "{choices} {independent}");
    }
}
