//! What the runtime says, as the host tells it: places where there were numbers, and what the program printed.

use crate::output::Tail;
use gordian_model::{Failure, FailureKind, Names, SiteId};
use gordian_wire::MARK;

/// Puts places into what a failure says, and the last lines that the program printed behind it.
pub(crate) fn complete(failure: &mut Failure, names: &Names, tails: &[Tail; 2]) {
    failure.message = placed(&failure.message, names);
    for note in &mut failure.notes {
        note.text = placed(&note.text, names);
    }
    if failure.kind == FailureKind::StepLimit
        && let Some(at) = failure.message.find(". If it waits in a loop")
    {
        failure.message.truncate(at);
        failure.message.push_str(
            ". If it waits in a loop, let the loop call sched_yield or sleep; if it is just long, raise the limit with --steps",
        );
    }
    if let Some(at) = failure.message.find("; the closure has returned") {
        failure.message.truncate(at);
        failure.message.push_str("; the main thread has ended with pthread_exit");
    }
    for (tail, name) in tails.iter().zip(["standard output", "standard error"]) {
        let lines = tail.lines();
        if !lines.is_empty() {
            let text = format!("{name} ended with: {}", lines.join(" / "));
            failure.notes.push(gordian_model::Note { thread: None, text, site: SiteId::UNKNOWN });
        }
    }
}

/// The text with places where it has numbers of places.
fn placed(text: &str, names: &Names) -> String {
    let mut out = String::new();
    let mut parts = text.split(MARK);
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let number = part[..digits].parse().unwrap_or(0);
        out.push_str(&names.place(SiteId(number)));
        // The line of a number is zero.
        let rest = &part[digits..];
        out.push_str(rest.strip_prefix(":0").unwrap_or(rest));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_model::names::Site;

    #[test]
    fn numbers_become_places() {
        let mut names = Names::default();
        for line in [7, 8] {
            names.add_site(Site { file: "a.c".to_owned(), line, column: 1 });
        }
        let text = format!("waits to lock mutex {MARK}1:0, held by main since {MARK}2:0");
        assert_eq!(placed(&text, &names), "waits to lock mutex a.c:7, held by main since a.c:8");
        assert_eq!(placed("plain", &names), "plain");
    }
}
