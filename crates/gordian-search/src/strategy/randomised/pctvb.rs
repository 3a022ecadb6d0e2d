//! Random priorities that change only at accesses to a few variables (PCTVB: Bindal, Bansal, Lal, "Variable and thread
//! bounding for systematic testing of multithreaded programs", ISSTA 2013, section 3).
//!
//! A variable is a place in the source where objects are created. Each run picks V of the Q places and D - 1 of the accesses to
//! their objects; there the thread that has just made the access falls below all others. A bug of depth D whose preemptions
//! are all made at accesses to V variables is found with probability at least 1 / (C(Q,V) n (k_1 + .. + k_V)^(D-1)), where k_i is how
//! often the i-th of them is accessed (theorem 3.1); the sentence is for the V that are accessed most. Every place
//! counts, also one whose objects only one thread has been seen to use: leaving it out would move preemptions there to
//! the access before, which may be one to a further variable. An op on no object has no variable of its own: a
//! preemption after it is one after the access before.

use super::sentence::Record;
use super::{Draws, pct, priorities};
use crate::guarantee::count;
use crate::search::{Maker, Text, Word, Wrong};
use crate::strategy::{Next, Proved, Strategy};
use gordian_model::{Act, Change, Failure, Moment, Plan, SiteId, Trace};
use std::sync::Arc;

pub(crate) const PCTVB: Word = Word { name: "pctvb", usage: &["pctvb:D,V"], read };

fn read(text: Text<'_>) -> Result<Maker, Wrong> {
    let [depth, variables] = text.split(',')[..] else {
        return Err(
            text.wrong("expected the depth of the bug and the number of its variables, as in pctvb:3,1")
        );
    };
    let (depth, variables) = (pct::depth(depth)?, variables.number::<usize>(1, "the number of variables")?);
    Ok(Arc::new(move |setting| {
        Box::new(Pctvb {
            draws: Draws::new(setting),
            depth,
            variables,
            sites: Vec::new(),
            index: Vec::new(),
            record: Record::default(),
        })
    }))
}

/// A place where objects are created.
#[derive(Clone, Copy, Debug)]
struct Variable {
    site: SiteId,
    /// The most steps of one execution that touched its objects.
    most: u32,
    /// Those of the execution that is being counted.
    now: u32,
    /// The step that was counted last.
    last: u32,
}

struct Pctvb {
    draws: Draws,
    depth: u32,
    variables: usize,
    sites: Vec<Variable>,
    /// Where each site is in `sites`, plus one; by number of the site.
    index: Vec<u32>,
    record: Record,
}

impl Pctvb {
    fn variable(&mut self, site: SiteId) -> &mut Variable {
        let i = site.0 as usize;
        if self.index.len() <= i {
            self.index.resize(i + 1, 0);
        }
        if self.index[i] == 0 {
            self.sites.push(Variable { site, most: 0, now: 0, last: 0 });
            self.index[i] = self.sites.len() as u32;
        }
        &mut self.sites[self.index[i] as usize - 1]
    }

    /// Takes in an execution; `true` if it had no more of anything than runs are drawn for.
    fn take_in(&mut self, trace: &Trace) -> bool {
        for (i, step) in (1..).zip(&trace.steps) {
            // The end of a thread is added to its last step afterwards; nobody is preempted there.
            for access in step.accesses.iter().filter(|a| a.act != Act::Exit) {
                let site = trace.object(access.object).map_or(SiteId::UNKNOWN, |o| o.site);
                let variable = self.variable(site);
                variable.now += u32::from(variable.last != i);
                variable.last = i;
            }
        }
        let mut fits = true;
        for variable in &mut self.sites {
            fits &= variable.now <= variable.most;
            variable.most = variable.most.max(variable.now);
            (variable.now, variable.last) = (0, 0);
        }
        let fits = fits || self.depth == 1;
        self.record.add(trace, fits);
        fits
    }
}

impl Strategy for Pctvb {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        let mut chance = self.draws.next(plan);
        let priorities = priorities(plan);
        priorities.seed = chance.next();
        let chosen = self.variables.min(self.sites.len());
        for i in 0..chosen {
            let j = i + chance.below((self.sites.len() - i) as u64) as usize;
            self.sites.swap(i, j);
            self.index[self.sites[i].site.0 as usize] = i as u32 + 1;
            self.index[self.sites[j].site.0 as usize] = j as u32 + 1;
        }
        let chosen = &self.sites[..chosen];
        let accesses: u64 = chosen.iter().map(|v| u64::from(v.most)).sum();
        if accesses > 0 {
            for to in 1..self.depth {
                let mut nth = chance.below(accesses);
                let found = chosen.iter().find(|v| {
                    let is_here = nth < u64::from(v.most);
                    nth = if is_here { nth } else { nth - u64::from(v.most) };
                    is_here
                });
                let site = found.expect("below the sum").site;
                priorities.changes.push(Change { after: Moment::Site(site, 1 + nth as u32), to });
            }
        }
        Next::Run
    }

    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        let fits = self.take_in(trace);
        self.record.runs += u64::from(fits);
        Ok(())
    }

    fn witness(&mut self, trace: &Trace) {
        self.take_in(trace);
    }

    fn proved(&self, _: bool) -> Proved {
        let (depth, places) = (self.depth, self.sites.len());
        let variables = self.variables.min(places);
        let mut most: Vec<u32> = self.sites.iter().map(|v| v.most).collect();
        most.sort_unstable_by_key(|&n| std::cmp::Reverse(n));
        let accesses: u64 = most[..variables].iter().map(|&n| u64::from(n)).sum();
        let subsets: f64 = (0..variables).map(|i| (places - i) as f64 / (i + 1) as f64).product();
        let runs = (accesses.max(1) as f64).powi(depth as i32 - 1);
        let chance = 1.0 / (subsets * f64::from(self.record.threads) * runs);
        let bug = format!("a bug of depth {depth} at {}", count(self.variables as u64, "variable"));
        let (places, accesses) = (count(places as u64, "place"), count(accesses, "access"));
        let seen = format!("{places} where objects are made, at most {accesses}");
        self.record.proved(&bug, chance, &seen, "threads, places or accesses")
    }

    fn is_endless(&self) -> bool {
        true
    }
}
