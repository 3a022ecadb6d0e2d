//! The report of a failure as one page that needs nothing else: no network, no other file.
//!
//! What can be worked out here is: the arrows between threads, what each object held after each step, the lines of
//! the source. The page (`page.html`, `page.css`, `page.js`) only draws it. It gets the data as JSON; texts that occur often are
//! written once and numbered.

mod arrows;
mod explored;
mod sources;
mod states;

use crate::describe::Words;
use crate::facts::Facts;
use crate::look::Look;
use crate::objects::Objects;
use crate::sources::Sources;
use crate::text::{how_much, place, why};
use arrows::{Why, arrows};
use gordian_model::{Act, Exploration, Failure, Insight, Names, ObjectId, SiteId, ThreadId, Trace};
use serde_json::{Value, json};
use states::{Held, Shown, timelines};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a page is about.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// The name of the test; empty if it has none.
    pub test: &'a str,
    /// What is wrong.
    pub failure: &'a Failure,
    /// The failing execution.
    pub trace: &'a Trace,
    /// Its names.
    pub names: &'a Names,
    /// The execution as it was found, if the one above was made smaller.
    pub original: Option<(&'a Trace, &'a Names)>,
    /// What running it again has told.
    pub insight: &'a Insight,
    /// How it was found, if that is known.
    pub exploration: Option<&'a Exploration>,
    /// The line that replays it.
    pub replay: Option<&'a str>,
    /// The source that its places lie in.
    pub sources: &'a Sources,
}

/// The page as a text to be written to a file.
pub fn html(page: &Page<'_>) -> String {
    let Page { failure, trace, names, sources, insight, .. } = *page;
    let objects = Objects::new(trace, names, sources);
    let mut notes = String::new();
    for note in &failure.notes {
        let who = note.thread.map_or_else(String::new, |t| format!("{}: ", names.thread(t)));
        let site = place(note.site, names);
        let site = if site.is_empty() { site } else { format!(" ({site})") };
        notes += &format!("<li>{}</li>\n", escaped(&format!("{who}{}{site}", objects.rename(&note.text))));
    }
    let facts = Facts::new(trace);
    if let Some(why) = why(insight, &words(trace, names, &objects, &facts)) {
        notes += &format!("<li>why: {}</li>\n", escaped(&why));
    }
    if let Some(minimised) = &insight.minimised {
        notes += &format!("<li>minimised: {}</li>\n", escaped(&how_much(minimised, trace)));
    }
    let site = names.site(failure.site).map_or_else(String::new, |site| format!("at {site}"));
    let title = if page.test.is_empty() { "Gordian" } else { page.test };
    // As part of a script, the text must not end it, nor begin a comment.
    let data = data(page).to_string().replace('<', "\\u003c");
    fill(
        include_str!("page.html"),
        &[
            ("title", &escaped(title)),
            ("kind", &escaped(&failure.kind.to_string())),
            ("message", &escaped(&objects.rename(&failure.message))),
            ("place", &escaped(&site)),
            ("notes", &notes),
            ("css", include_str!("page.css")),
            ("js", concat!(include_str!("page.js"), include_str!("explored.js"))),
            ("data", &data),
        ],
    )
}

/// For a page, which may use any character.
const LOOK: Look = Look { width: 80, colour: false, unicode: true, detailed: true };

fn words<'a>(trace: &'a Trace, names: &'a Names, objects: &'a Objects, facts: &'a Facts) -> Words<'a> {
    Words { trace, names, objects, facts, look: &LOOK, addresses: RefCell::default() }
}

/// Puts the values in the places of `{{name}}`, in one pass: what is put in is not looked at again.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("our own template");
        let value = values.iter().find(|v| v.0 == name).expect("our own template").1;
        out += before;
        out += value;
        rest = after;
    }
    out + rest
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Numbers things, each once.
#[derive(Default)]
struct Table<T> {
    numbers: HashMap<T, usize>,
    entries: Vec<T>,
}

impl<T: Clone + std::hash::Hash + Eq> Table<T> {
    fn number(&mut self, entry: T) -> usize {
        *self.numbers.entry(entry).or_insert_with_key(|entry| {
            self.entries.push(entry.clone());
            self.entries.len() - 1
        })
    }
}

/// What the traces of a page share.
#[derive(Default)]
struct Tables {
    texts: Table<String>,
    /// File, line.
    sites: Table<(String, u32)>,
    /// Threads that could go on.
    sets: Table<Vec<usize>>,
}

impl Tables {
    fn text(&mut self, text: impl Into<String>) -> usize {
        self.texts.number(text.into())
    }

    /// The number of the place plus one; zero if it has none, or lies in the standard library.
    fn site(&mut self, site: SiteId, names: &Names) -> usize {
        match names.site(site) {
            Some(at) if !place(site, names).is_empty() => self.sites.number((at.file.clone(), at.line)) + 1,
            _ => 0,
        }
    }
}

fn data(page: &Page<'_>) -> Value {
    let mut tables = Tables::default();
    let mut traces = vec![trace((page.trace, page.names), Some(page.failure), page.sources, &mut tables)];
    if let Some((original, names)) = page.original {
        traces.push(trace((original, names), original.failure(), page.sources, &mut tables));
    }
    let every_site = [Some(page.names), page.original.map(|o| o.1)];
    let shown: BTreeSet<&(String, u32)> = tables.sites.entries.iter().collect();
    let sites = every_site.iter().flatten().flat_map(|names| names.sites());
    let sites = sites.filter(|site| shown.contains(&(site.file.clone(), site.line)));
    let sources = sources::sources(sites, page.sources);
    let whys: Vec<_> = Why::ALL.iter().map(|(_, later, earlier)| json!([later, earlier])).collect();
    let explored = page.exploration.map(explored::rows);
    let course = page.exploration.map(|found| explored::course(&found.course, page.names));
    json!({
        "test": page.test,
        "replay": page.replay,
        "texts": tables.texts.entries,
        "sites": tables.sites.entries,
        "sets": tables.sets.entries,
        "whys": whys,
        "traces": traces,
        "sources": sources,
        "exploration": explored,
        "course": course,
    })
}

fn trace(
    (trace, names): (&Trace, &Names),
    failure: Option<&Failure>,
    sources: &Sources,
    tables: &mut Tables,
) -> Value {
    let notes = failure.map_or(&[][..], |f| &f.notes);
    let stepped = trace.steps.iter().map(|s| s.thread);
    let told = notes.iter().filter_map(|n| n.thread).chain(failure.and_then(|f| f.thread));
    let threads: BTreeSet<ThreadId> = stepped.chain(told).collect();
    let lanes: BTreeMap<ThreadId, usize> = threads.iter().enumerate().map(|(i, &t)| (t, i)).collect();

    let shown = Shown::new(trace);
    let (labels, facts) = (Objects::new(trace, names, sources), Facts::new(trace));
    let words = words(trace, names, &labels, &facts);
    let value = |value, object| words.value(value, object);
    let timelines = timelines(&Held { trace, names, value: &value }, &shown);
    let numbers: HashMap<ObjectId, usize> =
        timelines.iter().enumerate().map(|(i, t)| (t.object, i)).collect();
    let objects: Vec<Value> = timelines
        .iter()
        .map(|timeline| {
            let info = trace.object(timeline.object);
            let at: Vec<u32> = timeline.states.iter().map(|s| s.0).collect();
            let is: Vec<usize> = timeline.states.iter().map(|s| tables.text(s.1.as_str())).collect();
            json!({
                "name": labels.label(timeline.object, names),
                "kind": info.map_or_else(|| "thread".to_owned(), |info| info.kind.to_string()),
                "site": info.map_or(0, |info| tables.site(info.site, names)),
                "at": at,
                "is": is,
            })
        })
        .collect();

    let mut born: HashMap<ThreadId, u32> = HashMap::new();
    let mut ended: BTreeSet<ThreadId> = BTreeSet::new();
    let mut steps = Vec::new();
    for (i, step) in trace.steps.iter().enumerate() {
        let after = || step.after.iter().filter(|&&at| (at as usize) < i);
        born.entry(step.thread).or_insert_with(|| after().max().map_or(0, |at| at + 1));
        let exits = step.accesses.iter().filter(|a| a.act == Act::Exit).filter_map(|a| a.object.as_life());
        ended.extend(exits);
        let enabled: Vec<usize> = trace.enabled(i).iter().filter_map(|t| lanes.get(&t).copied()).collect();
        let touched: Vec<usize> = shown.of(step).iter().map(|o| numbers[o]).collect();
        steps.push(json!([
            lanes[&step.thread],
            tables.text(words.step(i)),
            tables.site(step.site, names),
            u8::from(trace.is_preemption(i)),
            tables.sets.number(enabled),
            touched,
        ]));
    }
    let arrows: Vec<_> =
        arrows(trace, names).iter().map(|a| json!([a.from + 1, a.to + 1, a.why as u8])).collect();
    let end = failure.map(|failure| {
        let notes: Vec<Value> = notes
            .iter()
            .map(|n| {
                json!([
                    n.thread.and_then(|t| lanes.get(&t)),
                    labels.rename(&n.text),
                    tables.site(n.site, names)
                ])
            })
            .collect();
        json!({
            "kind": failure.kind.to_string(),
            "message": labels.rename(&failure.message),
            "thread": failure.thread.and_then(|t| lanes.get(&t)),
            "site": tables.site(failure.site, names),
            "notes": notes,
        })
    });
    let lives: Vec<Value> = threads
        .iter()
        .map(|t| json!([names.thread(*t), born.get(t).copied().unwrap_or(0), ended.contains(t)]))
        .collect();
    json!({ "threads": lives, "objects": objects, "steps": steps, "arrows": arrows, "end": end })
}

#[cfg(test)]
mod tests;
