//! What a thread's next actions depend on, besides what it reads from others: its registers, its stack, and the blocks of memory that these
//! point to. A loop that comes round with all of them unchanged waits for others (`conductor/spin.rs`).
//!
//! Registers and the stack pointer are those with which the program called: every function of ours that the program calls notes them down
//! before anything else (`note!`). What is below is ours. Code with hooks tells when it writes elsewhere, so this is for
//! programs with hooks alone.

use super::runtime::Runtime;
use gordian_model::ThreadId;

std::arch::global_asm!(
    ".pushsection .tbss,\"awT\",@nobits",
    ".align 16",
    ".globl gordian_entry",
    ".hidden gordian_entry",
    ".type gordian_entry, @object",
    ".size gordian_entry, 64",
    "gordian_entry:",
    ".zero 64",
    ".popsection",
);

/// The instructions that note down the registers. They change none that has an argument.
macro_rules! note {
    () => {
        "mov r11, [rip + gordian_entry@GOTTPOFF]
         mov fs:[r11], rsp
         mov fs:[r11 + 8], rbx
         mov fs:[r11 + 16], rbp
         mov fs:[r11 + 24], r12
         mov fs:[r11 + 32], r13
         mov fs:[r11 + 40], r14
         mov fs:[r11 + 48], r15"
    };
}
pub(crate) use note;

/// Where the calling thread's are.
#[unsafe(naked)]
extern "C" fn noted() -> *const [usize; 7] {
    std::arch::naked_asm!("mov rax, fs:[0]", "add rax, [rip + gordian_entry@GOTTPOFF]", "ret")
}

/// Where the calling thread's last call of ours, of those that note down the registers, returns to.
pub(crate) fn called_from() -> usize {
    // SAFETY: the thread's own; the stack pointer is that of a function that has not returned, or has just done so.
    unsafe {
        let pointer = (*noted())[0] as *const usize;
        if pointer.is_null() { 0 } else { pointer.read() }
    }
}

/// With a stack that is larger than this no loop is known to wait.
const LARGEST: usize = 256 << 10;
/// The most bytes of a block that are looked at.
const BLOCK: usize = 4096;

/// A state of a thread, as it was last compared.
#[derive(Default)]
pub(crate) struct Snapshot {
    words: Vec<usize>,
}

impl Runtime {
    /// The calling thread is where it was when this was last asked. Is its state the one that is remembered? From now on this one is, if that is to be renewed.
    pub(crate) fn is_same_state(&mut self, me: ThreadId, renew: bool) -> bool {
        // SAFETY: the thread's own.
        let registers = unsafe { noted().read() };
        let (pointer, base) = (registers[0], self.control(me).base);
        let mut now = std::mem::take(&mut self.control(me).spare.words);
        now.clear();
        let fits = pointer.is_multiple_of(8) && pointer < base && base - pointer <= LARGEST;
        // SAFETY: the live part of the thread's own stack. The word at its end is where the call returns to.
        if !fits || !self.sites.is_program(unsafe { (pointer as *const usize).read() }) {
            self.control(me).snapshot.words.clear();
            self.control(me).spare.words = now;
            return false;
        }
        now.extend_from_slice(&registers);
        // SAFETY: as above.
        now.extend_from_slice(unsafe {
            std::slice::from_raw_parts(pointer as *const usize, (base - pointer) / 8)
        });
        let stack = now.len();
        let mut last = 0;
        for i in 0..stack {
            if let Some((start, size)) = self.blocks.alive(now[i]).filter(|&(start, _)| start != last) {
                last = start;
                let words = size.min(BLOCK) / 8;
                // SAFETY: a block of ours that has not been given back.
                now.extend_from_slice(unsafe { std::slice::from_raw_parts(start as *const usize, words) });
                now.push(start);
            }
        }
        let control = self.control(me);
        let same = now == control.snapshot.words;
        if renew {
            std::mem::swap(&mut control.snapshot.words, &mut now);
        }
        control.spare.words = now;
        same
    }
}
