//! Channels with many senders and one receiver, as in [`std::sync::mpsc`].
//!
//! In a check the model knows how many messages there are and who waits; the messages themselves are in a queue beside it.
//! A thread goes from its step to the queue without meeting another op, so the two never disagree. A rendezvous
//! message stays in the queue, with its number, until it is taken or its sender takes it back.

mod iter;
mod receiver;
mod sender;

pub use iter::{IntoIter, Iter, TryIter};
pub use receiver::Receiver;
pub use sender::{Sender, SyncSender};
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use crate::runtime;
use gordian_model::object::{Channel as Model, Object};
use gordian_model::{ObjectId, Op, OpKind, Reply};
use std::collections::VecDeque;
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An unbounded channel; see [`std::sync::mpsc::channel`].
#[must_use]
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    if !runtime::active() {
        let (sender, receiver) = std::sync::mpsc::channel();
        return (Sender(End::Std(sender)), Receiver(End::Std(receiver)));
    }
    let shared = Shared::new(None);
    (Sender(End::Checked(Arc::clone(&shared))), Receiver(End::Checked(shared)))
}

/// A channel that holds so many messages; with none, a send waits for its receiver. See [`std::sync::mpsc::sync_channel`].
#[must_use]
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    if !runtime::active() {
        let (sender, receiver) = std::sync::mpsc::sync_channel(bound);
        return (SyncSender(End::Std(sender)), Receiver(End::Std(receiver)));
    }
    let shared = Shared::new(Some(u32::try_from(bound).unwrap_or(u32::MAX)));
    (SyncSender(End::Checked(Arc::clone(&shared))), Receiver(End::Checked(shared)))
}

/// One end of a channel: std's, or one that belongs to an execution.
enum End<S, T> {
    Std(S),
    Checked(Arc<Shared<T>>),
}

impl<S, T> End<S, T> {
    /// Is this the end of a channel in the current execution? It is a mistake if it belongs to another one.
    #[track_caller]
    fn here(&self, what: &str) -> Where<'_, S, T> {
        match self {
            End::Std(std) => {
                runtime::same_execution(0, what);
                Where::Std(std)
            }
            End::Checked(shared) => {
                runtime::same_execution(shared.epoch, what);
                Where::Checked(shared)
            }
        }
    }

    /// The channel, if its execution is still going on.
    fn live(&self) -> Option<&Shared<T>> {
        match self {
            End::Checked(shared) if runtime::active() && shared.epoch == runtime::epoch() => Some(shared),
            _ => None,
        }
    }
}

/// An [`End`] that may be used.
enum Where<'a, S, T> {
    Std(&'a S),
    Checked(&'a Arc<Shared<T>>),
}

/// What both ends of a channel in a check have.
struct Shared<T> {
    object: ObjectId,
    epoch: u64,
    rendezvous: bool,
    queue: Mutex<VecDeque<(u64, T)>>,
}

impl<T> Shared<T> {
    #[track_caller]
    fn new(capacity: Option<u32>) -> Arc<Shared<T>> {
        let site = runtime::site(Location::caller());
        let object = runtime::create(Object::Channel(Model::new(capacity)), site);
        let queue = Mutex::new(VecDeque::new());
        Arc::new(Shared { object, epoch: runtime::epoch(), rendezvous: capacity == Some(0), queue })
    }

    #[track_caller]
    fn op(&self, kind: OpKind, arg: u64) -> Reply {
        runtime::op(Op { arg, ..Op::new(kind, self.object, runtime::site(Location::caller())) })
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<(u64, T)>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, number: u64, message: T) {
        self.queue().push_back((number, message));
    }

    fn take(&self) -> Option<T> {
        self.queue().pop_front().map(|(_, message)| message)
    }

    /// A message that nobody will take any more.
    fn take_back(&self, number: u64) -> Option<T> {
        let mut queue = self.queue();
        let at = queue.iter().position(|&(n, _)| n == number)?;
        queue.remove(at).map(|(_, message)| message)
    }

    fn add_sender(&self) {
        runtime::with(|conductor, _| match conductor.object_mut(self.object) {
            Object::Channel(channel) => channel.add_sender(),
            other => unreachable!("a channel became a {}", other.kind()),
        });
    }
}
