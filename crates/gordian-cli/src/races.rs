//! Data races that were passed over, as they are told.

use serde_json::{Value, json};
use std::fmt::Write;

/// One side of a race.
pub(crate) struct Access {
    pub(crate) thread: String,
    pub(crate) write: bool,
    pub(crate) place: String,
    /// Innermost first.
    pub(crate) stack: Vec<String>,
}

/// A race that did not end an execution; the earlier access first.
pub(crate) struct Passed {
    pub(crate) accesses: [Access; 2],
}

impl Access {
    fn verb(&self) -> &'static str {
        if self.write { "write" } else { "read" }
    }

    fn to_json(&self) -> Value {
        json!({ "thread": self.thread, "access": self.verb(), "place": self.place, "stack": self.stack })
    }
}

impl Passed {
    pub(crate) fn to_json(&self) -> Value {
        self.accesses.iter().map(Access::to_json).collect()
    }
}

/// All of them, for people; nothing if there are none.
pub(crate) fn listed(races: &[Passed]) -> String {
    let mut text = String::new();
    if races.is_empty() {
        return text;
    }
    let s = if races.len() == 1 { "" } else { "s" };
    let _ = writeln!(
        text,
        "{} data race{s} passed over; the accesses were steps (races = explore):",
        races.len()
    );
    for Passed { accesses } in races {
        let [a, b] = accesses;
        let told = |access: &Access| format!("{} by {} at {}", access.verb(), access.thread, access.place);
        let _ = writeln!(text, "  {} and {}", told(a), told(b));
        for access in accesses {
            let _ = writeln!(text, "    {}: {}", access.thread, access.stack.join(" <- "));
        }
    }
    text
}
