//! What the threads of a program do, counted over the first executions of a search.

use gordian_model::{SiteId, Step, ThreadId, Trace};

/// Executions that are counted. More would not be worth their time: what is wanted is roughly how long each thread is.
const ENOUGH: u32 = 64;

/// Steps by thread; those of several executions together.
#[derive(Clone, Debug, Default)]
struct Counts(Vec<u32>);

impl Counts {
    fn add(&mut self, thread: ThreadId) {
        if self.0.len() <= thread.index() {
            self.0.resize(thread.index() + 1, 0);
        }
        self.0[thread.index()] += 1;
    }

    /// For one execution, on average; rounded up, so that what may happen is expected.
    fn average(&self, executions: u32, into: &mut Vec<u32>) {
        into.clear();
        into.extend(self.0.iter().map(|count| count.div_ceil(executions.max(1))));
    }

    fn is_shared(&self) -> bool {
        self.0.iter().filter(|&&count| count > 0).count() > 1
    }
}

/// How many steps each thread takes: in all, and on the objects created at each place.
#[derive(Debug, Default)]
pub(super) struct Profile {
    executions: u32,
    steps: Counts,
    sites: Vec<(SiteId, Counts)>,
}

impl Profile {
    pub(super) fn is_empty(&self) -> bool {
        self.executions == 0
    }

    /// Counts what an execution did, unless enough has been counted.
    #[inline]
    pub(super) fn count(&mut self, trace: &Trace, with_sites: bool) {
        if self.executions == ENOUGH {
            return;
        }
        self.executions += 1;
        for step in &trace.steps {
            self.steps.add(step.thread);
            if with_sites {
                self.count_sites(trace, step);
            }
        }
    }

    fn count_sites(&mut self, trace: &Trace, step: &Step) {
        let site = |object| trace.object(object).map(|o| o.site);
        let (one, other) = (site(step.object), site(step.other));
        for site in [one, other.filter(|_| one != other)].into_iter().flatten() {
            let k = self.sites.iter().position(|s| s.0 == site).unwrap_or_else(|| {
                self.sites.push((site, Counts::default()));
                self.sites.len() - 1
            });
            self.sites[k].1.add(step.thread);
        }
    }

    /// The steps of each thread.
    pub(super) fn steps(&self, into: &mut Vec<u32>) {
        self.steps.average(self.executions, into);
    }

    /// The places whose objects more than one thread uses, with how often they are used.
    pub(super) fn shared(&self) -> impl Iterator<Item = (SiteId, u64)> + '_ {
        let shared = self.sites.iter().filter(|(_, counts)| counts.is_shared());
        shared.map(|(site, counts)| (*site, counts.0.iter().map(|&n| u64::from(n)).sum()))
    }

    /// The steps of each thread on the objects created at a place.
    pub(super) fn at(&self, site: SiteId, into: &mut Vec<u32>) {
        let counts = self.sites.iter().find(|s| s.0 == site).expect("one of those that were told");
        counts.1.average(self.executions, into);
    }
}
