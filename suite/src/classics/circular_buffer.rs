//! A circular buffer, after `circular_buffer_bad` of SCTBench. A sender finds the place for its value under the lock, but moves the end of
//! the buffer only when it takes the lock again; another sender puts its value into the same place.

use crate::Program;
use gordian::sync::Mutex;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "circular-buffer",
    source: "SCTBench, CS.circular_buffer",
    about: "two senders put their values into the same place",
    threads: 3,
    body: circular_buffer,
    ..Program::USUAL
};

const SIZE: usize = 4;

#[derive(Default)]
struct Buffer {
    slots: [u32; SIZE],
    first: usize,
    next: usize,
}

fn send(buffer: &Mutex<Buffer>, value: u32, buggy: bool) {
    let mut inside = buffer.lock().unwrap();
    let place = inside.next;
    inside.slots[place] = value;
    if buggy {
        drop(inside);
        inside = buffer.lock().unwrap();
    }
    inside.next = (place + 1) % SIZE;
}

fn receive(buffer: &mut Buffer) -> Option<u32> {
    if buffer.first == buffer.next {
        return None;
    }
    let value = buffer.slots[buffer.first];
    buffer.first = (buffer.first + 1) % SIZE;
    Some(value)
}

fn circular_buffer(buggy: bool) {
    let buffer = Mutex::new(Buffer::default());
    thread::scope(|s| {
        s.spawn(|| send(&buffer, 1, buggy));
        s.spawn(|| send(&buffer, 2, buggy));
    });
    let mut buffer = buffer.into_inner().unwrap();
    let sum: u32 = std::iter::from_fn(|| receive(&mut buffer)).sum();
    assert_eq!(sum, 3, "a value was lost");
}
