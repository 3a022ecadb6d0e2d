//! Randomised strategies: each execution follows a policy with random numbers of its own.
//!
//! What an execution draws depends on the search's seed, on its number, and on what was learned from those before it;
//! never on the machine. They have no end, so a limit on executions or time stops them.

mod pct;
mod pctvb;
mod profile;
mod sentence;
mod walk;
mod weighted;

pub(super) use pct::PCT;
pub(super) use pctvb::PCTVB;
pub(super) use walk::{POS, RANDOM};
pub(super) use weighted::{SURW, URW};

use crate::explore::Setting;
use gordian_model::{Chance, Plan, Policy, Priorities};

/// Hands out the random numbers of each execution.
#[derive(Debug)]
struct Draws {
    seed: u64,
    next: u64,
}

impl Draws {
    fn new(setting: &Setting) -> Draws {
        Draws { seed: setting.seed, next: 0 }
    }

    /// Those of the next execution, which has no prefix.
    fn next(&mut self, plan: &mut Plan) -> Chance {
        plan.prefix.clear();
        plan.sleep.clear();
        plan.sleep_from = 0;
        self.next += 1;
        Chance::of(self.seed, self.next - 1)
    }
}

/// The plan's priorities, with no thread listed and no changes, keeping their memory.
fn priorities(plan: &mut Plan) -> &mut Priorities {
    if !matches!(plan.policy, Policy::Priorities(_)) {
        plan.policy = Policy::Priorities(Priorities::default());
    }
    let Policy::Priorities(priorities) = &mut plan.policy else { unreachable!("just set") };
    priorities.of.clear();
    priorities.changes.clear();
    priorities
}
