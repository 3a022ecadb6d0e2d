//! The default: find a bug fast, then go on to a proof.
//!
//! What GAMBIT's testers asked for (Coons, Burckhardt, Musuvathi, PPoPP 2010, section 1): bugs at once, and a guarantee in the
//! end. Most tests are small, so the search that proves everything goes first, alone; those that it does not bring to
//! an end at once get the others too: few preemptions first, which finds most bugs and gives a guarantee of its own while the
//! proof is under way, what races ask for before the rest, and some executions by chance, which are not bound to where a search begins. At
//! least half of all executions go to the proof.

use super::portfolio::{Member, Portfolio, Turn};
use crate::search::{self, Text, Word};
use std::sync::Arc;

pub(crate) const WORD: Word = Word {
    name: "auto",
    usage: &["auto"],
    read: |text| {
        text.nothing()?;
        let read = |text| search::read(Text::new(text)).expect("a search that is written down here");
        let makers = MEMBERS.map(|(search, first, most)| (read(search), Turn { first, most }));
        Ok(Arc::new(move |setting| {
            let members = makers.iter().map(|(maker, turn)| Member::new(maker.clone(), *turn));
            Box::new(Portfolio::new(members.collect(), *setting))
        }))
    },
};

/// The searches, how many executions each makes at first, and how many it makes in a row at most.
const MEMBERS: [(&str, u64, u64); 8] = [
    ("exhaustive", 64, 1 << 15),
    ("pos", 16, 256),
    ("best-first:mdpor,pb/preemptions:2", 16, 1 << 12),
    ("best-first:mdpor,pb", 16, 1 << 10),
    ("preemptions:4", 16, 1 << 13),
    ("surw", 8, 128),
    ("pct:3", 8, 128),
    ("random", 8, 128),
];
