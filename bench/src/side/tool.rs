//! The tools: libraries with their modes.

/// A library that programs are compiled against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Library {
    /// Gordian, of this workspace.
    Gordian,
    /// <https://crates.io/crates/loom>
    Loom,
    /// <https://crates.io/crates/shuttle>
    Shuttle,
}

/// A library in a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tool {
    /// Whose.
    pub library: Library,
    /// The mode, as the library's file in `libraries/` understands it.
    pub mode: &'static str,
    /// What it is called here.
    pub name: &'static str,
    /// Does the seed decide?
    pub random: bool,
}

const fn tool(library: Library, mode: &'static str, name: &'static str, random: bool) -> Tool {
    Tool { library, mode, name, random }
}

/// Gordian's proof.
pub const EXHAUSTIVE: Tool = tool(Library::Gordian, "exhaustive", "gordian exhaustive", false);
/// Gordian's default.
pub const AUTO: Tool = tool(Library::Gordian, "auto", "gordian auto", true);
/// Gordian without any reduction: where the true outcomes come from.
pub const BRUTE: Tool = tool(Library::Gordian, "dfs", "gordian dfs", false);
/// Gordian with sleep sets alone, which look back at no races: where the true outcomes come from if brute force takes too long.
pub const SLEEPING: Tool = tool(Library::Gordian, "dfs:sleep", "gordian dfs:sleep", false);
/// shuttle's random walk: what it sees is true, whoever else has not seen it.
pub const WALK: Tool = tool(Library::Shuttle, "random", "shuttle random", true);
/// Gordian, on executions without preemptions.
pub const UNPREEMPTED: Tool = tool(Library::Gordian, "preemptions:0", "gordian preemptions:0", false);
/// loom without bounds.
pub const LOOM: Tool = tool(Library::Loom, "", "loom", false);
/// shuttle's exhaustive mode.
pub const SHUTTLE: Tool = tool(Library::Shuttle, "dfs", "shuttle dfs", false);

/// Tools that search to the end, in the order of the columns.
pub const COMPLETING: [Tool; 4] = [EXHAUSTIVE, AUTO, LOOM, SHUTTLE];

/// Tools that look for bugs, in the order of the columns; the first is compared with those of the other libraries.
pub const HUNTING: [Tool; 9] = [
    AUTO,
    tool(Library::Gordian, "random", "gordian random", true),
    tool(Library::Gordian, "pct:3", "gordian pct:3", true),
    LOOM,
    tool(Library::Loom, "2", "loom, 2 preemptions", false),
    SHUTTLE,
    WALK,
    tool(Library::Shuttle, "urw", "shuttle urw", true),
    tool(Library::Shuttle, "pct:3", "shuttle pct:3", true),
];

/// The tool of a name.
pub fn find(name: &str) -> Option<Tool> {
    COMPLETING.into_iter().chain(HUNTING).chain([BRUTE, SLEEPING, UNPREEMPTED]).find(|tool| tool.name == name)
}
