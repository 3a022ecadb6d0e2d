//! `preemptions:K`: how a search with at most so many preemptions is written.

use super::bounded::Bounded;
use super::frontier;
use super::recycled::Recycle;
use crate::search::{Maker, Text, Word, Wrong};
use std::sync::Arc;

pub(crate) const WORD: Word =
    Word { name: "preemptions", usage: &["preemptions:K", "preemptions:K,dfs[,hb]"], read };

fn read(text: Text<'_>) -> Result<Maker, Wrong> {
    let pieces = text.split(',');
    let most = pieces.first().unwrap_or(&text).number(0, "the most preemptions")?;
    match pieces.get(1).map(|p| p.as_str()) {
        None => Ok(Arc::new(move |setting| {
            let memory = setting.memory;
            Bounded::recycled(|s| (s.most, s.memory) = (most, memory))
        })),
        Some("dfs") => frontier::words::preemptions(text),
        Some(_) => Err(pieces[1].none_of(["dfs"].into_iter())),
    }
}
