//! The sending ends.

use super::{End, SendError, Shared, TrySendError, Where};
use gordian_model::OpKind;
use std::fmt;
use std::sync::Arc;

/// The sending end of a [`channel`](super::channel()); see [`std::sync::mpsc::Sender`].
pub struct Sender<T>(pub(super) End<std::sync::mpsc::Sender<T>, T>);

/// The sending end of a [`sync_channel`](super::sync_channel); see [`std::sync::mpsc::SyncSender`].
pub struct SyncSender<T>(pub(super) End<std::sync::mpsc::SyncSender<T>, T>);

#[track_caller]
fn send<T>(shared: &Shared<T>, t: T) -> Result<(), SendError<T>> {
    let reply = shared.op(OpKind::Send, 0);
    if !reply.ok {
        return Err(SendError(t));
    }
    shared.put(reply.value, t);
    if shared.rendezvous && !shared.op(OpKind::SendTaken, reply.value).ok {
        // Only a receiver that is gone leaves the message where it is.
        let message = shared.take_back(reply.value).expect("a message that was not taken is there");
        return Err(SendError(message));
    }
    Ok(())
}

impl<T> Sender<T> {
    /// Sends a message, without waiting. See std.
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        match self.0.here("Sender") {
            Where::Std(sender) => sender.send(t),
            Where::Checked(shared) => send(shared, t),
        }
    }
}

impl<T> SyncSender<T> {
    /// Sends a message, having waited for room, or for its receiver if the channel has no room at all. See std.
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        match self.0.here("SyncSender") {
            Where::Std(sender) => sender.send(t),
            Where::Checked(shared) => send(shared, t),
        }
    }

    /// Sends a message if there is room. See std.
    #[track_caller]
    pub fn try_send(&self, t: T) -> Result<(), TrySendError<T>> {
        let shared = match self.0.here("SyncSender") {
            Where::Std(sender) => return sender.try_send(t),
            Where::Checked(shared) => shared,
        };
        let reply = shared.op(OpKind::TrySend, 0);
        match (reply.ok, reply.flag) {
            (true, _) => {
                shared.put(reply.value, t);
                Ok(())
            }
            (false, true) => Err(TrySendError::Disconnected(t)),
            (false, false) => Err(TrySendError::Full(t)),
        }
    }
}

macro_rules! either_sender {
    ($($name:ident)*) => {$(
        impl<T> Clone for $name<T> {
            #[track_caller]
            fn clone(&self) -> $name<T> {
                match self.0.here(stringify!($name)) {
                    Where::Std(sender) => $name(End::Std(sender.clone())),
                    Where::Checked(shared) => {
                        // No step: while this sender lives, nobody can tell how many there are.
                        shared.add_sender();
                        $name(End::Checked(Arc::clone(shared)))
                    }
                }
            }
        }

        impl<T> Drop for $name<T> {
            #[track_caller]
            fn drop(&mut self) {
                if let Some(shared) = self.0.live() {
                    shared.op(OpKind::DropSender, 0);
                }
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

either_sender!(Sender SyncSender);
