//! Shareable memory, as in [`std::cell`].
//!
//! Two accesses to one [`UnsafeCell`] or [`Cell`] by different threads, at least one of them a write, that nothing orders
//! are a data race, and a check reports both places. Accesses are no scheduling points: a race is found by what orders
//! the accesses, not by their happening at the same time.
//!
//! A cell here carries a tag beside its value, so what std offers by laying a cell over a plain value cannot exist:
//! `from_mut`, `as_slice_of_cells`, `as_array_of_cells` and the `AsRef`s built on them. Methods that are accesses are not
//! `const`.

mod plain;
mod tracked;
mod unsafe_cell;

pub use plain::Cell;
pub use std::cell::{BorrowError, BorrowMutError, LazyCell, OnceCell, Ref, RefCell, RefMut};
pub use tracked::Tracked;
pub use unsafe_cell::UnsafeCell;

use crate::runtime::{self, Tag};
use std::panic::Location;

/// Tells the check about an access.
#[track_caller]
fn access(tag: &Tag, write: bool) {
    if runtime::active() {
        access_at(tag, write, Location::caller());
    }
}

fn access_at(tag: &Tag, write: bool, place: &'static Location<'static>) {
    if !runtime::active() || runtime::is_silent() {
        return;
    }
    runtime::settle();
    let (cell, site) = (tag.cell(), runtime::site(place));
    let ordered = runtime::with(|conductor, me| {
        if write {
            conductor.not_idle(me);
        }
        conductor.access_cell(me, cell, write, site)
    });
    if !ordered {
        runtime::stop_if_over();
    }
}
