//! Executions that follow each other in one process, which puts its memory back after each.
//!
//! What the kernel keeps for the process may still differ. So an execution that fails, and now and then one that does not, is carried out
//! again in a new process. If that does something else, all executions have new processes from then on, and the search begins again.

use crate::target::Native;
use gordian_model::{Plan, Trace};
use gordian_wire::{AFRESH, GO_ON};
use std::sync::atomic::Ordering::Relaxed;

/// How far executions follow each other in one process.
#[derive(Debug, Default)]
pub(crate) struct Rerun {
    is_on: bool,
    /// The program was found to do otherwise then than in a new process.
    keeps_state: bool,
    /// How many executions there were in all.
    executions: u64,
    /// How many executions the process has made that would make the next.
    pub(crate) made: u64,
}

impl Native {
    /// Lets executions follow each other in one process, or not, from the next one on.
    pub fn rerun(&mut self, rerun: bool) {
        self.rerun.is_on = rerun;
        self.process.memory.head().rerun.store(u32::from(rerun), Relaxed);
    }

    /// Has the program been found to keep state between executions in one process, so that each has a process of its own after all?
    pub fn keeps_state(&self) -> bool {
        self.rerun.keeps_state
    }

    /// Carries out one execution.
    pub(crate) fn execute_once(&mut self, plan: &Plan) -> Trace {
        if !self.rerun.is_on {
            return self.carry_out(plan, AFRESH);
        }
        let is_new = self.rerun.made == 0;
        let trace = self.carry_out(plan, GO_ON);
        self.rerun.executions += 1;
        let looks = trace.failure().is_some() || self.rerun.executions.is_power_of_two();
        if is_new || !looks || self.learned || self.starts_again {
            return trace;
        }
        let said = self.process.memory.outcome().to_vec();
        let afresh = self.carry_out(plan, AFRESH);
        if self.process.memory.outcome() != said || trace.end != afresh.end {
            self.rerun(false);
            self.rerun.keeps_state = true;
            self.starts_again = true;
        }
        afresh
    }
}
