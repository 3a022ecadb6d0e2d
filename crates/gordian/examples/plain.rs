//! Code that builds with and without the feature `check`: with it, everything below can be put under a check; without
//! it, everything below is std's.

use gordian::cell::{Tracked, UnsafeCell};
use gordian::sync::{Arc, FromStd, LazyLock, Mutex, OnceLock, Semaphore};
use gordian::time::Instant;
use std::fmt::Display;

static NAME: OnceLock<String> = OnceLock::new();
static LIST: LazyLock<Mutex<Vec<u32>>> = LazyLock::new(|| Mutex::new(Vec::new()));

gordian::thread_local! {
    static SEEN: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

fn main() {
    let start = Instant::now();
    NAME.get_or_init(|| "plain".to_owned());
    let shown = <Arc<dyn Display + Send + Sync> as FromStd>::from_std(std::sync::Arc::new(7));
    let permits = Semaphore::new(1);
    permits.acquire();
    assert!(!permits.try_acquire());
    permits.release();
    assert_eq!(gordian::choose(3), 0);
    let cell = UnsafeCell::new(1);
    Tracked::with_mut(&cell, |p| assert!(!p.is_null()));
    let thread = gordian::thread::spawn(move || {
        SEEN.set(1);
        LIST.lock().unwrap().push(SEEN.get());
        gordian::hint::spin_loop();
        shown.to_string()
    });
    assert_eq!(thread.join().unwrap(), "7");
    assert_eq!(gordian::future::block_on(async { 1 }), 1);
    println!("{}: {:?} after {:?}", NAME.get().unwrap(), LIST.lock().unwrap(), start.elapsed());
}
