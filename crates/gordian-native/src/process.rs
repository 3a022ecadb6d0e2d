//! The program as a process: how it is started with the runtime in it, and what is shared with it.
//!
//! This is the host's room for `unsafe`: mapping the shared memory, and what is done between `fork` and `exec`.

use crate::error::NativeError;
use crate::output::Tail;
use gordian_wire::{
    ANSWERS_VARIABLE, LIBRARY_VARIABLE, MAGIC, MEMORY_VARIABLE, ORDERS_VARIABLE, OUTCOME_AT, OUTCOME_SIZE,
    PLAN_AT, PLAN_SIZE, SIZE, Shared,
};
use std::ffi::{CStr, OsString};
use std::fs::File;
use std::io::{Error, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::time::{Duration, Instant};

/// The runtime; empty where there is none.
pub(crate) static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.so"));

fn system(action: &'static str) -> impl Fn(Error) -> NativeError {
    move |source| NativeError::System { action, source }
}

/// Memory with a name, which the program gets by a descriptor.
fn memory_file(name: &CStr, action: &'static str) -> Result<File, NativeError> {
    // SAFETY: the name ends with a zero; the descriptor is new and nobody else's.
    unsafe {
        let descriptor = libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(system(action)(Error::last_os_error()));
        }
        Ok(File::from(OwnedFd::from_raw_fd(descriptor)))
    }
}

/// The memory that is shared with the program.
pub(crate) struct Memory {
    base: *mut u8,
}

impl Memory {
    fn new(file: &File) -> Result<Memory, NativeError> {
        file.set_len(SIZE as u64).map_err(system("make room for what is shared with the program"))?;
        // SAFETY: new memory, of a file that is that large.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                SIZE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(system("map what is shared with the program")(Error::last_os_error()));
        }
        Ok(Memory { base: base.cast() })
    }

    /// Its head.
    pub(crate) fn head(&self) -> &Shared {
        // SAFETY: it is mapped as long as this lives, all zeros are a valid head, and everything in it is atomic.
        unsafe { &*self.base.cast::<Shared>() }
    }

    /// Where a plan goes.
    pub(crate) fn plan(&mut self) -> &mut [u8] {
        // SAFETY: mapped; the program looks at it only while an execution begins, when this is borrowed by nobody.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(PLAN_AT), PLAN_SIZE) }
    }

    /// All up to the end of the plan.
    pub(crate) fn beginning(&self) -> &[u8] {
        let len = PLAN_AT + (self.head().plan.load(Relaxed) as usize).min(PLAN_SIZE);
        // SAFETY: mapped. The fork server does nothing until it is told to, and whoever wrote to it before is gone.
        unsafe { std::slice::from_raw_parts(self.base, len) }
    }

    /// What an execution has left. Only to be called when its process has ended, or waits.
    pub(crate) fn outcome(&self) -> &[u8] {
        let len = (self.head().outcome.load(Relaxed) as usize).min(OUTCOME_SIZE);
        // SAFETY: mapped, and whoever wrote to it is gone or waits.
        unsafe { std::slice::from_raw_parts(self.base.add(OUTCOME_AT), len) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: it was mapped so, and no reference outlives this.
        unsafe { libc::munmap(self.base.cast(), SIZE) };
    }
}

/// What came from the process.
pub(crate) enum Answer {
    /// An execution has ended, with this status.
    Ended(u32),
    /// Nothing for a while.
    Silent,
    /// The fork server is gone.
    Gone,
}

/// A program that has been started.
pub(crate) struct Process {
    pub(crate) path: PathBuf,
    pub(crate) memory: Memory,
    server: Child,
    orders: File,
    answers: File,
    outputs: [File; 2],
    /// The ends of what it prints to standard output and standard error.
    pub(crate) tails: [Tail; 2],
}

fn pipe() -> Result<(File, File), NativeError> {
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors, which are new and nobody else's.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(system("make a pipe")(Error::last_os_error()));
        }
        Ok((File::from(OwnedFd::from_raw_fd(ends[0])), File::from(OwnedFd::from_raw_fd(ends[1]))))
    }
}

/// The processors that this process may use, and the one of them that the program gets.
fn processors() -> ([u64; 16], usize) {
    let mut mask = [0u64; 16];
    // SAFETY: there is room for that many.
    unsafe { libc::sched_getaffinity(0, size_of_val(&mask), mask.as_mut_ptr().cast()) };
    let all: Vec<usize> = (0..1024).filter(|i| mask[i / 64] >> (i % 64) & 1 == 1).collect();
    // Several that are run at the same time should not all have the same one.
    let one = all.get(std::process::id() as usize % all.len().max(1)).copied().unwrap_or(0);
    (mask, one)
}

impl Process {
    /// Starts a program, which stops before its `main`.
    pub(crate) fn start(
        path: &Path,
        arguments: &[String],
        patience: Duration,
    ) -> Result<Process, NativeError> {
        if LIBRARY.is_empty() {
            return Err(NativeError::NotHere);
        }
        let mut library = memory_file(c"gordian-runtime", "make a file for the runtime")?;
        library.write_all(LIBRARY).map_err(system("write the runtime"))?;
        let shared = memory_file(c"gordian-shared", "make memory to be shared")?;
        let memory = Memory::new(&shared)?;
        let (mask, processor) = processors();
        memory.head().processors.iter().zip(mask).for_each(|(to, from)| to.store(from, Relaxed));
        memory.head().magic.store(MAGIC, Release);
        let (orders_in, orders) = pipe()?;
        let (answers, answers_out) = pipe()?;
        let passed =
            [library.as_raw_fd(), shared.as_raw_fd(), orders_in.as_raw_fd(), answers_out.as_raw_fd()];
        let mut preload = OsString::from(format!("/proc/self/fd/{}", passed[0]));
        if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
            preload.push(":");
            preload.push(others);
        }
        let mut command = Command::new(path);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env("LD_PRELOAD", preload).env("LD_BIND_NOW", "1");
        let named = [LIBRARY_VARIABLE, MEMORY_VARIABLE, ORDERS_VARIABLE, ANSWERS_VARIABLE];
        for (name, descriptor) in named.iter().zip(passed) {
            command.env(name, descriptor.to_string());
        }
        // SAFETY: only system calls are made between fork and exec.
        unsafe { command.pre_exec(move || before_exec(&passed, processor)) };
        let refused = |error: Error| NativeError::NotExecutable(path.to_owned(), error.to_string());
        let mut server = command.spawn().map_err(refused)?;
        let out = server.stdout.take().map(|out| File::from(OwnedFd::from(out)));
        let err = server.stderr.take().map(|err| File::from(OwnedFd::from(err)));
        let outputs = [out.expect("it was asked for"), err.expect("it was asked for")];
        let path = path.to_owned();
        let mut process =
            Process { path, memory, server, orders, answers, outputs, tails: Default::default() };
        process.await_main(patience)?;
        Ok(process)
    }

    fn await_main(&mut self, patience: Duration) -> Result<(), NativeError> {
        let start = Instant::now();
        loop {
            match self.listen() {
                Answer::Ended(_) => break,
                Answer::Gone => {
                    self.drain();
                    return Err(NativeError::EndedEarly(self.path.clone(), self.said()));
                }
                Answer::Silent if start.elapsed() > patience => {
                    return Err(NativeError::TooSlow(self.path.clone(), patience, self.said()));
                }
                Answer::Silent => {}
            }
        }
        match self.memory.head().early.load(Relaxed) {
            0 => Ok(()),
            1 => Err(NativeError::EarlyThreads(self.path.clone(), "a thread".to_owned())),
            n => Err(NativeError::EarlyThreads(self.path.clone(), format!("{n} threads"))),
        }
    }

    /// What it said on standard error, to be put behind a sentence.
    fn said(&self) -> String {
        let lines = self.tails[1].lines();
        if lines.is_empty() { String::new() } else { format!("; it said: {}", lines.join(" / ")) }
    }

    /// Lets the fork server make one execution.
    pub(crate) fn order(&mut self, order: u8) -> bool {
        self.tails.iter_mut().for_each(Tail::clear);
        self.orders.write_all(&[order]).is_ok()
    }

    /// Waits a little for an answer, and takes in what is printed meanwhile.
    pub(crate) fn listen(&mut self) -> Answer {
        let one = |fd: RawFd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let [out, err] = [0, 1].map(|i| self.outputs[i].as_raw_fd());
        let mut all = [one(self.answers.as_raw_fd()), one(out), one(err)];
        const A_WHILE: i32 = 50;
        // SAFETY: the array has three elements.
        let ready = unsafe { libc::poll(all.as_mut_ptr(), 3, A_WHILE) };
        if ready <= 0 {
            return Answer::Silent;
        }
        for i in 0..2 {
            if all[i + 1].revents & libc::POLLIN != 0 {
                self.take_in(i);
            }
        }
        if all[0].revents != 0 {
            let mut status = [0; 4];
            return match self.answers.read_exact(&mut status) {
                Ok(()) => {
                    // What was printed before the answer was there when the kernel looked, after it had found the answer.
                    if all[1..].iter().any(|pipe| pipe.revents & libc::POLLIN != 0) {
                        self.drain();
                    }
                    Answer::Ended(u32::from_le_bytes(status))
                }
                Err(_) => Answer::Gone,
            };
        }
        if all[1..].iter().all(|pipe| pipe.revents & libc::POLLIN == 0) {
            // Pipes that are closed are ready for ever.
            std::thread::sleep(Duration::from_millis(1));
        }
        Answer::Silent
    }

    fn take_in(&mut self, which: usize) -> usize {
        let mut buffer = [0; 1 << 16];
        let n = self.outputs[which].read(&mut buffer).unwrap_or(0);
        self.tails[which].add(&buffer[..n]);
        n
    }

    /// Takes in what is there, without waiting.
    fn drain(&mut self) {
        for i in 0..2 {
            loop {
                let mut one =
                    libc::pollfd { fd: self.outputs[i].as_raw_fd(), events: libc::POLLIN, revents: 0 };
                // SAFETY: one element.
                let ready = unsafe { libc::poll(&raw mut one, 1, 0) };
                if ready <= 0 || one.revents & libc::POLLIN == 0 || self.take_in(i) == 0 {
                    break;
                }
            }
        }
    }

    /// Asks the running thread of an execution where it is.
    pub(crate) fn ask_where(&self) {
        const WATCHDOG: i32 = 64;
        let head = self.memory.head();
        let (process, thread) = (head.process.load(Relaxed), head.running.load(Relaxed));
        // SAFETY: a signal to a process that we started.
        unsafe { libc::syscall(libc::SYS_tgkill, process, thread, WATCHDOG) };
    }

    /// Ends an execution that does not end by itself.
    pub(crate) fn kill(&self) {
        let process = self.memory.head().process.load(Relaxed);
        if process != 0 {
            // SAFETY: a signal to a process that we started.
            unsafe { libc::kill(process as i32, libc::SIGKILL) };
        }
    }

    /// The number of the fork server.
    pub(crate) fn number(&self) -> u32 {
        self.server.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Its children die with it, see `PR_SET_PDEATHSIG` in the runtime.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// What the new process does before it becomes the program.
fn before_exec(passed: &[RawFd; 4], processor: usize) -> std::io::Result<()> {
    // SAFETY: system calls that touch nothing but what is passed.
    unsafe {
        for &descriptor in passed {
            libc::fcntl(descriptor, libc::F_SETFD, 0);
        }
        // It ends with us, whatever happens to us; and what a terminal sends to us is not meant for it.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::setpgid(0, 0);
        // Addresses are the same in every run, so that places are.
        libc::personality(libc::ADDR_NO_RANDOMIZE as u64);
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        let mut mask = [0u64; 16];
        if let Some(word) = mask.get_mut(processor / 64) {
            *word = 1 << (processor % 64);
            libc::sched_setaffinity(0, size_of_val(&mask), mask.as_ptr().cast());
        }
    }
    Ok(())
}
