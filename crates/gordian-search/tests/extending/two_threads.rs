// The program that the examples in docs/extending.md search: two threads that each add to one atomic twice. They include
// this file.

use gordian_model::object::Atomic;
use gordian_model::{Conductor, Decision, Op, OpKind, Plan, SiteId, ThreadId, Trace};
use gordian_search::{Limits, Search, Summary, Target, explore};
/// What `Checker` does for a closure: carry out one execution that follows a plan.
struct TwoThreads(Conductor);

impl Target for TwoThreads {
    fn run(&mut self, plan: &Plan) -> &Trace {
        let conductor = &mut self.0;
        conductor.begin(plan);
        let count = conductor.create(Atomic::new(0).into(), SiteId::UNKNOWN);
        let add = Op { arg: 1, detail: 8, ..Op::new(OpKind::FetchAdd, count, SiteId::UNKNOWN) };
        conductor.spawn(ThreadId::MAIN);
        let mut left = [2, 2];
        for thread in [ThreadId(1), ThreadId::MAIN] {
            conductor.announce(thread, &add);
        }
        while let Decision::Run(thread) = conductor.decide() {
            conductor.perform(thread);
            left[thread.index()] -= 1;
            if left[thread.index()] > 0 {
                conductor.announce(thread, &add);
            } else {
                conductor.finish(thread);
            }
        }
        conductor.close();
        &conductor.trace
    }
}

fn search(how: &Search) -> Summary {
    explore(&mut TwoThreads(Conductor::default()), how, Limits::default(), Plan::default(), |_, _| ())
}
