//! Receiving in a loop.

use super::Receiver;

/// The messages until all senders are gone; see [`std::sync::mpsc::Iter`].
#[derive(Debug)]
pub struct Iter<'a, T: 'a> {
    pub(super) rx: &'a Receiver<T>,
}

/// The messages that are there; see [`std::sync::mpsc::TryIter`].
#[derive(Debug)]
pub struct TryIter<'a, T: 'a> {
    pub(super) rx: &'a Receiver<T>,
}

/// The messages until all senders are gone, with the receiver; see [`std::sync::mpsc::IntoIter`].
#[derive(Debug)]
pub struct IntoIter<T> {
    pub(super) rx: Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.recv().ok()
    }
}
