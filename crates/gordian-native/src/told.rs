//! What the runtime says, as the host tells it: places where there were numbers, and what the program printed.

use crate::output::{Tail, last_lines};
use gordian_model::{Failure, FailureKind, Names, SiteId};
use gordian_wire::MARK;
use std::ops::Range;
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
    let [out, mut err] = [0, 1].map(|i| tails[i].text());
    if failure.kind == FailureKind::AbnormalExit
        && failure.message.contains(&format!("status {PANICKED}"))
        && let Some(panic) = Panic::read(&err)
    {
        failure.message.push_str(&format!(", as a thread panicked at {}: {}", panic.place, panic.message));
        // That it ended is told by the harness or by std, far from where it happened.
        failure.site = panic.site(names).unwrap_or(SiteId::UNKNOWN);
        err.replace_range(panic.range, "");
    }
    for (text, name) in [without_harness(&out), err].iter().zip(["standard output", "standard error"]) {
        let lines: Vec<String> = last_lines(text).into_iter().map(without_number).collect();
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
    /// Where in the text it is told, with the hint that follows.
    range: Range<usize>,
}

impl Panic {
    /// The first that is told of: others come from it.
    fn read(text: &str) -> Option<Panic> {
        let at = text.find(" panicked at ")?;
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[start..].split_inclusive('\n');
        let first = lines.next()?;
        let place = first.split_once(" panicked at ")?.1.trim_end().strip_suffix(':')?.to_owned();
        let mut end = start + first.len();
        let mut message = Vec::new();
        for line in lines {
            let hint = line.starts_with("note: run with `RUST_BACKTRACE=1`");
            if !hint && (line.starts_with("note: ") || line.starts_with("stack backtrace:")) {
                break;
            }
            end += line.len();
            if hint {
                break;
            }
            message.push(line.trim());
        }
        message.retain(|line| !line.is_empty());
        message.truncate(8);
        Some(Panic { place, message: message.join(" / "), range: start..end })
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

/// What std's harness says when it runs one test is left out: it is known already.
fn without_harness(text: &str) -> String {
    let test = text.lines().find_map(|line| line.strip_prefix("test ")?.rsplit_once(" ... "));
    let (Some((test, _)), true) = (test, text.contains("running 1 test\n") && text.contains("test result: "))
    else {
        return text.to_owned();
    };
    let known = ["running 1 test", "failures:", test];
    let told = |line: &&str| {
        let line = line.trim();
        let result = line.starts_with("test result: ") || line.starts_with(&format!("test {test} ... "));
        !known.contains(&line) && !result
    };
    text.lines().filter(told).collect::<Vec<_>>().join("\n")
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
        let other = Panic { place: "b/src/lib.rs:36:9".to_owned(), message: String::new(), range: 0..0 };
        let mut rest = said.to_owned();
        rest.replace_range(panic.range.clone(), "");
        assert_eq!(rest, "warming up\n\nthread 'main' panicked at src/main.rs:1:1:\nanother\n");
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
    fn what_the_harness_says_is_left_out() {
        let said = "\nrunning 1 test\nprinted\ntest tests::a ... FAILED\n\nfailures:\n\nfailures:\n    tests::a\n\n\
                    test result: FAILED. 0 passed; 1 failed; finished in 0.00s\n\n";
        assert_eq!(last_lines(&without_harness(said)), ["printed"]);
        let other = "failures:\nrunning 1 test\n";
        assert_eq!(without_harness(other), other);
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
