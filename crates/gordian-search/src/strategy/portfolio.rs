//! Several searches in turn, over the same program.
//!
//! Each goes on for a while, then the next; the turns grow, so that none waits long at first and little is lost by changing
//! later. The first that proves everything ends them all. One that is near that, by its own estimate, goes on; one that is there for a proof which is
//! far off leaves most of its turns to the others. What one of them makes the program do is shown to the others, which learn from it what they may
//! (how many threads and steps there are).

use super::{Next, Strategy};
use crate::explore::{FrontierUse, Setting};
use crate::guarantee::Proved;
use crate::search::{self, Maker, Text, Word, Wrong};
use gordian_model::{Failure, Names, Plan, Policy, Trace, Tree};
use std::sync::Arc;

pub(crate) const WORD: Word = Word { name: "portfolio", usage: &["portfolio:S1|S2|.."], read };

fn read(text: Text<'_>) -> Result<Maker, Wrong> {
    let makers: Vec<Maker> = text.split('|').into_iter().map(search::read).collect::<Result<_, _>>()?;
    if makers.is_empty() {
        return Err(
            text.wrong("expected searches with | between them, such as portfolio:preemptions:2|pct:3")
        );
    }
    Ok(Arc::new(move |setting| {
        let turn = Turn { first: 64, steps: 0, growth: 2, most: 1 << 16, for_proof: false };
        let member = |maker: &Maker| Member::new(maker.clone(), turn);
        Box::new(Portfolio::new(makers.iter().map(member).collect(), *setting))
    }))
}

/// How many executions a search may make in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) first: u64,
    /// So many steps at least the first time, even if that takes more executions.
    pub(super) steps: u64,
    /// So many times as many each time, up to so many.
    pub(super) growth: u64,
    pub(super) most: u64,
    /// The search is there for a proof, and others find bugs.
    pub(super) for_proof: bool,
}

/// One of the searches.
pub(super) struct Member {
    maker: Maker,
    /// Made when its first turn comes: small programs need only one.
    strategy: Option<Box<dyn Strategy>>,
    turn: Turn,
    /// Its executions.
    made: u64,
    done: bool,
}

impl Member {
    pub(super) fn new(maker: Maker, turn: Turn) -> Member {
        Member { maker, strategy: None, turn, made: 0, done: false }
    }

    /// What it has proved so far.
    fn proved(&self) -> Proved {
        self.strategy.as_ref().map_or(Proved::Nothing, |s| s.proved(self.done))
    }
}

/// One execution in so many may be made beyond turns, by a search that is near its end.
const SHARE: u64 = 2;

/// A proof is far off if it takes more than so many times the executions that were made by all.
const FAR: u64 = 2;

/// One execution in so many is made for a proof that is far off: it may be nearer than it seems, and only who goes on finds out.
const LEAST: u64 = 8;

/// The searches.
pub(super) struct Portfolio {
    members: Vec<Member>,
    current: usize,
    /// Executions left in this turn, and steps, in its first.
    left: u64,
    steps: u64,
    /// Executions beyond turns.
    beyond: u64,
    setting: Setting,
}

impl Portfolio {
    pub(super) fn new(members: Vec<Member>, setting: Setting) -> Portfolio {
        let Turn { first, steps, .. } = members[0].turn;
        Portfolio { members, current: 0, left: first, steps, beyond: 0, setting }
    }

    fn is_done(&self) -> bool {
        self.members.iter().all(|m| m.done)
            || self.members.iter().any(|m| m.done && m.proved() == Proved::All)
    }

    fn next_turn(&mut self) {
        if let Some(more) = self.more_for_its_end() {
            self.left = more;
            self.beyond += more;
            return;
        }
        let turn = &mut self.members[self.current].turn;
        turn.first = (turn.first * turn.growth).min(turn.most);
        turn.steps = 0;
        let many = self.members.len();
        let mut next = (1..=many).map(|more| (self.current + more) % many);
        self.current = next.find(|&next| !self.is_far_off(next)).unwrap_or((self.current + 1) % many);
        Turn { first: self.left, steps: self.steps, .. } = self.members[self.current].turn;
    }

    /// The executions that were made by all.
    fn made(&self) -> u64 {
        self.members.iter().map(|m| m.made).sum()
    }

    /// Is this a search for a proof that is far off, and has it had its least share?
    fn is_far_off(&self, member: usize) -> bool {
        let Member { strategy, turn, made, .. } = &self.members[member];
        let all = self.made();
        let is_far = |estimate: f64| estimate > (FAR * all) as f64;
        turn.for_proof
            && made * LEAST > all
            && strategy.as_ref().and_then(|s| s.estimate()).is_some_and(is_far)
    }

    /// How many more executions the search whose turn is over may make, because by its own estimate they bring it to its end. Estimates are
    /// too low as long as races are found, so all that is given away like this is a share of all executions: the others wait at most so much longer.
    fn more_for_its_end(&self) -> Option<u64> {
        let Member { strategy, made, done: false, .. } = &self.members[self.current] else { return None };
        let more = (self.made() / SHARE).checked_sub(self.beyond).filter(|&more| more > 0)?;
        let left = strategy.as_ref()?.estimate()? - *made as f64;
        (left < more as f64).then_some(more)
    }
}

/// Adds a bound that was exhausted, unless a larger one of the same kind has been too.
fn add(within: &mut Vec<String>, kind: String) {
    let number = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>().parse::<u64>();
    // "1 preemption" and "2 preemptions" are of one kind.
    let words = |text: &str| text.chars().filter(|c| !c.is_ascii_digit() && *c != 's').collect::<String>();
    match within.iter_mut().find(|known| words(known) == words(&kind)) {
        Some(known) if number(known).ok() < number(&kind).ok() => *known = kind,
        Some(_) => {}
        None => within.push(kind),
    }
}

impl Strategy for Portfolio {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        loop {
            if self.is_done() {
                return Next::Done;
            }
            if (self.left == 0 && self.steps == 0) || self.members[self.current].done {
                self.next_turn();
                continue;
            }
            // What the last one said does not hold for this one.
            plan.prefix.clear();
            plan.sleep.clear();
            plan.policy = Policy::RunOn;
            let member = &mut self.members[self.current];
            let strategy = member.strategy.get_or_insert_with(|| (member.maker)(&self.setting));
            match strategy.plan(plan) {
                Next::Run => {
                    self.left = self.left.saturating_sub(1);
                    member.made += 1;
                    return Next::Run;
                }
                Next::Done => member.done = true,
            }
        }
    }

    fn names(&mut self, names: &Names) {
        self.members.iter_mut().filter_map(|m| m.strategy.as_mut()).for_each(|s| s.names(names));
    }

    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        self.steps = self.steps.saturating_sub(trace.len() as u64);
        for (i, member) in self.members.iter_mut().enumerate() {
            match &mut member.strategy {
                Some(strategy) if i == self.current => strategy.learn(trace)?,
                Some(strategy) => strategy.witness(trace),
                None => {}
            }
        }
        Ok(())
    }

    fn witness(&mut self, trace: &Trace) {
        self.members.iter_mut().filter_map(|m| m.strategy.as_mut()).for_each(|s| s.witness(trace));
    }

    fn proved(&self, _: bool) -> Proved {
        let (mut within, mut chance): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for member in &self.members {
            match member.proved() {
                Proved::All => return Proved::All,
                Proved::Within(kind) => add(&mut within, kind),
                Proved::Chance(sentence) if !chance.contains(&sentence) => chance.push(sentence),
                _ => {}
            }
        }
        if !within.is_empty() {
            Proved::Within(within.join(", nor in any "))
        } else if !chance.is_empty() {
            Proved::Chance(chance.join("; "))
        } else {
            Proved::Nothing
        }
    }

    /// That of all of them together.
    fn frontier(&self) -> Option<FrontierUse> {
        let each = self.members.iter().filter_map(|m| m.strategy.as_ref()?.frontier());
        each.reduce(|a, b| FrontierUse {
            nodes: a.nodes + b.nodes,
            most_nodes: a.most_nodes + b.most_nodes,
            most_bytes: a.most_bytes + b.most_bytes,
            spilled: a.spilled + b.spilled,
        })
    }

    fn classes(&self) -> Option<u64> {
        self.members.iter().find_map(|m| m.strategy.as_ref()?.classes())
    }

    fn estimate(&self) -> Option<f64> {
        self.members.iter().find_map(|m| m.strategy.as_ref()?.estimate())
    }

    fn tree(&self) -> Option<Tree> {
        self.members.iter().find_map(|m| m.strategy.as_ref()?.tree())
    }

    fn hindrance(&self) -> Option<String> {
        if self.proved(true) == Proved::All {
            return None;
        }
        self.members.iter().find_map(|m| m.strategy.as_ref()?.hindrance())
    }

    /// Once those that come to an end have, the others would go on for ever.
    fn is_endless(&self) -> bool {
        self.members.iter().all(|m| m.done || m.strategy.as_ref().is_some_and(|s| s.is_endless()))
    }

    fn retire(self: Box<Self>) {
        self.members.into_iter().filter_map(|member| member.strategy).for_each(|strategy| strategy.retire());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn the_larger_of_two_bounds_of_a_kind_is_named() {
        let mut within = Vec::new();
        for kind in [
            "with at most 2 preemptions",
            "with at most 1 preemption",
            "with at most 3 delays",
            "with at most 12 preemptions",
        ] {
            add(&mut within, kind.to_owned());
        }
        assert_eq!(within, ["with at most 12 preemptions", "with at most 3 delays"]);
    }

    /// Makes so many executions, has an estimate of it, and writes down who made each.
    struct Counted {
        name: char,
        made: u64,
        all: u64,
        estimate: Option<f64>,
        told: Arc<Mutex<String>>,
    }

    impl Strategy for Counted {
        fn plan(&mut self, _: &mut Plan) -> Next {
            if self.made == self.all {
                return Next::Done;
            }
            self.made += 1;
            self.told.lock().unwrap().push(self.name);
            Next::Run
        }

        fn learn(&mut self, _: &Trace) -> Result<(), Failure> {
            Ok(())
        }

        fn estimate(&self) -> Option<f64> {
            self.estimate
        }
    }

    /// Who makes each execution, of one that makes 1000 and one that makes so many and has this estimate; it may be there for a proof.
    fn turns(all: u64, estimate: Option<f64>, for_proof: bool) -> String {
        let told = Arc::new(Mutex::new(String::new()));
        let member = |name, all, estimate, for_proof| {
            let told = told.clone();
            let maker: Maker =
                Arc::new(move |_| Box::new(Counted { name, made: 0, all, estimate, told: told.clone() }));
            Member::new(maker, Turn { first: 2, steps: 0, growth: 1, most: 2, for_proof })
        };
        let members = vec![member('a', 1000, None, false), member('b', all, estimate, for_proof)];
        let mut portfolio = Portfolio::new(members, Setting::default());
        let mut plan = Plan::default();
        while portfolio.plan(&mut plan) == Next::Run {
            portfolio.learn(&Trace::default()).unwrap();
        }
        told.lock().unwrap().clone()
    }

    #[test]
    fn a_search_that_is_near_its_end_goes_on() {
        // That it has come to its end shows when it is asked for more.
        assert_eq!(turns(10, None, false), "aabbaabbaabbaabbaabbaa");
        // After 12 executions it has 4 left, which is less than half as many.
        assert_eq!(turns(10, Some(10.0), false), "aabbaabbaabbbbbb");
    }

    #[test]
    fn a_search_that_wrongly_takes_itself_to_be_near_its_end_leaves_the_others_a_fourth() {
        // Of the executions in its turns half are of each.
        let told = turns(900, Some(1.0), false);
        for made in 100..told.len() {
            let others = told[..made].chars().filter(|&name| name == 'a').count();
            assert!(others * 4 >= made - 4, "{others} of {made}");
        }
        assert!(told.len() > 1_100);
    }

    #[test]
    fn a_proof_that_is_far_off_has_an_eighth_of_all_executions() {
        let told = turns(100, Some(1e30), true);
        for made in 10..500 {
            let share = told[..made].chars().filter(|&name| name == 'b').count();
            assert!((made / 8..=made / 8 + 2).contains(&share), "{share} of {made}");
        }
        // Once all have made half as many as it takes it has its turns, which here are every other two.
        let told = turns(100, Some(80.0), true);
        let share = |part: &str| part.chars().filter(|&name| name == 'b').count();
        assert_eq!((share(&told[..40]), share(&told[40..60])), (6, 10), "half of them");
    }
}
