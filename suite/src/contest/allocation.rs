//! AllocationVector, after ConTest's as shown in figure 12 of the RankChecker paper. A block is looked for and marked in two critical sections. Another thread has
//! to find the same block in between, and to be preempted before it frees what it allocated.

use crate::Program;
use gordian::sync::Mutex;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "allocation",
    source: "RankChecker (ISSTA 2013), table 1 and figure 12: AllocationVector",
    about: "a block that was found free is allocated by another before it is marked",
    threads: 3,
    published: Some((2, 1, 2)),
    schedules: Some(113),
    body: allocation,
    ..Program::USUAL
};

const BLOCKS: usize = 4;

struct Blocks(Mutex<[bool; BLOCKS]>);

impl Blocks {
    fn find(&self) -> Option<usize> {
        self.0.lock().unwrap().iter().position(|allocated| !allocated)
    }

    fn is_free(&self, block: usize) -> bool {
        !self.0.lock().unwrap()[block]
    }

    fn mark(&self, block: usize, allocated: bool) {
        self.0.lock().unwrap()[block] = allocated;
    }

    /// What `find` and `mark` are together, if they are one.
    fn allocate(&self) -> Option<usize> {
        let mut blocks = self.0.lock().unwrap();
        let block = blocks.iter().position(|allocated| !allocated)?;
        blocks[block] = true;
        Some(block)
    }
}

fn allocation(buggy: bool) {
    let blocks = Blocks(Mutex::new([false; BLOCKS]));
    let allocate = || {
        if !buggy {
            return blocks.allocate();
        }
        let block = blocks.find()?;
        assert!(blocks.is_free(block), "the block is allocated already");
        blocks.mark(block, true);
        Some(block)
    };
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                let mine: Vec<usize> = (0..2).filter_map(|_| allocate()).collect();
                mine.into_iter().for_each(|block| blocks.mark(block, false));
            });
        }
    });
}
