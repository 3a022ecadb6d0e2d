// A waiter looks once, with if: of the two that wake for one item, the second finds none.
// expect: abnormal exit, panic
use std::sync::{Condvar, Mutex};
use std::thread;

static ITEMS: Mutex<Vec<u32>> = Mutex::new(Vec::new());
static CHANGED: Condvar = Condvar::new();

fn take() -> u32 {
    let mut items = ITEMS.lock().unwrap();
    if cfg!(fixed) {
        while items.is_empty() {
            items = CHANGED.wait(items).unwrap();
        }
    } else if items.is_empty() {
        items = CHANGED.wait(items).unwrap();
    }
    items.pop().expect("somebody said that there is one")
}

fn put(item: u32) {
    ITEMS.lock().unwrap().push(item);
    CHANGED.notify_all();
}

fn main() {
    thread::scope(|s| {
        s.spawn(take);
        s.spawn(take);
        put(1);
        put(2);
    });
}
