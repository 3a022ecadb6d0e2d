//! Settings from the environment: `GORDIAN_` and the key in capitals.

use super::{KEYS, Settings, Wrong, closest, time};
use crate::record;
use std::path::PathBuf;
use std::time::Duration;

const PREFIX: &str = "GORDIAN_";
/// The compilers of `gordian cc` and `gordian c++`: nothing to a check, but people may have them set.
const COMPILERS: [&str; 2] = ["GORDIAN_CC", "GORDIAN_CXX"];

/// What the environment says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Environment {
    pub(crate) settings: Settings,
    /// The saved execution to repeat.
    pub(crate) replay: Option<PathBuf>,
    /// And it is to be said what the failure needs.
    pub(crate) explains: bool,
    /// A debugger is to stop it before this step.
    pub(crate) stop_at: Option<u64>,
    /// The most time, whatever else is said about it.
    pub(crate) budget: Option<Duration>,
}

/// Reads the environment of the process.
pub(crate) fn environment() -> Result<Environment, String> {
    let named = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
        let key = key.into_string().ok().filter(|k| k.starts_with(PREFIX))?;
        Some((key, value))
    };
    let mut pairs = Vec::new();
    for (key, value) in std::env::vars_os().filter_map(named) {
        let value = value.into_string().map_err(|raw| format!("{key}={raw:?}: expected UTF-8 text"))?;
        pairs.push((key, value));
    }
    parse(pairs)
}

fn parse(mut pairs: Vec<(String, String)>) -> Result<Environment, String> {
    pairs.sort();
    let mut found = Environment::default();
    // An empty variable is one that is not set: there is no other way to take one back for a single command.
    for (variable, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
        let key = variable[PREFIX.len()..].to_lowercase();
        if key == "replay" || key == "explain" {
            if found.replay.is_some() {
                return Err(
                    "GORDIAN_EXPLAIN replays a failure too, so give only one of it and GORDIAN_REPLAY"
                        .to_owned(),
                );
            }
            found.replay = Some(PathBuf::from(value));
            found.explains = key == "explain";
            continue;
        }
        if key == "debug" {
            let wrong = || format!("{variable}={value:?}: expected the number of a step, such as 7, or end");
            let number = if value == "end" { Some(u64::MAX) } else { value.parse().ok().filter(|&n| n > 0) };
            found.stop_at = Some(number.ok_or_else(wrong)?);
            continue;
        }
        if key == "budget" {
            let wrong =
                || format!("{variable}={value:?}: expected a number with a unit (ms, s, m, h), such as 10s");
            found.budget = Some(time(&value).ok_or_else(wrong)?);
            continue;
        }
        if variable == record::VARIABLE || COMPILERS.contains(&variable.as_str()) {
            continue;
        }
        match found.settings.set(&key, &value) {
            Ok(()) => {}
            Err(Wrong::Value(expected)) => return Err(format!("{variable}={value:?}: {expected}")),
            Err(Wrong::Key) => {
                let variables: Vec<String> = KEYS
                    .iter()
                    .chain(&["replay", "explain", "debug", "budget", "result", "cc", "cxx"])
                    .map(|key| format!("{PREFIX}{}", key.to_uppercase()))
                    .collect();
                let closest = closest(&variable, variables.iter().map(String::as_str));
                return Err(format!(
                    "unknown environment variable {variable} (did you mean {closest}?); valid are {}",
                    variables.join(", ")
                ));
            }
        }
    }
    if found.stop_at.is_some() && (found.replay.is_none() || found.explains) {
        return Err(
            "GORDIAN_DEBUG needs a failure to stop in: give GORDIAN_REPLAY too, or use gordian replay FILE --debug"
                .to_owned(),
        );
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Result<Environment, String> {
        parse(pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect())
    }

    #[test]
    fn variables_become_settings() {
        let found =
            of(&[("GORDIAN_EXECUTIONS", "10"), ("GORDIAN_REPLAY", "x.trace"), ("GORDIAN_SEED", "")]).unwrap();
        assert_eq!(found.settings.executions, Some(10));
        assert_eq!(found.settings.seed, None);
        assert_eq!(found.replay, Some(PathBuf::from("x.trace")));
    }

    #[test]
    fn a_failure_is_replayed_or_explained() {
        let found = of(&[("GORDIAN_EXPLAIN", "x.trace")]).unwrap();
        assert_eq!((found.replay, found.explains), (Some(PathBuf::from("x.trace")), true));
        let both = of(&[("GORDIAN_EXPLAIN", "x.trace"), ("GORDIAN_REPLAY", "x.trace")]);
        assert!(both.unwrap_err().contains("only one of"));
    }

    #[test]
    fn a_debugger_stops_before_a_step_of_a_replay() {
        let replay = ("GORDIAN_REPLAY", "x.trace");
        assert_eq!(of(&[replay, ("GORDIAN_DEBUG", "7")]).unwrap().stop_at, Some(7));
        assert_eq!(of(&[replay, ("GORDIAN_DEBUG", "end")]).unwrap().stop_at, Some(u64::MAX));
        assert_eq!(
            of(&[replay, ("GORDIAN_DEBUG", "0")]).unwrap_err(),
            "GORDIAN_DEBUG=\"0\": expected the number of a step, such as 7, or end"
        );
        assert!(of(&[("GORDIAN_DEBUG", "7")]).unwrap_err().starts_with("GORDIAN_DEBUG needs a failure"));
    }

    #[test]
    fn a_budget_is_no_setting_and_a_file_for_the_result_is_nothing_to_the_search() {
        let found =
            of(&[("GORDIAN_BUDGET", "2s"), ("GORDIAN_CC", "clang"), ("GORDIAN_RESULT", "x.json")]).unwrap();
        assert_eq!(found, Environment { budget: Some(Duration::from_secs(2)), ..Environment::default() });
        assert_eq!(
            of(&[("GORDIAN_BUDGET", "2")]).unwrap_err(),
            "GORDIAN_BUDGET=\"2\": expected a number with a unit (ms, s, m, h), such as 10s"
        );
    }

    #[test]
    fn a_wrong_value_names_variable_value_and_what_was_expected() {
        assert_eq!(
            of(&[("GORDIAN_TIME", "10")]).unwrap_err(),
            "GORDIAN_TIME=\"10\": expected a number with a unit (ms, s, m, h), such as 10s"
        );
        let error = of(&[("GORDIAN_SEARCH", "dsf")]).unwrap_err();
        let expected = "GORDIAN_SEARCH=\"dsf\": unknown search \"dsf\": it goes wrong at character 2 (did you mean \"dfs\"?); valid are ";
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn an_unknown_variable_names_the_closest_and_the_list() {
        let error = of(&[("GORDIAN_SERCH", "dfs")]).unwrap_err();
        assert!(error.starts_with("unknown environment variable GORDIAN_SERCH (did you mean GORDIAN_SEARCH?); valid are GORDIAN_SEARCH, GORDIAN_EXECUTIONS,"), "{error}");
    }
}
