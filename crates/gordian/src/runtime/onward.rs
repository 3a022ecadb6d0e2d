//! Threads let each other go on: who stops says who is next, and goes there without the host, as long as nothing needs it.
//!
//! The host is needed to perform ops for threads whose state is compared, when threads are to be started in the middle of something,
//! and at the end. It then finds everything as if it had done the rest itself.

use super::host::{Request, Runtime};
use super::seat::{DIRECT, Seat};
use gordian_model::{Decision, ThreadId};

impl Runtime {
    /// Can threads let each other go on?
    #[inline(always)]
    fn is_direct(&self) -> bool {
        #[cfg(test)]
        if self.relayed {
            return false;
        }
        DIRECT
    }

    /// The running thread gives the processor back to the host.
    ///
    /// # Safety
    /// `rt` is the live runtime of this OS thread, and the caller runs on the stack of one of its threads.
    #[inline(always)]
    pub(super) unsafe fn leave(rt: *mut Runtime, request: Request) {
        // SAFETY: as promised; the references end before the switch.
        unsafe {
            (*rt).request = request;
            let me = (*rt).running.index();
            let seat = &raw mut (&mut (*rt).tasks)[me].seat;
            Seat::leave(seat, &raw const (*rt).home);
        }
    }

    /// The running thread lets another go on.
    ///
    /// Inlined, because each return on the way back from a switch may be one that the processor predicts wrongly.
    ///
    /// # Safety
    /// As `leave`; the other is suspended, or has not begun.
    #[inline(always)]
    unsafe fn pass_to(rt: *mut Runtime, next: ThreadId) {
        // SAFETY: as promised; the references end before the switch.
        unsafe {
            let tasks = &mut (*rt).tasks;
            let next_seat = &raw const tasks[next.index()].seat;
            let seat = &raw mut tasks[(*rt).running.index()].seat;
            (*rt).running = next;
            Seat::pass(seat, next_seat);
        }
    }

    /// The running thread, which is not the one to go on, lets whoever was decided on do so, and suspends.
    ///
    /// # Safety
    /// As `leave`.
    #[inline(always)]
    pub(super) unsafe fn pass_on(rt: *mut Runtime, decision: Decision) {
        // SAFETY: as promised; the references end before the switch.
        unsafe {
            if (*rt).is_direct()
                && let Decision::Run(next) = decision
                && !(&(*rt).tasks)[next.index()].hosted
            {
                (*rt).conductor.switch_to(next);
                Runtime::pass_to(rt, next);
            } else {
                (*rt).decision = decision;
                Runtime::leave(rt, Request::Switch);
            }
        }
    }

    /// The running thread has come to its next op or to a join while deciding is held up: it suspends, unless it turns out to be the
    /// one to go on.
    ///
    /// # Safety
    /// As `leave`.
    #[inline(always)]
    pub(super) unsafe fn rest(rt: *mut Runtime) {
        // SAFETY: as promised.
        unsafe {
            match Runtime::onward(rt, Request::Started) {
                Some(next) if next == (*rt).running => {}
                Some(next) => Runtime::pass_to(rt, next),
                None => Runtime::leave(rt, (*rt).request),
            }
        }
    }

    /// The running thread has come to its end, and suspends until there is something else to do.
    ///
    /// # Safety
    /// As `leave`.
    #[inline(always)]
    pub(super) unsafe fn part(rt: *mut Runtime) {
        // SAFETY: as promised.
        unsafe {
            match Runtime::onward(rt, Request::Ended) {
                Some(next) => Runtime::pass_to(rt, next),
                None => Runtime::leave(rt, (*rt).request),
            }
        }
    }

    /// Who goes on when the running thread has come to its op, to a join or to its end, as `request` says; nobody means that the host is
    /// needed, for what the runtime's request says then. It is what the host does to decide.
    ///
    /// # Safety
    /// As `leave`.
    #[inline(never)]
    unsafe fn onward(rt: *mut Runtime, request: Request) -> Option<ThreadId> {
        // SAFETY: as promised; the reference ends here.
        let rt = unsafe { &mut *rt };
        rt.request = request;
        // The host has started this thread and waits for it.
        if !rt.is_direct() || rt.silent || (rt.starting && !rt.chain) {
            return None;
        }
        if !rt.newborns.is_empty() {
            rt.line_up();
        }
        if let Some(child) = rt.unborn.pop() {
            if rt.conductor.is_over() || !rt.embody(child) {
                rt.request = Request::Over;
                return None;
            }
            (rt.chain, rt.starting) = (true, true);
            return Some(child);
        }
        (rt.chain, rt.starting) = (false, false);
        if rt.conductor.has_released() {
            if rt.conductor.is_over() {
                rt.request = Request::Over;
                return None;
            }
            // It goes on to its next op, and decides there.
            return rt.conductor.next_released_alone();
        }
        match rt.conductor.decide() {
            Decision::Run(next) if !rt.tasks[next.index()].hosted => {
                rt.conductor.switch_to(next);
                Some(next)
            }
            decision => {
                rt.decision = decision;
                rt.request = Request::Switch;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::runtime::Engine;
    use crate::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use crate::sync::{Mutex, mpsc};
    use crate::thread;
    use gordian_model::{Plan, Policy};
    use std::sync::Arc;

    /// What executions of a program do when threads let each other go on, or when the host always does so: with these policies, and once
    /// more in the same way.
    fn run(relayed: bool, body: fn()) -> Vec<String> {
        let mut engine = Engine::new(256 * 1024, None);
        engine.relay(relayed);
        let mut told = Vec::new();
        for seed in 0..60 {
            let policy = if seed == 0 { Policy::RunOn } else { Policy::Random { seed } };
            let mut plan = Plan { policy, ..Plan::default() };
            plan.limits.steps = 500;
            for _ in 0..2 {
                let trace = engine.run(&plan, &body);
                let enabled: Vec<_> = (0..trace.len()).map(|i| trace.enabled_words(i)).collect();
                let steps = trace.steps.iter().map(|s| {
                    (
                        s.thread,
                        s.kind,
                        s.object,
                        s.site,
                        s.outcome,
                        &s.accesses,
                        &s.after,
                        s.woken_by,
                        s.goes_on,
                    )
                });
                let steps: Vec<_> = steps.collect();
                told.push(format!("{steps:?} {enabled:?} {:?} {} {}", trace.end, trace.preempted, trace.cut));
                plan.prefix = trace.choices().collect();
                plan.policy = Policy::RunOn;
            }
        }
        engine.relay(false);
        told
    }

    fn check(body: fn()) {
        let direct = run(false, body);
        assert_eq!(direct, run(true, body));
        assert!(direct.iter().any(|told| *told != direct[0]), "not just one execution is compared");
    }

    /// One that has been used. To use an object for the first time has threads come to their first ops before, which the host sees to.
    fn atomic() -> Arc<AtomicUsize> {
        let atomic = Arc::new(AtomicUsize::new(0));
        atomic.store(1, SeqCst);
        atomic
    }

    fn bump(atomic: &Arc<AtomicUsize>) -> impl FnOnce() + Send + 'static {
        let atomic = Arc::clone(atomic);
        move || {
            atomic.fetch_add(1, SeqCst);
        }
    }

    #[test]
    fn threads_that_start_each_other_and_end() {
        check(|| {
            let atomic = atomic();
            let inner = Arc::clone(&atomic);
            let nested = thread::spawn(move || {
                let (first, second) = (thread::spawn(bump(&inner)), thread::spawn(|| ()));
                let third = thread::spawn(bump(&inner));
                inner.fetch_add(2, SeqCst);
                // An object that is made now has the children of this thread come to their first ops before.
                let late = AtomicUsize::new(0);
                late.store(1, SeqCst);
                for child in [third, second, first] {
                    child.join().unwrap();
                }
            });
            let others: Vec<_> = (0..2).map(|_| thread::spawn(bump(&atomic))).collect();
            atomic.load(SeqCst);
            nested.join().unwrap();
            others.into_iter().for_each(|other| other.join().unwrap());
        });
    }

    #[test]
    fn threads_that_end_without_a_step_let_others_go_on() {
        check(|| {
            let atomic = atomic();
            let (seen, other) = (Arc::clone(&atomic), thread::spawn(bump(&atomic)));
            let idle = thread::spawn(|| ());
            let joins = thread::spawn(move || {
                idle.join().unwrap();
                seen.fetch_add(5, SeqCst)
            });
            thread::spawn(bump(&atomic));
            atomic.load(SeqCst);
            joins.join().unwrap();
            other.join().unwrap();
        });
    }

    #[test]
    fn threads_that_spin_or_block() {
        check(|| {
            let (flag, lock) = (atomic(), Arc::new(Mutex::new(0)));
            let (sender, receiver) = mpsc::channel();
            let (seen, held) = (Arc::clone(&flag), Arc::clone(&lock));
            let waits = thread::spawn(move || {
                while seen.load(SeqCst) == 1 {
                    std::hint::spin_loop();
                }
                *held.lock().unwrap() += receiver.recv().unwrap();
            });
            let held = Arc::clone(&lock);
            let sends = thread::spawn(move || {
                let mut guard = held.lock().unwrap();
                *guard += 1;
                sender.send(*guard).unwrap();
            });
            *lock.lock().unwrap() += 1;
            flag.store(2, SeqCst);
            waits.join().unwrap();
            sends.join().unwrap();
        });
    }

    #[test]
    fn executions_that_fail_and_are_torn_down() {
        check(|| {
            let (one, two) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
            let (first, second) = (Arc::clone(&one), Arc::clone(&two));
            let panics = thread::spawn(|| panic!("as it should"));
            let other = thread::spawn(move || {
                let _second = second.lock().unwrap();
                *first.lock().unwrap() += 1;
            });
            let _one = one.lock().unwrap();
            let two = two.lock().unwrap();
            assert!(panics.join().is_err());
            drop((_one, two));
            other.join().unwrap();
        });
    }
}
