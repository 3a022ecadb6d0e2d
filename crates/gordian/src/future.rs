//! Futures, as in [`std::future`], and a way to run one.

pub use std::future::*;

use crate::thread::{self, Thread};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

struct Unpark(Thread);

impl Wake for Unpark {
    #[track_caller]
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    #[track_caller]
    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future to its end on the calling thread, which is parked while the future waits.
#[track_caller]
pub fn block_on<F: IntoFuture>(future: F) -> F::Output {
    let mut future = pin!(future.into_future());
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
