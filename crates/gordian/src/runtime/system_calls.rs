//! An execution makes no system call, once the buffers are warm: from the hundredth on the kernel ends the process at the first one. The clock is let through, at which a
//! search looks once in a thousand steps and which is no system call where the kernel offers it without; and what a search comes to remember has its memory beforehand.
//!
//! Each search is made in a process of its own, which is this test program again. It is here, and not among the integration tests, because forbidding takes unsafe code.

use crate::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use crate::sync::{Arc, Condvar, Mutex, RwLock, mpsc};
use crate::{Checker, thread};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicUsize as Count;

/// Executions before system calls are forbidden, and until the process ends. The searches are longer.
const WARM: usize = 100;
const ALL: usize = 1_000;

/// Lets no system call of this OS thread through any more but the clock and the end of the process; says whether that worked.
fn forbid() -> bool {
    let on = |code: u32, k: u32, jf: u8| libc::sock_filter { code: code as u16, jt: 0, jf, k };
    let load_number = on(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0);
    let allow = on(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0);
    let unless = |call: libc::c_long| on(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, call as u32, 1);
    let mut filter = [
        load_number,
        unless(libc::SYS_clock_gettime),
        allow,
        unless(libc::SYS_exit_group),
        allow,
        on(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_KILL_PROCESS, 0),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the filter is alive during the call, which copies it. What it forbids ends the process, so nobody goes on with a call that was not made.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    }
}

/// Has the allocator take as much memory from the system as it will ever need here.
fn make_room() {
    // SAFETY: it takes numbers, and only sets when memory is given back to the system: never.
    unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX) };
    drop([0; 64].map(|_| vec![1u8; 1 << 16]));
}

/// How a process ends in which a search makes executions of a body without system calls.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    /// It came to the last.
    Done,
    /// It made one.
    Called,
    /// System calls could not be forbidden.
    Free,
    Other(String),
}

const BODIES: [(&str, fn()); 5] = [
    ("counting", counting),
    ("locking", locking),
    ("messages", messages),
    ("waiting", waiting),
    ("calling", calling),
];

/// What the process that is started is to search, and how.
const WHAT: &str = "GORDIAN_SYSTEM_CALLS";

/// The process that [`fate`] starts; by itself there is nothing to be done.
#[test]
fn a_process_of_its_own() {
    let Ok(what) = std::env::var(WHAT) else { return };
    let (search, name) = what.split_once(' ').expect("a search and a body");
    let &(_, body) = BODIES.iter().find(|(other, _)| *other == name).expect("a body");
    static MADE: Count = Count::new(0);
    make_room();
    // SAFETY: ends the process, whatever it has open; nobody but the test waits for it.
    let end = |code| unsafe { libc::_exit(code) };
    Checker::new().search(search).executions(2 * ALL as u64).run(move || match MADE.fetch_add(1, SeqCst) {
        WARM if !forbid() => end(3),
        ALL => end(0),
        _ => body(),
    });
    end(4)
}

fn fate(search: &str, body: &str) -> Fate {
    let status = Command::new(std::env::current_exe().expect("it is running"))
        .args(["--exact", "runtime::system_calls::a_process_of_its_own"])
        .env(WHAT, format!("{search} {body}"))
        .stdout(Stdio::null())
        .status()
        .expect("it can be started again");
    match (status.code(), status.signal()) {
        (Some(0), _) => Fate::Done,
        (Some(3), _) => Fate::Free,
        (_, Some(libc::SIGSYS)) => Fate::Called,
        _ => Fate::Other(status.to_string()),
    }
}

fn counting() {
    let count = Arc::new(AtomicUsize::new(0));
    let threads = [0; 3].map(|_| {
        let count = Arc::clone(&count);
        thread::spawn(move || (0..3).for_each(|_| _ = count.fetch_add(1, SeqCst)))
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

fn locking() {
    let both = Arc::new((Mutex::new(0), RwLock::new(0)));
    let threads = [0; 3].map(|_| {
        let both = Arc::clone(&both);
        thread::spawn(move || {
            for _ in 0..3 {
                *both.0.lock().unwrap() += 1;
                *both.1.write().unwrap() += 1;
            }
        })
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

fn messages() {
    let (sender, receiver) = mpsc::channel();
    let senders = [0; 3].map(|_| {
        let sender = sender.clone();
        thread::spawn(move || (0..3).for_each(|i| sender.send(i).unwrap()))
    });
    drop(sender);
    assert_eq!(receiver.iter().count(), 9);
    senders.into_iter().for_each(|thread| thread.join().unwrap());
}

fn waiting() {
    let pair = Arc::new((Mutex::new(0), Condvar::new(), AtomicUsize::new(0)));
    let threads = [0; 3].map(|_| {
        let pair = Arc::clone(&pair);
        thread::spawn(move || {
            *pair.0.lock().unwrap() += 1;
            pair.1.notify_one();
            while pair.2.load(SeqCst) == 0 {}
        })
    });
    let mut ready = pair.0.lock().unwrap();
    while *ready < 3 {
        ready = pair.1.wait(ready).unwrap();
    }
    drop(ready);
    pair.2.store(1, SeqCst);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

fn calling() {
    counting();
    std::hint::black_box(std::fs::metadata("/").is_ok());
}

#[test]
fn an_execution_makes_no_system_call() {
    // One that makes any is noticed, or nothing would be.
    match fate("random", "calling") {
        Fate::Free => {
            return println!("skipped: system calls cannot be forbidden here (prctl, PR_SET_SECCOMP)");
        }
        noticed => assert_eq!(noticed, Fate::Called),
    }
    for search in ["exhaustive", "dfs", "random"] {
        for body in ["counting", "locking", "messages", "waiting"] {
            assert_eq!(fate(search, body), Fate::Done, "{body}, {search}");
        }
    }
}
