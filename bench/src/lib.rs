//! The programs that the benchmarks run, and the clock that they are measured with.

pub mod buggy;
pub mod callgrind;
pub mod programs;
pub mod side;

/// CPU seconds that this process has used.
#[allow(unsafe_code)]
pub fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a plain libc call that fills in `time`.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The largest amount of memory that this process has had, in KiB.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
