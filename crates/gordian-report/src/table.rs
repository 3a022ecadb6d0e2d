//! A table with one column for each thread, as wide as the terminal allows. What does not fit into a cell goes on below.

use crate::look::{Colour, Look};
use crate::wrap::{clip_left, lines, pad};
use unicode_width::UnicodeWidthStr;

/// One row: the number of the step, the column it stands in, what happened, and where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) number: String,
    pub(crate) column: usize,
    pub(crate) text: String,
    pub(crate) place: String,
    pub(crate) colour: Option<Colour>,
}

/// Between two columns.
const GAP: usize = 2;
/// Narrower columns cannot be read.
const NARROWEST: usize = 16;

/// Lays the rows out in at most `width` columns of characters. With too many threads for that, a row names its thread.
pub(crate) fn lay_out(heads: &[String], rows: &[Row], look: &Look) -> String {
    let number = rows.iter().map(|r| r.number.width()).max().unwrap_or(1).max("step".len());
    let wanted: Vec<usize> = heads
        .iter()
        .enumerate()
        .map(|(i, head)| {
            let texts = rows.iter().filter(|r| r.column == i).map(|r| r.text.width());
            texts.max().unwrap_or(0).max(head.width()) + GAP
        })
        .collect();
    let place = |rows: &[Row]| rows.iter().map(|r| r.place.width()).max().unwrap_or(0).min(look.width / 3);
    let room = |place: usize| look.width.saturating_sub(number + place + if place > 0 { GAP } else { 0 });
    let full = place(rows);
    let widths = share(&wanted, room(full));
    if widths.as_ref() == Some(&wanted) {
        return columns(heads, rows, number, &wanted, full, look);
    }
    // Where room is scarce, the line has to do.
    let Some(file) = only_file(rows).map(str::to_owned) else {
        return match widths {
            Some(widths) => columns(heads, rows, number, &widths, full, look),
            None => listed(heads, rows, number, full, look),
        };
    };
    let mut rows = rows.to_vec();
    for row in rows.iter_mut().filter(|row| !row.place.is_empty()) {
        row.place.drain(..file.len());
    }
    let short = place(&rows);
    match share(&wanted, room(short)) {
        Some(widths) => columns(heads, &rows, number, &widths, short, look),
        None => listed(heads, &rows, number, short, look),
    }
}

/// The file, if all places are in the same.
fn only_file(rows: &[Row]) -> Option<&str> {
    let file = |place: &'_ str| place.rfind(':');
    let mut places = rows.iter().map(|r| r.place.as_str()).filter(|p| !p.is_empty());
    let first = places.next()?;
    let first = &first[..file(first)?];
    places.all(|p| file(p) == Some(first.len()) && p.starts_with(first)).then_some(first)
}

/// Gives each column what it wants, or as much as there is for it; `None` if that is too little.
fn share(wanted: &[usize], room: usize) -> Option<Vec<usize>> {
    let mut widths = vec![0; wanted.len()];
    let mut open: Vec<usize> = (0..wanted.len()).collect();
    let mut left = room;
    while !open.is_empty() {
        let each = left / open.len();
        let content: Vec<usize> = open.iter().copied().filter(|&i| wanted[i] <= each).collect();
        if content.is_empty() {
            if each < NARROWEST {
                return None;
            }
            open.iter().for_each(|&i| widths[i] = each);
            break;
        }
        for i in content {
            widths[i] = wanted[i];
            left -= wanted[i];
            open.retain(|&o| o != i);
        }
    }
    Some(widths)
}

fn columns(
    heads: &[String],
    rows: &[Row],
    number: usize,
    widths: &[usize],
    place: usize,
    look: &Look,
) -> String {
    let mut head = pad("step", number);
    for (text, &width) in heads.iter().zip(widths) {
        head += &" ".repeat(GAP);
        head += &pad(text, width - GAP);
    }
    let mut out = look.paint(Colour::Strong, head.trim_end()) + "\n";
    let all: usize = widths.iter().sum();
    for row in rows {
        let before: usize = widths[..row.column].iter().sum::<usize>() + GAP;
        let cell = widths.get(row.column).map_or(NARROWEST, |w| w - GAP);
        // A text without a column, such as how many rows were left out, has the whole width.
        let cell = if row.column >= heads.len() { all - GAP } else { cell };
        let before = if row.column >= heads.len() { GAP } else { before };
        for (i, text) in lines(&row.text, cell).iter().enumerate() {
            let mut line = pad(if i == 0 { &row.number } else { "" }, number);
            line += &" ".repeat(before);
            line += &paint(row, text, look);
            if i == 0 && !row.place.is_empty() {
                let place = clip_left(&row.place, place, look);
                line += &" ".repeat(all + GAP - before - text.width());
                line += &look.paint(Colour::Weak, &place);
            }
            out += line.trim_end();
            out += "\n";
        }
    }
    out
}

fn paint(row: &Row, text: &str, look: &Look) -> String {
    row.colour.map_or_else(|| text.to_owned(), |colour| look.paint(colour, text))
}

fn listed(heads: &[String], rows: &[Row], number: usize, place: usize, look: &Look) -> String {
    let head = heads.iter().map(|h| h.width()).max().unwrap_or(0).min(look.width / 4);
    let room = look.width.saturating_sub(number + head + place + 2 * GAP + 1).max(8);
    let mut out = String::new();
    for row in rows {
        for (i, text) in lines(&row.text, room).iter().enumerate() {
            let name = heads.get(row.column).map_or("", |h| h);
            let (nth, who) = if i == 0 { (row.number.as_str(), name) } else { ("", "") };
            let mut line =
                pad(nth, number) + " " + &pad(&clip_left(who, head, look), head) + &" ".repeat(GAP);
            line += &paint(row, text, look);
            if i == 0 {
                line += &" ".repeat(room.saturating_sub(text.width()) + GAP);
                line += &look.paint(Colour::Weak, &clip_left(&row.place, place, look));
            }
            out += line.trim_end();
            out += "\n";
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: &str, column: usize, text: &str, place: &str) -> Row {
        Row { number: number.into(), column, text: text.into(), place: place.into(), colour: None }
    }

    #[test]
    fn every_line_fits_the_width_and_nothing_is_lost() {
        let heads: Vec<String> = (0..12).map(|i| format!("main.{i}")).collect();
        let text = "word ".repeat(12);
        let rows: Vec<Row> = (0..12).map(|i| row(&i.to_string(), i, text.trim(), &"y".repeat(60))).collect();
        for width in [40, 60, 80, 120, 400] {
            let table = lay_out(&heads, &rows, &Look::plain(width));
            assert!(table.lines().all(|l| l.width() <= width), "{width}:\n{table}");
            assert_eq!(table.matches("word").count(), 12 * 12, "{width}:\n{table}");
        }
    }

    #[test]
    fn wide_characters_take_two_places() {
        let heads = ["main".to_owned(), "main.1".to_owned()];
        let rows = [row("1", 0, "変数 = 1", "a.rs:1"), row("2", 1, "x", "a.rs:2")];
        let table = lay_out(&heads, &rows, &Look::plain(80));
        assert_eq!(
            table,
            "step  main      main.1\n1     変数 = 1          a.rs:1\n2               x       a.rs:2\n"
        );
    }

    #[test]
    fn a_long_text_goes_on_below() {
        let heads = ["main".to_owned(), "main.1".to_owned()];
        let rows =
            [row("1", 0, "lock a, held by somebody else", ""), row("2", 1, "unlock the other one", "")];
        let table = lay_out(&heads, &rows, &Look::plain(40));
        assert_eq!(
            table,
            "step  main              main.1\n1     lock a, held by\n        somebody else\n2                       unlock the other\n                          one\n"
        );
    }
}
