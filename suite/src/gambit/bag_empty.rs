//! ConcurrentBag, in the manner of GAMBIT's ConcBag2: whether the bag is empty is found by looking at one list after the other. An item that is moved from a list that is
//! yet to be looked at to one that has been is not seen, and the bag is never empty and said to be.

use crate::{Program, Seconds};
use gordian::sync::Mutex;
use gordian::thread;

/// The bug.
pub const PROGRAM: Program = Program {
    name: "bag-empty",
    source: "GAMBIT (PPoPP 2010), tables 1 and 2: ConcBag2",
    about: "an item is moved behind the back of one who looks whether there is any",
    threads: 2,
    seconds: Some(Seconds { depth_first: None, chess: None, best_first: 3 }),
    body: bag_empty,
    ..Program::USUAL
};

struct Bag {
    lists: [Mutex<Vec<u32>>; 2],
}

impl Bag {
    fn is_empty(&self, buggy: bool) -> bool {
        if buggy {
            return self.lists.iter().all(|list| list.lock().unwrap().is_empty());
        }
        // All lists are held while they are looked at.
        let guards = [0, 1].map(|i: usize| self.lists[i].lock().unwrap());
        guards.iter().all(|list| list.is_empty())
    }

    /// Takes from the other list what is missing in the own.
    fn rebalance(&self) {
        let mut own = self.lists[0].lock().unwrap();
        let mut other = self.lists[1].lock().unwrap();
        own.extend(other.pop());
    }
}

fn bag_empty(buggy: bool) {
    let bag = Bag { lists: [Mutex::new(vec![]), Mutex::new(vec![1])] };
    thread::scope(|s| {
        s.spawn(|| bag.rebalance());
        assert!(!bag.is_empty(buggy), "there is always one item in the bag");
    });
}
