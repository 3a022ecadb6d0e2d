//! A piece of a search text that knows where it stands in the whole, so that a mistake has a position.

use super::distance;
use std::str::FromStr;

/// Where a text goes wrong, and what helps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wrong {
    /// Characters before the mistake.
    pub(crate) at: usize,
    pub(crate) hint: String,
}

/// A piece of a search text, without blanks around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    whole: &'a str,
    /// Where the search begins that this is a piece of.
    search: usize,
    start: usize,
    end: usize,
}

impl<'a> Text<'a> {
    pub(crate) fn new(whole: &'a str) -> Text<'a> {
        Text { whole, search: 0, start: 0, end: whole.len() }.trimmed()
    }

    /// The empty piece at the end of a text.
    pub(crate) fn nothing_behind(whole: &'a str) -> Text<'a> {
        Text { whole, search: 0, start: whole.len(), end: whole.len() }
    }

    /// The piece as a search of its own.
    pub(crate) fn as_search(self) -> Text<'a> {
        Text { search: self.start, ..self }
    }

    fn trimmed(self) -> Text<'a> {
        let text = &self.whole[self.start..self.end];
        let start = self.start + (text.len() - text.trim_start().len());
        Text { start, end: start + text.trim().len(), ..self }
    }

    pub(crate) fn as_str(&self) -> &'a str {
        &self.whole[self.start..self.end]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    fn part(self, from: usize, to: usize) -> Text<'a> {
        Text { start: self.start + from, end: self.start + to, ..self }.trimmed()
    }

    /// What stands before the first colon or comma, and what stands behind it.
    pub(crate) fn head(self) -> (Text<'a>, Text<'a>) {
        let text = self.as_str();
        let at = text.find([':', ',']).unwrap_or(text.len());
        (self.part(0, at), self.part((at + 1).min(text.len()), text.len()))
    }

    /// What stands between separators that are in no brackets; nothing if it is empty.
    pub(crate) fn split(self, separator: char) -> Vec<Text<'a>> {
        let text = self.as_str();
        let (mut pieces, mut from, mut depth) = (Vec::new(), 0, 0u32);
        if self.is_empty() {
            return pieces;
        }
        for (i, c) in text.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                c if c == separator && depth == 0 => {
                    pieces.push(self.part(from, i));
                    from = i + c.len_utf8();
                }
                _ => {}
            }
        }
        pieces.push(self.part(from, text.len()));
        pieces
    }

    /// What stands in brackets behind the name, if there are some.
    pub(crate) fn brackets(self) -> (Text<'a>, Option<Text<'a>>) {
        let text = self.as_str();
        match text.find('(') {
            Some(open) if text.ends_with(')') => {
                (self.part(0, open), Some(self.part(open + 1, text.len() - 1)))
            }
            _ => (self, None),
        }
    }

    /// The piece as a number that is at least `least`.
    pub(crate) fn number<N: FromStr + PartialOrd + std::fmt::Display>(
        self,
        least: N,
        what: &str,
    ) -> Result<N, Wrong> {
        let number = self.as_str().parse::<N>().ok().filter(|n| *n >= least);
        number.ok_or_else(|| self.wrong(format!("expected {what}: a whole number from {least}")))
    }

    pub(crate) fn wrong(self, hint: impl Into<String>) -> Wrong {
        Wrong { at: self.whole[..self.start].chars().count(), hint: hint.into() }
    }

    /// The piece should have been empty.
    pub(crate) fn nothing(self) -> Result<(), Wrong> {
        if self.is_empty() { Ok(()) } else { Err(self.wrong("nothing can stand here")) }
    }

    /// The piece is none of these words: which was meant, and where it departs from all of them.
    pub(crate) fn none_of(self, words: impl Iterator<Item = &'static str> + Clone) -> Wrong {
        let text = self.as_str();
        let common = |word: &str| text.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
        let closest = words.clone().min_by_key(|word| distance(text, word)).unwrap_or_default();
        let at = words.map(common).max().unwrap_or(0);
        Wrong {
            at: self.whole[..self.start].chars().count() + at,
            hint: format!("did you mean \"{}{closest}\"?", &self.whole[self.search..self.start]),
        }
    }
}
