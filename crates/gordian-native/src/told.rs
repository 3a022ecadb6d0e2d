//! What the runtime says, as the host tells it: places where there were numbers, and what the program printed.

use crate::output::Tail;
use gordian_model::{Failure, FailureKind, Names, SiteId};
use gordian_wire::MARK;
use std::path::Path;

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
    if failure.kind == FailureKind::AbnormalExit
        && failure.message.contains(&format!("status {PANICKED}"))
        && let Some(panic) = Panic::read(&tails[1].text())
    {
        failure.message.push_str(&format!(", as a thread panicked at {}: {}", panic.place, panic.message));
        // That it ended is told by the harness or by std, far from where it happened.
        failure.site = panic.site(names).unwrap_or(SiteId::UNKNOWN);
    }
    for (tail, name) in tails.iter().zip(["standard output", "standard error"]) {
        let lines: Vec<String> = tail.lines().iter().map(|line| without_number(line)).collect();
        if !lines.is_empty() {
            let text = format!("{name} ended with: {}", lines.join(" / "));
            failure.notes.push(gordian_model::Note { thread: None, text, site: SiteId::UNKNOWN });
        }
    }
}

/// The status with which programs in Rust end after a panic, and programs of tests if one fails.
const PANICKED: u32 = 101;

/// A panic, as Rust tells of it on standard error.
#[derive(Debug, PartialEq)]
struct Panic {
    /// `file:line:column`
    place: String,
    message: String,
}

impl Panic {
    /// The first that is told of: others come from it.
    fn read(text: &str) -> Option<Panic> {
        let mut lines = text.lines().skip_while(|line| !line.contains(" panicked at "));
        let place = lines.next()?.split_once(" panicked at ")?.1.strip_suffix(':')?.to_owned();
        let ends = |line: &&str| !line.starts_with("note: ") && !line.starts_with("stack backtrace:");
        let message: Vec<&str> =
            lines.take_while(ends).map(str::trim).filter(|line| !line.is_empty()).take(8).collect();
        Some(Panic { place, message: message.join(" / ") })
    }

    /// A place that is known and lies in the same line.
    fn site(&self, names: &Names) -> Option<SiteId> {
        let (file, line) = self.place.rsplit_once(':')?.0.rsplit_once(':')?;
        let line: u32 = line.parse().ok()?;
        // The one is told from the folder of the workspace, the other from the current one.
        let is_file = |known: &str| Path::new(known).ends_with(file) || Path::new(file).ends_with(known);
        let same = |id: &SiteId| names.site(*id).is_some_and(|site| site.line == line && is_file(&site.file));
        (1..).map(SiteId).take_while(|&id| names.site(id).is_some()).find(same)
    }
}

/// Rust puts the number that the system gave to a thread behind its name. It is another in every execution, which the failure is not.
fn without_number(line: &str) -> String {
    let number = line.split_once(" panicked at ").and_then(|(thread, _)| {
        let (name, number) = thread.strip_suffix(')')?.rsplit_once(" (")?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(name.len()..thread.len())
    });
    let mut line = line.to_owned();
    if let Some(number) = number {
        line.replace_range(number, "");
    }
    line
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
    fn a_panic_is_read_from_what_rust_says() {
        let said = "warming up\n\nthread 'tests::a' (123) panicked at src/lib.rs:36:9:\nassertion failed\n  left: 1\n right: 2\n\
                    note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\
                    thread 'main' panicked at src/main.rs:1:1:\nanother\n";
        let panic = Panic::read(said).unwrap();
        assert_eq!(panic.place, "src/lib.rs:36:9");
        assert_eq!(panic.message, "assertion failed / left: 1 / right: 2");
        assert_eq!(Panic::read("all is well"), None);
        let mut names = Names::default();
        for (file, line) in [("src/lib.rs", 35), ("lib.rs", 36), ("/home/me/src/lib.rs", 36)] {
            names.add_site(Site { file: file.to_owned(), line, column: 1 });
        }
        assert_eq!(panic.site(&names), Some(SiteId(2)));
        let other = Panic { place: "b/src/lib.rs:36:9".to_owned(), message: String::new() };
        assert_eq!(other.site(&names), Some(SiteId(2)));
        assert_eq!(panic.site(&Names::default()), None);
        assert_eq!(
            without_number("thread 'a' (12) panicked at b.rs:1:2:"),
            "thread 'a' panicked at b.rs:1:2:"
        );
        assert_eq!(without_number("thread 'a (b)' panicked at b.rs"), "thread 'a (b)' panicked at b.rs");
        assert_eq!(without_number("no panic (12)"), "no panic (12)");
    }

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
