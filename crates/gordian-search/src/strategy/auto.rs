//! The default: find a bug fast, then go on to a proof.
//!
//! What GAMBIT's testers asked for (Coons, Burckhardt, Musuvathi, PPoPP 2010, section 1): bugs at once, and a guarantee in the
//! end. Small tests are proved by the first search alone. For others a few executions of each search come first, because most bugs are easy for one of them: the
//! systematic one, then those by chance, which are not bound to where a search begins, what races ask for, and few preemptions, which give a
//! guarantee of their own while the proof is under way. The turns grow, those of the systematic searches faster than the others'. In the long run the proof has
//! two fifths of all executions, and the rest when it is near its end by its own estimate; as long as it is far off, an eighth. The members and
//! their turns are those that do best on the bugs of the suite (docs/suite.md), of which none needs them all.

use super::portfolio::{Member, Portfolio, Turn};
use crate::search::{self, Maker, Text, Word};
use std::sync::{Arc, OnceLock};

pub(crate) const WORD: Word = Word {
    name: "auto",
    usage: &["auto"],
    read: |text| {
        text.nothing()?;
        // To read what is written down here takes as long as a small test.
        static MAKER: OnceLock<Maker> = OnceLock::new();
        Ok(Arc::clone(MAKER.get_or_init(maker)))
    },
};

fn maker() -> Maker {
    let makers = MEMBERS.map(|(search, first, growth, most)| {
        let maker = search::read(Text::new(search)).expect("a search that is written down here");
        let for_proof = search == PROOF;
        (maker, Turn { first, steps: if for_proof { ALONE } else { 0 }, growth, most, for_proof })
    });
    Arc::new(move |setting| {
        let members = makers.iter().map(|(maker, turn)| Member::new(maker.clone(), *turn));
        Box::new(Portfolio::new(members.collect(), *setting))
    })
}

/// The search that proves everything.
const PROOF: &str = "exhaustive";

/// Steps that it makes alone at first: a small test needs no other, and this is little beside what it takes to begin.
const ALONE: u64 = 64;

/// The searches, how many executions each makes at first, how many times as many in each further turn, and how many it makes in
/// a row at most.
const MEMBERS: [(&str, u64, u64, u64); 6] = [
    (PROOF, 2, 3, 1024),
    ("surw", 2, 2, 256),
    ("pos", 4, 2, 256),
    ("best-first:mdpor,pb", 2, 3, 512),
    ("pct:3", 2, 2, 128),
    ("preemptions:4", 2, 4, 256),
];
