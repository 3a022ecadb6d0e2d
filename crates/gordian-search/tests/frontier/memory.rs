//! A frontier that is larger than the memory it may take: what waits outside changes nothing but the order.

use super::machine::Machine;
use super::{Execution, MOST, adds, classes, limited, of, programs, schedules};
use gordian_model::{Plan, Trace};
use gordian_search::{Limits, Setting, Spill, Target, explore};

/// A place outside memory that is in memory.
#[derive(Default)]
struct Elsewhere(Vec<u8>);

impl Spill for Elsewhere {
    fn put(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn take(&mut self, bytes: &mut [u8]) -> Result<(), String> {
        let start = self.0.len().checked_sub(bytes.len()).ok_or("more was taken than was put")?;
        bytes.copy_from_slice(&self.0[start..]);
        self.0.truncate(start);
        Ok(())
    }
}

fn with_memory(memory: usize) -> Setting {
    Setting { memory: Some(memory), spill: Some(|| Box::new(Elsewhere::default())), ..Setting::default() }
}

#[test]
fn what_is_put_outside_memory_changes_at_most_the_order() {
    let mut spilled = 0;
    for (name, known) in programs(200) {
        for how in
            ["best-first:rand", "best-first:mdpor,pb", "best-first:rand,ss/delays:3", "preemptions:3,dfs"]
        {
            let fails = known.all.iter().any(|e| !e.complete);
            let limits = Limits { executions: Some(20 * MOST), keep_going: true, ..Limits::default() };
            let (_, expected) = limited(&known.program, &of(how), limits);
            let limits = Limits { setting: with_memory(200), ..limits };
            let (summary, seen) = limited(&known.program, &of(how), limits);
            match how {
                // Only what is in memory gets a turn before it is the best, and what sleeps depends on the order. The first failure ends
                // a search, and what its threads would have done is not seen: but there has to be one.
                "best-first:rand" | "best-first:mdpor,pb" if fails => {
                    let limits = Limits { keep_going: false, ..limits };
                    let (summary, _) = limited(&known.program, &of(how), limits);
                    assert!(summary.failure.is_some(), "{how}: {name}");
                }
                "best-first:rand" | "best-first:mdpor,pb" => {
                    assert_eq!(classes(&seen), classes(&expected), "{how}: {name}");
                }
                "preemptions:3,dfs" => {
                    let order =
                        |seen: &[Execution]| seen.iter().map(|e| e.schedule.clone()).collect::<Vec<_>>();
                    assert_eq!(order(&seen), order(&expected), "{how}: {name}");
                }
                _ => assert_eq!(schedules(&seen, &name), schedules(&expected, &name), "{how}: {name}"),
            }
            assert_eq!(summary.frontier.unwrap().nodes, 0, "{how}: {name}");
            spilled += summary.frontier.unwrap().spilled;
        }
    }
    println!("{spilled} executions waited outside memory");
    assert!(spilled > 1000);
}

/// Keeps no executions, only a number for all of them in their order.
struct Counted {
    machine: Machine,
    order: u64,
}

impl Target for Counted {
    fn run(&mut self, plan: &Plan) -> &Trace {
        let trace = self.machine.run(plan);
        for step in &trace.steps {
            self.order =
                (self.order ^ u64::from(step.thread.0)).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(7);
        }
        trace
    }
}

#[test]
fn ten_mebibytes_are_enough_for_a_large_search() {
    const LIMIT: usize = 10 << 20;
    let program = adds(4, 10);
    let search = |setting| {
        let mut target = Counted { machine: Machine::new(&program), order: 0 };
        let limits = Limits { setting, ..Limits::default() };
        let how = of("preemptions:3,dfs");
        let summary = explore(&mut target, &how, limits, program.plan(), |_, _| ());
        assert!(summary.complete);
        (summary.executions, target.order, summary.frontier.unwrap())
    };
    let (executions, order, unlimited) = search(Setting::default());
    let (again, same_order, limited) = search(with_memory(LIMIT));
    println!("{executions} executions: {unlimited:?}, {limited:?}");
    assert_eq!((again, same_order), (executions, order));
    assert!(unlimited.most_bytes > LIMIT && unlimited.spilled == 0, "{unlimited:?}");
    assert!(limited.most_bytes <= LIMIT && limited.spilled > 0, "{limited:?}");
    assert_eq!((unlimited.nodes, limited.nodes), (0, 0));
}

#[test]
fn without_a_place_outside_memory_the_limit_is_an_error_that_names_the_knob() {
    let program = adds(3, 3);
    let setting = Setting { memory: Some(1000), ..Setting::default() };
    let limits = Limits { setting, ..Limits::default() };
    let (summary, _) = limited(&program, &of("best-first:rand"), limits);
    let (failure, _) = summary.failure.unwrap();
    assert!(
        failure.message.contains("more than 1000 bytes (Checker::memory, GORDIAN_MEMORY)"),
        "{failure:?}"
    );
}
