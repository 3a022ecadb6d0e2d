//! A file downloader, after `aget` in SCTBench. The handler of an interrupt sets a flag at which the threads that load the parts stop, and saves how far they have come, to go on
//! from there later. A thread that looked at the flag just before loads one more block, which is then not in what was saved.

use crate::Program;
use gordian::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "downloader",
    source: "SCTBench, CB.aget-bug",
    about: "what is saved on an interrupt lacks a block of a thread that had not seen the interrupt yet",
    threads: 4,
    proof: "preemptions:2",
    body: downloader,
    ..Program::USUAL
};

const PARTS: usize = 2;
const BLOCKS: usize = 2;

#[derive(Default)]
struct Download {
    /// Which blocks are in the file.
    file: [[AtomicBool; BLOCKS]; PARTS],
    /// How far each part has come.
    offsets: [AtomicUsize; PARTS],
    interrupted: AtomicBool,
}

impl Download {
    fn load(&self, part: usize) {
        for block in &self.file[part] {
            if self.interrupted.load(SeqCst) {
                return;
            }
            block.store(true, SeqCst);
            self.offsets[part].fetch_add(1, SeqCst);
        }
    }

    fn save(&self) -> [usize; PARTS] {
        std::array::from_fn(|part| self.offsets[part].load(SeqCst))
    }

    /// The handler. The fixed version leaves it to the main thread to save.
    fn interrupt(&self, buggy: bool) -> Option<[usize; PARTS]> {
        self.interrupted.store(true, SeqCst);
        buggy.then(|| self.save())
    }
}

fn downloader(buggy: bool) {
    let download = Download::default();
    let download = &download;
    thread::scope(|s| {
        let parts = [0, 1].map(|part| s.spawn(move || download.load(part)));
        let handler = s.spawn(move || download.interrupt(buggy));
        let early = handler.join().unwrap();
        parts.into_iter().for_each(|part| part.join().unwrap());
        let saved = early.unwrap_or_else(|| download.save());
        let there = [0, 1].map(|part: usize| download.file[part].iter().filter(|b| b.load(SeqCst)).count());
        assert_eq!(saved, there, "the download would not go on where it was interrupted");
    });
}
