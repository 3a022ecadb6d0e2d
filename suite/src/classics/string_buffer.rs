//! A string buffer, after `java.util.StringBuffer` as described by Flanagan and Qadeer, "A type and effect system for atomicity" (PLDI 2003). Every
//! method locks its buffer, but appending another buffer asks for its length and then copies that much, and in between it may shrink.

use crate::Program;
use gordian::sync::Mutex;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "string-buffer",
    source: "Flanagan, Qadeer (PLDI 2003); SCTBench, CB.stringbuffer-jdk1.4",
    about: "a buffer is truncated after its length was asked for and before it is copied",
    threads: 2,
    body: string_buffer,
    ..Program::USUAL
};

struct StringBuffer(Mutex<String>);

impl StringBuffer {
    fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    fn truncate(&self, len: usize) {
        self.0.lock().unwrap().truncate(len);
    }

    fn copy(&self, len: usize) -> String {
        self.0.lock().unwrap().get(..len).expect("there is as much as was asked for").to_owned()
    }

    fn append(&self, other: &StringBuffer, buggy: bool) {
        let copy = if buggy {
            let len = other.len();
            other.copy(len)
        } else {
            other.0.lock().unwrap().clone()
        };
        self.0.lock().unwrap().push_str(&copy);
    }
}

fn string_buffer(buggy: bool) {
    let [to, from] = ["", "knot"].map(|text| StringBuffer(Mutex::new(text.to_owned())));
    thread::scope(|s| {
        s.spawn(|| from.truncate(0));
        to.append(&from, buggy);
    });
}
