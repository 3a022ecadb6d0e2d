//! Settings from `gordian.toml`, beside `Cargo.toml`.

use super::{KEYS, Settings, Wrong, closest};
use std::path::Path;
use toml::de::{DeTable, DeValue};

const NAME: &str = "gordian.toml";

/// Reads the file in this folder; no file says nothing.
pub(crate) fn file(folder: &Path) -> Result<Settings, String> {
    let path = folder.join(NAME);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Settings::default()),
        Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
    };
    let mut settings = parse(&text, &path.display().to_string())?;
    settings.report = settings.report.map(|report| folder.join(report));
    Ok(settings)
}

fn parse(text: &str, name: &str) -> Result<Settings, String> {
    let place = |at: usize| {
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        format!("{name}:{line}:{column}")
    };
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        format!("{}: this is no TOML: {}", place(at), error.message())
    })?;
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut settings = Settings::default();
    for (key, value) in entries {
        let word = key.get_ref().as_ref();
        let source = &text[value.span()];
        let plain = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            // As written, except that the sign and the base are left to the setting to refuse.
            DeValue::Integer(_) | DeValue::Boolean(_) => source.to_owned(),
            _ => String::new(),
        };
        match settings.set(word, &plain) {
            Ok(()) => {}
            Err(Wrong::Value(expected)) => {
                return Err(format!("{}: {word} = {source}: {expected}", place(value.span().start)));
            }
            Err(Wrong::Key) => {
                return Err(format!(
                    "{}: unknown key {word} (did you mean {}?); valid are {}",
                    place(key.span().start),
                    closest(word, KEYS.iter().copied()),
                    KEYS.join(", ")
                ));
            }
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_file_becomes_settings() {
        let text = "# Small.\nsearch = \"dfs\"\nexecutions = 10_000\ntime = \"2s\"\nleaks = false\n";
        let settings = parse(text, NAME).unwrap();
        assert_eq!(settings.search, Some("dfs".parse().unwrap()));
        assert_eq!(settings.executions, Some(10_000));
        assert_eq!(settings.time, Some(Duration::from_secs(2)));
        assert_eq!(settings.leaks, Some(false));
    }

    #[test]
    fn mistakes_have_a_position() {
        for (text, expected) in [
            (
                "\nexecutions = \"many\"",
                "gordian.toml:2:14: executions = \"many\": expected a whole number, such as 10000",
            ),
            (
                "time = 10",
                "gordian.toml:1:8: time = 10: expected a number with a unit (ms, s, m, h), such as 10s",
            ),
            ("steps = -1", "gordian.toml:1:9: steps = -1: expected a whole number, such as 20000"),
            ("leaks = [1]", "gordian.toml:1:9: leaks = [1]: expected true or false"),
            (
                "a = 1",
                "gordian.toml:1:1: unknown key a (did you mean time?); valid are search, executions, time, seed, memory, steps, fair_rounds, stack_size, leaks, weak_failures, spurious_wakeups, minimise, detailed, trust, points, races, inputs, rerun, report",
            ),
            ("steps 5", "gordian.toml:1:7: this is no TOML: key with no value, expected `=`"),
        ] {
            assert_eq!(parse(text, NAME).unwrap_err(), expected, "{text}");
        }
    }
}
