//! A thread pool that shuts down too early, after the pools of the CHESS and SCTBench papers. A worker that finds no task asks whether the
//! pool is closed; if a task was submitted and the pool closed since it looked, the worker leaves and the task is never done.

use crate::Program;
use gordian::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use gordian::sync::{Mutex, Semaphore};
use gordian::thread;
use std::collections::VecDeque;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "thread-pool",
    source: "SCTBench (PPoPP 2014), thread pools",
    about: "a worker leaves as the pool is closed, though a task was submitted since it looked for one",
    threads: 3,
    proof: "preemptions:2",
    body: thread_pool,
    ..Program::USUAL
};

struct Pool {
    tasks: Mutex<VecDeque<u32>>,
    closed: AtomicBool,
    done: AtomicU32,
    bell: Semaphore,
}

const WORKERS: usize = 2;

impl Pool {
    fn work(&self, buggy: bool) {
        loop {
            // The order matters: once closed, the tasks only become fewer.
            let closed_before = self.closed.load(SeqCst);
            let task = self.tasks.lock().unwrap().pop_front();
            let closed = if buggy { self.closed.load(SeqCst) } else { closed_before };
            match task {
                Some(task) => {
                    self.done.fetch_add(task, SeqCst);
                }
                None if closed => return,
                None => self.bell.acquire(),
            }
        }
    }
}

fn thread_pool(buggy: bool) {
    let pool = Pool {
        tasks: Mutex::default(),
        closed: AtomicBool::new(false),
        done: AtomicU32::new(0),
        bell: Semaphore::new(0),
    };
    thread::scope(|s| {
        for _ in 0..WORKERS {
            s.spawn(|| pool.work(buggy));
        }
        for task in [1, 2] {
            pool.tasks.lock().unwrap().push_back(task);
            pool.bell.add_permits(WORKERS);
        }
        pool.closed.store(true, SeqCst);
        pool.bell.add_permits(WORKERS);
    });
    assert_eq!(pool.done.load(SeqCst), 3, "a task was never done");
}
