//! The failure as a page for the browser.

use crate::report::{Failure, Report};
use crate::surroundings::Surroundings;
use gordian_model::{Exploration, Names};
use gordian_report::{Page, Sources, html};
use gordian_search::Search;
use std::path::Path;

impl Report {
    /// The first failure as a page for the browser: one file that needs nothing else.
    pub fn html(&self) -> Option<String> {
        self.page(&Surroundings::new(None).package)
    }

    /// The same, with the source of this package.
    pub(crate) fn page(&self, package: &Path) -> Option<String> {
        let failure = self.failure()?;
        let nobody = Names::default();
        let names = failure.plan().names.as_ref().unwrap_or(&nobody);
        Some(html(&Page {
            test: &failure.plan().program,
            failure: failure.what(),
            trace: failure.trace(),
            names,
            original: failure.original().map(|trace| (trace, names)),
            insight: failure.insight(),
            exploration: failure.exploration(),
            replay: failure.remarks().find_map(|line| line.strip_prefix("replay: ")),
            sources: &Sources::from_environment().and_near(package),
        }))
    }

    /// Writes down with the failure, if there is one, how it was found: by this search, or the default.
    pub(crate) fn keep_exploration(&mut self, search: Option<&Search>) {
        if self.failure().is_none() {
            return;
        }
        let exploration = match search {
            Some(search) => self.exploration(search),
            None => self.exploration(&Search::default()),
        };
        if let Some(failure) = self.failure_mut() {
            failure.set_exploration(exploration);
        }
    }

    fn exploration(&self, search: &Search) -> Exploration {
        let mut more = Vec::new();
        more.push(("in all".to_owned(), self.statistics().to_string()));
        if let Some(frontier) = self.frontier() {
            more.push(("most nodes kept".to_owned(), frontier.most_nodes.to_string()));
        }
        if !self.unreached().is_empty() {
            more.push(("not reached so far".to_owned(), self.unreached().join(", ")));
        }
        Exploration {
            search: search.to_string(),
            executions: self.executions(),
            blocked: self.blocked(),
            steps: self.steps(),
            elapsed: self.elapsed(),
            guarantee: self.guarantee().to_string(),
            more,
            course: self.course().cloned().unwrap_or_default(),
        }
    }
}

impl Surroundings {
    /// Writes the page of a failure that has been saved beside its trace.
    pub(crate) fn save_page(&self, report: &mut Report) {
        let saved = report.failure().and_then(Failure::path).map(|path| path.with_extension("html"));
        let Some((path, page)) = saved.zip(report.page(&self.package)) else { return };
        let shown = crate::settings::shown(&path, &self.package);
        let line = match std::fs::write(&path, page) {
            Ok(()) => format!("report: {}", shown.display()),
            Err(error) => format!("the page {} could not be written: {error}", shown.display()),
        };
        if let Some(failure) = report.failure_mut() {
            failure.add_remark(&line);
        }
    }
}
