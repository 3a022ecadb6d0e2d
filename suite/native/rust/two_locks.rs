// Whether there is a seat is looked up under a lock that is let go before it is taken under the same lock again.
// expect: abnormal exit
use std::sync::Mutex;
use std::thread;

static SEATS: Mutex<i32> = Mutex::new(1);

fn book() -> bool {
    if cfg!(fixed) {
        let mut seats = SEATS.lock().unwrap();
        let free = *seats > 0;
        if free {
            *seats -= 1;
        }
        return free;
    }
    let free = *SEATS.lock().unwrap() > 0;
    if free {
        *SEATS.lock().unwrap() -= 1;
    }
    free
}

fn main() {
    let other = thread::spawn(book);
    let here = book();
    let there = other.join().unwrap();
    assert!(here != there, "one seat, sold {} times", here as u8 + there as u8);
}
