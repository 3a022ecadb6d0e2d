//! The Bluetooth driver, after Qadeer and Wu, "KISS: keep it simple and sequential" (PLDI 2004). A request looks whether the driver is
//! stopping before it counts itself as pending; in between the driver may stop, as nothing seems to be pending.

use crate::Program;
use gordian::sync::Semaphore;
use gordian::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "bluetooth",
    source: "KISS (PLDI 2004); SCTBench, CS.bluetooth_driver",
    about: "a request begins to work after the driver has stopped",
    threads: 2,
    body: bluetooth,
    ..Program::USUAL
};

/// `pending` counts the requests that are being served, and one for the driver itself.
struct Driver {
    stopping: AtomicBool,
    stopped: AtomicBool,
    pending: AtomicI32,
    nothing_pending: Semaphore,
}

impl Driver {
    fn enter(&self, buggy: bool) -> bool {
        if buggy {
            if self.stopping.load(SeqCst) {
                return false;
            }
            self.pending.fetch_add(1, SeqCst);
            return true;
        }
        self.pending.fetch_add(1, SeqCst);
        if self.stopping.load(SeqCst) {
            self.leave();
            return false;
        }
        true
    }

    fn leave(&self) {
        if self.pending.fetch_sub(1, SeqCst) == 1 {
            self.nothing_pending.release();
        }
    }

    fn serve(&self, buggy: bool) {
        if self.enter(buggy) {
            assert!(!self.stopped.load(SeqCst), "the driver works although it has stopped");
            self.leave();
        }
    }

    fn stop(&self) {
        self.stopping.store(true, SeqCst);
        self.leave();
        self.nothing_pending.acquire();
        self.stopped.store(true, SeqCst);
    }
}

fn bluetooth(buggy: bool) {
    let driver = Driver {
        stopping: AtomicBool::new(false),
        stopped: AtomicBool::new(false),
        pending: AtomicI32::new(1),
        nothing_pending: Semaphore::new(0),
    };
    thread::scope(|s| {
        s.spawn(|| driver.stop());
        driver.serve(buggy);
    });
}
