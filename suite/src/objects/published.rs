//! The one mistake of which the thesis shows the execution: Boost's FIFO, chapter 5.

use super::check::run;
use super::{Effort, thesis};
use gordian::lin::Report;
use gordian_bench::cpu_seconds;
use std::fmt::Write;

/// Figure 5-2: three threads enqueue, two dequeue, and three preemptions are needed.
pub fn effort() -> Effort {
    Effort {
        search: "preemptions:3".to_owned(),
        executions: 1_000_000,
        test: Some(";0.0|0.1|0.2|1.0|1.0;".to_owned()),
        ..Effort::default()
    }
}

/// Searches the published test, and says how long it took, in CPU seconds.
pub fn find() -> (Report, f64) {
    let start = cpu_seconds();
    let report = run(&thesis::BOOST, true, &effort());
    (report, cpu_seconds() - start)
}

/// A section of the page.
pub fn markdown() -> String {
    let mut page = "\n## The published test\n\n".to_owned();
    let (report, seconds) = find();
    let Some(failure) = report.failure() else {
        page += "The mistake in Boost's FIFO was not found in the test of figure 5-2 of the thesis.\n";
        return page;
    };
    let _ = writeln!(
        page,
        "Boost's FIFO in the test of figure 5-2 of the thesis, with five threads: `preemptions:3` finds the mistake after {} executions and {seconds:.1} CPU seconds, with {} preemptions. A reference is a node, in the lower eight bits, and a tag.\n\n```text\n{}\n```",
        report.executions(),
        failure.preemptions(),
        failure.text(100).trim_end()
    );
    page
}
