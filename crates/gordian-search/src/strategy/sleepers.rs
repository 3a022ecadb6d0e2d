//! The sleep sets of the nodes on the way from the first step to the last: each sleeping step is kept once, where it fell asleep,
//! and the sets are lists of numbers.

use gordian_model::{Sleeper, Step, Trace};

/// The sleep sets of the nodes, the first one's first.
#[derive(Debug, Default)]
pub(super) struct Sleepers {
    all: Vec<Sleeper>,
    /// The sets, one after the other, as numbers of sleepers.
    sets: Vec<u32>,
    nodes: Vec<Start>,
}

/// Where what belongs to a node, and to those after it, begins.
#[derive(Clone, Copy, Debug)]
struct Start {
    set: u32,
    /// Among the sleepers: those that fell asleep here.
    own: u32,
}

impl Sleepers {
    /// Are the sets up to that of this node there? Those that are missing are empty ones.
    pub(super) fn reach(&mut self, node: usize) {
        while self.nodes.len() <= node {
            self.nodes.push(Start { set: self.sets.len() as u32, own: self.all.len() as u32 });
        }
    }

    /// Forgets the sets from that of this node on, and who fell asleep there.
    pub(super) fn truncate(&mut self, node: usize) {
        if let Some(&Start { set, own }) = self.nodes.get(node) {
            self.sets.truncate(set as usize);
            self.all.truncate(own as usize);
            self.nodes.truncate(node);
        }
    }

    /// One more step falls asleep at the last node.
    pub(super) fn add(&mut self, sleeper: Sleeper) {
        self.sets.push(self.all.len() as u32);
        self.all.push(sleeper);
    }

    /// More nodes: those that steps lead to, one after the other, from the last. Those that depend on a step are awake after it.
    pub(super) fn follow(&mut self, steps: &[Step], trace: &Trace) {
        let mut from = self.nodes.last().map_or(0, |node| node.set as usize);
        let own = self.all.len() as u32;
        for step in steps {
            let to = self.sets.len();
            if from == to {
                // Nobody sleeps any more, and where no set is there it is an empty one.
                return;
            }
            self.nodes.push(Start { set: to as u32, own });
            for k in from..to {
                let number = self.sets[k];
                let sleeper = &self.all[number as usize];
                if sleeper.thread != step.thread && !sleeper.depends_on(&step.accesses, &trace.objects) {
                    self.sets.push(number);
                }
            }
            from = to;
        }
    }

    /// One more step sleeps at a node for a while, until [`wake`](Self::wake) is called.
    pub(super) fn put_to_sleep(&mut self, node: usize, sleeper: Sleeper) {
        self.reach(node);
        let end = self.end(node);
        self.sets.insert(end, self.all.len() as u32);
        self.nodes[node + 1..].iter_mut().for_each(|later| later.set += 1);
        self.all.push(sleeper);
    }

    pub(super) fn wake(&mut self, node: usize) {
        self.all.pop();
        self.nodes[node + 1..].iter_mut().for_each(|later| later.set -= 1);
        let end = self.end(node);
        self.sets.remove(end);
    }

    /// Where the set of a node ends.
    #[inline]
    fn end(&self, node: usize) -> usize {
        self.nodes.get(node + 1).map_or(self.sets.len(), |next| next.set as usize)
    }

    /// Those that sleep at a node.
    #[inline]
    pub(super) fn at(&self, node: usize) -> Sleeping<'_> {
        let set = match self.nodes.get(node..) {
            Some([here, next, ..]) => &self.sets[here.set as usize..next.set as usize],
            Some([last]) => &self.sets[last.set as usize..],
            _ => &[],
        };
        Sleeping { all: &self.all, set }
    }
}

/// Steps that sleep at a node.
#[derive(Clone, Copy)]
pub(super) struct Sleeping<'a> {
    all: &'a [Sleeper],
    set: &'a [u32],
}

impl<'a> Sleeping<'a> {
    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.set.is_empty()
    }

    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = &'a Sleeper> {
        self.set.iter().map(move |&number| &self.all[number as usize])
    }
}
