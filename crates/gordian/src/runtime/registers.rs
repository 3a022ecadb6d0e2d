//! What a debugger needs to walk the stack of a suspended thread: where it is, and the registers that its callers count on.
//!
//! They are taken in the frame that suspends, which stays until the thread goes on. So the unwind tables of that function
//! hold for them, and a debugger finds the callers as it does for a thread that it has stopped itself.

/// Registers, in the order of [`NAMES`](Registers::NAMES); all 0 before the first time.
#[derive(Clone, Copy, Default)]
pub(super) struct Registers([u64; Registers::NAMES.len()]);

#[cfg(target_arch = "x86_64")]
impl Registers {
    /// The program counter first, then the stack pointer.
    pub(super) const NAMES: [&str; 8] = ["rip", "rsp", "rbp", "rbx", "r12", "r13", "r14", "r15"];

    /// Takes those of the function that this is written in.
    ///
    /// # Safety
    /// `into` can be written to.
    #[inline(always)]
    pub(super) unsafe fn save(into: *mut Registers) {
        // SAFETY: it writes to `into`, which there is room for, and nothing else; the stack is not touched.
        unsafe {
            std::arch::asm!(
                "lea {scratch}, [rip]",
                "mov [{into}], {scratch}",
                "mov [{into} + 8], rsp",
                "mov [{into} + 16], rbp",
                "mov [{into} + 24], rbx",
                "mov [{into} + 32], r12",
                "mov [{into} + 40], r13",
                "mov [{into} + 48], r14",
                "mov [{into} + 56], r15",
                into = in(reg) into,
                scratch = out(reg) _,
                options(nostack, preserves_flags),
            );
        }
    }
}

/// Other processors have names of their own, which nobody has written down here yet: threads are shown without stacks.
#[cfg(not(target_arch = "x86_64"))]
impl Registers {
    pub(super) const NAMES: [&str; 0] = [];

    #[inline(always)]
    pub(super) unsafe fn save(_: *mut Registers) {}
}

impl Registers {
    /// Names and values; none if they were never taken.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let known = self.0.iter().any(|&value| value != 0);
        Registers::NAMES.into_iter().zip(self.0).filter(move |_| known)
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_the_function_that_asks() {
        #[inline(never)]
        fn ask() -> (Registers, usize) {
            let mut registers = Registers::default();
            let marker = 0u8;
            // SAFETY: it is ours.
            unsafe { Registers::save(&raw mut registers) };
            (registers, std::hint::black_box(&raw const marker) as usize)
        }
        assert_eq!(Registers::default().iter().count(), 0);
        let (registers, local) = ask();
        let values: Vec<(&str, u64)> = registers.iter().collect();
        let [(_, counter), (_, pointer), ..] = values[..] else { panic!("all of them") };
        let start = ask as *const () as usize as u64;
        assert!((start..start + 4096).contains(&counter));
        assert!((local as u64).abs_diff(pointer) < 4096);
    }
}
