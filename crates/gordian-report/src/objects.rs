//! Short names for objects: what the source calls them where they are made, or else where they are used, or else kind and line
//! of creation; numbered where that does not tell them apart.

use crate::binding::{argument, binding, derived, field};
use crate::sources::{Sources, is_std, position};
use gordian_model::object::Channel;
use gordian_model::{Names, ObjectId, ObjectKind, SiteId, Trace};
use std::collections::BTreeMap;

/// The short names of the objects of one trace.
pub(crate) struct Objects {
    labels: Vec<String>,
    /// Short name, kind and place of creation of each object that a step touched.
    pub(crate) legend: Vec<(String, ObjectKind, SiteId)>,
    /// How messages name objects, and the short name instead.
    words: Vec<(String, String)>,
    forms: Vec<Form>,
}

/// How the source says that the values of an atomic are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Number,
    Signed(u32),
    Flag,
    Pointer,
}

impl Form {
    /// By what the expression that makes it begins with.
    fn of(made: &str) -> Form {
        let signed = |bits| (made.starts_with(&format!("AtomicI{bits}"))).then_some(Form::Signed(bits));
        match made {
            _ if made.starts_with("AtomicPtr") => Form::Pointer,
            _ if made.starts_with("AtomicBool") => Form::Flag,
            _ if made.starts_with("AtomicIsize") => Form::Signed(usize::BITS),
            _ => [8, 16, 32, 64].into_iter().find_map(signed).unwrap_or(Form::Number),
        }
    }
}

impl Objects {
    pub(crate) fn new(trace: &Trace, names: &Names, sources: &Sources) -> Objects {
        // A channel takes up several numbers in a row, and has the name of the first.
        let mut first: Vec<usize> = Vec::with_capacity(trace.objects.len());
        while first.len() < trace.objects.len() {
            let i = first.len();
            let numbers = if trace.objects[i].kind == ObjectKind::Channel { Channel::NUMBERS } else { 1 };
            first.extend((0..numbers as usize).map(|_| i));
        }
        let mut touched = vec![false; first.len()];
        let pending = trace.aftermath.iter().flat_map(|a| &a.pending).filter(|p| p.stuck);
        let pending = pending.flat_map(|p| [p.object, p.other]);
        let accesses = trace.steps.iter().flat_map(|s| &s.accesses).map(|a| a.object);
        for object in accesses.chain(pending).filter(|o| o.index() < trace.objects.len()) {
            touched[first[object.index()]] = true;
        }
        let shown: Vec<usize> = (0..trace.objects.len()).filter(|&i| touched[i]).collect();
        let base = |i: usize| {
            let info = trace.objects[i];
            let site = names.site(info.site).filter(|site| !is_std(&site.file));
            let name = name(info.kind, info.site, names, sources).or_else(|| used(i, trace, names, sources));
            match (name, info.kind, site) {
                (Some(name), ObjectKind::Arc, _) => format!("Arc({name})"),
                (Some(name), ..) => name,
                (None, kind, Some(site)) => format!("{kind}@{}", site.line),
                // Made by a function that was handed to one of std's.
                (None, kind, None) => kind.to_string(),
            }
        };
        let bases: BTreeMap<usize, String> = shown.iter().map(|&i| (i, base(i))).collect();
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        let mut labels = vec![String::new(); first.len()];
        let mut legend = Vec::new();
        let mut words: Vec<(String, String)> = Vec::new();
        for &i in &shown {
            let base = bases[&i].as_str();
            let alike = bases.values().filter(|b| *b == base).count();
            let count = counts.entry(base).or_default();
            *count += 1;
            let label = if alike == 1 { base.to_owned() } else { format!("{base}#{count}") };
            let info = trace.objects[i];
            if names.site(info.site).is_some_and(|site| !is_std(&site.file)) {
                legend.push((label.clone(), info.kind, info.site));
            }
            if alike == 1 {
                words.push((format!("{} {}", info.kind, names.place(info.site)), label.clone()));
            }
            labels[i] = label;
        }
        for i in 0..labels.len() {
            labels[i] = labels[first[i]].clone();
        }
        // Two objects from one place cannot be told apart by what messages say.
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        words.iter().for_each(|w| *seen.entry(w.0.clone()).or_default() += 1);
        words.retain(|w| seen[&w.0] == 1);
        let made = |i: usize| {
            let (site, source) = sources.site(trace.objects[i].site, names)?;
            let (at, end) = position(&source, site)?;
            Some(Form::of(&source[at..end]))
        };
        let forms = (0..trace.objects.len()).map(|i| made(i).unwrap_or(Form::Number)).collect();
        Objects { labels, legend, words, forms }
    }

    pub(crate) fn label(&self, object: ObjectId, names: &Names) -> String {
        match object.as_life() {
            Some(thread) => names.thread(thread),
            None => self.labels.get(object.index()).cloned().unwrap_or_default(),
        }
    }

    /// How its values are written.
    pub(crate) fn form(&self, object: ObjectId) -> Form {
        self.forms.get(object.index()).copied().unwrap_or(Form::Number)
    }

    /// A message with the short names of objects in the place of kind and position.
    pub(crate) fn rename(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (long, short) in &self.words {
            let mut out = String::new();
            let mut rest = text.as_str();
            while let Some(at) = rest.find(long.as_str()) {
                let (before, after) = (&rest[..at], &rest[at + long.len()..]);
                let whole = !after.starts_with(|c: char| c.is_ascii_digit());
                out += before;
                out += if whole { short } else { long };
                rest = after;
            }
            text = out + rest;
        }
        text
    }
}

fn name(kind: ObjectKind, site: SiteId, names: &Names, sources: &Sources) -> Option<String> {
    let (site, source) = sources.site(site, names)?;
    let at = position(&source, site)?.0;
    if !site.file.ends_with(".rs") {
        return argument(&source, at);
    }
    binding(&source, at).or_else(|| derived(&source, at, type_name(kind)?))
}

/// The name of the field that every step on the object calls a method of.
fn used(i: usize, trace: &Trace, names: &Names, sources: &Sources) -> Option<String> {
    let mut sites: Vec<SiteId> =
        trace.steps.iter().filter(|s| s.object.index() == i).map(|s| s.site).collect();
    sites.sort_unstable();
    sites.dedup();
    let mut fields = sites.iter().filter_map(|&site| {
        let (site, source) = sources.site(site, names)?;
        field(&source, position(&source, site)?.0)
    });
    let first = fields.next()?;
    fields.all(|other| other == first).then_some(first)
}

/// What the source calls the types of a kind, up to where they differ.
fn type_name(kind: ObjectKind) -> Option<&'static str> {
    match kind {
        ObjectKind::Atomic => Some("Atomic"),
        ObjectKind::Mutex => Some("Mutex"),
        ObjectKind::RwLock => Some("RwLock"),
        ObjectKind::Condvar => Some("Condvar"),
        ObjectKind::Arc => Some("Arc"),
        _ => None,
    }
}
