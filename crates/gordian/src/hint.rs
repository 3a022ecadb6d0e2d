//! Hints, as in [`std::hint`].

use crate::runtime;
use gordian_model::{ObjectId, OpKind};
pub use std::hint::{assert_unchecked, black_box, select_unpredictable, unreachable_unchecked};

/// Says that the thread waits in a loop; see [`std::hint::spin_loop`].
#[track_caller]
pub fn spin_loop() {
    if !runtime::active() {
        return std::hint::spin_loop();
    }
    runtime::simple(OpKind::SpinHint, ObjectId::NONE);
}
