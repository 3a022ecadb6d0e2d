//! Walks that need to know nothing about the program: each step is drawn from what is possible there.
//!
//! The random walk takes any enabled thread. Partial order sampling (Yuan, Yang, Gu, CAV 2018) gives each op a random
//! priority and draws again only where ops conflict, so that the length of a thread matters less.

use super::Draws;
use crate::search::{Maker, Text, Word, Wrong};
use crate::strategy::{Next, Proved, Strategy};
use gordian_model::{Failure, Plan, Policy, Trace};
use std::sync::Arc;

pub(crate) const RANDOM: Word =
    Word { name: "random", usage: &["random"], read: |text| read(text, |seed| Policy::Random { seed }) };

pub(crate) const POS: Word =
    Word { name: "pos", usage: &["pos"], read: |text| read(text, |seed| Policy::PartialOrder { seed }) };

fn read(text: Text<'_>, policy: fn(u64) -> Policy) -> Result<Maker, Wrong> {
    text.nothing()?;
    Ok(Arc::new(move |setting| Box::new(Walk { draws: Draws::new(setting), policy })))
}

struct Walk {
    draws: Draws,
    policy: fn(u64) -> Policy,
}

impl Strategy for Walk {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        let seed = self.draws.next(plan).next();
        plan.policy = (self.policy)(seed);
        Next::Run
    }

    fn learn(&mut self, _: &Trace) -> Result<(), Failure> {
        Ok(())
    }

    fn proved(&self, _: bool) -> Proved {
        Proved::Nothing
    }

    fn is_endless(&self) -> bool {
        true
    }
}
