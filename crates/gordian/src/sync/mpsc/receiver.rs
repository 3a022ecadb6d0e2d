//! The receiving end.

use super::{End, IntoIter, Iter, RecvError, RecvTimeoutError, Shared, TryIter, TryRecvError, Where};
use crate::{runtime, time};
use gordian_model::{OpKind, Reply};
use std::fmt;
use std::time::Duration;

/// The receiving end of a channel; see [`std::sync::mpsc::Receiver`].
pub struct Receiver<T>(pub(super) End<std::sync::mpsc::Receiver<T>, T>);

/// The message that a step has granted.
fn granted<T>(shared: &Shared<T>, reply: Reply) -> Option<T> {
    if !reply.ok {
        return None;
    }
    match shared.take() {
        Some(message) => Some(message),
        // Its sender was torn down between its step and the queue.
        None => runtime::not_available("message"),
    }
}

impl<T> Receiver<T> {
    /// Takes a message if there is one. See std.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let shared = match self.0.here("Receiver") {
            Where::Std(receiver) => return receiver.try_recv(),
            Where::Checked(shared) => shared,
        };
        let reply = shared.op(OpKind::TryReceive, 0);
        granted(shared, reply).ok_or(if reply.flag {
            TryRecvError::Disconnected
        } else {
            TryRecvError::Empty
        })
    }

    /// Waits for a message. See std.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        let shared = match self.0.here("Receiver") {
            Where::Std(receiver) => return receiver.recv(),
            Where::Checked(shared) => shared,
        };
        if runtime::is_silent() {
            return self.last_messages().ok_or(RecvError);
        }
        if shared.rendezvous {
            shared.op(OpKind::ReceiverWaits, 0);
        }
        let reply = shared.op(OpKind::Receive, 0);
        granted(shared, reply).ok_or(RecvError)
    }

    /// Waits for a message, for some time at most. See std. In a check the time may run out at any moment.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let shared = match self.0.here("Receiver") {
            Where::Std(receiver) => return receiver.recv_timeout(timeout),
            Where::Checked(shared) => shared,
        };
        if runtime::is_silent() {
            return self.last_messages().ok_or(RecvTimeoutError::Disconnected);
        }
        if shared.rendezvous {
            shared.op(OpKind::ReceiverWaits, 0);
        }
        let reply = shared.op(OpKind::ReceiveTimed, 0);
        if !reply.ok && !reply.flag {
            time::pass(timeout);
            return Err(RecvTimeoutError::Timeout);
        }
        granted(shared, reply).ok_or(RecvTimeoutError::Disconnected)
    }

    /// The execution is being torn down: nobody sends any more, whatever the model says.
    #[track_caller]
    fn last_messages(&self) -> Option<T> {
        self.try_recv().ok()
    }

    /// The messages until all senders are gone. See std.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { rx: self }
    }

    /// The messages that are there. See std.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { rx: self }
    }
}

impl<T> Drop for Receiver<T> {
    #[track_caller]
    fn drop(&mut self) {
        let Some(shared) = self.0.live() else { return };
        shared.op(OpKind::DropReceiver, 0);
        if !shared.rendezvous {
            // As in std, messages that nobody will receive are dropped by the receiver. Not under the lock: their own
            // drop may use the channel.
            let unread = std::mem::take(&mut *shared.queue());
            drop(unread);
        }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { rx: self }
    }
}
