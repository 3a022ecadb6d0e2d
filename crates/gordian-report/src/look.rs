//! What the place where a text is shown can do.

/// How a text is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// In characters.
    pub width: usize,
    /// Colours may be used.
    pub colour: bool,
    /// More than ASCII may be used.
    pub unicode: bool,
    /// Every step is shown.
    pub detailed: bool,
}

impl Look {
    /// Without colours and in ASCII: the same everywhere.
    pub fn plain(width: usize) -> Look {
        Look { width, colour: false, unicode: false, detailed: false }
    }

    /// What the environment says: `COLUMNS`, `NO_COLOR`, `TERM`, and the locale. There are colours only on a terminal.
    pub fn from_environment(is_terminal: bool) -> Look {
        Look::from(is_terminal, |name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn from(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> Look {
        let width = variable("COLUMNS").and_then(|c| c.parse().ok()).unwrap_or(80);
        let dumb = variable("TERM").is_some_and(|term| term == "dumb");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(&variable).unwrap_or_default();
        let utf8 = ["utf-8", "utf8"].iter().any(|name| locale.to_lowercase().contains(name));
        Look {
            width: usize::clamp(width, 40, 400),
            colour: is_terminal && !dumb && variable("NO_COLOR").is_none(),
            unicode: utf8 && !dumb,
            detailed: false,
        }
    }

    /// As wide as was measured, unless the environment says otherwise.
    pub fn measured(self, measure: impl FnOnce() -> Option<usize>) -> Look {
        let said = std::env::var("COLUMNS").is_ok_and(|columns| columns.parse::<usize>().is_ok());
        let measured = if said { None } else { measure() };
        measured.map_or(self, |width| self.columns(width))
    }

    /// For so many columns.
    pub fn columns(self, width: usize) -> Look {
        Look { width: usize::clamp(width, 40, 400), ..self }
    }

    /// With every step, or not.
    pub fn detailed(self, detailed: bool) -> Look {
        Look { detailed, ..self }
    }

    pub(crate) fn arrow(&self) -> &'static str {
        if self.unicode { "→" } else { "->" }
    }

    /// Marks a text that was cut.
    pub(crate) fn cut(&self) -> char {
        if self.unicode { '…' } else { '~' }
    }

    pub(crate) fn paint(&self, colour: Colour, text: &str) -> String {
        match self.colour {
            true if !text.is_empty() => format!("\x1b[{}m{text}\x1b[0m", colour as u8),
            _ => text.to_owned(),
        }
    }
}

/// What stands out, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Strong = 1,
    Weak = 2,
    Bad = 31,
    Switch = 33,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(terminal: bool, pairs: &[(&str, &str)]) -> Look {
        Look::from(terminal, |name| pairs.iter().find(|p| p.0 == name).map(|p| p.1.to_owned()))
    }

    #[test]
    fn the_environment_decides() {
        assert_eq!(of(false, &[]), Look::plain(80));
        let full = of(true, &[("LANG", "en_GB.UTF-8"), ("COLUMNS", "60"), ("TERM", "xterm")]);
        assert_eq!(full, Look { width: 60, colour: true, unicode: true, detailed: false });
        assert_eq!(
            of(true, &[("LANG", "C.utf8"), ("TERM", "dumb")]),
            Look { width: 80, colour: false, unicode: false, detailed: false }
        );
        assert!(!of(true, &[("NO_COLOR", "1")]).colour);
        assert!(!of(true, &[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]).unicode);
        assert_eq!(of(true, &[("COLUMNS", "3")]).width, 40);
        assert_eq!(of(true, &[("COLUMNS", "wide")]).width, 80);
    }

    #[test]
    fn what_is_measured_counts_unless_something_is_said() {
        let said = std::env::var("COLUMNS").is_ok_and(|columns| columns.parse::<usize>().is_ok());
        let width = |measured| Look::plain(80).measured(|| measured).width;
        assert_eq!([width(Some(60)), width(Some(3)), width(None)], if said { [80; 3] } else { [60, 40, 80] });
    }

    #[test]
    fn without_colours_nothing_is_painted() {
        assert_eq!(Look::plain(80).paint(Colour::Bad, "x"), "x");
        assert_eq!(Look { colour: true, ..Look::plain(80) }.paint(Colour::Bad, "x"), "\x1b[31mx\x1b[0m");
    }
}
