//! Panics in threads under test: kept quiet, remembered, and told apart from the unwinding that ends an execution.

use super::{active, current};
use std::sync::Once;

/// The payload that unwinds a suspended thread when its execution is torn down.
pub(super) struct TearDown;

/// A panic as the hook saw it.
#[derive(Clone, Debug)]
pub(crate) struct PanicNote {
    pub(crate) message: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// Installs the hook that keeps panics inside executions quiet; others go to the hook that was there before.
pub(super) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !active() {
                return previous(info);
            }
            let payload = info.payload();
            let message = payload
                .downcast_ref::<&str>()
                .map(|s| (*s).to_owned())
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "a value that is no text".to_owned());
            let (file, line, column) =
                info.location().map_or_else(|| ("?".to_owned(), 0, 0), |l| (l.file().to_owned(), l.line(), l.column()));
            // SAFETY: as in `super::with`; the hook runs on the stack of the panicking thread.
            let rt = unsafe { &mut *current() };
            let me = rt.running;
            if rt.tearing_down && message == "panic in a destructor during cleanup" {
                // Rust ends the process when the hook returns: say what there is to say.
                let note = rt.tasks[me.index()].last_panic.as_ref();
                let (what, place) =
                    note.map_or(("?", String::new()), |n| (n.message.as_str(), format!(" at {}:{}", n.file, n.line)));
                let found = rt.conductor.trace.failure().map_or("it was not needed any more", |f| &f.message);
                eprintln!(
                    "gordian: a destructor panicked{place} while an execution was taken down, which Rust does not survive; \
                     let destructors assert only if !thread::panicking(). It said: {what}\nThe execution was taken down \
                     because: {found}"
                );
                return;
            }
            rt.conductor.set_panicking(me, true);
            rt.tasks[me.index()].last_panic = Some(PanicNote { message, file, line, column });
            // SAFETY: the runtime is live, and the reference above is not used any more.
            unsafe { super::watch::at_panic(current()) };
        }));
    });
}
