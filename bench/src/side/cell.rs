//! One measurement, in a process of its own: `gordian-bench --cell TOOL PROGRAM THREADS OPS CAP TIMES AIM`.
//!
//! What is found out goes to standard output, a line for each thing; `Found::parse` reads it. A watchdog ends the process when
//! the cap is reached, whatever the library is doing: none of the three looks at the clock often enough for that.

use super::libraries::{End, Job, search};
use super::tool::{self, Tool};
use crate::{cpu_seconds, peak_memory};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// What a cell is asked for.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Who searches.
    pub tool: Tool,
    /// What is searched.
    pub program: &'static str,
    /// Threads and ops.
    pub size: (usize, usize),
    /// CPU seconds after which it is ended.
    pub cap: f64,
    /// How often the search is made, each time with another seed; 0: until enough time has been used to be measured.
    pub times: u64,
    /// What is to be found out.
    pub aim: Aim,
}

/// What a cell is to find out. To write outcomes down takes time, of which the fastest tool would lose the largest part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// The outcomes.
    Outcomes,
    /// How long it takes.
    Time,
}

/// A search that came to its end; or several that were measured together, of which this is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Executions that were begun.
    pub executions: u64,
    /// CPU seconds.
    pub seconds: f64,
    /// How it ended.
    pub end: End,
}

/// What a cell has found out.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// Its searches, in order.
    pub runs: Vec<Run>,
    /// It was ended at the cap, after so many executions of the last search and so many CPU seconds.
    pub capped: Option<(u64, f64)>,
    /// Executions per CPU second in each of its pieces of 20 ms, if it took as long.
    pub pieces: Vec<f64>,
    /// The outcomes that were seen.
    pub outcomes: BTreeSet<u64>,
    /// Peak memory in KiB.
    pub memory: u64,
    /// The tool would have ended the process while it reported a failure.
    pub aborted: bool,
    /// How the process ended, if not as it should have.
    pub crashed: Option<String>,
}

static EXECUTIONS: AtomicU64 = AtomicU64::new(0);
/// How many there were when the search began.
static EARLIER: AtomicU64 = AtomicU64::new(0);
/// When the search began, in bits.
static START: AtomicU64 = AtomicU64::new(0);
static DONE: Mutex<String> = Mutex::new(String::new());
static RECORDING: AtomicBool = AtomicBool::new(false);
static OUTCOMES: Mutex<Option<FxHashSet<u64>>> = Mutex::new(None);

fn sink(outcome: Option<u64>) {
    match outcome {
        // Only one thread counts, and the watchdog looks.
        None => EXECUTIONS.store(EXECUTIONS.load(Relaxed) + 1, Relaxed),
        Some(outcome) if RECORDING.load(Relaxed) => {
            if let Some(all) = &mut *OUTCOMES.lock().expect("nobody panics with it") {
                all.insert(outcome);
            }
        }
        Some(_) => {}
    }
}

/// Searches shorter than this, in CPU seconds, are repeated until as much is used.
pub const MEASURABLE: f64 = 0.2;

/// How fast a tool is is told from pieces of as many CPU seconds. The same search was seen to run at two speeds, up to 1.8 times apart, within one process; something outside it,
/// such as a neighbour on the same processor, is the likely cause and was not looked into.
const PIECE: f64 = 0.02;

/// The clock is looked at no more often than after as many CPU seconds: a look takes half a microsecond, as long as some
/// executions.
const BATCH: f64 = 0.001;

/// Executions per CPU second in each piece so far.
static PIECES: Mutex<Vec<f64>> = Mutex::new(Vec::new());

/// Executions of the search that is under way.
fn made() -> u64 {
    EXECUTIONS.load(Relaxed) - EARLIER.load(Relaxed)
}

/// Prints, with the outcomes and the memory, and ends the process.
fn finish(mut text: String) -> ! {
    let pieces = std::mem::take(&mut *PIECES.lock().expect("nobody panics with it"));
    if !pieces.is_empty() {
        text.push_str("pieces");
        for piece in pieces {
            let _ = write!(text, " {piece}");
        }
        text.push('\n');
    }
    let outcomes = OUTCOMES.lock().expect("nobody panics with it").take().unwrap_or_default();
    let _ = write!(text, "memory {}\noutcomes", peak_memory().unwrap_or(0));
    for outcome in outcomes {
        let _ = write!(text, " {outcome:x}");
    }
    // If nobody listens any more, there is nothing left but to end, and a panic would not do that.
    let _ = writeln!(std::io::stdout(), "{text}");
    std::process::exit(0)
}

/// The child's side.
pub fn child(args: &[String]) -> ! {
    let number = |i: usize| args[i].parse::<u64>().expect("a number");
    let tool = tool::find(&args[0]).expect("a tool");
    let size = (number(2) as usize, number(3) as usize);
    let cap: f64 = args[4].parse().expect("seconds");
    let times = number(5);
    if args[6] == "outcomes" {
        *OUTCOMES.lock().expect("first use") = Some(FxHashSet::default());
        RECORDING.store(true, Relaxed);
    }
    let begin = cpu_seconds();
    std::panic::set_hook(Box::new(|info| {
        // loom may panic in a destructor while it reports a failure, which ends the process: say first what it had found.
        let text = info.payload().downcast_ref::<&str>().copied().unwrap_or_default();
        if ["panic in a function that cannot unwind", "panic in a destructor during cleanup"].contains(&text)
        {
            let seconds = cpu_seconds() - f64::from_bits(START.load(Relaxed));
            let executions = made();
            let text = std::mem::take(&mut *DONE.lock().expect("nobody panics with it"));
            finish(format!("{text}run {executions} {seconds} failure aborts the process\naborted\n"));
        }
    }));
    std::thread::spawn(move || {
        let mut last = (begin, 0);
        loop {
            std::thread::sleep(Duration::from_millis(10));
            let now = (cpu_seconds(), EXECUTIONS.load(Relaxed));
            if now.0 - last.0 >= PIECE {
                let rate = (now.1 - last.1) as f64 / (now.0 - last.0);
                PIECES.lock().expect("nobody panics with it").push(rate);
                last = now;
            }
            let used = now.0 - begin;
            if used >= cap {
                let mut text = DONE.lock().expect("nobody panics with it");
                let _ = writeln!(text, "capped {} {used}", made());
                finish(std::mem::take(&mut *text));
            }
        }
    });
    let (mut used, mut seed, mut batch) = (0.0, 0, 1);
    while if times == 0 { used < MEASURABLE } else { seed < times } {
        // Outside the measurement of seeds, which may not find the bug, a search has no limit but the cap.
        let executions = if times == 0 { usize::MAX } else { 1_000_000 };
        EARLIER.store(EXECUTIONS.load(Relaxed), Relaxed);
        let start = cpu_seconds();
        START.store(start.to_bits(), Relaxed);
        let mut end = End::Complete;
        for _ in 0..batch {
            let job = Job { mode: tool.mode, seed, executions, program: args[1].clone(), size };
            end = search(tool.library, &job, sink);
            seed += 1;
        }
        let seconds = cpu_seconds() - start;
        used += seconds;
        let (executions, each) = (made() / batch, seconds / batch as f64);
        let end = match end {
            End::Complete => "complete".to_owned(),
            End::Limit => "limit".to_owned(),
            End::Failure(text) => format!("failure {}", text.replace('\n', " ")),
        };
        let _ = writeln!(DONE.lock().expect("nobody panics with it"), "run {executions} {each} {end}");
        if times == 0 && seconds < BATCH {
            batch *= 2;
        }
    }
    let text = std::mem::take(&mut *DONE.lock().expect("nobody panics with it"));
    finish(text)
}

impl Cell {
    /// Measures in a child process, which is `binary` with the arguments that [`child`] takes.
    pub fn measure(&self, binary: &std::path::Path) -> Found {
        let (threads, ops) = self.size;
        let output = Command::new(binary)
            .args(["--cell", self.tool.name, self.program])
            .args([threads, ops].map(|n| n.to_string()))
            .args([self.cap.to_string(), self.times.to_string()])
            .arg(if self.aim == Aim::Outcomes { "outcomes" } else { "time" })
            .stdin(Stdio::null())
            .output()
            .expect("the cell can be started");
        let mut found = Found::parse(&String::from_utf8_lossy(&output.stdout));
        if !output.status.success() {
            found.crashed = Some(output.status.to_string());
        }
        found
    }
}

impl Found {
    fn parse(text: &str) -> Found {
        let mut found = Found::default();
        for line in text.lines() {
            let mut words = line.splitn(5, ' ');
            let mut word = || words.next().unwrap_or_default();
            match word() {
                "run" => {
                    let (executions, seconds) = (word().parse(), word().parse());
                    let end = match word() {
                        "complete" => End::Complete,
                        "limit" => End::Limit,
                        _ => End::Failure(word().to_owned()),
                    };
                    let (executions, seconds) = (executions.unwrap_or(0), seconds.unwrap_or(0.0));
                    found.runs.push(Run { executions, seconds, end });
                }
                "capped" => {
                    found.capped = Some((word().parse().unwrap_or(0), word().parse().unwrap_or(0.0)));
                }
                "pieces" => {
                    found.pieces = line.split(' ').skip(1).filter_map(|piece| piece.parse().ok()).collect();
                }
                "aborted" => found.aborted = true,
                "memory" => found.memory = word().parse().unwrap_or(0),
                "outcomes" => {
                    let outcomes = line.split(' ').skip(1);
                    found.outcomes = outcomes.filter_map(|o| u64::from_str_radix(o, 16).ok()).collect();
                }
                _ => {}
            }
        }
        found
    }
}
