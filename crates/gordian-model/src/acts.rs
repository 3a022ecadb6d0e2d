//! Sets of acts, and which acts have something to do with each other at all: what [`Act::relation`] says, in words with a bit for each
//! act, which answer for many at once.

use crate::access::Act;
use crate::relation::{ACTS, Relation, Rule};

/// For each act the set of those that have something to do with it when they come before it.
static BEFORE: [Acts; ACTS] = {
    let mut all = [Acts(0); ACTS];
    let mut i = 0;
    while i < ACTS * ACTS {
        if !matches!(Act::ALL[i / ACTS].rule(Act::ALL[i % ACTS]), Rule::Commute) {
            all[i % ACTS].0 |= 1 << (i / ACTS);
        }
        i += 1;
    }
    all
};

/// For each act the set of those that have something to do with it, whichever comes first.
static AROUND: [Acts; ACTS] = {
    let mut all = BEFORE;
    let mut i = 0;
    while i < ACTS * ACTS {
        if BEFORE[i / ACTS].0 >> (i % ACTS) & 1 == 1 {
            all[i % ACTS].0 |= 1 << (i / ACTS);
        }
        i += 1;
    }
    all
};

/// For each act the set of those that are ordered after it when they come after it, whatever their sequence numbers.
static AFTER: [Acts; ACTS] = {
    let mut all = [Acts(0); ACTS];
    let mut i = 0;
    while i < ACTS * ACTS {
        if matches!(Act::ALL[i / ACTS].rule(Act::ALL[i % ACTS]), Rule::Enables | Rule::Race) {
            all[i / ACTS].0 |= 1 << (i % ACTS);
        }
        i += 1;
    }
    all
};

/// For each act the set of those that have something to do with it only with certain sequence numbers, and if before it, then also
/// after it.
static NUMBERED: [Acts; ACTS] = {
    let mut all = [Acts(0); ACTS];
    let mut i = 0;
    while i < ACTS * ACTS {
        let (act, next) = (Act::ALL[i / ACTS], Act::ALL[i % ACTS]);
        let listed = matches!(
            (act.rule(next), next.rule(act)),
            (Rule::EnablesSame | Rule::RaceSame | Rule::RaceOther, Rule::Commute)
                | (Rule::EnablesSame | Rule::RaceSame, Rule::EnablesSame | Rule::RaceSame)
                | (Rule::RaceOther, Rule::RaceOther)
        );
        if listed {
            all[i / ACTS].0 |= 1 << (i % ACTS);
        }
        i += 1;
    }
    all
};

/// The acts that earlier ones either have nothing to do with or race with, whatever the sequence numbers of both.
const SIMPLE: Acts = {
    let mut simple = Acts::NONE;
    let mut i = 0;
    while i < ACTS {
        let mut races = true;
        let mut k = 0;
        while k < ACTS {
            races &= matches!(Act::ALL[k].rule(Act::ALL[i]), Rule::Commute | Rule::Race);
            k += 1;
        }
        if races {
            simple = simple.with(Act::ALL[i]);
        }
        i += 1;
    }
    simple
};

/// A set of acts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Acts(u64);

impl Acts {
    /// The empty set.
    pub const NONE: Acts = Acts(0);

    /// Those that are [total](Act::is_total).
    pub const TOTAL: Acts = {
        use Act::*;
        Acts::NONE.with(Write).with(Seen).with(Take).with(TryTake).with(Mark).with(CountWrite)
    };

    /// The set with one more.
    #[inline]
    #[must_use]
    pub const fn with(self, act: Act) -> Acts {
        Acts(self.0 | 1 << act as u8)
    }

    /// What is in either set.
    #[inline]
    #[must_use]
    pub fn and(self, other: Acts) -> Acts {
        Acts(self.0 | other.0)
    }

    /// Is the act in the set?
    #[inline]
    pub fn has(self, act: Act) -> bool {
        self.0 >> act as u8 & 1 == 1
    }

    /// Have the two sets an act in common?
    #[inline]
    pub fn meets(self, other: Acts) -> bool {
        self.0 & other.0 != 0
    }
}

impl Act {
    /// The acts that have something to do with this one when they come before it, whatever their sequence numbers.
    #[inline]
    pub fn concerned_by(self) -> Acts {
        BEFORE[self as usize]
    }

    /// Does it race with all earlier acts that [have something to do with it](Self::concerned_by), whatever their sequence numbers?
    #[inline]
    pub fn only_races(self) -> bool {
        SIMPLE.has(self)
    }

    /// The acts that have something to do with this one, whichever comes first, whatever their sequence numbers.
    #[inline]
    pub fn concerned_with(self) -> Acts {
        AROUND[self as usize]
    }

    /// Does the order of the two matter, with their sequence numbers, whichever comes first?
    #[inline]
    pub fn conflicts(self, seq: u16, other: Act, other_seq: u16) -> bool {
        self.concerned_with().has(other)
            && (!(self.is_numbered() || other.is_numbered())
                || self.conflicts_by_number(seq, other, other_seq))
    }

    #[inline(never)]
    fn conflicts_by_number(self, seq: u16, other: Act, other_seq: u16) -> bool {
        self.relation(seq, other, other_seq) != Relation::Commute
            || other.relation(other_seq, self, seq) != Relation::Commute
    }

    /// The acts that are ordered after this one when they come after it, whatever their sequence numbers.
    #[inline]
    pub fn precedes(self) -> Acts {
        AFTER[self as usize]
    }

    /// Is whatever conflicts with this act among those given, or one that is ordered after it by its sequence number if `numbered`?
    #[inline]
    pub fn conflicts_only_with(self, others: Acts, numbered: bool) -> bool {
        let numbered = if numbered { NUMBERED[self as usize] } else { Acts::NONE };
        self.concerned_with().0 & !(others.0 | numbered.0) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Act::*;

    #[test]
    fn only_numbered_acts_look_at_numbers_and_only_those_concerned_have_a_relation() {
        for next in Act::ALL {
            for act in Act::ALL {
                let (same, other) = (act.relation(1, next, 1), act.relation(1, next, 2));
                assert!(same == other || next.is_numbered(), "{act:?} {next:?}");
                let related = same != Relation::Commute || other != Relation::Commute;
                assert_eq!(next.concerned_by().meets(Acts::default().with(act)), related, "{act:?} {next:?}");
                let enabled = same == Relation::Enables || other == Relation::Enables;
                assert!(!next.only_races() || (same == other && !enabled), "{act:?} {next:?}");
                let either = |a: Act, b: Act, n| {
                    a.relation(1, b, n) != Relation::Commute || b.relation(n, a, 1) != Relation::Commute
                };
                for number in [1, 2] {
                    let conflict = act.conflicts(1, next, number);
                    assert_eq!(conflict, either(act, next, number), "{act:?} {next:?}");
                }
            }
        }
    }

    #[test]
    fn what_conflicts_is_ordered_after_what_precedes_it_or_by_its_number() {
        let ordered = |a: Act, n, b: Act, m| a.relation(n, b, m) != Relation::Commute;
        let mut all = 0;
        for (act, met) in Act::ALL.iter().flat_map(|&a| Act::ALL.map(|b| (a, b))) {
            for twin in
                [false, true].into_iter().filter(|&twin| act.conflicts_only_with(met.precedes(), twin))
            {
                all += 1;
                for (next, number, seq) in Act::ALL.iter().flat_map(|&n| [(n, 1, 1), (n, 2, 1), (n, 1, 2)]) {
                    let after_twin = twin && ordered(act, number, next, seq);
                    let after_met = [1, 2, 3].into_iter().all(|n| ordered(met, n, next, seq));
                    let conflict = act.conflicts(number, next, seq);
                    assert!(!conflict || after_met || after_twin, "{act:?} {met:?} {next:?}");
                }
            }
        }
        assert!(all > 100);
        assert!(Read.only_races() && Write.only_races() && Free.only_races() && !Take.only_races());
        assert!(Write.conflicts_only_with(Write.precedes(), false));
        assert!(!Write.conflicts_only_with(Read.precedes(), false));
        assert!(
            Put.conflicts_only_with(Put.precedes(), true) && !Put.conflicts_only_with(Put.precedes(), false)
        );
    }
}
