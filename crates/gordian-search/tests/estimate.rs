//! What depth-first searches say about the tree they explore, against the executions themselves, on programs made by chance: where they
//! branched, how much of the tree was explored, and how many executions there will be.

// The other tests that share it use more of it.
#[allow(dead_code)]
mod machine;

use gordian_model::Tree;
use gordian_search::{Next, Search, Setting, Target};
use machine::Machine;
use machine::draw::{Chance, Family, make};
use machine::program::Program;

/// Programs with more interleavings than this are left out.
const MOST: usize = 1500;

#[derive(Debug)]
struct Execution {
    /// Who stepped, with which outcome.
    schedule: Vec<(u32, u32)>,
    /// One by the number of threads that could step, multiplied.
    weight: f64,
    varies: bool,
    /// What the search said after it.
    tree: Tree,
}

/// All executions of a search, and what it says at its end; nothing if there are too many.
fn search(program: &Program, text: &str) -> Option<(Vec<Execution>, Tree)> {
    let search: Search = text.parse().unwrap();
    let mut strategy = search.strategy(&Setting::default());
    let (mut plan, mut machine) = (program.plan(), Machine::new(program));
    let mut seen = Vec::new();
    while strategy.plan(&mut plan) == Next::Run {
        if seen.len() == MOST {
            return None;
        }
        let trace = machine.run(&plan);
        strategy.learn(trace).unwrap();
        seen.push(Execution {
            schedule: trace.steps.iter().map(|s| (s.thread.0, s.outcome)).collect(),
            weight: (0..trace.len()).map(|i| 1.0 / trace.enabled(i).iter().count() as f64).product(),
            varies: trace.steps.iter().any(|s| s.outcomes > 1),
            tree: strategy.tree().expect("it goes through a tree"),
        });
    }
    Some((seen, strategy.tree().unwrap()))
}

fn programs() -> impl Iterator<Item = Program> {
    (0..200).map(|seed| make(&mut Chance::new(seed), Family::ALL[seed as usize % Family::ALL.len()]))
}

#[test]
fn the_branches_are_those_that_were_taken() {
    let mut looked = 0;
    for program in programs() {
        for text in ["dfs", "dfs:sleep", "dfs:dpor", "dfs:source", "exhaustive"] {
            let Some((seen, end)) = search(&program, text) else { continue };
            assert_eq!(end.executions as usize, seen.len(), "{text} {program:?}");
            assert_eq!(end.depths.iter().sum::<u64>() as usize, seen.len() - 1);
            for branch in &end.branches {
                let [before, after] =
                    [branch.executions - 1, branch.executions].map(|i| &seen[i as usize].schedule);
                let depth = branch.depth as usize;
                assert_eq!(before[..depth], after[..depth], "{text} {program:?} {branch:?}");
                let way = |(thread, outcome): (gordian_model::ThreadId, u32)| (thread.0, outcome);
                assert_eq!(
                    (before[depth], after[depth]),
                    (way(branch.from), way(branch.to)),
                    "{text} {program:?}"
                );
                looked += 1;
            }
            // None is left out near the root.
            for (i, pair) in seen.windows(2).enumerate() {
                let same = pair[0].schedule.iter().zip(&pair[1].schedule).take_while(|(a, b)| a == b).count();
                let known = end.branches.iter().any(|b| b.executions as usize == i + 1);
                assert_eq!(known, same < end.top as usize, "{text} {program:?}");
            }
        }
    }
    assert!(looked > 1000, "{looked}");
}

#[test]
fn the_share_is_the_weight_of_what_was_seen() {
    let mut looked = 0;
    for program in programs() {
        let Some((seen, _)) = search(&program, "dfs") else { continue };
        // How many outcomes the op of another thread has is not known before it is tried, nor that a loop only waits.
        if program.spins() || seen.iter().any(|e| e.varies) {
            continue;
        }
        let mut weight = 0.0;
        for (i, execution) in seen.iter().enumerate() {
            weight += execution.weight;
            let Tree { share, executions, .. } = execution.tree;
            assert!((share - weight).abs() < 1e-9, "{share} instead of {weight}: {program:?}");
            assert_eq!(executions, i as u64 + 1);
            looked += 1;
        }
        assert!((weight - 1.0).abs() < 1e-9, "{weight}: {program:?}");
    }
    assert!(looked > 1000, "{looked}");
}

#[test]
fn in_the_end_the_estimate_is_exact_and_on_the_way_it_is_no_less_than_what_was_seen() {
    for program in programs() {
        for text in ["dfs", "dfs:sleep", "dfs:dpor", "dfs:source", "exhaustive"] {
            let Some((seen, end)) = search(&program, text) else { continue };
            assert_eq!((end.share, end.estimate()), (1.0, Some(seen.len() as f64)), "{text}");
            for (i, execution) in seen.iter().enumerate() {
                let Tree { share, .. } = execution.tree;
                assert!(share > 0.0 && share <= 1.0 + 1e-9, "{text} {share} {program:?}");
                assert!(execution.tree.estimate().unwrap() >= i as f64 + 0.99, "{text} {program:?}");
            }
        }
    }
}

/// How good it is: the factor between the estimate and the truth when a tenth of the executions have been made.
#[test]
fn after_a_tenth_of_the_search_most_estimates_are_of_the_right_order() {
    let mut factors: Vec<f64> = Vec::new();
    for program in programs() {
        for text in ["dfs", "exhaustive"] {
            let Some((seen, _)) = search(&program, text) else { continue };
            if seen.len() >= 50 {
                factors.push(seen[seen.len() / 10].tree.estimate().unwrap() / seen.len() as f64);
            }
        }
    }
    factors.sort_by(f64::total_cmp);
    let at = |share: f64| factors[((factors.len() - 1) as f64 * share) as usize];
    println!("{} searches; estimate by truth: {:.2} {:.2} {:.2}", factors.len(), at(0.1), at(0.5), at(0.9));
    assert!(factors.len() > 20);
    assert!(at(0.1) > 0.1 && at(0.9) < 10.0, "{factors:?}");
}
