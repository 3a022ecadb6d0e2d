//! Threads come and go. Neither is a step: spawning and joining commute with whatever other threads do.

use super::at_once::NOBODY;
use super::slots::Slot;
use super::{Conductor, Status, Thread, wake_dependent};
use crate::access::{Access, Act};
use crate::id::{ObjectId, SiteId, ThreadId};
use crate::object::{Life, Object};
use crate::op::{Op, OpKind};
use smallvec::SmallVec;

impl Conductor {
    #[inline(always)]
    pub(super) fn birth(&mut self, thread: ThreadId) {
        let i = thread.index();
        let (Some(me), Some(life)) = (self.threads.get_mut(i), self.lives.get_mut(i)) else {
            return self.birth_of_one_more(thread);
        };
        me.reset(Status::Running);
        life.revive();
        self.unfinished += 1;
    }

    #[cold]
    #[inline(never)]
    fn birth_of_one_more(&mut self, thread: ThreadId) {
        let i = thread.index();
        if self.threads.len() <= i {
            self.threads.resize_with(i + 1, Thread::default);
        }
        while self.lives.len() <= i {
            self.lives.push(Slot::new(Life::new().into()));
        }
        self.birth(thread);
    }

    /// A thread spawns another, which is running now. This is no step: it commutes with whatever others do.
    #[inline]
    pub fn spawn(&mut self, parent: ThreadId) -> ThreadId {
        let me = &mut self.threads[parent.index()];
        let nth = me.children;
        me.children += 1;
        me.pauses = 0;
        me.spin.reset();
        let follows = me.last.is_some() || !me.after.is_empty();
        self.leader = NOBODY;
        let child = self.names.child(parent, nth);
        self.birth(child);
        if follows {
            self.follow_parent(parent, child);
        }
        if !self.by_itself {
            self.tell_of_birth(parent, child);
        }
        child
    }

    /// For clocks, and for policies that draw. With neither there is nobody to tell.
    #[inline(never)]
    fn tell_of_birth(&mut self, parent: ThreadId, child: ThreadId) {
        self.sync.admit(child, Some(parent));
        self.sync.tick(parent);
        self.driver.spawned(parent, child);
    }

    /// The first step of a new thread follows what its parent's next one would, and the last one that the parent made.
    #[inline(never)]
    fn follow_parent(&mut self, parent: ThreadId, child: ThreadId) {
        let Thread { after, last, .. } = &self.threads[parent.index()];
        let (mut after, last) = (after.clone(), *last);
        if let Some(last) = last {
            after.push(last);
        }
        self.threads[child.index()].after = after;
    }

    /// A thread waits for another to end. `true` if it has; otherwise the thread is [released](Self::next_released)
    /// when it does. This is no step either: it commutes with whatever others do.
    #[inline]
    pub fn join(&mut self, thread: ThreadId, target: ThreadId, site: SiteId) -> bool {
        let is_finished = self.is_finished(target);
        let me = &mut self.threads[thread.index()];
        me.pauses = 0;
        me.spin.reset();
        if is_finished {
            self.joined(thread, target);
            return true;
        }
        self.leader = NOBODY;
        me.status = Status::Announced;
        me.op = Op::new(OpKind::Join, ObjectId::life(target), site);
        me.outcomes = 0;
        self.lives[target.index()].pending.push(thread);
        false
    }

    #[inline(always)]
    pub(super) fn joined(&mut self, thread: ThreadId, target: ThreadId) {
        if let Object::Life(life) = &self.lives[target.index()].model {
            life.joined(thread, &mut self.sync);
        }
        // A thread that made no step of its own passes on what it followed.
        let ended = &self.threads[target.index()];
        match ended.last {
            Some(last) => self.threads[thread.index()].after.push(last),
            None if ended.after.is_empty() => {}
            None => self.follow_ended(thread, target),
        }
    }

    #[inline(never)]
    fn follow_ended(&mut self, thread: ThreadId, ended: ThreadId) {
        let after = self.threads[ended.index()].after.clone();
        self.threads[thread.index()].after.extend(&after);
    }

    /// A thread whose join has come to its end. It is running again, and is to go on to its next op before anything
    /// is decided.
    #[inline]
    pub fn next_released(&mut self) -> Option<ThreadId> {
        self.released.pop()
    }

    /// Have joins come to their end, and do those threads wait to go on?
    #[inline]
    pub fn has_released(&self) -> bool {
        !self.released.is_empty()
    }

    /// As [`next_released`](Self::next_released), if there is one such thread and whoever stepped last has ended: then it may go on and decide
    /// at its next op by itself, because nobody is preempted by that.
    #[inline]
    pub fn next_released_alone(&mut self) -> Option<ThreadId> {
        let alone = self.released.len() == 1 && self.is_finished(self.current);
        let next = if alone { self.released.pop() } else { None };
        if self.recalling
            && let Some(thread) = next
        {
            self.lead_again(thread);
        }
        next
    }

    /// The threads that there are or were in this execution.
    pub fn born(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let born = |(_, thread): &(usize, &Thread)| thread.status != Status::Absent;
        self.threads.iter().enumerate().filter(born).map(|(i, _)| ThreadId(i as u32))
    }

    /// The waiters that a futex has got from another wait there from now on.
    pub fn requeued(&mut self, from: ObjectId, to: ObjectId) {
        let Object::Futex(futex) = &self.slot(to).model else { return };
        let moved: SmallVec<[ThreadId; 4]> = futex.waiting().collect();
        for thread in moved {
            let me = &mut self.threads[thread.index()];
            if me.status == Status::Announced && me.op.object == from {
                me.op.object = to;
                if !self.recalling {
                    self.slot_mut(from).no_longer_pending(thread);
                    self.slot_mut(to).pending.push(thread);
                }
            }
        }
    }

    /// The thread does as it was asked by those who want it to end.
    pub fn heeds(&mut self, thread: ThreadId) {
        if let Object::Life(life) = &self.lives[thread.index()].model {
            life.heeded(thread, &mut self.sync);
        }
    }

    /// Has the thread come to its end?
    #[inline]
    pub fn is_finished(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].status == Status::Finished
    }

    /// Has the thread announced an op that it waits to do?
    #[inline]
    pub fn is_announced(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].status == Status::Announced
    }

    /// A thread has come to its end.
    pub fn finish(&mut self, thread: ThreadId) {
        let i = thread.index();
        let (me, slot) = (&mut self.threads[i], &mut self.lives[i]);
        me.status = Status::Finished;
        let last = me.last;
        self.enabled.remove(thread);
        self.unfinished -= 1;
        if let Object::Life(life) = &mut slot.model {
            life.finish(thread, &mut self.sync);
        }
        slot.version += 1;
        if !self.recalling {
            self.record_end(thread, last);
        }
        if self.lives[i].is_awaited() {
            self.let_others_know(thread, last);
        }
    }

    #[inline(always)]
    fn record_end(&mut self, thread: ThreadId, last: Option<u32>) {
        // The end belongs to the thread's last step; if it made none it is part of its parent's spawn, after
        // which nobody else has moved.
        let exit = Access { object: ObjectId::life(thread), act: Act::Exit, seq: 0 };
        let Some(last) = last.map(|s| s as usize).or(self.trace.len().checked_sub(1)) else { return };
        self.trace.add_end(last, exit);
        if last >= self.sleep_from && !self.sleep.is_empty() {
            self.wake_by_end(last, exit);
        }
    }

    #[inline(never)]
    fn wake_by_end(&mut self, last: usize, exit: Access) {
        let thread = self.trace.steps[last].thread;
        wake_dependent(&mut self.sleep, thread, &[exit], &self.trace.objects);
    }

    /// Those that wait for the thread, which has ended after this step, go on.
    #[inline(always)]
    fn let_others_know(&mut self, ended: ThreadId, last: Option<u32>) {
        self.leader = NOBODY;
        let slot = &mut self.lives[ended.index()];
        // Mostly one waits to join it, which cannot be called out of that, and no clocks are kept.
        if let [waiter] = slot.pending[..]
            && let Some(last) = last
            && slot.watchers.is_empty()
            && !self.options.clocks
            && let me = &mut self.threads[waiter.index()]
            && !me.op.is_cancellable()
        {
            slot.pending.clear();
            me.status = Status::Running;
            me.after.push(last);
            self.released.push(waiter);
        } else {
            self.release_all(ended);
        }
    }

    #[inline(never)]
    fn release_all(&mut self, ended: ThreadId) {
        let i = ended.index();
        let watched = !self.lives[i].watchers.is_empty();
        for at in (0..self.lives[i].pending.len()).rev() {
            let waiter = self.lives[i].pending[at];
            if self.threads[waiter.index()].op.is_cancellable() {
                // It makes a step when it goes on, and stays until then.
                self.evaluate(waiter);
                continue;
            }
            self.lives[i].pending.swap_remove(at);
            self.threads[waiter.index()].status = Status::Running;
            self.joined(waiter, ended);
            self.released.push(waiter);
        }
        if watched {
            let at = self.trace.len().saturating_sub(1);
            self.changed(ObjectId::life(ended), ended, at);
        }
    }
}
