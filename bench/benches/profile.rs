//! Where the time goes: the instructions of an execution by part of Gordian, counted by callgrind. Writes
//! docs/where-the-time-goes.md.
#![allow(missing_docs)]

use gordian_bench::callgrind;
use gordian_bench::programs::PROGRAMS;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::process::ExitCode;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/where-the-time-goes.md");
const FEW: u64 = 2_000;
const MANY: u64 = 6_000;

/// The parts, and what the files or functions in them are called.
const PARTS: [(&str, &[&str]); 7] = [
    ("the search", &["gordian-search/", "gordian_search::"]),
    ("the conductor and the models", &["gordian-model/", "gordian_model::"]),
    (
        "switching between threads",
        &["gordian/src/runtime/seat", "gordian/src/runtime/onward", "gordian::runtime::onward"],
    ),
    ("starting, driving and ending threads", &["gordian/src/runtime/", "gordian::runtime::"]),
    ("std's mirror", &["gordian/src/", "gordian::"]),
    ("allocating and copying", &["malloc", "memcpy", "memmove", "memset", "free", "libc"]),
    ("the program itself, and the rest", &[""]),
];

fn part(file: &str, function: &str) -> usize {
    // What is inlined from std belongs to the function that it is inlined into.
    let foreign = file.starts_with("/rustc/") || file.contains("smallvec") || file == "???";
    let place = if foreign { function } else { file };
    PARTS.iter().position(|(_, words)| words.iter().any(|w| place.contains(w))).expect("the last takes all")
}

/// A name of callgrind's: the first time with its number, then by number alone.
fn named(text: &str, names: &mut HashMap<String, String>) -> String {
    match text.split_once(' ') {
        Some((number, name)) if number.starts_with('(') => {
            names.insert(number.to_owned(), name.to_owned());
            name.to_owned()
        }
        _ => names.get(text).cloned().unwrap_or_else(|| text.to_owned()),
    }
}

/// Adds up the costs in a file of callgrind's, by part.
fn by_part(text: &str) -> [u64; PARTS.len()] {
    let (mut files, mut functions) = (HashMap::new(), HashMap::new());
    let (mut file, mut function) = (String::new(), String::new());
    let mut costs = [0; PARTS.len()];
    let mut is_call = false;
    for line in text.lines() {
        if let Some((key, value)) = line.split_once('=') {
            match key {
                "fl" | "fi" | "fe" => file = named(value, &mut files),
                "fn" => function = named(value, &mut functions),
                "cfi" | "cfl" => drop(named(value, &mut files)),
                "cfn" => drop(named(value, &mut functions)),
                "calls" => is_call = true,
                _ => {}
            }
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            let cost = line.split(' ').nth(1).and_then(|c| c.parse::<u64>().ok()).unwrap_or(0);
            // The line after a call has the cost of what was called, which is counted where it arises.
            if !std::mem::take(&mut is_call) {
                costs[part(&file, &function)] += cost;
            }
        }
    }
    costs
}

fn profile(name: &str, search: &str, executions: u64) -> Option<[u64; PARTS.len()]> {
    Some(by_part(&callgrind::profile(name, search, executions)?))
}

fn page(rows: &BTreeMap<(&str, &str), [u64; PARTS.len()]>) -> String {
    let mut page = String::from(
        "# Where the time goes\n\nInstructions of one execution of the programs of [the rates](rates.md), by the part of Gordian that they are spent in; \
         counted by callgrind and written by `cargo bench -p gordian-bench --bench profile`. What is inlined from the standard library counts \
         where it is inlined.\n\n| program | search | all |",
    );
    for (part, _) in PARTS {
        let _ = write!(page, " {part} |");
    }
    let _ = write!(page, "\n|---|---|--:|{}\n", "--:|".repeat(PARTS.len()));
    for ((name, search), costs) in rows {
        let all: u64 = costs.iter().sum();
        let _ = write!(page, "| {name} | `{search}` | {all} |");
        for cost in costs {
            let _ = write!(page, " {cost} ({:.0} %) |", *cost as f64 / all as f64 * 100.0);
        }
        page.push('\n');
    }
    page.push_str(
        "\nWhat was done about it, and what is left:\n\n\
         - A step that does not switch threads is a function call: announce, decide, perform, on the stack of the thread itself. Ops on atomics and mutexes \
           have a path of their own (`conductor/quick.rs`), also while others sleep; so have the usual ops on unbounded channels, readers-writer \
           locks, barriers, condition variables and park tokens (`conductor/usual.rs`).\n\
         - A switch is a dozen instructions, without a system call, from one thread straight to the next (`runtime/onward.rs`). Stacks are kept from one \
           execution to the next; no execution makes a system call (`runtime/system_calls.rs`), also not to prove a loop idle (`runtime/peek.rs`).\n\
         - Steps, clocks and sleep sets live in tables that are kept; an execution allocates what the program and its closures do (`tests/allocation.rs`).\n\
         - What a thread leaves for whoever joins it lies where its closure was (`runtime/claim.rs`), so to spawn one allocates nothing. Small functions \
           that are called from another crate at every step are inlined, and what is rare is moved out of their way.\n\
         - What a search needs before its first execution is kept from the last one or made when it is first needed (the course of a long search, a \
           failing trace, text).\n\
         - What surrounds a switch is inlined as far as it goes: a return to what was called before one may be predicted wrongly, which no count of \
           instructions shows. Going straight to the next thread, by a jump, keeps calls and returns in step where threads run the same code.\n\
         - The search keeps the order of the steps that the next execution shares with this one and looks at the new ones only. It stops looking \
           back where nothing earlier can matter, and keeps a sleeping step once for all the nodes at which it sleeps. What a step follows is one \
           word as long as there are at most 64 steps (`order/past.rs`). A race that a sleeping step covers is looked at again only if something \
           could wake that step, which the acts tell (`optimal/covered.rs`).\n\
         - The program runs again from its beginning each time. But the steps that an execution shares with the one before it are only checked and \
           carried out: their records are still there, and who could have gone on instead is worked out where the two part \
           (`conductor/recall.rs`). Where a thread just goes on, with an atomic or a mutex, the op is not even announced (`conductor/again.rs`). \
           What is left is spread evenly: there is no single place that would pay for a faster form.\n",
    );
    page
}

fn main() -> ExitCode {
    if callgrind::is_counted() || !std::env::args().any(|a| a == "--bench") {
        return ExitCode::SUCCESS;
    }
    let mut rows = BTreeMap::new();
    for program in &PROGRAMS {
        for search in ["dfs", "exhaustive"] {
            let (few, many) = (profile(program.name, search, FEW), profile(program.name, search, MANY));
            let (Some(few), Some(many)) = (few, many) else {
                println!("skipped: valgrind is not installed, or gave no profile");
                return ExitCode::SUCCESS;
            };
            let each = std::array::from_fn(|i| (many[i] - few[i]) / (MANY - FEW));
            println!("{} {search}: {each:?}", program.name);
            rows.insert((program.name, search), each);
        }
    }
    std::fs::write(PAGE, page(&rows)).expect("the page can be written");
    println!("written to docs/where-the-time-goes.md");
    ExitCode::SUCCESS
}
