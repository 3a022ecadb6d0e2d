//! Asking for executions: what a race asks for is put into the wakeup tree of the node before it.

use super::{Kept, Node, Optimal};
use crate::order::Race;
use crate::strategy::sequence::{Cover, Sequence, is_foreseen};
use crate::strategy::tree::{Branch, insert};
use gordian_model::{Accesses, Act, OpKind, Step, Trace, copied};
use smallvec::SmallVec;

impl Optimal {
    /// Asks for an execution in which the later step of a race, with this outcome, goes before the earlier one, or instead of it if they are
    /// the same.
    pub(super) fn ask_for(&mut self, race: Race, outcome: u32, trace: &Trace, whole: bool) {
        let (earlier, later) = race;
        let (first, second) = (&trace.steps[earlier], &trace.steps[later]);
        let varies = earlier == later;
        let usual = !varies && outcome == outcome_without(first, second);
        let mut accesses = match varies {
            true => copied(&second.accesses),
            false => self.order.touched_without(&trace.steps, earlier, later),
        };
        if !usual {
            accesses = touched_with(second.kind, accesses, outcome);
        }
        if (usual || varies)
            && !whole
            && self.nodes[earlier].tree.is_empty()
            && self.sleepers.at(earlier).is_empty()
        {
            self.steps.clear();
            self.order.beside(earlier, later, &mut self.steps);
            // In a round at a barrier others may be missing.
            if self.steps.iter().all(|&k| trace.steps[k].kind != OpKind::Arrive) {
                return self.put_alone(race, (outcome, accesses), trace);
            }
        }
        // With another outcome it may well be no race, and then it is covered by what is being explored.
        let may_be_none = !usual && !varies;
        if may_be_none {
            self.sleepers.put_to_sleep(earlier, first.sleeper());
        }
        self.put(race, (outcome, accesses), trace, whole);
        if may_be_none {
            self.sleepers.wake(earlier);
        }
    }

    /// As [`put`](Self::put), where nobody sleeps and the tree is empty, which is most often so: then the sequence is the tree. The steps
    /// before the last are there already.
    fn put_alone(&mut self, (node, last): Race, (outcome, accesses): (u32, Accesses), trace: &Trace) {
        let known = trace.steps[node].objects;
        let Node { seen, tree, .. } = &mut self.nodes[node];
        let mut level = tree;
        for &k in &self.steps {
            let step = &trace.steps[k];
            let mut branch = Branch::new(trace, known, k, step.outcome, copied(&step.accesses), None);
            branch.children = self.spare.pop().unwrap_or_default();
            level.push(branch);
            level = &mut level.last_mut().expect("just put in").children;
        }
        let foreseen = is_foreseen(&trace.steps[last], &accesses);
        level.push(Branch::new(trace, known, last, outcome, accesses, Some(foreseen)));
        seen.get_or_insert_with(|| trace.steps[node].sleeper());
        self.reached = self.reached.max(node + 1);
    }

    /// Puts the sequence that a race asks for into the wakeup tree, unless steps that sleep at the node or the tree cover it.
    ///
    /// In the paper the sequence is made of *all* steps of the execution that do not happen after the earlier one, also those
    /// after the later one, and it is asked for after each execution that has the race. But what comes after the later one matters only if
    /// a sleeping step depends on it that would otherwise cover the sequence. So the steps up to the later one are asked
    /// for, once; if they are covered, or may be, the whole is, and the race is looked at again after the executions that
    /// still have it.
    #[inline(never)]
    fn put(&mut self, race: Race, (outcome, accesses): (u32, Accesses), trace: &Trace, mut whole: bool) {
        let (node, last) = race;
        let mut sequence = Sequence {
            trace,
            order: &self.order,
            steps: std::mem::take(&mut self.steps),
            last,
            last_outcome: outcome,
            foreseen: is_foreseen(&trace.steps[last], &accesses),
            last_accesses: accesses,
            node,
            objects: trace.steps[node].objects,
            walked: SmallVec::new(),
            arrivals: Vec::new(),
        };
        loop {
            sequence.begin(if whole { trace.len() } else { last });
            let sleep = self.sleepers.at(node);
            let Node { seen, tree, doubtful, .. } = &mut self.nodes[node];
            if let Some(cover) = sequence.covered_by(sleep) {
                let Cover::UpTo(by) = cover else { break };
                if self.stays_covered(race, by, trace) {
                    debug_assert!(!self.is_woken(node, by, last + 1, trace));
                    break;
                }
                if whole || !self.is_woken(node, by, last + 1, trace) {
                    self.kept.push(Kept { race, outcome, by: Some(by) });
                    break;
                }
            } else {
                let in_doubt = insert(tree, &mut sequence, sleep, &mut self.spare);
                seen.get_or_insert_with(|| trace.steps[node].sleeper());
                self.reached = self.reached.max(node + 1);
                if !in_doubt {
                    break;
                }
                *doubtful = true;
                self.in_doubt = true;
                if whole {
                    self.kept.push(Kept { race, outcome, by: None });
                    break;
                }
            }
            whole = true;
        }
        self.steps = sequence.steps;
    }
}

/// The outcome to ask for when `later` goes before `earlier`. How many there are then is seen when it is carried out; if
/// the two race only because a thread ends, the same.
pub(super) fn outcome_without(earlier: &Step, later: &Step) -> u32 {
    if later.outcome == 0 {
        return 0;
    }
    let touched = |object| earlier.accesses.iter().any(|a| a.object == object);
    let only_the_end = later.accesses.iter().all(|a| a.act == Act::Exit || !touched(a.object));
    if only_the_end { later.outcome } else { 0 }
}

/// What an op touches with another outcome.
fn touched_with(kind: OpKind, mut accesses: Accesses, outcome: u32) -> Accesses {
    if kind == OpKind::CompareExchangeWeak {
        accesses[0].act = if outcome == 0 { Act::Write } else { Act::Read };
    }
    accesses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::tests::mixed;

    #[test]
    fn a_sequence_by_itself_makes_the_tree_that_it_makes_among_others() {
        let mut all = 0;
        for chance in 0..100 {
            let trace = mixed(chance).trace;
            let mut races = Vec::new();
            let after = |races: &mut Vec<Race>| {
                let mut search = Optimal::default();
                search.order.extend(&trace.steps, races);
                search.nodes.reach(trace.len());
                search
            };
            let search = after(&mut races);
            for (earlier, later) in races.into_iter() {
                let (first, second) = (&trace.steps[earlier], &trace.steps[later]);
                let outcome = outcome_without(first, second);
                let asked = || (outcome, search.order.touched_without(&trace.steps, earlier, later));
                let (mut alone, mut among) = (after(&mut Vec::new()), after(&mut Vec::new()));
                alone.order.beside(earlier, later, &mut alone.steps);
                alone.put_alone((earlier, later), asked(), &trace);
                among.put((earlier, later), asked(), &trace, false);
                assert_eq!(format!("{:?}", alone.nodes), format!("{:?}", among.nodes), "{chance}");
                assert_eq!(alone.reached, among.reached);
                all += alone.nodes[earlier].tree.len();
            }
        }
        assert!(all > 100, "{all}");
    }
}
