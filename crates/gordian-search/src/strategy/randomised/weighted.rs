//! Uniform over interleavings, or over those of the steps that seem interesting.
//!
//! A random walk prefers interleavings in which short threads end early: the first step of a long thread is as likely as
//! the only one of a short one. Drawing each thread in proportion to the steps it has left makes all interleavings as likely as each
//! other (`urw`). Most steps do not matter, though; `surw` picks the objects of one place in the source, shared by threads, and is
//! uniform over the interleavings of the steps on those, with a random walk for the rest (Zhao, Wolff, Mathur, Roychoudhury,
//! "Selectively Uniform Concurrency Testing", ASPLOS 2025).

use super::Draws;
use super::profile::Profile;
use crate::search::{Maker, Text, Word, Wrong};
use crate::strategy::{Next, Proved, Strategy};
use gordian_model::{Chance, Failure, Plan, Policy, SiteId, Trace, Weighted};
use std::sync::Arc;

pub(crate) const URW: Word = Word { name: "urw", usage: &["urw"], read: |text| read(text, false) };
pub(crate) const SURW: Word = Word { name: "surw", usage: &["surw"], read: |text| read(text, true) };

fn read(text: Text<'_>, selective: bool) -> Result<Maker, Wrong> {
    text.nothing()?;
    Ok(Arc::new(move |setting| {
        Box::new(Uniform { draws: Draws::new(setting), selective, profile: Profile::default() })
    }))
}

struct Uniform {
    draws: Draws,
    selective: bool,
    profile: Profile,
}

impl Uniform {
    /// A place whose objects are shared, the likelier the more they are used.
    fn interesting(&self, chance: &mut Chance) -> Option<SiteId> {
        let sum: u64 = self.profile.shared().map(|(_, uses)| uses).sum();
        if !self.selective || sum == 0 {
            return None;
        }
        let mut nth = chance.below(sum);
        let found = self.profile.shared().find(|&(_, uses)| {
            let is_here = nth < uses;
            nth = nth.wrapping_sub(uses);
            is_here
        });
        found.map(|(site, _)| site)
    }
}

impl Strategy for Uniform {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        let mut chance = self.draws.next(plan);
        if self.profile.is_empty() {
            plan.policy = Policy::Random { seed: chance.next() };
            return Next::Run;
        }
        if !matches!(plan.policy, Policy::Weighted(_)) {
            plan.policy = Policy::Weighted(Weighted::default());
        }
        let Policy::Weighted(weighted) = &mut plan.policy else { unreachable!("just set") };
        weighted.at = self.interesting(&mut chance);
        match weighted.at {
            Some(site) => self.profile.at(site, &mut weighted.of),
            None => self.profile.steps(&mut weighted.of),
        }
        weighted.seed = chance.next();
        Next::Run
    }

    /// What other searches make the program do is not counted: one that goes through executions in order makes the same
    /// over and over, with one thread or another longer than it mostly is.
    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        self.profile.count(trace, self.selective);
        Ok(())
    }

    fn proved(&self, _: bool) -> Proved {
        Proved::Nothing
    }

    fn is_endless(&self) -> bool {
        true
    }
}
