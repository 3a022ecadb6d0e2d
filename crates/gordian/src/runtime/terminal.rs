//! How wide the terminal is. What a test prints is captured and shown later, but on the same terminal.

/// Columns of the terminal that standard output or standard error is.
#[cfg(unix)]
pub(crate) fn columns() -> Option<usize> {
    [libc::STDOUT_FILENO, libc::STDERR_FILENO].into_iter().find_map(|file| {
        // SAFETY: plain data, for which zeros are good values; the call fills it in, or fails if this is no terminal.
        let size = unsafe {
            let mut size: libc::winsize = std::mem::zeroed();
            (libc::ioctl(file, libc::TIOCGWINSZ, &raw mut size) == 0).then_some(size)
        };
        size.map(|size| usize::from(size.ws_col)).filter(|&columns| columns > 0)
    })
}

#[cfg(not(unix))]
pub(crate) fn columns() -> Option<usize> {
    None
}
