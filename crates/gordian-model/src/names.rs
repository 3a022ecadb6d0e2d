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
    /// Does every thread but the first have a parent before it that knows it as its child? Names from a file may not.
    pub(crate) fn is_consistent(&self) -> bool {
        let child_fits = |parent: usize, nth: usize, child: ThreadId| {
            self.threads.get(child.index()).is_some_and(|t| {
                child.index() > parent && t.parent == Some(ThreadId(parent as u32)) && t.nth as usize == nth
            })
        };
        let known = |i: usize, t: &ThreadName| match t.parent {
            None => i == 0,
            Some(p) => {
                p.index() < i
                    && self.threads[p.index()].children.get(t.nth as usize) == Some(&ThreadId(i as u32))
            }
        };
        !self.threads.is_empty()
            && self.threads.iter().enumerate().all(|(i, t)| {
                known(i, t) && t.children.iter().enumerate().all(|(nth, &c)| child_fits(i, nth, c))
            })
    }

    /// Forgets every thread but `main`; sites stay, as front ends cache their numbers.
    pub fn forget_threads(&mut self) {
        self.threads.truncate(1);
        self.threads[0].children.clear();
    }

    /// Forgets every site. Numbers that were given out before mean nothing any more.
    pub fn forget_sites(&mut self) {
        self.sites.clear();
    }

    /// The `nth` thread (from zero) that `parent` spawns in an execution.
    #[inline]
    pub fn child(&mut self, parent: ThreadId, nth: u32) -> ThreadId {
        match self.threads[parent.index()].children.get(nth as usize) {
            Some(&id) => id,
            None => self.add_child(parent, nth),
        }
    }

    #[cold]
    #[inline(never)]
    fn add_child(&mut self, parent: ThreadId, nth: u32) -> ThreadId {
        let id = ThreadId(self.threads.len() as u32);
        self.threads.push(ThreadName { parent: Some(parent), nth, children: Vec::new() });
        self.threads[parent.index()].children.push(id);
        id
    }

    /// The thread that spawns this one.
    #[inline]
    pub fn parent(&self, thread: ThreadId) -> Option<ThreadId> {
        self.threads.get(thread.index())?.parent
    }

    /// All threads but the first, in the order of their numbers: who spawns each, and as which, from zero. Told to
    /// [`child`](Self::child) in this order they get the same numbers.
    pub fn spawned(&self) -> impl Iterator<Item = (ThreadId, u32)> + '_ {
        self.threads.iter().filter_map(|t| Some((t.parent?, t.nth)))
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

    /// A site with a number of its own, even if one like it is known: where programs are known by addresses, several stand at
    /// one place.
    pub fn add_site(&mut self, site: Site) -> SiteId {
        self.sites.push(site);
        SiteId(self.sites.len() as u32)
    }

    /// The sites, in the order of their numbers, which begin with one.
    pub fn sites(&self) -> &[Site] {
        &self.sites
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spawn_paths_and_know_each_other() {
        let mut names = Names::default();
        let first = names.child(ThreadId::MAIN, 0);
        let second = names.child(ThreadId::MAIN, 1);
        let inner = names.child(second, 0);
        assert_eq!([first, second, inner].map(|t| names.thread(t)), ["main.1", "main.2", "main.2.1"]);
        assert_eq!(names.child(ThreadId::MAIN, 1), second);
        assert!(names.is_consistent());
        names.threads[0].children[1] = first;
        assert!(!names.is_consistent());
    }
}
