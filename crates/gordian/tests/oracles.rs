//! Published programs with a known number of equivalence classes: the exhaustive search carries out exactly that many
//! executions, and none in vain.

mod common;

use common::pseudo::Code;
use gordian::Checker;

struct Oracle {
    name: &'static str,
    n: i64,
    classes: u64,
    code: &'static str,
}

fn oracles() -> Vec<Oracle> {
    let lines = include_str!("oracles/programs.txt").lines().filter(|l| !l.starts_with('#') && !l.is_empty());
    lines
        .map(|line| {
            let [name, n, classes, code] = line.splitn(4, " | ").collect::<Vec<_>>()[..] else {
                panic!("four columns: {line}")
            };
            Oracle { name, n: n.parse().unwrap_or(0), classes: classes.parse().expect("a number"), code }
        })
        .collect()
}

fn check(oracle: &Oracle) -> Result<(), String> {
    let code = Code::parse(oracle.code, oracle.n);
    let dropped = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let seen = dropped.clone();
    let checker = Checker::new().search("exhaustive").observe(move |_| {
        if common::pseudo::was_dropped() {
            seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    });
    let report = checker.run(move || code.run());
    let dropped = dropped.load(std::sync::atomic::Ordering::Relaxed);
    let Oracle { name, n, classes, .. } = oracle;
    if let Some(failure) = report.failure() {
        return Err(format!("{name} {n}: {failure}"));
    }
    let counted = report.executions() - dropped;
    if (counted, report.blocked()) != (*classes, 0) {
        return Err(format!(
            "{name} {n}: {counted} executions, {dropped} dropped, {} blocked; {classes} classes\n    {}",
            report.blocked(),
            oracle.code
        ));
    }
    Ok(())
}

#[test]
fn every_program_has_as_many_executions_as_classes() {
    let wrong: Vec<String> = oracles().iter().filter_map(|oracle| check(oracle).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_are_as_many_rows_as_in_the_published_table() {
    assert_eq!(oracles().len(), ROWS);
}

const ROWS: usize = 73;
