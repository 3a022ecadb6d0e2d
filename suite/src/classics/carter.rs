//! Two groups that keep each other out of a room, after `carter01_bad` of SCTBench. The first of a group to come waits for the room while it
//! holds the lock that the last of the other group needs to leave it.

use crate::Program;
use gordian::FailureKind;
use gordian::sync::{Mutex, Semaphore};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "carter",
    source: "SCTBench, CS.carter01",
    about: "a thread waits for a room and holds the lock that is needed to leave it",
    threads: 5,
    kind: FailureKind::Deadlock,
    body: carter,
    ..Program::USUAL
};

fn visit(inside: &Mutex<u32>, room: &Semaphore) {
    let mut count = inside.lock().unwrap();
    *count += 1;
    if *count == 1 {
        room.acquire();
    }
    drop(count);
    let mut count = inside.lock().unwrap();
    *count -= 1;
    if *count == 0 {
        room.release();
    }
}

/// As `visit`, with the other group's count behind the same lock.
fn visit_with(inside: &Mutex<[u32; 2]>, group: usize, room: &Semaphore) {
    let mut counts = inside.lock().unwrap();
    counts[group] += 1;
    if counts[group] == 1 {
        room.acquire();
    }
    drop(counts);
    let mut counts = inside.lock().unwrap();
    counts[group] -= 1;
    if counts[group] == 0 {
        room.release();
    }
}

fn carter(buggy: bool) {
    let together = Mutex::new([0, 0]);
    let apart = [Mutex::new(0), Mutex::new(0)];
    let room = Semaphore::new(1);
    let (together, apart, room) = (&together, &apart, &room);
    thread::scope(|s| {
        for group in [0, 0, 1, 1] {
            s.spawn(
                move || {
                    if buggy { visit_with(together, group, room) } else { visit(&apart[group], room) }
                },
            );
        }
    });
}
