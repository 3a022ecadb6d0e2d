//! Results as JUnit XML, which CI systems read.

use super::find::Case;
use super::outcome::{Outcome, Verdict};
use std::fmt::Write;
use std::time::Duration;

/// The whole file: a suite for each program, in the order of the tests.
pub(crate) fn junit(results: &[(&Case<'_>, &Outcome)], took: Duration) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all: Vec<&Outcome> = results.iter().map(|(_, outcome)| *outcome).collect();
    let _ = writeln!(text, "<testsuites name=\"gordian\" {}>", counts(&all, took));
    for suite in results.chunk_by(|(a, _), (b, _)| std::ptr::eq(a.program, b.program)) {
        let all: Vec<&Outcome> = suite.iter().map(|(_, outcome)| *outcome).collect();
        let label = &suite[0].0.program.label;
        let took = all.iter().map(|outcome| outcome.elapsed).sum();
        let _ = writeln!(text, "  <testsuite name=\"{}\" {}>", escaped(label), counts(&all, took));
        for (case, outcome) in suite {
            test_case(&mut text, label, &case.name, outcome);
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn counts(outcomes: &[&Outcome], took: Duration) -> String {
    let count = |verdict| outcomes.iter().filter(|outcome| outcome.verdict == verdict).count();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.6}\"",
        outcomes.len(),
        count(Verdict::Failed),
        count(Verdict::Error),
        count(Verdict::Ignored),
        took.as_secs_f64()
    )
}

fn test_case(text: &mut String, label: &str, name: &str, outcome: &Outcome) {
    let _ = write!(
        text,
        "    <testcase name=\"{}\" classname=\"{}\" time=\"{:.6}\">",
        escaped(name),
        escaped(label),
        outcome.elapsed.as_secs_f64()
    );
    let said = escaped(&outcome.text);
    let wrong = |tag: &str| {
        let (kind, message) =
            outcome.failure.as_ref().map_or(("", ""), |found| (&*found.kind, &*found.message));
        format!("<{tag} type=\"{}\" message=\"{}\">{said}</{tag}>", escaped(kind), escaped(message))
    };
    text.push_str(&match outcome.verdict {
        Verdict::Passed => format!("<system-out>{said}</system-out>"),
        Verdict::Failed => wrong("failure"),
        Verdict::Error => wrong("error"),
        Verdict::Ignored => "<skipped/>".to_owned(),
    });
    text.push_str("</testcase>\n");
}

/// For text and for values of attributes. What XML cannot hold at all becomes a replacement character.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // In the value of an attribute they would be read as spaces.
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\0'..'\x20' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::build::Program;
    use serde_json::json;

    fn program(label: &str) -> Program {
        Program { label: label.to_owned(), ..Program::default() }
    }

    #[test]
    fn what_is_written_is_read_back_as_it_was() {
        let (one, two) = (program("one<T>"), program("two"));
        let case = |program, name: &str| Case { program, name: name.to_owned(), ignored: false };
        let nasty = "left: \"a\" & 'b' <c>\n\tright: ]]> \u{1b}[1mé\u{1f980}\r";
        let failed = Outcome::stuck(&json!({ "executions": 5 }), Duration::from_millis(1500), nasty);
        let passed =
            Outcome { verdict: Verdict::Passed, text: "no failure".to_owned(), ..Outcome::ignored() };
        let error = Outcome::error(nasty.to_owned());
        let cases = [case(&one, "a"), case(&one, "b"), case(&two, "a"), case(&two, "c")];
        let outcomes = [failed, passed, error, Outcome::ignored()];
        let results: Vec<_> = cases.iter().zip(&outcomes).collect();
        let text = junit(&results, Duration::from_secs(2));

        let document = roxmltree::Document::parse(&text).expect("it is XML");
        let root = document.root_element();
        let numbers = |node: roxmltree::Node<'_, '_>| {
            ["tests", "failures", "errors", "skipped"].map(|name| node.attribute(name).unwrap().to_owned())
        };
        assert_eq!(numbers(root), ["4", "1", "1", "1"]);
        let suites: Vec<_> = root.children().filter(|node| node.is_element()).collect();
        assert_eq!(suites.len(), 2);
        assert_eq!(suites[0].attribute("name"), Some("one<T>"));
        assert_eq!(numbers(suites[0]), ["2", "1", "0", "0"]);
        let first = suites[0].first_element_child().unwrap();
        assert_eq!(first.attribute("time"), Some("1.500000"));
        let failure = first.first_element_child().unwrap();
        assert_eq!((failure.tag_name().name(), failure.attribute("type")), ("failure", Some("stuck")));
        let read = nasty.replace('\u{1b}', "\u{fffd}");
        assert!(failure.text().unwrap().ends_with(read.trim_end()), "{:?}", failure.text());
        let error = suites[1].first_element_child().unwrap().first_element_child().unwrap();
        assert_eq!((error.tag_name().name(), error.attribute("message")), ("error", Some(&*read)));
        let skipped = suites[1].last_element_child().unwrap().first_element_child().unwrap();
        assert_eq!(skipped.tag_name().name(), "skipped");
    }
}
