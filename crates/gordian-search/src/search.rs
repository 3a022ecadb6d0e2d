//! The search grammar: one parser for the attribute, the builder, the environment and the command line.

use std::fmt;
use std::str::FromStr;

/// What removes equivalent executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// Every interleaving.
    None,
    /// Sleep sets.
    Sleep,
    /// One execution for each class.
    Optimal,
}

/// How to search.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Search {
    /// Depth first with a reduction.
    DepthFirst(Reduction),
}

impl Default for Search {
    fn default() -> Self {
        Search::DepthFirst(Reduction::Optimal)
    }
}

const WORDS: [(&str, Reduction); 5] = [
    ("exhaustive", Reduction::Optimal),
    ("dfs", Reduction::None),
    ("dfs:none", Reduction::None),
    ("dfs:sleep", Reduction::Sleep),
    ("dfs:optimal", Reduction::Optimal),
];

/// A text that is no search.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct SearchError {
    text: String,
    position: usize,
    closest: &'static str,
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = WORDS.iter().map(|w| w.0).collect();
        write!(
            f,
            "unknown search {:?}: it goes wrong at character {} (did you mean {:?}?); valid are {}",
            self.text,
            self.position + 1,
            self.closest,
            words.join(", ")
        )
    }
}

impl FromStr for Search {
    type Err = SearchError;

    fn from_str(text: &str) -> Result<Search, SearchError> {
        let trimmed = text.trim();
        if let Some(&(_, reduction)) = WORDS.iter().find(|w| w.0 == trimmed) {
            return Ok(Search::DepthFirst(reduction));
        }
        let common = |word: &str| trimmed.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
        let closest =
            WORDS.iter().map(|w| w.0).min_by_key(|w| distance(trimmed, w)).expect("there are words");
        let position = WORDS.iter().map(|w| common(w.0)).max().unwrap_or(0);
        Err(SearchError { text: text.to_owned(), position, closest })
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Search::DepthFirst(reduction) = self;
        f.write_str(match reduction {
            Reduction::None => "dfs",
            Reduction::Sleep => "dfs:sleep",
            Reduction::Optimal => "exhaustive",
        })
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
    fn every_word_parses_and_prints_to_something_that_parses() {
        for (word, reduction) in WORDS {
            let search: Search = word.parse().unwrap();
            assert_eq!(search, Search::DepthFirst(reduction));
            assert_eq!(search.to_string().parse::<Search>().unwrap(), search);
        }
    }

    #[test]
    fn a_wrong_text_names_position_closest_word_and_list() {
        let error = "dfs:slep".parse::<Search>().unwrap_err().to_string();
        assert_eq!(
            error,
            "unknown search \"dfs:slep\": it goes wrong at character 8 (did you mean \"dfs:sleep\"?); valid are exhaustive, dfs, dfs:none, dfs:sleep, dfs:optimal"
        );
    }
}
