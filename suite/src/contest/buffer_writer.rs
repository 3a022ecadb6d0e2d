//! BufWriter, after ConTest's: three threads write to a buffer and one closes it when it has written the end. Nothing makes that the last to come: what is written
//! to a closed buffer is lost.

use crate::Program;
use gordian::sync::{Condvar, Mutex};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "buffer-writer",
    source: "RankChecker (ISSTA 2013), table 1: BufWriter",
    about: "a buffer is closed before everybody has written to it",
    threads: 5,
    published: Some((0, 0, 2)),
    schedules: Some(12),
    body: buffer_writer,
    ..Program::USUAL
};

const WRITERS: usize = 3;

#[derive(Default)]
struct Buffer {
    lines: Vec<usize>,
    closed: bool,
}

fn buffer_writer(buggy: bool) {
    let (buffer, written) = (Mutex::new(Buffer::default()), Condvar::new());
    let (inside, written) = (&buffer, &written);
    thread::scope(|s| {
        for line in 0..WRITERS {
            s.spawn(move || {
                let mut buffer = inside.lock().unwrap();
                if !buffer.closed {
                    buffer.lines.push(line);
                    written.notify_one();
                }
            });
        }
        s.spawn(move || {
            let mut buffer = inside.lock().unwrap();
            while !buggy && buffer.lines.len() < WRITERS {
                buffer = written.wait(buffer).unwrap();
            }
            buffer.closed = true;
        });
    });
    assert_eq!(buffer.into_inner().unwrap().lines.len(), WRITERS, "a line was written to a closed buffer");
}
