//! The engine that a search drives: one execution for each plan, on this OS thread.

use super::host::Runtime;
use super::outside::Outside;
use super::overflow;
use super::panic::install_hook;
use super::watch::{Debugged, Watch};
use gordian_model::{End, Names, Plan, Trace};
use std::cell::RefCell;

thread_local! {
    /// The runtime of this OS thread, kept for the next check.
    static IDLE: RefCell<Option<Box<Runtime>>> = const { RefCell::new(None) };
}

/// So many sites of earlier searches may stay: to look them up again takes longer than a short search, but a failure takes all of them along.
const SITES: usize = 64;

/// Carries out executions on this OS thread.
pub(crate) struct Engine {
    runtime: Option<Box<Runtime>>,
    /// What the executions did outside of control.
    pub(crate) outside: Outside,
}

impl Engine {
    /// An engine for one search. Names start afresh, or are taken over from a plan that was saved.
    pub(crate) fn new(stack_size: usize, names: Option<Names>) -> Engine {
        install_hook();
        overflow::install();
        let mut runtime = IDLE.with(|idle| idle.borrow_mut().take()).unwrap_or_else(Runtime::new);
        match names {
            Some(names) => {
                runtime.conductor.names = names;
                runtime.sites.forget();
            }
            None => {
                runtime.conductor.names.forget_threads();
                if runtime.conductor.names.sites().len() > SITES {
                    runtime.conductor.names.forget_sites();
                    runtime.sites.forget();
                }
            }
        }
        runtime.conductor.forget();
        runtime.set_stack_size(stack_size);
        runtime.shared.covered.clear();
        Engine { runtime: Some(runtime), outside: Outside::default() }
    }

    fn runtime(&mut self) -> &mut Runtime {
        self.runtime.as_mut().expect("there until dropped")
    }

    /// Carries out one execution of `body`.
    pub(crate) fn run(&mut self, plan: &Plan, body: &dyn Fn()) -> &Trace {
        self.run_named(plan, body).0
    }

    pub(crate) fn run_named(&mut self, plan: &Plan, body: &dyn Fn()) -> (&Trace, &Names) {
        let runtime: *mut Runtime = &raw mut **self.runtime.as_mut().expect("there until dropped");
        self.outside.begin();
        // SAFETY: the box is ours, and nothing else uses the runtime while `execute` has it.
        unsafe {
            Runtime::execute(runtime, plan, body);
            (&(*runtime).conductor.trace, &(*runtime).conductor.names)
        }
    }

    /// Lets the last execution end otherwise.
    pub(crate) fn rule(&mut self, end: End) {
        self.runtime().conductor.trace.end = end;
    }

    /// What the last execution did.
    pub(crate) fn trace(&self) -> &Trace {
        &self.runtime.as_ref().expect("there until dropped").conductor.trace
    }

    pub(crate) fn names(&self) -> &Names {
        &self.runtime.as_ref().expect("there until dropped").conductor.names
    }

    /// Lets a debugger stop the next execution before a step.
    pub(crate) fn watch(&mut self, debugged: Debugged) {
        self.runtime().watch = Some(Watch::new(debugged));
    }

    /// Lets all switches go through the host.
    #[cfg(test)]
    pub(super) fn relay(&mut self, relayed: bool) {
        self.runtime().relayed = relayed;
    }

    /// The markers that were reached in some execution.
    pub(crate) fn covered(&mut self) -> Vec<&'static str> {
        self.runtime().shared.covered.clone()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let mut runtime = self.runtime.take();
        if let Some(runtime) = &mut runtime {
            runtime.watch = None;
            runtime.rest_after_search();
        }
        IDLE.with(|idle| *idle.borrow_mut() = runtime);
    }
}
