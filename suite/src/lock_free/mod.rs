//! Structures for many threads with the kinds of bugs in table 6-1 of the thesis on CB-DPOR (context-bounded DPOR, CODEX). Memory is an array
//! of nodes, so that a node that is used after it was freed does no harm beyond the bug.

pub mod basket_queue;
mod client;
pub(crate) mod fifo;
pub mod lazy_list;
pub mod michael_scott;
pub mod moir_queue;
pub mod optimistic_queue;
pub mod range_set;
pub mod reference_cache;
pub mod skip_list;
