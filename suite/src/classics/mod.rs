//! The small programs on which schedule bounding was measured: those of SCTBench (Thomson, Donaldson, Betts, "Concurrency testing
//! using schedule bounding", PPoPP 2014) and of the papers it took them from.

pub mod account;
pub mod bluetooth;
pub mod bounded_buffer;
pub mod carter;
pub mod circular_buffer;
pub mod compressor;
pub mod deadlock;
pub mod double_checked;
pub mod downloader;
pub mod lazy;
pub mod parallel_sort;
pub mod philosophers;
pub mod queue;
pub mod reorder;
pub mod stack;
pub mod steal_exchange;
pub mod steal_order;
pub mod steal_state;
pub mod steal_tag;
pub mod string_buffer;
pub mod thread_pool;
pub mod token_ring;
pub mod two_stage;
pub mod wrong_lock;
