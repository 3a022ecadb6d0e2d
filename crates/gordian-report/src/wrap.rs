//! Breaking, cutting and filling texts, by the width they take up on a terminal.

use crate::look::Look;
use std::fmt::Write;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Breaks a text at spaces, and words that are too long anywhere; lines after the first are indented a little.
pub(crate) fn lines(text: &str, width: usize) -> Vec<String> {
    let indent = if width > 8 { "  " } else { "" };
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("one");
        let is_empty = line.trim().is_empty();
        if line.width() + usize::from(!is_empty) + word.width() <= width {
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            continue;
        }
        if !is_empty {
            lines.push(indent.to_owned());
        }
        for c in word.chars() {
            let line = lines.last_mut().expect("one");
            if line.width() + c.width().unwrap_or(0) > width {
                lines.push(indent.to_owned());
            }
            lines.last_mut().expect("one").push(c);
        }
    }
    lines
}

/// Adds a text, broken at spaces. Lines after the first are indented a little more; words that are too long stay whole, so
/// that a path can be copied.
pub(crate) fn wrap(out: &mut String, text: &str, indent: &str, width: usize) {
    for paragraph in text.lines() {
        let mut line = indent.to_owned();
        let mut empty = true;
        for word in paragraph.split(' ') {
            if !empty && line.width() + 1 + word.width() > width {
                let _ = writeln!(out, "{line}");
                line = format!("{indent}  ");
                empty = true;
            }
            if !empty {
                line.push(' ');
            }
            line.push_str(word);
            empty = false;
        }
        let _ = writeln!(out, "{line}");
    }
}

pub(crate) fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// The end of a path that is too long: its last part says most.
pub(crate) fn clip_left(text: &str, width: usize, look: &Look) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept: Vec<char> = Vec::new();
    let mut used = 1;
    for c in text.chars().rev() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(c);
    }
    kept.push(look.cut());
    kept.into_iter().rev().collect()
}

/// "1 step", "2 switches".
pub(crate) fn count(n: usize, word: &str) -> String {
    let plural = if word.ends_with("ch") { "es" } else { "s" };
    format!("{n} {word}{}", if n == 1 { "" } else { plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_broken_and_paths_are_cut_at_the_end_that_says_less() {
        assert_eq!(lines("compare_exchange head fails", 12), ["compare_exch", "  ange head", "  fails"]);
        assert_eq!(lines("short", 8), ["short"]);
        assert_eq!(clip_left("src/deep/down/file.rs:12", 12, &Look::plain(80)), "~/file.rs:12");
    }
}
