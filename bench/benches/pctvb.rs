//! Executions to a bug as the variable it is at is used less and less: `pct` against `pctvb` (Bindal, Bansal, Lal, ISSTA 2013,
//! figure 6). Writes docs/pctvb.md and docs/figures/pctvb.svg.
#![allow(missing_docs)]

use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::{Checker, thread};
use std::fmt::Write;
use std::sync::Arc;

/// Accesses of the first thread, to both variables together.
const ACCESSES: usize = 40;
/// Of these, so many are to the variable of the bug.
const BUGGY: [usize; 9] = [38, 34, 30, 25, 20, 15, 10, 5, 2];
/// Searches for each point.
const SEARCHES: u64 = 400;

/// The bug needs one preemption, between the last two loads, at one variable, and two threads.
fn program(buggy: usize) {
    let (x, y) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let both = Arc::new((x, y));
    let other = Arc::clone(&both);
    let writer = thread::spawn(move || other.0.store(1, SeqCst));
    let (x, y) = &*both;
    // Evenly mixed, so that where in the execution an access stands says nothing about its variable.
    let mut uses = 0;
    for access in 0..ACCESSES - 2 {
        let due = (access + 1) * (buggy - 2) / (ACCESSES - 2);
        let variable = if uses < due { x } else { y };
        uses = due;
        variable.load(SeqCst);
    }
    let (before, after) = (x.load(SeqCst), x.load(SeqCst));
    writer.join().unwrap();
    assert_eq!(before, after, "the value changed in between");
}

struct Point {
    buggy: usize,
    pct: f64,
    pctvb: f64,
}

/// The average number of executions that a search takes to find the bug.
fn executions(search: &str, buggy: usize) -> f64 {
    let found = |seed| {
        let report = Checker::new()
            .search(search)
            .seed(seed)
            .executions(100_000)
            .minimise(0)
            .run(move || program(buggy));
        assert!(report.failure().is_some(), "{search} with seed {seed}: {report}");
        report.executions()
    };
    (0..SEARCHES).map(found).sum::<u64>() as f64 / SEARCHES as f64
}

/// A line of the figure: its name, its colour, and where it is in a point.
type Series = (&'static str, &'static str, fn(&Point) -> f64);

const SERIES: [Series; 2] = [("pct:2", "#b03030", |p| p.pct), ("pctvb:2,1", "#2050a0", |p| p.pctvb)];

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 60.0;

fn figure(points: &[Point]) -> String {
    let top = points.iter().map(|p| p.pct.max(p.pctvb)).fold(0.0, f64::max);
    let top = (top / 50.0).ceil() * 50.0;
    // The share falls from left to right.
    let x = |buggy: usize| MARGIN + (1.0 - buggy as f64 / ACCESSES as f64) * (WIDTH - 2.0 * MARGIN);
    let y = |executions: f64| HEIGHT - MARGIN - executions / top * (HEIGHT - 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let mut value = 0.0;
    while value <= top {
        let at = y(value);
        let _ = writeln!(
            svg,
            "<line x1=\"{MARGIN}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            WIDTH - MARGIN,
            MARGIN - 6.0,
            at + 4.0
        );
        value += 50.0;
    }
    for share in [100, 75, 50, 25, 0] {
        let at = x(ACCESSES * share / 100);
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{share} %</text>",
            HEIGHT - MARGIN + 18.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">share of the accesses that are to the variable of the bug</text>\n\
         <text x=\"{MARGIN}\" y=\"{:.1}\">executions to the bug, on average</text>",
        WIDTH / 2.0,
        HEIGHT - 16.0,
        MARGIN - 24.0
    );
    for (row, (name, colour, of)) in SERIES.into_iter().enumerate() {
        let line: Vec<String> = points.iter().map(|p| format!("{:.1},{:.1}", x(p.buggy), y(of(p)))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            line.join(" ")
        );
        for point in points {
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                x(point.buggy),
                y(of(point))
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\" text-anchor=\"end\">{name}</text>",
            WIDTH - MARGIN,
            MARGIN + 16.0 * (row as f64 + 1.0) - 20.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn main() {
    // `cargo test` runs benches too, to see that they work; only `cargo bench` is to measure.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let mut page = format!(
        "# Bugs at variables that are seldom used\n\nWritten by `cargo bench -p gordian-bench --bench pctvb`: figure 6 of Bindal, Bansal, Lal, \"Variable and thread bounding for systematic\ntesting of multithreaded programs\" (ISSTA 2013), measured anew. A thread makes {ACCESSES} accesses to two variables. The bug is at one of\nthem and needs one preemption, after a certain access to it, and an order of two threads. `pct:2` picks any step of the execution for its\nchange of priorities, `pctvb:2,1` first one of the variables and then one of the accesses to it. So the less the variable is used, the sooner\n`pctvb` finds the bug; `pct` does not care. Each number is the average of {SEARCHES} searches with different seeds, the same on every\nmachine.\n\n![Executions to the bug](figures/pctvb.svg)\n\n| accesses to the variable of the bug | executions `pct:2` | executions `pctvb:2,1` |\n|--:|--:|--:|\n"
    );
    let mut points = Vec::new();
    for buggy in BUGGY {
        let point = Point { buggy, pct: executions("pct:2", buggy), pctvb: executions("pctvb:2,1", buggy) };
        let row = format!("| {buggy} of {ACCESSES} | {:.1} | {:.1} |", point.pct, point.pctvb);
        println!("{row}");
        let _ = writeln!(page, "{row}");
        points.push(point);
    }
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    std::fs::create_dir_all(format!("{docs}/figures")).expect("the docs folder can be made");
    std::fs::write(format!("{docs}/figures/pctvb.svg"), figure(&points)).expect("the figure can be written");
    std::fs::write(format!("{docs}/pctvb.md"), page).expect("the page can be written");
    println!("written to docs/pctvb.md and docs/figures/pctvb.svg");
}
