//! Bars for a person who waits. They are drawn on standard error, and only if that is a terminal.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// A bar for all tests, and a line for each that runs.
pub(crate) struct Progress {
    bars: MultiProgress,
    all: ProgressBar,
}

impl Progress {
    pub(crate) fn new(tests: usize) -> Progress {
        let bars = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let all = bars.add(ProgressBar::new(tests as u64));
        all.set_style(style("{pos} of {len} tests [{bar:30}] {elapsed} {msg}").progress_chars("=> "));
        all.enable_steady_tick(Duration::from_millis(250));
        Progress { bars, all }
    }

    /// A line for a test that has been started.
    pub(crate) fn test(&self, name: &str) -> ProgressBar {
        let line = self.bars.insert_before(&self.all, ProgressBar::new_spinner());
        line.set_style(style("{spinner} {prefix} {elapsed} {msg}").tick_chars("-\\|/ "));
        line.set_prefix(name.to_owned());
        line.enable_steady_tick(Duration::from_millis(250));
        line
    }

    /// One is done; prints without disturbing the bars.
    pub(crate) fn done(&self, failed: usize, print: impl FnOnce()) {
        self.bars.suspend(print);
        self.all.inc(1);
        if failed > 0 {
            self.all.set_message(format!("{failed} failed"));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.all.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates are written here")
}
