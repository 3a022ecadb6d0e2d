//! The text of a failure: what failed and where, the interleaving, why, what the names mean.

use crate::describe::Words;
use crate::facts::Facts;
use crate::fold::{Item, all, fold};
use crate::look::{Colour, Look};
use crate::objects::Objects;
use crate::snippet::snippet;
use crate::sources::{Sources, is_std};
use crate::table::{Row, lay_out};
use crate::wrap::{count, wrap};
use gordian_model::{
    Decisive, Failure, FailureKind, Insight, Later, Minimised, Names, ObjectKind, SiteId, ThreadId, Trace,
};
use std::cell::RefCell;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Rows shown of a long trace: from its beginning and from its end.
const FIRST: usize = 40;
const LAST: usize = 120;

/// A failing execution, and what is known about it.
#[derive(Clone, Copy, Debug)]
pub struct Story<'a> {
    /// How it failed.
    pub failure: &'a Failure,
    /// What it did.
    pub trace: &'a Trace,
    /// The names that both use.
    pub names: &'a Names,
    /// What running it again has told.
    pub insight: &'a Insight,
}

/// The text of a failing execution.
pub fn text(story: &Story<'_>, sources: &Sources, look: &Look) -> String {
    let Story { failure, trace, names, insight } = *story;
    let objects = Objects::new(trace, names, sources);
    let mut out = String::new();
    let mut verdict = String::new();
    wrap(&mut verdict, &objects.rename(&failure.message), "", look.width);
    for line in verdict.lines() {
        let _ = writeln!(out, "{}", look.paint(Colour::Bad, line));
    }
    if names.site(failure.site).is_some() {
        let _ = writeln!(out, "  at {}", names.place(failure.site));
    }
    let shown = snippet(failure, names, sources, look);
    // The snippet says where, and of both sides of a race what they did.
    let is_shown = shown.is_some();
    let told = is_shown && matches!(failure.kind, FailureKind::DataRace | FailureKind::Leak);
    out += &shown.unwrap_or_default();
    for note in failure.notes.iter().filter(|_| !told) {
        let who = note.thread.map_or_else(String::new, |t| format!("{}: ", names.thread(t)));
        let place = names.site(note.site).filter(|_| !is_shown);
        let place = place.map_or_else(String::new, |s| format!(" ({s})"));
        wrap(&mut out, &format!("- {who}{}{place}", objects.rename(&note.text)), "  ", look.width);
    }
    if trace.is_empty() {
        return out;
    }
    let facts = Facts::new(trace);
    let addresses = RefCell::default();
    let words = Words { trace, names, objects: &objects, facts: &facts, look, addresses };
    let switches = trace.steps.windows(2).filter(|w| w[0].thread != w[1].thread).count();
    let head = format!(
        "the interleaving: {}, {}, {}",
        count(trace.len(), "step"),
        count(switches, "switch"),
        count(trace.preemptions(), "preemption")
    );
    let mut wrapped = String::new();
    wrap(&mut wrapped, &head, "", look.width);
    out.push('\n');
    for line in wrapped.lines() {
        let _ = writeln!(out, "{}", look.paint(Colour::Strong, line));
    }
    out += &interleaving(ends(failure, &words), &words);
    if !objects.legend.is_empty() {
        let file = names.site(failure.site).map(|site| site.file.as_str());
        let entry = |(label, kind, site): &(String, ObjectKind, SiteId)| match names.site(*site) {
            Some(site) if Some(site.file.as_str()) == file => format!("{label} ({kind}, line {})", site.line),
            _ => format!("{label} ({kind}, {})", names.place(*site)),
        };
        let entries: Vec<String> = objects.legend.iter().map(entry).collect();
        wrap(&mut out, &format!("objects: {}", entries.join("; ")), "", look.width);
    }
    if let Some(why) = why(insight, &words) {
        wrap(&mut out, &format!("why: {why}"), "", look.width);
    }
    if let Some(minimised) = &insight.minimised {
        wrap(&mut out, &format!("minimised: {}", how_much(minimised, trace)), "", look.width);
    }
    out
}

/// The pair of steps whose order decides, in a sentence.
pub(crate) fn why(insight: &Insight, words: &Words<'_>) -> Option<String> {
    let Words { trace, names, .. } = words;
    let step = |at: u32| {
        let step = trace.steps.get(at as usize)?;
        let what = format!("{} {}", step.kind.verb(), words.object(step));
        Some(format!("step {} ({}: {})", at + 1, names.thread(step.thread), what.trim_end()))
    };
    match insight.decisive {
        Some(Decisive { earlier, later: Later::Step(later), at_once }) => {
            let who = names.thread(trace.steps.get(later as usize)?.thread);
            let more = if at_once { String::new() } else { format!(" and what {who} does next") };
            Some(format!("with {}{more} before {} the test passes", step(later)?, step(earlier)?))
        }
        Some(Decisive { earlier, later: Later::Waiting(thread), .. }) => {
            let pending = trace.aftermath.iter().flat_map(|a| &a.pending).find(|p| p.thread == thread)?;
            let object = words.objects.label(pending.object, names);
            let verb = pending.kind.verb();
            let who = names.thread(thread);
            Some(format!("with {verb} {object} by {who} before {} the test passes", step(earlier)?))
        }
        None if insight.reversed == 0 => None,
        None if insight.reversed == 1 => Some(
            "the only two conflicting steps were put in the other order, and it failed all the same"
                .to_owned(),
        ),
        None => Some(format!(
            "no two steps decide alone: {} pairs that conflict were put in the other order, and it failed all the same",
            insight.reversed
        )),
    }
}

/// What was left out, and how much was tried.
pub(crate) fn how_much(minimised: &Minimised, trace: &Trace) -> String {
    let Minimised { executions, proved, preemptions, threads, steps } = *minimised;
    let mut now: Vec<ThreadId> = trace.steps.iter().map(|s| s.thread).collect();
    now.sort_unstable();
    now.dedup();
    let left = [
        (trace.preemptions(), preemptions, "preemption"),
        (now.len(), threads, "thread"),
        (trace.len(), steps, "step"),
    ];
    let less: Vec<String> = left
        .iter()
        .filter(|(now, first, _)| *now < *first as usize)
        .map(|(now, first, word)| format!("{} instead of {first}", count(*now, word)))
        .collect();
    let result = if less.is_empty() { "as small as it was found".to_owned() } else { less.join(", ") };
    let fewer = match (proved, trace.preemptions()) {
        (_, 0) => "",
        (true, _) => "; no execution with fewer preemptions fails like this",
        (false, _) => "; fewer preemptions may do (more is tried with GORDIAN_MINIMISE)",
    };
    format!("{result} ({} tried){fewer}", count(executions as usize, "execution"))
}

/// The table of the steps, and below it what it came to.
pub(crate) fn interleaving(ends: Vec<(ThreadId, String, SiteId)>, words: &Words<'_>) -> String {
    let Words { trace, names, look, .. } = words;
    let mut threads: Vec<ThreadId> = trace.steps.iter().map(|s| s.thread).collect();
    threads.extend(ends.iter().map(|end| end.0));
    threads.sort_unstable();
    threads.dedup();
    let heads: Vec<String> = threads.iter().map(|&t| names.thread(t)).collect();
    let column = |thread: ThreadId| threads.binary_search(&thread).unwrap_or(0);
    let mut rows = Vec::new();
    for item in if look.detailed { all(trace) } else { fold(trace, words.facts) } {
        let at = match item {
            Item::Step(at) | Item::Pair(at) | Item::Stretch(at, _) | Item::Rounds(at, ..) => at,
        };
        let step = &trace.steps[at];
        let is_switch = at > 0 && trace.steps[at - 1].thread != step.thread;
        if is_switch
            && !matches!(item, Item::Rounds(..))
            && let Some(text) = words.switch(at)
        {
            let column = column(trace.steps[at - 1].thread);
            rows.push(Row { column, text, colour: Some(Colour::Switch), ..Row::default() });
        }
        let place = place(step.site, names);
        rows.push(match item {
            Item::Step(_) => Row {
                number: (at + 1).to_string(),
                column: column(step.thread),
                text: words.step(at),
                place,
                colour: None,
            },
            Item::Pair(_) => Row {
                number: format!("{}-{}", at + 1, at + 2),
                column: column(step.thread),
                text: format!("{}, unlock", words.step(at)),
                place,
                colour: None,
            },
            Item::Stretch(_, end) => Row {
                number: format!("{}-{end}", at + 1),
                column: column(step.thread),
                text: stretch(at, end, words),
                place,
                colour: Some(Colour::Weak),
            },
            Item::Rounds(_, length, rounds) => Row {
                number: "...".to_owned(),
                column: column(step.thread),
                text: around(at, length, rounds),
                place: String::new(),
                colour: Some(Colour::Weak),
            },
        });
    }
    if rows.len() > FIRST + LAST && !look.detailed {
        let hidden = rows.len() - FIRST - LAST;
        let text = format!("({hidden} rows left out; GORDIAN_DETAILED=1 shows every step)");
        let row = Row { number: "...".into(), column: heads.len(), text, ..Row::default() };
        rows.splice(FIRST..FIRST + hidden, [row]);
    }
    for (thread, text, site) in ends {
        let place = place(site, names);
        rows.push(Row {
            number: String::new(),
            column: column(thread),
            text,
            place,
            colour: Some(Colour::Bad),
        });
    }
    shorten_places(&mut rows, look.width);
    lay_out(&heads, &rows, look)
}

/// What it came to in the end: who fails, or who cannot go on, how and where.
fn ends(failure: &Failure, words: &Words<'_>) -> Vec<(ThreadId, String, SiteId)> {
    let failing =
        |text: &str| failure.thread.map(|t| (t, text.to_owned(), failure.site)).into_iter().collect();
    match failure.kind {
        FailureKind::Deadlock | FailureKind::Livelock => {
            let pending = words.trace.aftermath.iter().flat_map(|a| &a.pending);
            pending.filter(|p| p.stuck).map(|p| (p.thread, words.stuck(p), p.site)).collect()
        }
        FailureKind::Panic => failing("panics"),
        FailureKind::DataRace => {
            let what = failure.notes.first().map_or("", |note| note.text.trim_end_matches(" here"));
            failing(&format!("{what}: data race"))
        }
        FailureKind::Crash => failing("crashes"),
        FailureKind::StepLimit => failing("goes on"),
        _ => Vec::new(),
    }
}

/// Steps that do not matter, and at what they were.
fn stretch(at: usize, end: usize, words: &Words<'_>) -> String {
    let mut labels: Vec<String> = Vec::new();
    for step in &words.trace.steps[at..end] {
        let label = words.object(step);
        if !label.is_empty() && !labels.contains(&label) {
            labels.push(label);
        }
    }
    let on = match labels.len() {
        0 => String::new(),
        1..=3 => format!(" on {}", labels.join(", ")),
        n => format!(" on {} and {} others", labels[..2].join(", "), n - 2),
    };
    format!("({}{on})", count(end - at, "step"))
}

/// Rounds like the steps before them.
fn around(at: usize, length: usize, rounds: usize) -> String {
    let like = match length {
        1 => format!("step {at}"),
        _ => format!("steps {} to {at}", at + 1 - length),
    };
    format!("({} like {like}, up to {})", count(rounds, "more round"), at + length * rounds)
}

/// Where a step stands, unless that is inside the standard library: a guard is dropped by code of the compiler's, which has
/// no place in the source.
pub(crate) fn place(site: SiteId, names: &Names) -> String {
    match names.site(site) {
        Some(site) if !is_std(&site.file) => site.to_string(),
        _ => String::new(),
    }
}

/// Leaves out the folder that all places share, if they take too much room: the failure itself is shown with it.
fn shorten_places(rows: &mut [Row], width: usize) {
    if rows.iter().all(|r| r.place.width() <= width / 5) {
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
