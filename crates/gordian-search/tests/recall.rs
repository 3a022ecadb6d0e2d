//! An execution that begins as the one before is recorded as if it had been made by itself, and steps that are made at once as if they had been announced: every
//! plan of several searches is carried out twice, by a conductor that takes over what it knows and by one that forgets it and has everything announced.
//!
//! `GORDIAN_DIFFERENTIAL=N` runs N programs, `GORDIAN_SEED=S` begins with another seed.

#[allow(dead_code)]
mod machine;

use gordian_model::{Plan, Trace};
use gordian_search::{Limits, Search, Target, explore};
use machine::Machine;
use machine::draw::{Chance, Family, make};

struct Twice {
    recalling: Machine,
    forgetting: Machine,
}

/// Everything that a trace says.
fn all(trace: &Trace) -> String {
    let enabled: Vec<_> = (0..trace.len()).map(|i| trace.enabled_words(i)).collect();
    format!(
        "{:?}\n{enabled:?}\n{:?} {:?} {:?} {:?}\n{} {} {} {} {} {}",
        &trace.steps[..],
        trace.objects,
        trace.end,
        trace.waiting,
        trace.aftermath,
        trace.cut,
        trace.counts_seen,
        trace.cells_seen,
        trace.ends_seen,
        trace.preempted,
        trace.choices_made(),
    )
}

impl Target for Twice {
    fn run(&mut self, plan: &Plan) -> &Trace {
        self.forgetting.conductor.forget();
        let expected = all(self.forgetting.run(plan));
        let outcome = self.forgetting.outcome();
        assert_eq!(all(self.recalling.run(plan)), expected, "{:?}", plan.prefix);
        assert_eq!(self.recalling.outcome(), outcome, "{:?}", plan.prefix);
        assert_eq!((self.forgetting.again, self.forgetting.ahead), (0, 0));
        &self.recalling.conductor.trace
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn what_is_recalled_or_done_at_once_is_what_would_have_been_done() {
    let seeds = number("GORDIAN_SEED").unwrap_or(1)..;
    let programs = number("GORDIAN_DIFFERENTIAL").unwrap_or(240) as usize;
    let (mut again, mut ahead) = (0, 0);
    for (seed, family) in seeds.zip(Family::ALL.into_iter().cycle()).take(programs) {
        let program = make(&mut Chance::new(seed), family);
        for how in ["dfs", "exhaustive", "dfs:sleep", "preemptions:2", "auto"] {
            let how: Search = how.parse().expect("a search");
            let (recalling, mut forgetting) = (Machine::new(&program), Machine::new(&program));
            forgetting.announces = true;
            let limits = Limits { executions: Some(100), keep_going: true, ..Limits::default() };
            let mut twice = Twice { recalling, forgetting };
            explore(&mut twice, &how, limits, program.plan(), |_, _| ());
            again += twice.recalling.again;
            ahead += twice.recalling.ahead;
        }
    }
    assert!(again > 10 * programs, "steps were repeated on the shortest path: {again}");
    assert!(ahead > 10 * programs, "steps were made at once: {ahead}");
}
