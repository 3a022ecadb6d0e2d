//! Settings: one struct, one table of keys, one parser for every place they can come from.
//!
//! The attribute, the environment and `gordian.toml` all give a key and a text; [`Settings::set`] takes both. Laid over one
//! another ([`Settings::or`]), the environment beats what the code says, which beats the file.

mod environment;
mod file;
mod folders;

pub(crate) use environment::environment;
pub(crate) use file::file;
pub(crate) use folders::{find_trace, shown, trace_folder};

use gordian_model::{Inputs, Races};
use gordian_search::Search;
use std::path::PathBuf;
use std::time::Duration;

macro_rules! settings {
    ($($(#[$doc:meta])* $key:ident: $type:ty = $parse:expr, $expected:literal;)*) => {
        /// What is said about a check; `None` is not said.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct Settings { $($(#[$doc])* pub(crate) $key: Option<$type>,)* }

        /// Every key, in the order in which they are listed to people.
        pub(crate) const KEYS: &[&str] = &[$(stringify!($key)),*];

        impl Settings {
            /// These settings, and where nothing is said here, those.
            pub(crate) fn or(self, weaker: Settings) -> Settings {
                Settings { $($key: self.$key.or(weaker.$key),)* }
            }

            /// Sets a key from a text; the error says what was expected.
            pub(crate) fn set(&mut self, key: &str, text: &str) -> Result<(), Wrong> {
                match key {
                    $(stringify!($key) => {
                        let parse: fn(&str) -> Result<$type, Option<String>> = $parse;
                        let wrong = |detail: Option<String>| {
                            Wrong::Value(detail.unwrap_or_else(|| concat!("expected ", $expected).to_owned()))
                        };
                        self.$key = Some(parse(text.trim()).map_err(wrong)?);
                    })*
                    _ => return Err(Wrong::Key),
                }
                Ok(())
            }
        }
    };
}

settings! {
    /// How to search.
    search: Search = |t| t.parse().map_err(|e: gordian_search::SearchError| Some(e.to_string())), "a search";
    /// The most executions.
    executions: u64 = number, "a whole number, such as 10000";
    /// The most time.
    time: Duration = |t| time(t).ok_or(None), "a number with a unit (ms, s, m, h), such as 10s";
    /// What random choices start from.
    seed: u64 = number, "a whole number, such as 7";
    /// The most memory for executions that have yet to be made.
    memory: usize = number, "a number of bytes, such as 268435456";
    /// The most steps of one execution.
    steps: u32 = number, "a whole number, such as 20000";
    /// How often a thread may pause in a row.
    fair_rounds: u32 = number, "a whole number, such as 16";
    /// Bytes of stack for each thread.
    stack_size: usize = number, "a number of bytes, such as 262144";
    /// Are values that are never dropped failures?
    leaks: bool = flag, "true or false";
    /// May `compare_exchange_weak` fail for no reason?
    weak_failures: bool = flag, "true or false";
    /// May a condition variable wake a thread that nobody notified?
    spurious_wakeups: bool = flag, "true or false";
    /// The most executions to make a failure small with.
    minimise: u64 = number, "a number of executions, such as 1000, or 0 to show failures as they are found";
    /// Are all steps of a failure shown?
    detailed: bool = |t| if t == "1" { Ok(true) } else if t == "0" { Ok(false) } else { flag(t) }, "true or false";
    /// Code of native programs whose atomics are no steps: crates, parts of paths of functions or files, with commas between them.
    trust: String = |t| if t.is_empty() { Err(None) } else { Ok(t.to_owned()) }, "names with commas between them, such as my_queue,src/log.c";
    /// Variables of native programs to which accesses are steps, if not all are, with commas between them.
    points: String = |t| if t.is_empty() { Err(None) } else { Ok(t.to_owned()) }, "names of variables with commas between them, such as head,tail";
    /// What becomes of data races in native programs.
    races: Races = races, "fail, explore (the accesses become steps) or ignore";
    /// Where native programs get times and random numbers from.
    inputs: Inputs = inputs, "virtual, recorded, or travel (recorded, with time travel)";
    /// Are executions of native programs made in one process?
    rerun: bool = flag, "true or false";
    /// The folder that failing executions are saved under.
    report: PathBuf = |t| if t.is_empty() { Err(None) } else { Ok(PathBuf::from(t)) }, "a folder, such as target/gordian";
}

/// Why a setting was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Wrong {
    /// There is no such key.
    Key,
    /// The value is wrong, for this reason.
    Value(String),
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, Option<String>> {
    text.replace('_', "").parse().map_err(|_| None)
}

fn flag(text: &str) -> Result<bool, Option<String>> {
    text.parse().map_err(|_| None)
}

fn races(text: &str) -> Result<Races, Option<String>> {
    match text {
        "fail" => Ok(Races::Fail),
        "explore" => Ok(Races::Explore),
        "ignore" => Ok(Races::Ignore),
        _ => Err(None),
    }
}

fn inputs(text: &str) -> Result<Inputs, Option<String>> {
    match text {
        "virtual" => Ok(Inputs::Virtual),
        "recorded" => Ok(Inputs::Recorded),
        "travel" => Ok(Inputs::Travel),
        _ => Err(None),
    }
}

/// A number with a unit.
pub fn time(text: &str) -> Option<Duration> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))?;
    let (amount, unit) = text.split_at(end);
    let seconds = match unit.trim() {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(amount.replace('_', "").parse::<f64>().ok()? * seconds).ok()
}

/// What is wrong with a setting, for a command that passes it on to tests.
pub fn check_setting(key: &str, text: &str) -> Result<(), String> {
    match Settings::default().set(key, text) {
        Ok(()) => Ok(()),
        Err(Wrong::Value(expected)) => Err(expected),
        Err(Wrong::Key) => Err(format!("unknown setting {key}")),
    }
}

/// The word that is nearest to a wrong one.
fn closest<'a>(text: &str, words: impl IntoIterator<Item = &'a str>) -> &'a str {
    words.into_iter().min_by_key(|word| gordian_search::distance(text, word)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, expected) in [("250ms", 250), ("10s", 10_000), ("1.5 m", 90_000), ("2h", 7_200_000)] {
            assert_eq!(time(text), Some(Duration::from_millis(expected)), "{text}");
        }
        for text in ["10", "", "s", "10 d", "-1s", "1.2.3s"] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn every_key_can_be_set_and_refuses_nonsense() {
        for key in KEYS {
            let good = match *key {
                "search" => "dfs",
                "time" => "1s",
                "races" => "explore",
                "inputs" => "recorded",
                "leaks" | "weak_failures" | "spurious_wakeups" | "detailed" | "rerun" => "true",
                _ => "1_000",
            };
            assert_eq!(Settings::default().set(key, good), Ok(()), "{key}");
            assert!(matches!(Settings::default().set(key, ""), Err(Wrong::Value(_))), "{key}");
        }
        assert_eq!(Settings::default().set("nonsense", "1"), Err(Wrong::Key));
    }

    #[test]
    fn the_stronger_setting_wins_and_gaps_are_filled() {
        let strong = Settings { seed: Some(1), ..Settings::default() };
        let weak = Settings { seed: Some(2), steps: Some(3), ..Settings::default() };
        let both = strong.or(weak);
        assert_eq!((both.seed, both.steps, both.leaks), (Some(1), Some(3), None));
    }
}
