//! Published concurrency bugs, each written anew from its description as one small program with a buggy and a fixed version.
//! They are what the searches are measured on (`table`), what keeps them honest (`check`), and a collection of examples.
//!
//! To add one: a file in the folder of its section, and a line in [`SECTIONS`].

pub mod check;
pub mod claims;
pub mod classics;
pub mod contest;
pub mod efficiency;
pub mod figure;
pub mod gambit;
pub mod lock_free;
pub mod native;
pub mod objects;
pub mod rust;
pub mod table;

use gordian::FailureKind;
use std::fmt;

/// What a failure needs: preemptions, variables they are made at, threads that have to be in a certain order.
pub type Needs = (usize, usize, usize);

/// How long the searches of the GAMBIT paper took to find a failure (table 2). Where a test has several, the paper does not say which is which, and they are taken in its order.
#[derive(Clone, Copy, Debug)]
pub struct Seconds {
    /// Depth first with DPOR; not within an hour if none.
    pub depth_first: Option<u32>,
    /// Depth first with at most two preemptions, as CHESS does; not within an hour if none.
    pub chess: Option<u32>,
    /// Best first with DPOR, `mdpor,pb`.
    pub best_first: u32,
}

/// A published bug.
#[derive(Clone, Copy)]
pub struct Program {
    /// A word for it.
    pub name: &'static str,
    /// Where it was described.
    pub source: &'static str,
    /// What goes wrong.
    pub about: &'static str,
    /// Threads of one execution, the main one included.
    pub threads: usize,
    /// How the buggy version fails.
    pub kind: FailureKind,
    /// What the failure was published to need.
    pub published: Option<Needs>,
    /// Why it needs something else here, if it does.
    pub remark: &'static str,
    /// The schedules after which the failure was published to have been found.
    pub schedules: Option<u64>,
    /// The seconds after which it was.
    pub seconds: Option<Seconds>,
    /// The search that comes to a guarantee for the fixed version within a few executions.
    pub proof: &'static str,
    /// The program: buggy if so told.
    pub body: fn(bool),
}

impl Program {
    /// What most programs have in common.
    pub const USUAL: Program = Program {
        name: "",
        source: "",
        about: "",
        threads: 0,
        kind: FailureKind::Panic,
        published: None,
        remark: "",
        schedules: None,
        seconds: None,
        proof: "auto",
        body: |_| (),
    };

    /// How long it was published to have taken to find the failure.
    pub fn effort(&self) -> Option<String> {
        let schedules = self.schedules.map(|n| format!("{n} schedules"));
        schedules.or_else(|| self.seconds.map(|seconds| seconds.to_string()))
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_not = |seconds: Option<u32>| seconds.map_or("not in an hour".to_owned(), |s| format!("{s} s"));
        let Seconds { depth_first, chess, best_first } = *self;
        write!(
            f,
            "best first {best_first} s, depth first {}, with 2 preemptions {}",
            or_not(depth_first),
            or_not(chess)
        )
    }
}

/// Programs that belong together.
pub struct Section {
    /// What they have in common.
    pub title: &'static str,
    /// Where they come from.
    pub about: &'static str,
    /// The programs.
    pub programs: &'static [Program],
}

/// Every program of the suite.
pub const SECTIONS: &[Section] = &[
    Section {
        title: "RankChecker's programs",
        about: "Table 1 of Bindal, Bansal, Lal, \"Variable and thread bounding for systematic testing of multithreaded programs\" (ISSTA 2013), with the numbers of threads given there, and the bugs seeded into Monte Carlo for table 4.",
        programs: &[
            contest::merge_sort::PROGRAM,
            contest::producer_consumer::PROGRAM,
            contest::linked_list::PROGRAM,
            contest::bubble_sort::PROGRAM,
            contest::bubble_sort2::PROGRAM,
            contest::piper::PROGRAM,
            contest::allocation::PROGRAM,
            contest::buffer_writer::PROGRAM,
            contest::ping_pong::PROGRAM,
            contest::manager::PROGRAM,
            contest::merge_sort_bug::PROGRAM,
            contest::account::PROGRAM,
            contest::airline::PROGRAM,
            contest::sets::HASH_SET,
            contest::sets::TREE_SET,
            contest::regions::PROGRAM,
            contest::monte_carlo::program::<0, 2>("monte-carlo-0-2"),
            contest::monte_carlo::program::<0, 3>("monte-carlo-0-3"),
            contest::monte_carlo::program::<0, 4>("monte-carlo-0-4"),
            contest::monte_carlo::program::<1, 2>("monte-carlo-1-2"),
            contest::monte_carlo::program::<1, 3>("monte-carlo-1-3"),
            contest::monte_carlo::program::<2, 2>("monte-carlo-2-2"),
        ],
    },
    Section {
        title: "GAMBIT's tests",
        about: "Failures of the kinds in tables 1 and 2 of Coons, Burckhardt, Musuvathi, \"GAMBIT: effective unit testing for concurrency libraries\" (PPoPP 2010), in libraries of the same kind.",
        programs: &[
            gambit::iterator::PROGRAM,
            gambit::causality::PROGRAM,
            gambit::scatter_gather::PROGRAM,
            gambit::task_coverage::PROGRAM,
            gambit::gather_post1::PROGRAM,
            gambit::gather_post2::PROGRAM,
            gambit::region_ownership::PROGRAM,
            gambit::barrier1::PROGRAM,
            gambit::barrier2::PROGRAM,
            gambit::manual_reset_event::PROGRAM,
            gambit::semaphore_slim::PROGRAM,
            gambit::bag_steal::PROGRAM,
            gambit::bag_empty::PROGRAM,
            gambit::blocking_collection::PROGRAM,
            gambit::queens::COUNT,
            gambit::queens::TAKEN,
            gambit::queens::EARLY,
            gambit::queens_query::BITS,
            gambit::queens_query::FIRST,
            gambit::queens_query::MERGE,
            gambit::parallel_do::TWICE,
            gambit::parallel_do::STOP,
            gambit::parallel_do::ERRORS,
        ],
    },
    Section {
        title: "Lock-free structures",
        about: "Structures for many threads with the kinds of bugs in table 6-1 of the thesis on CB-DPOR (CODEX), used as there: by three threads that make three calls each, drawn at random, in tests that fail if no order of the calls explains the answers. Three tests were drawn for each structure, and those in which some search finds the bug are the test cases, whatever each search takes; the name says which of the three it is. (`boost-fifo` has the calls of the thesis's figure 5-2, `reference-cache` a test of its own, as there.) Those of libcds have hazard pointers, kept as libcds keeps them, and its queues have its own published bugs. Each access to what a thread keeps for itself is a step, at which `preemptions:K,dfs` may switch, as the thesis's CHESS does; but what the thesis's CODEX sees of local variables in memory is not there. Nearly all of these bugs need one preemption. With one preemption the number of executions without the reduction grows with the number of steps, with two with its square: so less is saved up to the first failure than to exhaust two. `-- efficiency` counts the executions for each class of equivalent ones, the thesis's inefficiency (6.4).",
        programs: &[
            lock_free::boost_fifo::FIGURE,
            lock_free::boost_fifo::program::<1>("boost-fifo-1"),
            lock_free::boost_fifo::program::<2>("boost-fifo-2"),
            lock_free::boost_fifo::program::<3>("boost-fifo-3"),
            lock_free::michael_scott::program::<1>("ms-queue-1"),
            lock_free::michael_scott::program::<3>("ms-queue-3"),
            lock_free::michael_scott::moir::<1>("moir-queue-1"),
            lock_free::michael_scott::moir::<2>("moir-queue-2"),
            lock_free::michael_scott::moir::<3>("moir-queue-3"),
            lock_free::basket_queue::program::<1>("basket-queue-1"),
            lock_free::basket_queue::program::<2>("basket-queue-2"),
            lock_free::basket_queue::program::<3>("basket-queue-3"),
            lock_free::optimistic_queue::program::<2>("optimistic-queue-2"),
            lock_free::lazy_list::program::<3>("lazy-list-3"),
            lock_free::skip_list::program::<1>("skip-list-1"),
            lock_free::skip_list::program::<2>("skip-list-2"),
            lock_free::range_set::program::<3>("range-set-3"),
            lock_free::reference_cache::PROGRAM,
        ],
    },
    Section {
        title: "Schedule-bounding classics",
        about: "The small programs on which schedule bounding was measured: those of SCTBench (Thomson, Donaldson, Betts, PPoPP 2014) and of the papers it took them from.",
        programs: &[
            classics::account::PROGRAM,
            classics::bluetooth::PROGRAM,
            classics::carter::PROGRAM,
            classics::circular_buffer::PROGRAM,
            classics::deadlock::PROGRAM,
            classics::philosophers::program::<2>("philosophers-2"),
            classics::philosophers::program::<3>("philosophers-3"),
            classics::philosophers::program::<4>("philosophers-4"),
            classics::philosophers::program::<5>("philosophers-5"),
            classics::philosophers::program::<6>("philosophers-6"),
            classics::philosophers::program::<7>("philosophers-7"),
            classics::lazy::PROGRAM,
            classics::queue::PROGRAM,
            classics::stack::PROGRAM,
            classics::token_ring::PROGRAM,
            classics::two_stage::program::<2>("two-stage"),
            classics::two_stage::program::<100>("two-stage-100"),
            classics::wrong_lock::PROGRAM,
            classics::reorder::program::<3>("reorder-3"),
            classics::reorder::program::<4>("reorder-4"),
            classics::reorder::program::<5>("reorder-5"),
            classics::reorder::program::<10>("reorder-10"),
            classics::reorder::program::<20>("reorder-20"),
            classics::reorder::program::<100>("reorder-100"),
            classics::steal_order::PROGRAM,
            classics::steal_exchange::PROGRAM,
            classics::steal_state::PROGRAM,
            classics::steal_tag::PROGRAM,
            classics::string_buffer::PROGRAM,
            classics::parallel_sort::PROGRAM,
            classics::bounded_buffer::PROGRAM,
            classics::double_checked::PROGRAM,
            classics::thread_pool::PROGRAM,
            classics::downloader::PROGRAM,
            classics::compressor::PROGRAM,
        ],
    },
    Section {
        title: "Rust's own",
        about: "Bugs that Rust does not keep anybody from: what std's own types are used wrongly for.",
        programs: &[
            rust::lost_waker::PROGRAM,
            rust::count_lock::PROGRAM,
            rust::once_again::PROGRAM,
            rust::poison::PROGRAM,
            rust::disconnect::PROGRAM,
            rust::scoped::PROGRAM,
            rust::park_token::PROGRAM,
            rust::condvar_if::PROGRAM,
            rust::upgrade::PROGRAM,
            rust::channel_permits::PROGRAM,
            rust::aba_index::PROGRAM,
            rust::seqlock::PROGRAM,
            rust::publication::PROGRAM,
        ],
    },
];

/// Every program, in the order of the sections.
pub fn programs() -> impl Iterator<Item = &'static Program> {
    SECTIONS.iter().flat_map(|section| section.programs)
}
