//! How the searches of the frontier are written.

use super::{Frontier, LastThread, MOST, PRIORITIES, Space, Within};
use crate::bound::{Bound, Delays, Depth, Preemptions};
use crate::explore::Setting;
use crate::priority::{Dpor, Mdpor, Method, Pb, Priority, Rand, Ss, Var};
use crate::search::{Maker, Text, Word, Wrong};
use crate::strategy::recycled::Recycle;
use std::sync::Arc;

/// `preemptions:K,dfs`: every execution within the bound, without reduction, as CHESS makes them.
pub(in crate::strategy) fn preemptions(text: Text<'_>) -> Result<Maker, Wrong> {
    let within = bound("preemptions", text, &text.split(','), 2)?;
    Ok(maker(Space::Within(Within { iterative: true, ..within }), [], false))
}

pub(crate) const DELAYS: Word =
    Word { name: "delays", usage: &["delays:K[,hb]"], read: |text| iterative("delays", text) };

pub(crate) const DEPTH: Word =
    Word { name: "depth", usage: &["depth:K[,hb]"], read: |text| iterative("depth", text) };

pub(crate) const BEST_FIRST: Word = Word {
    name: "best-first",
    usage: &["best-first:P1,P2,..", "best-first:P1,P2,../preemptions:K[,hb]"],
    read: |text| {
        let parts = text.split('/');
        let (Some(list), true) = (parts.first(), parts.len() <= 2) else {
            return Err(text.wrong(format!("expected priorities out of {}", PRIORITY_WORDS.join(", "))));
        };
        let mut priorities = Vec::new();
        for word in list.split(',') {
            if priorities.len() == PRIORITIES {
                return Err(word.wrong(format!("at most {PRIORITIES} priorities can be combined")));
            }
            priorities.push(priority(word)?);
        }
        let space = match parts.get(1) {
            None => Space::Races,
            Some(text) => {
                let (name, rest) = text.head();
                Space::Within(bound(name.as_str(), rest, &rest.split(','), 1).map_err(|wrong| {
                    let known = BOUNDS.contains(&name.as_str());
                    if known { wrong } else { text.none_of(BOUNDS.iter().copied()) }
                })?)
            }
        };
        let wants_names = ["method", "var"].iter().any(|word| list.as_str().contains(word));
        Ok(maker(space, priorities, wants_names))
    },
};

const BOUNDS: &[&str] = &["preemptions", "delays", "depth"];
const PRIORITY_WORDS: &[&str] = &["pb", "dpor", "ss", "mdpor", "rand", "method(a,b)", "var(x)"];

fn iterative(name: &'static str, text: Text<'_>) -> Result<Maker, Wrong> {
    let within = bound(name, text, &text.split(','), 1)?;
    Ok(maker(Space::Within(Within { iterative: true, ..within }), [], false))
}

/// A bound: its number and, from the piece with this number on, `hb`.
fn bound(name: &str, text: Text<'_>, pieces: &[Text<'_>], options: usize) -> Result<Within, Wrong> {
    let number = *pieces.first().unwrap_or(&text);
    let most = number.number(0u32, "a bound")?;
    let (bound, last): (Arc<dyn Bound>, _) = match name {
        "preemptions" => (Arc::new(Preemptions), LastThread::MattersIfEnabled),
        "delays" => (Arc::new(Delays), LastThread::Matters),
        "depth" => (Arc::new(Depth(most)), LastThread::Matters),
        _ => return Err(text.wrong("no such bound")),
    };
    if most > MOST && name != "depth" {
        return Err(number.wrong(format!("expected a bound: a whole number up to {MOST}")));
    }
    let classes = match pieces.get(options..).unwrap_or_default() {
        [] => None,
        [hb] if hb.as_str() == "hb" => Some(last),
        [other, ..] => return Err(other.wrong("only hb can stand here")),
    };
    Ok(Within { bound, most: most.min(MOST), iterative: false, classes })
}

fn priority(word: Text<'_>) -> Result<Arc<dyn Priority>, Wrong> {
    let (name, brackets) = word.brackets();
    let parts = || -> Result<Vec<&str>, Wrong> {
        let parts: Vec<&str> = brackets.unwrap_or(word).split(',').iter().map(Text::as_str).collect();
        let named = brackets.is_some() && !parts.is_empty() && parts.iter().all(|part| !part.is_empty());
        named.then_some(parts).ok_or_else(|| {
            word.wrong(
                "expected in brackets which, by file or file:line: method(queue.rs), var(src/queue.rs:17)",
            )
        })
    };
    Ok(match (name.as_str(), brackets) {
        ("pb", None) => Arc::new(Pb),
        ("dpor", None) => Arc::new(Dpor),
        ("ss", None) => Arc::new(Ss),
        ("mdpor", None) => Arc::new(Mdpor),
        ("rand", None) => Arc::new(Rand),
        ("method", _) => Arc::new(Method::new(parts()?)),
        ("var", _) => Arc::new(Var::new(parts()?)),
        _ => return Err(word.none_of(PRIORITY_WORDS.iter().copied())),
    })
}

/// What makes the search over a space with these priorities.
pub(crate) fn maker(
    space: Space,
    priorities: impl IntoIterator<Item = Arc<dyn Priority>>,
    wants_names: bool,
) -> Maker {
    let priorities: Arc<[Arc<dyn Priority>]> = priorities.into_iter().collect();
    Arc::new(move |setting: &Setting| {
        Frontier::recycled(|search| {
            if setting.memory.is_some_and(|memory| search.bytes() > memory) {
                *search = Frontier::default();
            }
            search.space = space.clone();
            search.priorities = Arc::clone(&priorities);
            search.seed = setting.seed;
            search.memory = setting.memory;
            search.spill = setting.spill;
            search.wants_names = wants_names;
        })
    })
}
