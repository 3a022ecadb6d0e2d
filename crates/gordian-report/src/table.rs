//! A table with one column for each thread, as wide as the terminal allows.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// One row: the number of the step, the column it stands in, what happened, and where.
pub(crate) struct Row {
    pub(crate) number: String,
    pub(crate) column: usize,
    pub(crate) text: String,
    pub(crate) place: String,
}

/// Lays the rows out in at most `width` columns of characters. With too many threads for that, a row names its thread.
pub(crate) fn lay_out(heads: &[String], rows: &[Row], width: usize) -> String {
    let number = rows.iter().map(|r| r.number.width()).max().unwrap_or(1).max(4);
    let place = rows.iter().map(|r| r.place.width()).max().unwrap_or(0).min(width / 3);
    let room = width.saturating_sub(number + place + 2);
    let column = room / heads.len().max(1);
    let longest = rows.iter().map(|r| &r.text).chain(heads).map(|t| t.width()).max().unwrap_or(0);
    if column >= 16 {
        columns(heads, rows, number, (column - 1).min(longest + 1), place)
    } else {
        listed(heads, rows, number, place, width)
    }
}

fn columns(heads: &[String], rows: &[Row], number: usize, column: usize, place: usize) -> String {
    let mut out = pad("step", number);
    for head in heads {
        out += " ";
        out += &pad(&clip(head, column), column);
    }
    out = out.trim_end().to_owned() + "\n";
    for row in rows {
        let mut line = pad(&row.number, number);
        for i in 0..heads.len() {
            line += " ";
            line += &pad(&if i == row.column { clip(&row.text, column) } else { String::new() }, column);
        }
        line += "  ";
        line += &clip_left(&row.place, place);
        out += line.trim_end();
        out += "\n";
    }
    out
}

fn listed(heads: &[String], rows: &[Row], number: usize, place: usize, width: usize) -> String {
    let head = heads.iter().map(|h| h.width()).max().unwrap_or(0);
    let room = width.saturating_sub(number + head + place + 5).max(8);
    let mut out = String::new();
    for row in rows {
        let line = format!(
            "{} {} {}  {}",
            pad(&row.number, number),
            pad(heads.get(row.column).map_or("", |h| h), head),
            pad(&clip(&row.text, room), room),
            clip_left(&row.place, place)
        );
        out += line.trim_end();
        out += "\n";
    }
    out
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// The beginning of a text that is too long.
fn clip(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used + 1 > width {
            break;
        }
        out.push(c);
    }
    out + "~"
}

/// The end of a path that is too long: its last part says most.
fn clip_left(text: &str, width: usize) -> String {
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
    kept.push('~');
    kept.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_clipped_at_the_end_that_says_less() {
        assert_eq!(clip("compare_exchange", 8), "compare~");
        assert_eq!(clip_left("src/deep/down/file.rs:12", 12), "~/file.rs:12");
        assert_eq!(clip("short", 8), "short");
    }

    #[test]
    fn every_line_fits_the_width() {
        let heads: Vec<String> = (0..12).map(|i| format!("main.{i}")).collect();
        let rows: Vec<Row> = (0..12)
            .map(|i| Row { number: i.to_string(), column: i, text: "x".repeat(60), place: "y".repeat(60) })
            .collect();
        for width in [40, 80, 120, 400] {
            assert!(lay_out(&heads, &rows, width).lines().all(|l| l.width() <= width), "{width}");
        }
    }
}
