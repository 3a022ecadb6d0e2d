//! Reading memory that may not be there.
//!
//! A word on a stack that looks like an address may be a number, or point to what was given back to the system. On Linux on x86-64 such
//! memory is read as any other, and a fault while doing so is answered by going on after it: no system call is made.
//! Elsewhere on Linux the kernel is asked to copy.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod by_copying {
    use std::arch::naked_asm;

    /// Copies until it is done or memory is missing, and gives the number of bytes that were not copied.
    ///
    /// # Safety
    /// There is room for `len` bytes at `to`, and [`after_fault`] is asked about faults.
    #[unsafe(naked)]
    unsafe extern "C" fn copy(to: *mut u8, from: usize, len: usize) -> usize {
        naked_asm!("mov rcx, rdx", "rep movsb", "mov rax, rcx", "ret")
    }

    /// The length of the first instruction above, and of the one that may fault.
    const FIRST: usize = 3;
    const COPYING: usize = 2;

    /// Where to go on after a fault at an instruction, if it was met while copying.
    pub(in crate::runtime) fn after_fault(instruction: usize) -> Option<usize> {
        (instruction == copy as *const () as usize + FIRST).then_some(instruction + COPYING)
    }

    /// Appends what is there of the memory from `start` to `end`.
    pub(in crate::runtime) fn append(start: usize, end: usize, into: &mut Vec<u8>) {
        let len = end - start;
        into.reserve(len);
        // SAFETY: there is room for as much; faults are answered by the handler that every runtime installs. What another thread writes
        // there meanwhile is copied as it comes; the bytes mean nothing to us.
        unsafe {
            let left = copy(into.as_mut_ptr().add(into.len()), start, len);
            into.set_len(into.len() + len - left);
        }
    }
}

#[cfg(all(target_os = "linux", not(target_arch = "x86_64")))]
mod by_copying {
    /// Appends what is there of the memory from `start` to `end`.
    pub(in crate::runtime) fn append(start: usize, end: usize, into: &mut Vec<u8>) {
        let len = end - start;
        into.reserve(len);
        // SAFETY: there is room for as much; the kernel checks the remote address, which is one of our own process.
        unsafe {
            let local = libc::iovec { iov_base: into.as_mut_ptr().add(into.len()).cast(), iov_len: len };
            let remote = libc::iovec { iov_base: start as *mut libc::c_void, iov_len: len };
            let read = libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0);
            into.set_len(into.len() + usize::try_from(read).unwrap_or(0));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod by_copying {
    /// Not known here.
    pub(in crate::runtime) fn append(_: usize, _: usize, _: &mut Vec<u8>) {}
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(super) use by_copying::after_fault;
pub(super) use by_copying::append;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_read_and_what_is_not_is_left_out() {
        crate::runtime::overflow::install();
        let page = 4096;
        // SAFETY: two fresh pages, of which the second cannot be read. (Given back it might be another thread's at once.)
        unsafe {
            let pages = libc::mmap(
                std::ptr::null_mut(),
                2 * page,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            pages.cast::<u8>().add(page - 1).write(7);
            libc::mprotect(pages.add(page), page, libc::PROT_NONE);
            let start = pages as usize;
            let mut read = vec![1];
            append(start + page - 4, start + page, &mut read);
            assert_eq!(read, [1, 0, 0, 0, 7]);
            append(start + page, start + 2 * page, &mut read);
            append(0, 64, &mut read);
            assert_eq!(read.len(), 5, "nothing is there");
            append(start + page - 2, start + page + 2, &mut read);
            assert_eq!(&read[..5], [1, 0, 0, 0, 7]);
            assert!(read[5..].is_empty() || read[5..] == [0, 7], "only what is there: {read:?}");
            libc::munmap(pages, 2 * page);
        }
    }
}
