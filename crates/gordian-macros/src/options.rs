//! The options of the attribute. Values are checked here as far as their form goes and passed on as text; what they mean
//! is decided where the environment and `gordian.toml` are read, by the same code.

use crate::Error;
use proc_macro2::{Span, TokenStream, TokenTree};

/// The form of a value, and an example.
enum Form {
    Text(&'static str),
    Time,
    Number(&'static str),
    Flag(&'static str),
    /// A word on its own, or with the kind of failure.
    ShouldFail,
    Cover,
}

const OPTIONS: [(&str, Form); 14] = [
    ("search", Form::Text("\"exhaustive\"")),
    ("executions", Form::Number("10_000")),
    ("time", Form::Time),
    ("seed", Form::Number("7")),
    ("memory", Form::Number("268_435_456")),
    ("steps", Form::Number("20_000")),
    ("fair_rounds", Form::Number("16")),
    ("stack_size", Form::Number("262_144")),
    ("leaks", Form::Flag("false")),
    ("weak_failures", Form::Flag("true")),
    ("spurious_wakeups", Form::Flag("true")),
    ("minimise", Form::Number("1_000")),
    ("should_fail", Form::ShouldFail),
    ("cover", Form::Cover),
];

const KINDS: [&str; 9] = [
    "panic",
    "deadlock",
    "livelock",
    "data race",
    "leak",
    "step limit",
    "nondeterminism",
    "crash",
    "not covered",
];

/// What the attribute says.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// Key and value, as text.
    pub(crate) settings: Vec<(String, String)>,
    /// Empty: any kind.
    pub(crate) should_fail: Option<String>,
    pub(crate) cover: Vec<String>,
}

impl Options {
    pub(crate) fn parse(tokens: TokenStream) -> Result<Options, Error> {
        let mut options = Options::default();
        let mut seen: Vec<String> = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let TokenTree::Ident(key) = &token else {
                return Err(Error::new(token.span(), format!("expected an option: {}", names())));
            };
            let (at, name) = (key.span(), key.to_string());
            let mut value = None;
            if matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '=') {
                tokens.next();
                value = tokens.next();
            }
            if seen.contains(&name) {
                return Err(Error::new(at, format!("`{name}` is given twice")));
            }
            options.set(&name, at, value.as_ref())?;
            seen.push(name);
            match tokens.next() {
                None => break,
                Some(TokenTree::Punct(p)) if p.as_char() == ',' => {}
                Some(other) => return Err(Error::new(other.span(), "expected a comma between options")),
            }
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, at: Span, value: Option<&TokenTree>) -> Result<(), Error> {
        let Some((_, form)) = OPTIONS.iter().find(|(n, _)| *n == name) else {
            let closest = closest(name, OPTIONS.iter().map(|o| o.0));
            return Err(Error::new(
                at,
                format!("unknown option `{name}` (did you mean `{closest}`?); valid are {}", names()),
            ));
        };
        let span = value.map_or(at, TokenTree::span);
        let wrong = |takes: &str, example: &str| {
            Error::new(span, format!("`{name}` takes {takes}, such as `{name} = {example}`"))
        };
        let text = value.and_then(text);
        let setting = match form {
            Form::Text(example) => text.ok_or_else(|| wrong("a text", example))?,
            Form::Time => text
                .filter(|t| is_time(t))
                .ok_or_else(|| wrong("a number with a unit (ms, s, m, h)", "\"10s\""))?,
            Form::Number(example) => {
                value.and_then(number).ok_or_else(|| wrong("a whole number", example))?
            }
            Form::Flag(example) => value
                .map(TokenTree::to_string)
                .filter(|t| t == "true" || t == "false")
                .ok_or_else(|| wrong("true or false", example))?,
            Form::ShouldFail => {
                self.should_fail = Some(match (value, text) {
                    (None, _) => String::new(),
                    (Some(_), Some(kind)) => kind_of_failure(&kind, span)?,
                    (Some(_), None) => return Err(wrong("nothing or the kind of failure", "\"deadlock\"")),
                });
                return Ok(());
            }
            Form::Cover => {
                let text =
                    text.ok_or_else(|| wrong("names of gordian::cover! markers", "\"full, empty\""))?;
                self.cover = text.split(',').map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()).collect();
                return Ok(());
            }
        };
        self.settings.push((name.to_owned(), setting));
        Ok(())
    }
}

fn names() -> String {
    OPTIONS.map(|o| o.0).join(", ")
}

fn kind_of_failure(text: &str, at: Span) -> Result<String, Error> {
    let words = text.replace(['-', '_'], " ");
    if KINDS.contains(&words.as_str()) {
        return Ok(words);
    }
    let closest = closest(&words, KINDS.into_iter());
    Err(Error::new(
        at,
        format!(
            "unknown kind of failure {text:?} (did you mean {closest:?}?); valid are {}",
            KINDS.join(", ")
        ),
    ))
}

/// The value of a plain or raw text literal.
fn text(token: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else { return None };
    let source = literal.to_string();
    let raw = source.starts_with('r');
    let inner = source.trim_start_matches('r').trim_matches('#').strip_prefix('"')?.strip_suffix('"')?;
    (raw || !inner.contains('\\')).then(|| inner.to_owned())
}

fn number(token: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else { return None };
    let digits = literal.to_string().replace('_', "");
    digits.parse::<u64>().ok().map(|n| n.to_string())
}

fn is_time(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_' || c == '.');
    digits.len() < text.len() && matches!(digits.trim(), "ms" | "s" | "m" | "h")
}

fn closest<'a>(text: &str, words: impl Iterator<Item = &'a str>) -> &'a str {
    words.min_by_key(|word| distance(text, word)).unwrap_or_default()
}

/// Edit distance.
fn distance(a: &str, b: &str) -> usize {
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
