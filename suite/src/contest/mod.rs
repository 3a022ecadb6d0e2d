//! The programs of table 1 of Bindal, Bansal, Lal, "Variable and thread bounding for systematic testing of multithreaded programs" (ISSTA 2013):
//! those of the ConTest benchmark, two sets of the JDK, and a program with a deeper bug; and the bugs that they seeded into Monte Carlo.

pub mod account;
pub mod airline;
pub mod allocation;
pub mod bubble_sort;
pub mod bubble_sort2;
pub mod buffer_writer;
pub mod linked_list;
pub mod manager;
pub mod merge_sort;
pub mod merge_sort_bug;
pub mod monte_carlo;
pub mod ping_pong;
pub mod piper;
pub mod producer_consumer;
pub mod regions;
pub mod sets;
