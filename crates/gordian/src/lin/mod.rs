//! Linearizability: list the operations of an object, and get a verdict.
//!
//! An [`Object`] says how to make what is tested and what can be called. Gordian makes up tests of a few threads with a few calls each, explores their interleavings, and compares what the calls return with
//! what they return one after the other. That is the specification; nobody has to write one (Line-Up, PLDI 2010). A test that fails is made small.
//!
//! ```
//! use gordian::lin::Object;
//! use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};
//!
//! let report = Object::new(|| AtomicUsize::new(0))
//!     .op("increment", [()], |counter, ()| {
//!         let seen = counter.load(SeqCst);
//!         counter.store(seen + 1, SeqCst);
//!         seen + 1
//!     })
//!     .run();
//! let failure = report.failure().expect("two increments can return the same number");
//! assert_eq!(failure.kind(), gordian::FailureKind::NotLinearizable);
//! assert_eq!(report.calls().len(), 2);
//! ```

//!
//! The same as an attribute:
//!
//! ```
//! use gordian::sync::Mutex;
//!
//! #[derive(Default)]
//! struct Register(Mutex<u32>);
//!
//! #[gordian::lin::operations]
//! impl Register {
//!     #[op(1..=2)]
//!     fn write(&self, value: u32) {
//!         *self.0.lock().unwrap() = value;
//!     }
//!
//!     #[op]
//!     fn read(&self) -> u32 {
//!         *self.0.lock().unwrap()
//!     }
//!
//!     #[op(1..=2, [7]; weight(2))]
//!     fn replace(&self, old: u32, new: u32) -> bool {
//!         let mut value = self.0.lock().unwrap();
//!         let fits = *value == old;
//!         if fits {
//!             *value = new;
//!         }
//!         fits
//!     }
//! }
//!
//! Register::operations().tests(5).check();
//! ```
//!
//! What cannot be shared between threads cannot be tested, and the compiler says so:
//!
//! ```compile_fail,E0277
//! gordian::lin::Object::new(|| std::rc::Rc::new(1)).op("look", [()], |rc, ()| **rc);
//! ```

mod check;
mod execution;
mod object;
mod operation;
mod referee;
mod report;

pub use gordian_lin::Criterion;
pub use gordian_macros::operations;
pub use object::{Concurrent, Object};
pub use report::Report;
