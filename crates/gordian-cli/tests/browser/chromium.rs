//! Opening a page in Chromium, without a window.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The browser: what `CHROMIUM` says, or one of the usual names.
fn browser() -> Option<PathBuf> {
    if let Some(said) = std::env::var_os("CHROMIUM") {
        return Some(said.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|p| p.is_file())
}

/// Does the test if there is a browser. Where everything is to be checked, it has to be there.
pub fn with_browser(test: impl FnOnce()) {
    match browser() {
        Some(_) => test(),
        None if std::env::var_os("CI").is_some() => panic!("no browser: install chromium, or set CHROMIUM"),
        None => println!("skipped: no browser (install chromium, or set CHROMIUM)"),
    }
}

/// A page that was opened.
pub struct Opened {
    /// What the script noted.
    pub notes: Vec<String>,
}

impl Opened {
    #[track_caller]
    pub fn is<const N: usize>(&self, expected: [&str; N]) {
        assert_eq!(self.notes, expected);
    }
}

/// Opens the page at the fragment and lets the script look at it, which has `note(what)`. That the page came to its end
/// without an error is made sure of.
pub fn open(page: &str, fragment: &str, script: &str) -> Opened {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    // One browser takes enough of the machine.
    static ONE: Mutex<()> = Mutex::new(());
    let name = format!("page-{}-{}", std::process::id(), NUMBER.fetch_add(1, Relaxed));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("writable");
    let file = folder.join("page.html");
    let probe = format!(
        r#"<script>
        const notes = [];
        const note = (what) => notes.push(String(what));
        try {{ {script} }} catch (error) {{ noteError("in the test: " + error); }}
        note(document.documentElement.dataset.ready);
        note(document.documentElement.dataset.error);
        const noted = document.createElement("pre");
        noted.id = "noted";
        noted.textContent = notes.join("\u241e");
        document.body.append(noted);
        </script></body>"#
    );
    let (before, after) = page.rsplit_once("</body>").expect("a page has a body");
    std::fs::write(&file, format!("{before}{probe}{after}")).expect("writable");
    let guard = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let output = Command::new(browser().expect("looked for before"))
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--window-size=1280,900"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}{fragment}", file.display()))
        .output()
        .expect("the browser starts");
    drop(guard);
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    let noted = dom.split_once("<pre id=\"noted\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let noted = noted.unwrap_or_else(|| panic!("nothing was noted in {}: {errors}", file.display())).0;
    let noted =
        noted.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&amp;", "&");
    let mut notes: Vec<String> = noted.split('\u{241e}').map(str::to_owned).collect();
    let error = notes.pop();
    let ready = notes.pop();
    assert_eq!((ready.as_deref(), error.as_deref()), (Some("yes"), Some("undefined")), "{notes:?}");
    let _ = std::fs::remove_dir_all(&folder);
    Opened { notes }
}
