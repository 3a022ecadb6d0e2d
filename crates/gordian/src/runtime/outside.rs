//! What goes on outside of control: does the program wait for the system while an execution is carried out?
//!
//! Threads under test are coroutines on one OS thread, and what they wait for is only noted. So that OS thread itself has no reason to wait. If it
//! does nevertheless, in one execution after the other, then the program sleeps, reads a file, or takes or joins something of
//! std's: the search does not decide when that goes on. The first executions, which warm everything up, do not
//! count; so nothing is said about a search that has few.

/// Executions that do not count.
const FIRST: u64 = 8;

/// How often the program has waited, and in how many executions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outside {
    begun: u64,
    /// How often the OS thread had waited after the first executions.
    before: Option<i64>,
}

impl Outside {
    /// An execution begins.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.begun += 1;
        if self.begun == FIRST + 1 {
            self.before = waits();
        }
    }

    /// The executions that count, and how often the program waited in them; none if that cannot be told.
    pub(crate) fn waited(&self) -> (u64, u64) {
        // The system is asked only if there is something to compare with: a short search takes no longer than the question.
        let waited = self.before.and_then(|before| Some(waits()? - before));
        waited.map_or((0, 0), |waited| (self.begun - FIRST, waited.try_into().unwrap_or_default()))
    }
}

/// How often this OS thread has given up the processor because it had to wait.
#[cold]
#[cfg(target_os = "linux")]
fn waits() -> Option<i64> {
    // SAFETY: plain data, for which zeros are good values; the call fills it in.
    unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        (libc::getrusage(libc::RUSAGE_THREAD, &raw mut used) == 0).then_some(used.ru_nvcsw as i64)
    }
}

#[cfg(not(target_os = "linux"))]
fn waits() -> Option<i64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn sleeping_is_waiting() {
        let before = waits().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(waits().unwrap() > before);
    }
}
