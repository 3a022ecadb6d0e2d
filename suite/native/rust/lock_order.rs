// Two mutexes, locked in one order here and in the other there.
// expect: deadlock
use std::sync::Mutex;
use std::thread;

static FROM: Mutex<i32> = Mutex::new(10);
static TO: Mutex<i32> = Mutex::new(10);

fn give() {
    let mut from = FROM.lock().unwrap();
    let mut to = TO.lock().unwrap();
    *from -= 1;
    *to += 1;
}

fn take() {
    if cfg!(fixed) {
        let mut from = FROM.lock().unwrap();
        let mut to = TO.lock().unwrap();
        *from += 1;
        *to -= 1;
    } else {
        let mut to = TO.lock().unwrap();
        let mut from = FROM.lock().unwrap();
        *from += 1;
        *to -= 1;
    }
}

fn main() {
    let other = thread::spawn(take);
    give();
    other.join().unwrap();
    assert_eq!(*FROM.lock().unwrap() + *TO.lock().unwrap(), 20);
}
