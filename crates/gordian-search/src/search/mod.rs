//! The search grammar: one parser for the attribute, the builder, the environment and the command line.
//!
//! Each strategy says in its own file how it is written ([`Word`]); the list of them is in [`crate::strategy`].

mod own;
mod text;

use crate::explore::Setting;
use crate::strategy::{Strategy, WORDS};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
pub(crate) use text::{Text, Wrong};

/// What makes a strategy.
pub type Maker = Arc<dyn Fn(&Setting) -> Box<dyn Strategy> + Send + Sync>;

/// A word of the grammar: a strategy, or a family of them.
pub(crate) struct Word {
    /// What the text begins with.
    pub(crate) name: &'static str,
    /// How it can be written, for messages.
    pub(crate) usage: &'static [&'static str],
    /// Reads what stands behind the name.
    pub(crate) read: fn(Text<'_>) -> Result<Maker, Wrong>,
}

/// How to search. Made from a text of the grammar, or from a strategy of one's own.
#[derive(Clone)]
pub struct Search {
    text: Cow<'static, str>,
    maker: Maker,
}

impl Search {
    /// A search with a strategy of one's own.
    pub fn new(
        name: impl Into<String>,
        maker: impl Fn(&Setting) -> Box<dyn Strategy> + Send + Sync + 'static,
    ) -> Search {
        Search { text: Cow::Owned(name.into()), maker: Arc::new(maker) }
    }

    /// The text it was made from.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The strategy that carries the search out.
    pub fn strategy(&self, setting: &Setting) -> Box<dyn Strategy> {
        (self.maker)(setting)
    }
}

impl Default for Search {
    fn default() -> Self {
        "auto".parse().expect("a word of the grammar")
    }
}

impl PartialEq for Search {
    fn eq(&self, other: &Search) -> bool {
        self.text == other.text
    }
}

impl Eq for Search {}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Search").field(&self.text).finish()
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A text that is no search.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct SearchError {
    text: String,
    position: usize,
    hint: String,
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown search {:?}: it goes wrong at character {} ({}); valid are {}",
            self.text,
            self.position + 1,
            self.hint,
            usages().collect::<Vec<_>>().join(", ")
        )
    }
}

fn usages() -> impl Iterator<Item = &'static str> + Clone {
    WORDS.iter().flat_map(|word| word.usage.iter().copied())
}

impl FromStr for Search {
    type Err = SearchError;

    fn from_str(text: &str) -> Result<Search, SearchError> {
        // Most often it is a word by itself.
        if let Some(word) = WORDS.iter().find(|word| word.name == text)
            && let Ok(maker) = (word.read)(Text::nothing_behind(text))
        {
            return Ok(Search { text: Cow::Borrowed(word.name), maker });
        }
        let wrong =
            |wrong: Wrong| SearchError { text: text.to_owned(), position: wrong.at, hint: wrong.hint };
        let whole = Text::new(text);
        let maker = read(whole).map_err(wrong)?;
        Ok(Search { text: Cow::Owned(whole.as_str().to_owned()), maker })
    }
}

/// Reads a search that may be part of another.
pub(crate) fn read(text: Text<'_>) -> Result<Maker, Wrong> {
    let text = text.as_search();
    let (name, rest) = text.head();
    match WORDS.iter().find(|word| word.name == name.as_str()) {
        Some(word) => (word.read)(rest),
        None => Err(text.none_of(usages())),
    }
}

/// Edit distance between two words, to find the one that was meant.
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usage_parses_and_prints_to_something_that_parses() {
        for usage in usages() {
            // The letters stand for numbers, and what is in brackets may be left out.
            let example: String = usage.split('[').next().expect("there is a first").to_owned();
            let example = example
                .replace(":K", ":2")
                .replace(":D,V", ":3,1")
                .replace(":D", ":3")
                .replace(":V", ":1")
                .replace(":C", ":2")
                .replace("P1,P2,..", "mdpor,pb")
                .replace("S1|S2|..", "dfs|random");
            let search: Search = example.parse().unwrap_or_else(|error| panic!("{usage}: {error}"));
            assert_eq!(search.to_string().parse::<Search>().unwrap(), search);
            search.strategy(&Setting::default());
        }
    }

    #[test]
    fn a_wrong_text_names_position_closest_word_and_list() {
        let error = "dfs:slep".parse::<Search>().unwrap_err().to_string();
        assert!(
            error.starts_with(
                "unknown search \"dfs:slep\": it goes wrong at character 8 (did you mean \"dfs:sleep\"?); valid are "
            ),
            "{error}"
        );
        assert!(error.ends_with(&usages().collect::<Vec<_>>().join(", ")), "{error}");
    }

    #[test]
    fn a_wrong_bound_or_priority_is_told_where_and_what() {
        for (text, expected) in [
            ("best-first:pb,mdpr", "at character 18 (did you mean \"best-first:pb,mdpor\"?)"),
            ("best-first:pb(x)", "did you mean"),
            ("best-first:method()", "at character 12 (expected in brackets which, by file or file:line"),
            ("best-first:var", "at character 12 (expected in brackets which"),
            ("best-first", "(expected priorities out of pb, dpor, ss, mdpor, rand, method(a,b), var(x))"),
            ("best-first:pb,pb,pb,pb,pb,pb,pb,pb", "(at most 7 priorities can be combined)"),
            ("best-first:pb/preemption:2", "(did you mean \"best-first:pb/preemptions\"?)"),
            ("best-first:pb/preemptions:x", "at character 27 (expected a bound: a whole number from 0)"),
            ("preemptions:256,dfs", "at character 13 (expected a bound: a whole number up to 255)"),
            ("preemptions:2,dfs,xy", "at character 19 (only hb can stand here)"),
            ("delays", "(expected a bound: a whole number from 0)"),
            ("delays:2,dfs", "at character 10 (only hb can stand here)"),
        ] {
            let error = text.parse::<Search>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        for text in
            ["best-first:method(src/a.rs:3, b), var(c)/delays:3,hb", "depth:1000", "preemptions: 2, dfs, hb"]
        {
            assert!(text.parse::<Search>().is_ok(), "{text}");
        }
    }
}
