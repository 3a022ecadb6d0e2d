// The largest number of a list, looked for in parallel: read first, written later.
// expect: abnormal exit
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let largest = AtomicU32::new(0);
    pool.install(|| {
        [3, 7].par_iter().for_each(|&mine| {
            if cfg!(feature = "fixed") {
                largest.fetch_max(mine, SeqCst);
            } else if mine > largest.load(SeqCst) {
                largest.store(mine, SeqCst);
            }
        });
    });
    assert_eq!(largest.into_inner(), 7);
}
