//! Structures for many threads with the kinds of bugs in table 6-1 of the thesis on CB-DPOR (context-bounded DPOR, CODEX). Memory is an array
//! of nodes, so that a node that is used after it was freed does no harm beyond the bug. Those of libcds have hazard pointers, as there; Boost's and sv6's have none.

pub mod basket_queue;
pub mod boost_fifo;
mod chain;
mod client;
pub(crate) mod fifo;
pub(crate) mod hazard;
pub mod lazy_list;
pub mod michael_scott;
pub mod optimistic_queue;
pub mod range_set;
pub mod reference_cache;
pub mod skip_list;

use crate::Program;

/// The tests that were drawn, three for each structure. Those in which some search finds the bug are test cases of the suite.
pub const DRAWN: [Program; 24] = [
    boost_fifo::program::<1>("boost-fifo-1"),
    boost_fifo::program::<2>("boost-fifo-2"),
    boost_fifo::program::<3>("boost-fifo-3"),
    michael_scott::program::<1>("ms-queue-1"),
    michael_scott::program::<2>("ms-queue-2"),
    michael_scott::program::<3>("ms-queue-3"),
    michael_scott::moir::<1>("moir-queue-1"),
    michael_scott::moir::<2>("moir-queue-2"),
    michael_scott::moir::<3>("moir-queue-3"),
    basket_queue::program::<1>("basket-queue-1"),
    basket_queue::program::<2>("basket-queue-2"),
    basket_queue::program::<3>("basket-queue-3"),
    optimistic_queue::program::<1>("optimistic-queue-1"),
    optimistic_queue::program::<2>("optimistic-queue-2"),
    optimistic_queue::program::<3>("optimistic-queue-3"),
    lazy_list::program::<1>("lazy-list-1"),
    lazy_list::program::<2>("lazy-list-2"),
    lazy_list::program::<3>("lazy-list-3"),
    skip_list::program::<1>("skip-list-1"),
    skip_list::program::<2>("skip-list-2"),
    skip_list::program::<3>("skip-list-3"),
    range_set::program::<1>("range-set-1"),
    range_set::program::<2>("range-set-2"),
    range_set::program::<3>("range-set-3"),
];
