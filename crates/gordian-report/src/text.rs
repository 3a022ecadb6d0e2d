//! The text of a failure: what failed, the interleaving, what the names mean.

use crate::objects::Objects;
use crate::table::{Row, lay_out};
use gordian_model::{Act, Failure, Names, OpKind, SiteId, Step, ThreadId, Trace};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Rows shown of a long trace: from its beginning and from its end.
const FIRST: usize = 40;
const LAST: usize = 120;

/// The text of a failing execution, for a terminal of `width` characters.
pub fn text(failure: &Failure, trace: &Trace, names: &Names, width: usize) -> String {
    let mut out = String::new();
    wrap(&mut out, &failure.message, "", width);
    if names.site(failure.site).is_some() {
        let _ = writeln!(out, "  at {}", names.place(failure.site));
    }
    for note in &failure.notes {
        let who = note.thread.map_or_else(String::new, |t| format!("{}: ", names.thread(t)));
        let place = names.site(note.site).map_or_else(String::new, |s| format!(" ({s})"));
        wrap(&mut out, &format!("- {who}{}{place}", note.text), "  ", width);
    }
    if trace.is_empty() {
        return out;
    }
    let switches = trace.steps.windows(2).filter(|w| w[0].thread != w[1].thread).count();
    let _ = writeln!(
        out,
        "\nthe interleaving: {}, {}, {}",
        count(trace.len(), "step"),
        count(switches, "switch"),
        count(trace.preemptions(), "preemption")
    );
    out.push_str(&interleaving(trace, names, width));
    out
}

/// Breaks a text at spaces. Lines after the first are indented a little more; words that are too long stay whole, so that
/// a path can be copied.
fn wrap(out: &mut String, text: &str, indent: &str, width: usize) {
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

fn count(n: usize, word: &str) -> String {
    let plural = if word.ends_with("ch") { "es" } else { "s" };
    format!("{n} {word}{}", if n == 1 { "" } else { plural })
}

fn interleaving(trace: &Trace, names: &Names, width: usize) -> String {
    let objects = Objects::new(trace, names);
    let mut threads: Vec<ThreadId> = trace.steps.iter().map(|s| s.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let heads: Vec<String> = threads.iter().map(|&t| names.thread(t)).collect();
    let folded = fold(trace);
    let mut rows = Vec::new();
    for (i, &(at, times)) in folded.iter().enumerate() {
        if i == FIRST && folded.len() > FIRST + LAST {
            let hidden = folded.len() - FIRST - LAST;
            rows.push(Row {
                number: "...".into(),
                column: 0,
                text: format!("({hidden} rows left out)"),
                place: String::new(),
            });
        }
        if i >= FIRST && i + LAST < folded.len() {
            continue;
        }
        let step = &trace.steps[at];
        let column = threads.binary_search(&step.thread).unwrap_or(0);
        let mark = if trace.is_preemption(at) { "!" } else { "" };
        let mut text = describe(step, &objects, names);
        if times > 1 {
            let _ = write!(text, " (x{times})");
        }
        rows.push(Row { number: format!("{}{mark}", at + 1), column, text, place: place(step.site, names) });
    }
    shorten_places(&mut rows, width);
    let mut out = lay_out(&heads, &rows, width);
    if trace.preemptions() > 0 {
        out.push_str("(! a switch away from a thread that could have gone on)\n");
    }
    if !objects.legend.is_empty() {
        let entries: Vec<String> =
            objects.legend.iter().map(|(label, place)| format!("{label} {place}")).collect();
        wrap(&mut out, &format!("objects: {}", entries.join(", ")), "", width);
    }
    out
}

/// Where a step stands, unless that is inside the standard library: a guard is dropped by code of the compiler's, which has
/// no place in the source.
pub(crate) fn place(site: SiteId, names: &Names) -> String {
    let in_std = |file: &str| file.starts_with("/rustc/") || file.contains("/library/core/src/");
    if names.site(site).is_some_and(|s| in_std(&s.file)) { String::new() } else { names.place(site) }
}

/// Leaves out the folder that all places share, if they take too much room: the failure itself is shown with it.
fn shorten_places(rows: &mut [Row], width: usize) {
    if rows.iter().all(|r| r.place.width() <= width / 4) {
        return;
    }
    let folder = |place: &str| place.rfind('/').map_or(0, |slash| slash + 1);
    let mut places = rows.iter().map(|r| r.place.as_str()).filter(|p| !p.is_empty());
    let first = places.next().unwrap_or_default().to_owned();
    let mut shared = folder(&first);
    for place in places {
        let same = first.bytes().zip(place.bytes()).take_while(|(a, b)| a == b).count();
        shared = folder(&first[..shared.min(first.floor_char_boundary(same))]);
    }
    for row in rows.iter_mut().filter(|r| !r.place.is_empty()) {
        row.place.drain(..shared);
    }
}

/// Runs of the same step of the same thread become one row: number of the first, and how many.
fn fold(trace: &Trace) -> Vec<(usize, usize)> {
    let mut rows: Vec<(usize, usize)> = Vec::new();
    for (i, step) in trace.steps.iter().enumerate() {
        if let Some((at, times)) = rows.last_mut() {
            let first = &trace.steps[*at];
            let same = (first.thread, first.kind, first.site, first.value, first.ok)
                == (step.thread, step.kind, step.site, step.value, step.ok);
            if same {
                *times += 1;
                continue;
            }
        }
        rows.push((i, 1));
    }
    rows
}

pub(crate) fn describe(step: &Step, objects: &Objects, names: &Names) -> String {
    let verb = step.kind.verb();
    let object = step.accesses.iter().find(|a| a.act != Act::Exit).map(|a| objects.label(a.object, names));
    let object = object.unwrap_or_default();
    let value = |v: u64| if v > u64::MAX / 2 { (v as i64).to_string() } else { v.to_string() };
    match step.kind {
        OpKind::Load => format!("{verb} {object} = {}", value(step.value)),
        OpKind::Store => format!("{verb} {object} <- {}", value(step.arg)),
        OpKind::CompareExchange | OpKind::CompareExchangeWeak if step.ok => {
            format!("{verb} {object} (was {})", value(step.value))
        }
        OpKind::CompareExchange | OpKind::CompareExchangeWeak => {
            format!("{verb} {object} fails (is {})", value(step.value))
        }
        kind if kind.rmw().is_some() => {
            format!("{verb} {object} {} (was {})", value(step.arg), value(step.value))
        }
        OpKind::Choose => format!("{verb} {} of {}", step.value, step.outcomes),
        OpKind::WakeTimed if step.value == 0 => format!("time out {object}"),
        OpKind::TryLock
        | OpKind::TryReadLock
        | OpKind::TryWriteLock
        | OpKind::TryAcquire
        | OpKind::TrySend
        | OpKind::Send
            if !step.ok =>
        {
            format!("{verb} {object} fails")
        }
        OpKind::Receive | OpKind::TryReceive if !step.ok => format!("{verb} {object} finds nothing"),
        OpKind::ReceiveTimed | OpKind::ParkTimed if !step.ok => format!("{verb} {object} times out"),
        _ if object.is_empty() => verb.to_owned(),
        _ => format!("{verb} {object}"),
    }
}
