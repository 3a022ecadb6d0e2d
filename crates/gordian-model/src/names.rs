//! Names that mean the same in every execution: threads by spawn path, sites by file and position.

use crate::id::{SiteId, ThreadId};
use serde::{Deserialize, Serialize};

/// A position in the source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Site {
    /// The file, as the compiler names it.
    pub file: String,
    /// Line, from one.
    pub line: u32,
    /// Column, from one.
    pub column: u32,
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ThreadName {
    parent: Option<ThreadId>,
    nth: u32,
    children: Vec<ThreadId>,
}

/// The threads and sites that a search has met so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Names {
    threads: Vec<ThreadName>,
    sites: Vec<Site>,
}

impl Default for Names {
    fn default() -> Self {
        Names { threads: vec![ThreadName { parent: None, nth: 0, children: Vec::new() }], sites: Vec::new() }
    }
}

impl Names {
    /// Forgets every thread but `main`; sites stay, as front ends cache their numbers.
    pub fn forget_threads(&mut self) {
        self.threads.truncate(1);
        self.threads[0].children.clear();
    }

    /// The `nth` thread (from zero) that `parent` spawns in an execution.
    pub fn child(&mut self, parent: ThreadId, nth: u32) -> ThreadId {
        if let Some(&id) = self.threads[parent.index()].children.get(nth as usize) {
            return id;
        }
        let id = ThreadId(self.threads.len() as u32);
        self.threads.push(ThreadName { parent: Some(parent), nth, children: Vec::new() });
        self.threads[parent.index()].children.push(id);
        id
    }

    /// How many threads have a name.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The spawn path: `main`, `main.2`, `main.2.1`.
    pub fn thread(&self, thread: ThreadId) -> String {
        match self.threads.get(thread.index()) {
            None => format!("thread {}", thread.0),
            Some(ThreadName { parent: None, .. }) => "main".to_owned(),
            Some(ThreadName { parent: Some(parent), nth, .. }) => {
                format!("{}.{}", self.thread(*parent), nth + 1)
            }
        }
    }

    /// The number of a site, interning it if it is new.
    pub fn intern(&mut self, file: &str, line: u32, column: u32) -> SiteId {
        let found = self.sites.iter().position(|s| s.line == line && s.column == column && s.file == file);
        let index = found.unwrap_or_else(|| {
            self.sites.push(Site { file: file.to_owned(), line, column });
            self.sites.len() - 1
        });
        SiteId(index as u32 + 1)
    }

    /// The site, if it is known.
    pub fn site(&self, site: SiteId) -> Option<&Site> {
        (site.0 as usize).checked_sub(1).and_then(|i| self.sites.get(i))
    }

    /// The site as `file:line`, or a question mark.
    pub fn place(&self, site: SiteId) -> String {
        self.site(site).map_or_else(|| "?".to_owned(), Site::to_string)
    }
}
