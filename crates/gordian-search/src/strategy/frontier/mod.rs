//! One frontier for every search that goes by departures from the default schedule: bounded ones and best-first ones.
//!
//! An execution is named by where it departs from another one; between departures it follows the default schedule, so a few
//! numbers name it ([`node`], [`tree`]). Each execution that is made shows further ones: everything a bound allows
//! ([`allowed`]) or what its races ask for ([`races`]). They wait in the fringe until it is empty, the best first, though others get a turn now and then ([`fringe`]), and
//! outside memory if there are too many ([`memory`], [`spilled`]). (Coons, Burckhardt, Musuvathi, "GAMBIT: effective unit testing for
//! concurrency libraries", PPoPP 2010, sections 3 and 4.)

mod allowed;
mod classes;
mod comparisons;
mod fringe;
mod lanes;
mod memory;
mod node;
mod races;
mod sleep;
mod spilled;
mod tree;
mod tried;
pub(super) mod words;

use super::recycled::Recycle;
use super::{Next, Strategy};
use crate::bound::Bound;
use crate::explore::FrontierUse;
use crate::guarantee::Proved;
use crate::order::{Order, Race};
use crate::priority::{Point, Priority, Reason, Runs};
use classes::Classes;
use comparisons::Comparisons;
use fringe::{Fringe, Key, Which};
use gordian_model::chance::Chance;
use gordian_model::{Deviation, Failure, FailureKind, Names, Plan, Planned, Policy, Site, ThreadId, Trace};
pub(crate) use lanes::Lanes;
pub(crate) use node::MOST;
use node::{Departure, Node, NodeId};
use sleep::Sleep;
use spilled::{MakePlace, Spilled};
use std::cell::RefCell;
use std::sync::Arc;
use std::thread::LocalKey;
use tree::Tree;
use tried::Tried;

/// Which executions are made.
#[derive(Clone, Default)]
pub(crate) enum Space {
    /// Those that races ask for.
    #[default]
    Races,
    /// Those that cost no more than the bound allows.
    Within(Within),
}

/// A bounded space.
#[derive(Clone)]
pub(crate) struct Within {
    pub(crate) bound: Arc<dyn Bound>,
    pub(crate) most: u32,
    /// The cheapest go first, whatever the priorities are, so that more and more is proved.
    pub(crate) iterative: bool,
    /// Beginnings that come to the same as others are left out.
    pub(crate) classes: Option<LastThread>,
}

/// When what may follow depends on the thread that made the last step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LastThread {
    /// Always: the default schedule may.
    Matters,
    /// If it can go on, because only then is there anything to preempt.
    MattersIfEnabled,
}

/// At most so many priorities are combined: 16 bits each, and the price, in a [`Key`].
pub(crate) const PRIORITIES: usize = 7;

/// The search.
#[derive(Default)]
pub(crate) struct Frontier {
    pub(crate) space: Space,
    pub(crate) priorities: Arc<[Arc<dyn Priority>]>,
    pub(crate) seed: u64,
    pub(crate) memory: Option<usize>,
    pub(crate) spill: Option<MakePlace>,
    /// Some priority may ask for places in the source.
    pub(crate) wants_names: bool,
    started: bool,
    tree: Tree,
    fringe: Fringe,
    spilled: Spilled,
    tried: Tried,
    sleep: Sleep,
    comparisons: Comparisons,
    /// What the executions so far have shown to be left out by the bound.
    left_out: bool,
    most_bytes: usize,
    points: u64,
    /// Executions that were taken from the fringe.
    taken: u64,
    /// The execution that was planned last: its node after those that it comes from, and its departures...
    line: Vec<NodeId>,
    departures: Vec<Departure>,
    /// ...which are those of the one before up to this choice...
    common: u32,
    former: Vec<Departure>,
    /// ...and led to these steps
    departed: Vec<usize>,
    /// (of which these were preemptions, if anybody asks)...
    preempted: Vec<bool>,
    /// ...and what it costs, until it has been made.
    price: u32,
    is_planned: bool,
    /// The steps of the execution that was made last, and what is known of them.
    path: Vec<Planned>,
    is_straight: bool,
    lanes: Lanes,
    order: Order,
    races: Vec<Race>,
    /// Steps that reverse a race.
    steps: Vec<usize>,
    /// Steps at which whatever can go is asked for.
    safe: Vec<usize>,
    classes: Classes,
    /// The places in the source, as far as they are known.
    sites: Vec<Site>,
}

impl Recycle for Frontier {
    fn place() -> &'static LocalKey<RefCell<Option<Box<Self>>>> {
        thread_local!(static PLACE: RefCell<Option<Box<Frontier>>> = const { RefCell::new(None) });
        &PLACE
    }

    fn reset(&mut self) {
        if self.bytes() > memory::KEPT {
            *self = Frontier::default();
            return;
        }
        self.started = false;
        self.tree.clear();
        self.fringe.clear();
        self.spilled.clear();
        self.tried.clear();
        self.sleep.clear();
        self.comparisons.clear();
        self.left_out = false;
        self.most_bytes = 0;
        self.points = 0;
        self.taken = 0;
        self.former.clear();
        self.departures.clear();
        self.price = 0;
        self.is_planned = false;
        self.path.clear();
        self.lanes.truncate(0);
        self.order.clear();
        self.races.clear();
        self.classes.clear();
        self.sites.clear();
    }
}

impl Frontier {
    /// Takes out what comes next: half of the time something of the best bin, half of the rest of the second best, and so on; from each bin
    /// in turn what was found last and what was found first. So nothing waits for everything that seems better, which may be more than can ever be
    /// made: all orders of a hundred threads before the first preemption. Where the cheapest go first because of what that
    /// proves, they all do.
    fn next(&mut self) -> Option<NodeId> {
        self.taken += 1;
        let in_order = matches!(&self.space, Space::Within(within) if within.iterative);
        let rank = self.taken.trailing_zeros();
        let (rank, which) = match self.taken >> (rank + 1) & 1 {
            _ if in_order => (0, Which::Last),
            0 => (rank as usize, Which::Last),
            _ => (rank as usize, Which::First),
        };
        self.fringe.take(rank, which).map(|(_, node)| node)
    }

    /// The first choice in which the planned execution differs from the one before.
    fn count_common(&self) -> u32 {
        let same = self.former.iter().zip(&self.departures).take_while(|(a, b)| {
            (a.choice, a.planned.thread, a.planned.outcome) == (b.choice, b.planned.thread, b.planned.outcome)
        });
        let same = same.count();
        let parts = |list: &[Departure]| list.get(same).map_or(u32::MAX, |d| d.choice);
        parts(&self.former).min(parts(&self.departures))
    }

    /// The first step at which the execution that was made may be departed from: after its own last departure.
    fn own_part(&self) -> usize {
        self.departed.last().map_or(0, |last| last + 1)
    }

    /// The order of steps, if races are followed: then an execution stands for all that come to the same.
    fn order_of_classes(&self) -> Option<&Order> {
        matches!(self.space, Space::Races).then_some(&self.order)
    }

    /// Does anybody ask for the order of steps?
    fn needs_order(&self) -> bool {
        match &self.space {
            Space::Races => true,
            Space::Within(within) => within.classes.is_some() || !self.priorities.is_empty(),
        }
    }

    /// Takes in the steps that differ from those of the execution before.
    fn follow(&mut self, trace: &Trace) -> Result<(), Failure> {
        let common = self.compare(trace)?;
        self.departed.clear();
        self.departed.extend(self.departures.iter().map(|d| trace.step_of(d.choice)));
        let needs_order = self.needs_order();
        self.path.truncate(common);
        self.lanes.truncate(common);
        self.order.truncate(common);
        self.classes.truncate(common);
        self.races.clear();
        for step in &trace.steps[common..] {
            self.path.push(step.planned());
            self.lanes.push(step.thread);
        }
        if needs_order {
            let with_classes = matches!(&self.space, Space::Within(within) if within.classes.is_some());
            if with_classes && self.order.is_empty() {
                self.order.keep_clocks();
            }
            for i in self.order.len()..trace.len() {
                self.order.push(&trace.steps, &mut self.races);
                if with_classes {
                    self.classes.push(crate::fingerprint::part(&trace.steps[i], self.order.clock(i)));
                }
            }
        }
        let mut preempted = std::mem::take(&mut self.preempted);
        preempted.clear();
        if !self.priorities.is_empty() {
            let runs = Runs { trace, lanes: &self.lanes, order: self.order_of_classes() };
            let thread = |at: usize| trace.steps.get(at).map(|step| step.thread);
            let is_preemption = |&at: &usize| thread(at).is_some_and(|t| runs.is_preemption(at, t));
            preempted.extend(self.departed.iter().map(is_preemption));
        }
        self.preempted = preempted;
        Ok(())
    }

    /// How many steps are those of the execution before? All that come from the same choices, unless some were taken back; if
    /// not, the program does not do the same when it makes the same choices.
    fn compare(&mut self, trace: &Trace) -> Result<usize, Failure> {
        let straight = !trace.has_taken_back();
        let checked = std::mem::replace(&mut self.is_straight, straight) && straight;
        let most = self.path.len().min(trace.len()).min(self.common as usize);
        let same = self.path[..most].iter().zip(&trace.steps).take_while(|(then, now)| {
            (then.thread, then.outcome) == (now.thread, now.outcome)
                && then.expected == Some((now.kind, now.site))
        });
        let same = same.count();
        if checked && same < most { Err(went_elsewhere(self.path[same], trace, same)) } else { Ok(same) }
    }

    /// The other outcomes of the op at which the execution departs, which its parent did not know of.
    fn add_outcomes(&mut self, trace: &Trace) -> Result<(), Failure> {
        let [.., parent, _] = *self.line.as_slice() else { return Ok(()) };
        let (Some(&Departure { planned, .. }), Some(&step)) = (self.departures.last(), self.departed.last())
        else {
            return Ok(());
        };
        let outcomes = trace.steps.get(step).map_or(0, |s| s.outcomes);
        for outcome in (1..outcomes).filter(|_| planned.outcome == 0) {
            self.add(parent, trace, (step, planned.thread, outcome), Reason::Outcome, self.price)?;
        }
        Ok(())
    }

    /// A new execution: it departs from the node's execution, which is the same as this one up to there.
    fn add(
        &mut self,
        node: NodeId,
        trace: &Trace,
        (step, thread, outcome): (usize, ThreadId, u32),
        reason: Reason,
        price: u32,
    ) -> Result<(), Failure> {
        self.points += 1;
        let point = Point {
            trace,
            step,
            thread,
            outcome,
            reason,
            departed: &self.departed,
            preempted: &self.preempted,
            lanes: &self.lanes,
            order: self.order_of_classes(),
            sites: &self.sites,
            chance: Chance::new(self.seed ^ self.points.wrapping_mul(0xA076_1D64_78BD_642F)).next(),
        };
        let iterative = matches!(&self.space, Space::Within(within) if within.iterative);
        let first = if iterative { Key::from(price) } else { 0 };
        let key = self.priorities.iter().fold(first, |key, p| key << 16 | Key::from(p.priority(&point)));
        let expected = point.next().map(|next| (next.kind, next.site));
        let choice = trace.choice(step);
        let departure = Departure { choice, planned: Planned { thread, outcome, expected }, price };
        if self.tree.is_full() {
            self.make_room()?;
        }
        let Some(id) = self.tree.add(node, &departure) else { return Err(too_large(&departure)) };
        self.fringe.push(key, id);
        Ok(())
    }
}

fn too_large(departure: &Departure) -> Failure {
    let Departure { choice, planned: Planned { thread, outcome, .. }, .. } = departure;
    let message = format!(
        "this search keeps executions in little memory, and cannot name thread number {}, outcome {outcome} at step {choice}: there may \
         be 16,384 threads, 65,536 outcomes of one op and 16,777,216 steps; use the search \"exhaustive\"",
        thread.0
    );
    Failure::new(FailureKind::Misuse, message)
}

fn went_elsewhere(then: Planned, trace: &Trace, step: usize) -> Failure {
    let now = &trace.steps[step];
    let (kind, site) = then.expected.expect("a step that was made");
    let message = format!(
        "nondeterminism: at step {} the same choices led elsewhere than in the execution before. Usual causes: real time, random \
         numbers, hash maps with random state, addresses used as keys, a static that keeps its value over executions (a Mutex or std type), \
         or threads that Gordian does not control",
        step + 1,
    );
    Failure::new(FailureKind::Nondeterminism, message)
        .at(now.thread, now.site)
        .note(Some(then.thread), format!("expected to {} here", kind.verb()), site)
        .note(Some(now.thread), format!("instead came to {} here", now.kind.verb()), now.site)
}

impl Strategy for Frontier {
    fn plan(&mut self, plan: &mut Plan) -> Next {
        let next = if std::mem::replace(&mut self.started, true) {
            self.next()
        } else {
            Some(self.tree.insert(Node::ROOT))
        };
        let Some(node) = next else { return Next::Done };
        std::mem::swap(&mut self.former, &mut self.departures);
        self.tree.open(node, &mut self.line, &mut self.departures);
        self.price = self.departures.last().map_or(0, |d| d.price);
        if let (Space::Races, [.., parent, node], [.., departure]) =
            (&self.space, self.line.as_slice(), self.departures.as_slice())
        {
            self.sleep.begin(*parent, *node, departure);
        }
        self.is_planned = true;
        self.common = self.count_common();
        plan.prefix.clear();
        plan.deviations.clear();
        plan.deviations
            .extend(self.departures.iter().map(|d| Deviation { choice: d.choice, planned: d.planned }));
        plan.comparisons.clear();
        if let ([.., parent, _], [.., departure]) = (self.line.as_slice(), self.departures.as_slice()) {
            plan.comparisons.extend(self.comparisons.up_to(*parent, departure.choice));
        }
        plan.sleep.clear();
        plan.policy = Policy::RunOn;
        Next::Run
    }

    fn names(&mut self, names: &Names) {
        if self.wants_names && self.sites.len() < names.sites().len() {
            self.sites.extend_from_slice(&names.sites()[self.sites.len()..]);
        }
    }

    fn learn(&mut self, trace: &Trace) -> Result<(), Failure> {
        self.is_planned = false;
        self.follow(trace)?;
        self.add_outcomes(trace)?;
        match &self.space {
            Space::Races => self.add_races(trace)?,
            Space::Within(within) => {
                let within = within.clone();
                self.add_allowed(trace, &within)?;
            }
        }
        let node = *self.line.last().expect("planned");
        self.comparisons.remember(node, trace);
        let Frontier { tree, tried, sleep, comparisons, .. } = self;
        tree.release(node, |gone| {
            tried.forget(gone);
            sleep.forget(gone);
            comparisons.forget(gone);
        });
        self.bring_back()
    }

    fn proved(&self, done: bool) -> Proved {
        let Space::Within(within) = &self.space else {
            return if done { Proved::All } else { Proved::Nothing };
        };
        if done {
            return if self.left_out {
                Proved::Within(within.bound.within(within.most))
            } else {
                Proved::All
            };
        }
        // The price is the first of the priorities, so whatever is cheaper than the next execution has been made.
        let next =
            if self.is_planned { Some(self.price) } else { self.fringe.next().map(|key| self.price_of(key)) };
        match next.filter(|_| within.iterative).and_then(|price| price.checked_sub(1)) {
            Some(price) => Proved::Within(within.bound.within(price)),
            None => Proved::Nothing,
        }
    }

    fn frontier(&self) -> Option<FrontierUse> {
        Some(FrontierUse {
            nodes: self.tree.live() as u64,
            most_nodes: self.tree.peak() as u64,
            most_bytes: self.most_bytes.max(self.bytes()),
            spilled: self.spilled.total(),
        })
    }

    fn retire(self: Box<Self>) {
        self.keep();
    }
}

impl Frontier {
    fn price_of(&self, key: Key) -> u32 {
        (key >> (16 * self.priorities.len())) as u32
    }
}
