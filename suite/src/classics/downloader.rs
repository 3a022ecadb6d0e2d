//! A file downloader, after `aget` in SCTBench. When it is interrupted, it saves how far each part has come and how much there is in all, to go on
//! later; the parts go on meanwhile, so the two may not agree.

use crate::Program;
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "downloader",
    source: "SCTBench, CB.aget-bug",
    about: "what is saved on an interrupt is from different moments of the download",
    threads: 4,
    proof: "preemptions:2",
    body: downloader,
    ..Program::USUAL
};

const PARTS: usize = 2;
const BLOCKS: usize = 2;

#[derive(Default)]
struct Download {
    parts: [AtomicUsize; PARTS],
    total: AtomicUsize,
    lock: Mutex<()>,
}

impl Download {
    fn fetch(&self, part: usize) {
        for _ in 0..BLOCKS {
            let _guard = self.lock.lock().unwrap();
            self.parts[part].fetch_add(1, SeqCst);
            self.total.fetch_add(1, SeqCst);
        }
    }

    /// The handler of the interrupt. One that runs inside any thread must not lock, which was the reason not to; the fixed
    /// version runs in a thread of its own.
    fn save(&self, buggy: bool) -> ([usize; PARTS], usize) {
        let _guard = (!buggy).then(|| self.lock.lock().unwrap());
        let parts = [0, 1].map(|part: usize| self.parts[part].load(SeqCst));
        (parts, self.total.load(SeqCst))
    }
}

fn downloader(buggy: bool) {
    let download = Download::default();
    let download = &download;
    thread::scope(|s| {
        for part in 0..PARTS {
            s.spawn(move || download.fetch(part));
        }
        s.spawn(|| {
            let (parts, total) = download.save(buggy);
            assert_eq!(parts.iter().sum::<usize>(), total, "the download cannot go on from there");
        });
    });
}
