//! Reading memory that may not be there.
//!
//! A word on a stack that looks like an address may be a number, or point to what was given back to the system. On Linux on x86-64 such
//! memory is read as any other, and a fault while doing so is answered by going on after it: no system call is made.
//! Elsewhere on Linux the kernel is asked to copy.

/// What came of reading a part of memory again.
#[repr(C)]
pub(super) struct Refreshed {
    /// So many bytes at its end are not there.
    pub(super) missing: usize,
    /// Zero if what is there is what was read before.
    pub(super) difference: u64,
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod by_copying {
    use super::Refreshed;
    use std::arch::naked_asm;

    /// Copies until it is done or memory is missing, and compares with what was there. Four times sixteen bytes at a time, then one by one.
    /// Asked for no bytes it gives the addresses of the two places, marked 2 and 3, where it goes on after a fault.
    ///
    /// # Safety
    /// There is room for `len` bytes at `to`, and [`after_fault`] is asked about faults.
    #[unsafe(naked)]
    unsafe extern "C" fn copy(to: *mut u8, from: usize, len: usize) -> Refreshed {
        naked_asm!(
            "xor r8d, r8d",
            "pxor xmm4, xmm4",
            "test rdx, rdx",
            "jz 4f",
            "sub rdx, 64",
            "jb 5f",
            // Nothing has moved on when one of these loads faults, so all of it is read again byte by byte.
            "6:",
            "movdqu xmm0, [rsi]",
            "movdqu xmm1, [rsi + 16]",
            "movdqu xmm2, [rsi + 32]",
            "movdqu xmm3, [rsi + 48]",
            "movdqu xmm5, [rdi]",
            "movdqu [rdi], xmm0",
            "pxor xmm5, xmm0",
            "por xmm4, xmm5",
            "movdqu xmm5, [rdi + 16]",
            "movdqu [rdi + 16], xmm1",
            "pxor xmm5, xmm1",
            "por xmm4, xmm5",
            "movdqu xmm5, [rdi + 32]",
            "movdqu [rdi + 32], xmm2",
            "pxor xmm5, xmm2",
            "por xmm4, xmm5",
            "movdqu xmm5, [rdi + 48]",
            "movdqu [rdi + 48], xmm3",
            "pxor xmm5, xmm3",
            "por xmm4, xmm5",
            "add rsi, 64",
            "add rdi, 64",
            "sub rdx, 64",
            "jae 6b",
            "5:",
            "2:",
            "add rdx, 64",
            "jz 3f",
            "7:",
            "movzx eax, byte ptr [rsi]",
            "movzx ecx, byte ptr [rdi]",
            "mov [rdi], al",
            "xor eax, ecx",
            "or r8, rax",
            "inc rsi",
            "inc rdi",
            "dec rdx",
            "jnz 7b",
            "3:",
            "mov rax, rdx",
            "movq rcx, xmm4",
            "or r8, rcx",
            "punpckhqdq xmm4, xmm4",
            "movq rdx, xmm4",
            "or rdx, r8",
            "ret",
            "4:",
            "lea rax, [rip + 2b]",
            "lea rdx, [rip + 3b]",
            "ret",
        )
    }

    /// Where to go on after a fault at an instruction, if it was met while copying.
    pub(in crate::runtime) fn after_fault(instruction: usize) -> Option<usize> {
        let first = copy as *const () as usize;
        // SAFETY: nothing is copied.
        let Refreshed { missing: bytes, difference: end } = unsafe { copy(std::ptr::null_mut(), 0, 0) };
        let end = end as usize;
        if (first..bytes).contains(&instruction) {
            Some(bytes)
        } else {
            (bytes..end).contains(&instruction).then_some(end)
        }
    }

    /// Reads what is there of the memory from `start` on into `known`, which is not empty, and says what is missing and what has changed.
    pub(in crate::runtime) fn refresh(start: usize, known: &mut [u8]) -> Refreshed {
        debug_assert!(!known.is_empty());
        // SAFETY: there is room for as much; faults are answered by the handler that every runtime installs. What another thread writes
        // there meanwhile is copied as it comes; the bytes mean nothing to us.
        unsafe { copy(known.as_mut_ptr(), start, known.len()) }
    }
}

#[cfg(all(target_os = "linux", not(target_arch = "x86_64")))]
mod by_copying {
    use super::Refreshed;

    /// Reads what is there of the memory from `start` on into `known`, and says what is missing and what has changed.
    pub(in crate::runtime) fn refresh(start: usize, known: &mut [u8]) -> Refreshed {
        let mut now = [0u8; 128];
        let (mut difference, mut done) = (0, 0);
        for part in known.chunks_mut(now.len()) {
            // SAFETY: there is room for as much; the kernel checks the remote address, which is one of our own process.
            let read = unsafe {
                let local = libc::iovec { iov_base: now.as_mut_ptr().cast(), iov_len: part.len() };
                let remote =
                    libc::iovec { iov_base: (start + done) as *mut libc::c_void, iov_len: part.len() };
                libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0)
            };
            let read = usize::try_from(read).unwrap_or(0);
            difference |= u64::from(part[..read] != now[..read]);
            part[..read].copy_from_slice(&now[..read]);
            done += read;
            if read < part.len() {
                break;
            }
        }
        Refreshed { missing: known.len() - done, difference }
    }
}

#[cfg(not(target_os = "linux"))]
mod by_copying {
    use super::Refreshed;

    /// Not known here.
    pub(in crate::runtime) fn refresh(_: usize, known: &mut [u8]) -> Refreshed {
        Refreshed { missing: known.len(), difference: 0 }
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(super) use by_copying::after_fault;
pub(super) use by_copying::refresh;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Two pages, of which the second cannot be read, with `bytes` at the end of the first.
    fn at_the_end_of_a_page(bytes: &[u8], check: impl FnOnce(usize)) {
        crate::runtime::overflow::install();
        let page = 4096;
        // SAFETY: fresh pages. (Given back the second might be another thread's at once.)
        unsafe {
            let pages = libc::mmap(
                std::ptr::null_mut(),
                2 * page,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            let end = pages.cast::<u8>().add(page);
            end.sub(bytes.len()).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            libc::mprotect(end.cast(), page, libc::PROT_NONE);
            check(end as usize);
            libc::munmap(pages, 2 * page);
        }
    }

    #[test]
    fn what_is_there_is_read_and_what_is_not_is_left_out() {
        let bytes: Vec<u8> = (1..=200).collect();
        at_the_end_of_a_page(&bytes, |end| {
            for len in 1..=200 {
                for missing in [0, 1, 17, 63, 64, 65, 128] {
                    let mut known = vec![0xff; len + missing];
                    let read = refresh(end - len, &mut known);
                    if read.missing == missing {
                        assert_eq!(known[..len], bytes[200 - len..], "{len}");
                        assert_ne!(read.difference, 0);
                        assert_eq!(refresh(end - len, &mut known).difference, 0, "nothing has changed");
                    } else {
                        // The kernel copies whole parts.
                        assert!(cfg!(not(target_arch = "x86_64")) && read.missing > missing);
                    }
                    assert!(known[len..].iter().all(|&byte| byte == 0xff), "only what is there");
                }
            }
            for nothing in [end, 0] {
                assert_eq!(refresh(nothing, &mut [0; 100]).missing, 100, "nothing is there");
            }
        });
    }

    #[test]
    fn a_difference_is_seen_wherever_it_is() {
        let mut bytes = [7; 150];
        let mut known = bytes.to_vec();
        for i in 0..bytes.len() {
            std::hint::black_box(&mut bytes)[i] ^= 1 << (i % 8);
            assert_ne!(refresh(bytes.as_ptr() as usize, &mut known).difference, 0, "{i}");
            assert_eq!(known, bytes);
            assert_eq!(refresh(bytes.as_ptr() as usize, &mut known).difference, 0);
        }
    }
}
