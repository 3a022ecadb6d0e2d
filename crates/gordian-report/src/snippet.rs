//! The lines of the source that a failure is about.

use crate::look::Look;
use crate::sources::{Sources, position};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use gordian_model::{Failure, FailureKind, Names, SiteId};
use std::rc::Rc;
use unicode_width::UnicodeWidthStr;

/// Places that are shown at most.
const MOST: usize = 6;

/// The places of a failure in the source, each with what happened there; nothing if the source cannot be read.
pub(crate) fn snippet(failure: &Failure, names: &Names, sources: &Sources, look: &Look) -> Option<String> {
    let mut places: Vec<(SiteId, String)> = Vec::new();
    let mut add = |site: SiteId, label: String| match places.iter_mut().find(|p| p.0 == site) {
        Some((_, known)) if label.is_empty() || known.contains(&label) => {}
        Some((_, known)) if known.is_empty() => *known = label,
        Some((_, known)) => *known = format!("{known}; {label}"),
        None => places.push((site, label)),
    };
    add(failure.site, primary(failure, names));
    for note in &failure.notes {
        let who = note.thread.map(|t| names.thread(t)).unwrap_or_default();
        let label = match failure.kind {
            FailureKind::DataRace => format!("{who}: {}", note.text),
            FailureKind::Deadlock => format!("{who} waits here"),
            FailureKind::Livelock if note.text.starts_with("runs in a loop") => {
                format!("{who} loops here")
            }
            FailureKind::Livelock => format!("{who} waits here"),
            FailureKind::Panic => format!("{who} panicked before"),
            _ => note.text.clone(),
        };
        add(note.site, label);
    }
    let mut files: Vec<File<'_>> = Vec::new();
    for (i, (site, label)) in places.iter().take(MOST).enumerate() {
        let Some((site, source)) = sources.site(*site, names) else { continue };
        let Some((start, end)) = position(&source, site) else { continue };
        let mark = Mark { start, end, label, is_primary: i == 0 };
        match files.iter_mut().find(|f| f.name == site.file) {
            Some(file) => file.marks.push(mark),
            None => files.push(File { name: &site.file, source, marks: vec![mark] }),
        }
    }
    // What does not fit is marked with less.
    let forms = [(expression as fn(&str) -> usize, true), (head, true), (head, false)];
    // Colours take up no room, so what fits is found without them.
    let plain = Look { colour: false, ..*look };
    let fits = |text: &str| text.lines().all(|line| line.width() <= look.width);
    let is_empty = files.is_empty();
    let mut fitting = forms.iter().filter(|form| !is_empty && fits(&draw(&files, form.0, form.1, &plain)));
    fitting.next().map(|form| draw(&files, form.0, form.1, look))
}

/// A file, and what is marked in it.
struct File<'a> {
    name: &'a str,
    source: Rc<str>,
    marks: Vec<Mark<'a>>,
}

/// A place: where it begins and where its line ends.
struct Mark<'a> {
    start: usize,
    end: usize,
    label: &'a str,
    is_primary: bool,
}

fn draw(files: &[File<'_>], extent: fn(&str) -> usize, labelled: bool, look: &Look) -> String {
    let mut group = Group::with_level(Level::ERROR);
    for File { name, source, marks } in files {
        let mut part = Snippet::source(&**source).fold(true);
        if files.len() > 1 {
            part = part.path(*name);
        }
        for mark in marks {
            let kind = if mark.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let span = kind.span(mark.start..mark.start + extent(&source[mark.start..mark.end]));
            let label = labelled && !mark.label.is_empty();
            part = part.annotation(if label { span.label(mark.label) } else { span });
        }
        group = group.element(part);
    }
    let renderer = if look.colour { Renderer::styled() } else { Renderer::plain() };
    let style = if look.unicode { DecorStyle::Unicode } else { DecorStyle::Ascii };
    let text = renderer.decor_style(style).term_width(look.width).render(&[group]);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

/// What happened where the failure showed.
fn primary(failure: &Failure, names: &Names) -> String {
    let who = failure.thread.map(|t| names.thread(t)).unwrap_or_default();
    match failure.kind {
        FailureKind::StepLimit => format!("{who} was here"),
        FailureKind::Crash => format!("{who} was here last"),
        _ => String::new(),
    }
}

/// How many bytes of a line belong to the expression that it begins with.
fn expression(text: &str) -> usize {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth <= 1 => return if depth == 1 { i + 1 } else { i.max(1) },
            ')' | ']' | '}' => depth -= 1,
            ';' | ',' if depth == 0 => return i.max(1),
            _ => {}
        }
    }
    text.len().max(1)
}

/// How many bytes belong to the first word.
fn head(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || "_:!.".contains(c))).unwrap_or(text.len()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_ends_with_its_brackets() {
        for (text, expected) in [
            ("assert!(a == (b));", "assert!(a == (b))"),
            ("lock().unwrap() -= 1;", "lock()"),
            ("counter, 1)", "counter"),
            ("foo(1,", "foo(1,"),
        ] {
            assert_eq!(&text[..expression(text)], expected);
        }
    }
}
