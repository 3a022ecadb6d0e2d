//! Bugs in the manner of those in tables 1 and 2 of Coons, Burckhardt, Musuvathi, "GAMBIT: effective unit testing for concurrency libraries" (PPoPP 2010). The libraries were
//! not published with their bugs; what is here is the same kind of failure in the same kind of library.

pub mod bag_empty;
pub mod bag_steal;
pub mod barrier1;
pub mod barrier2;
pub mod blocking_collection;
pub mod causality;
pub mod gather_post1;
pub mod gather_post2;
pub mod iterator;
pub mod manual_reset_event;
pub mod parallel_do;
pub mod queens;
pub mod queens_query;
pub mod region_ownership;
pub mod scatter_gather;
pub mod semaphore_slim;
pub mod task_coverage;
