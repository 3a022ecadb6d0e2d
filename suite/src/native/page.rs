//! The page about native programs, `docs/native-suite.md`.

use super::Language;
use super::debian::{Comparison, Compressor};
use super::search::{Effort, Outcome, Row};
use std::fmt::Write;

/// One line for a terminal.
pub fn line(row: &Row) -> String {
    let program = &row.program;
    let (found, executions, seconds) = match &row.buggy {
        Ok(outcome) => (kind(outcome), outcome.executions, outcome.seconds),
        Err(_) => ("could not be run".to_owned(), 0, 0.0),
    };
    let fixed = row.fixed.as_ref().map_or("could not be run".to_owned(), |outcome| match &outcome.failure {
        Some((_, message)) => message.clone(),
        None => format!("{} ({} executions)", outcome.guarantee, outcome.executions),
    });
    format!(
        "{} {:<26} {:<15} {:<28} {:<16} {executions:>6} {seconds:>6.2}s  fixed: {fixed}",
        if row.wrong().is_none() { "ok   " } else { "WRONG" },
        program.name,
        program.language,
        program.expected.join(" or "),
        found,
    )
}

fn kind(outcome: &Outcome) -> String {
    let Some((kind, message)) = &outcome.failure else { return "nothing".to_owned() };
    // Both are crashes.
    let crash = ["double free", "use after free"].into_iter().find(|words| message.contains(words));
    crash.unwrap_or(kind).to_owned()
}

/// The page.
pub fn markdown(rows: &[Row], debian: &[(&Compressor, Comparison)], effort: &Effort) -> String {
    let of = |languages: &[Language]| -> Vec<&Row> {
        rows.iter().filter(|row| languages.contains(&row.program.language)).collect()
    };
    let seeded = of(&[Language::C, Language::Cpp, Language::Rust, Language::Crates]);
    let mut page = format!(
        "# Native programs with bugs\n\n\
         Written by `cargo run --release -p gordian-suite -- native`. The programs are in `suite/native`: they know nothing of Gordian, are compiled with hooks ([unmodified programs](native.md)) \
         and searched with the settings that the command has if nothing is said, for at most {} seconds. Each has a fixed twin, which is searched for at most {} seconds, and \
         {} if it is a published crate. Times are from a machine that did other things as well.\n\n\
         ## {} programs with seeded bugs\n\n",
        effort.bug,
        effort.twin,
        effort.published,
        seeded.len()
    );
    table(&mut page, &seeded);
    page += "\n## Published crates with known defects\n\n\
             From crates.io as they are, at the defective version and at the one in which it was fixed, built by `cargo gordian run --unmodified`; all their dependencies have hooks.\n\n";
    table(&mut page, &of(&[Language::Published]));
    page += "\n## The library itself\n\n\
             Two twins were not clean at first, and the library was to blame (libstdc++ 12). `std::counting_semaphore::acquire` reads the number that it will wait for to change before it spins: if it is taken and given back \
             meanwhile, the thread sleeps though there is one to be had, and for ever if nobody gives another. `std::atomic<std::shared_ptr>::load` lets go of its lock with a relaxed store, so that nothing orders its read \
             of the pointer before the next write. The twins use something else now.\n";
    if !debian.is_empty() {
        page += "\n## Programs of Debian\n\n\
                 As they are installed, without hooks: what is controlled are the calls of the C library. They compress a file with two workers, and after every execution \
                 the output was compared with that of a plain run, byte for byte.\n\n\
                 | program | arguments | bytes in | bytes out | threads | executions compared | result |\n|---|---|--:|--:|--:|--:|---|\n";
        for (compressor, found) in debian {
            let result = match &found.wrong {
                Some(wrong) => wrong.clone(),
                None => format!("always the same; {}", found.guarantee),
            };
            let (read, written) = found.bytes;
            let _ = writeln!(
                page,
                "| {} | `{}` | {read} | {written} | {} | {} | {} |",
                compressor.name,
                compressor.arguments,
                found.threads,
                found.compared,
                cell(&result)
            );
        }
    }
    page
}

fn table(page: &mut String, rows: &[&Row]) {
    *page += "| program | what goes wrong | found | executions | s | the fixed twin | executions |\n|---|---|---|--:|--:|---|--:|\n";
    for row in rows {
        let (found, executions, seconds) = match &row.buggy {
            Ok(outcome) => (kind(outcome), outcome.executions, format!("{:.2}", outcome.seconds)),
            Err(_) => ("could not be run".to_owned(), 0, String::new()),
        };
        let found = if row.wrong().is_some() { format!("**{found}**") } else { found };
        let (fixed, tried) = match &row.fixed {
            Ok(outcome) => match &outcome.failure {
                Some((_, message)) => (format!("**{message}**"), outcome.executions),
                None => (outcome.guarantee.clone(), outcome.executions),
            },
            Err(_) => ("could not be run".to_owned(), 0),
        };
        let (name, about) = (&row.program.name, &row.program.about);
        let _ = writeln!(
            page,
            "| {name} | {} | {found} | {executions} | {seconds} | {} | {tried} |",
            cell(about),
            cell(&fixed)
        );
    }
}

/// As the cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Writes the page.
pub fn write(page: &str) -> std::io::Result<()> {
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/native-suite.md"), page)
}
