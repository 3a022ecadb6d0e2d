//! A block compressor, after `pbzip2` in SCTBench and in Lu et al., "Learning from mistakes" (ASPLOS 2008). The main thread frees the queue once
//! all blocks are written; a worker that still waits for its turn at the queue uses it afterwards.

use crate::Program;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::sync::{Condvar, Mutex};
use gordian::thread;
use std::collections::VecDeque;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "compressor",
    source: "Lu et al. (ASPLOS 2008); SCTBench, CB.pbzip2",
    about: "the queue of blocks is freed while a worker has yet to find it empty",
    threads: 3,
    proof: "preemptions:1",
    body: compressor,
    ..Program::USUAL
};

const BLOCKS: usize = 2;

struct Compressor {
    /// None once it is freed.
    queue: Mutex<Option<VecDeque<usize>>>,
    written: AtomicUsize,
    progress: (Mutex<()>, Condvar),
}

impl Compressor {
    fn compress(&self) {
        loop {
            let block = self.queue.lock().unwrap().as_mut().expect("the queue was freed").pop_front();
            if block.is_none() {
                return;
            }
            let _guard = self.progress.0.lock().unwrap();
            self.written.fetch_add(1, SeqCst);
            self.progress.1.notify_one();
        }
    }
}

fn compressor(buggy: bool) {
    let compressor = Compressor {
        queue: Mutex::new(Some((0..BLOCKS).collect())),
        written: AtomicUsize::new(0),
        progress: Default::default(),
    };
    thread::scope(|s| {
        let workers = [(), ()].map(|()| s.spawn(|| compressor.compress()));
        let mut guard = compressor.progress.0.lock().unwrap();
        while compressor.written.load(SeqCst) < BLOCKS {
            guard = compressor.progress.1.wait(guard).unwrap();
        }
        drop(guard);
        if !buggy {
            workers.into_iter().for_each(|worker| worker.join().unwrap());
        }
        *compressor.queue.lock().unwrap() = None;
    });
}
