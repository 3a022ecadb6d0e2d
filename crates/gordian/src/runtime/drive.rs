//! What the host does: it starts threads and resumes them in the order that the conductor decides, as far as they do not do so
//! [themselves](super::onward).

use super::coroutines::Wake;
use super::host::{Request, Runtime};
use super::watch;
use gordian_model::conductor::Visit;
use gordian_model::{Decision, ThreadId};

impl Runtime {
    /// Resumes threads in the order that the conductor decides, until the execution is over.
    ///
    /// # Safety
    /// As `execute`.
    pub(super) unsafe fn drive(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            loop {
                // Most often the thread has decided.
                let decision =
                    if (*rt).request == Request::Switch { (*rt).decision } else { Runtime::answer(rt) };
                let Decision::Run(next) = decision else { return };
                (*rt).conductor.switch_to(next);
                if std::mem::take(&mut (&mut (*rt).tasks)[next.index()].hosted) {
                    watch::before_step(rt, next, false);
                    (*rt).reply = (*rt).conductor.perform(next);
                    if (*rt).conductor.is_compared(next) {
                        (&mut (*rt).tasks)[next.index()].snapshot.come_back();
                    }
                }
                Runtime::resume(rt, next, Wake::Go);
            }
        }
    }

    /// Does what the running thread wants, then decides.
    ///
    /// This, and what it calls in the usual case, is inlined: every return to what was called before a switch is one that the
    /// processor predicts wrongly.
    #[inline(always)]
    unsafe fn answer(rt: *mut Runtime) -> Decision {
        // SAFETY: see `execute`.
        unsafe {
            loop {
                match (*rt).request {
                    Request::Switch => return (*rt).decision,
                    Request::Ended | Request::Started => return Runtime::decide(rt),
                    Request::Start => Runtime::settle(rt),
                    Request::Step => {
                        Runtime::announce_for(rt);
                        return Runtime::decide(rt);
                    }
                    Request::Over | Request::GiveUp => return Decision::End,
                }
            }
        }
    }

    /// Is deciding left to the host? It is while threads have not come to their first or next ops.
    ///
    /// # Safety
    /// As `execute`.
    #[inline]
    pub(super) unsafe fn is_held(rt: *mut Runtime) -> bool {
        // SAFETY: see `execute`.
        unsafe { (*rt).starting || !(*rt).newborns.is_empty() }
    }

    /// Which thread steps next, when all have come to their ops?
    #[inline(always)]
    unsafe fn decide(rt: *mut Runtime) -> Decision {
        // SAFETY: see `execute`.
        unsafe {
            if std::mem::take(&mut (*rt).chain) {
                // What the threads have begun the host brings to its end.
                (*rt).starting = false;
            }
            Runtime::start_newborns(rt, 0);
            Runtime::advance_released(rt);
            (*rt).conductor.decide()
        }
    }

    /// Runs newborn threads up to their first ops, then their parent again.
    #[inline(never)]
    unsafe fn settle(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            let parent = (*rt).running;
            let chain = std::mem::take(&mut (*rt).chain);
            Runtime::start_newborns(rt, (*rt).unborn.len());
            (*rt).chain = chain;
            if (*rt).conductor.is_over() {
                (*rt).request = Request::Over;
            } else {
                Runtime::resume(rt, parent, Wake::Go);
            }
        }
    }

    /// Runs newborn threads up to their first ops, the oldest first, and each one's own before the next; of those that have not begun
    /// so many are left for others to start.
    #[inline(always)]
    unsafe fn start_newborns(rt: *mut Runtime, others: usize) {
        // SAFETY: see `execute`.
        unsafe {
            (*rt).line_up();
            while (*rt).unborn.len() > others {
                let child = (*rt).unborn.pop().expect("there is one");
                if !(*rt).conductor.is_over() && (*rt).embody(child) {
                    Runtime::advance(rt, child);
                }
            }
        }
    }

    /// The newborn threads are the next to begin, the oldest first.
    #[inline(never)]
    pub(super) fn line_up(&mut self) {
        while let Some(child) = self.newborns.pop() {
            self.unborn.push(child);
        }
    }

    /// Runs a thread, and the threads that it spawns, up to their next ops without deciding anything.
    #[inline(always)]
    unsafe fn advance(rt: *mut Runtime, thread: ThreadId) {
        // SAFETY: see `execute`.
        unsafe {
            let was_starting = std::mem::replace(&mut (*rt).starting, true);
            Runtime::resume(rt, thread, Wake::Go);
            if matches!((*rt).request, Request::Start | Request::Step) || !(*rt).newborns.is_empty() {
                Runtime::go_on_advancing(rt);
            }
            (*rt).starting = was_starting;
        }
    }

    /// The thread that was advanced wants something, or has spawned others. A call of its own, so that a thread that is looked at
    /// here, before anything was decided, differs by where it was resumed from what it is at its next ops.
    #[inline(never)]
    unsafe fn go_on_advancing(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            // The thread that is resumed changes the request.
            #[allow(clippy::while_immutable_condition)]
            while (*rt).request == Request::Start {
                Runtime::settle(rt);
            }
            if (*rt).request == Request::Step {
                Runtime::announce_for(rt);
            }
            Runtime::start_newborns(rt, (*rt).unborn.len());
        }
    }

    /// Threads whose joins have come to an end go on to their next ops.
    #[inline(always)]
    unsafe fn advance_released(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            while let Some(thread) = (*rt).conductor.next_released() {
                if (*rt).conductor.is_over() {
                    return;
                }
                Runtime::advance(rt, thread);
            }
        }
    }

    /// Announces the op that the running thread has left to the host.
    #[inline(never)]
    unsafe fn announce_for(rt: *mut Runtime) {
        // SAFETY: see `execute`.
        unsafe {
            let me = (*rt).running;
            Runtime::resume(rt, me, Wake::Go);
            (*rt).twice = false;
            (&mut (*rt).tasks)[me.index()].hosted = true;
            if let Visit::Probe { again, renew } = (*rt).conductor.announce_draft(me) {
                Runtime::probe(rt, again, renew);
            } else if (*rt).conductor.is_compared(me) {
                (&mut (*rt).tasks)[me.index()].snapshot.leave();
            }
        }
    }
}
