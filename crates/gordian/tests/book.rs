//! What the book shows is what the tests produce: programs and outputs on the pages about failures are held against the programs
//! and snapshots of the tests (`UPDATE_SNAPSHOTS=1` rewrites them), every page is in the table of contents, and every link leads
//! somewhere.

use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

/// The pages below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(pages(&path));
        } else if path.extension().is_some_and(|e| e == "md") {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// The text of a function of the programs, or of a type and what is implemented for it, with what is said about it.
fn program(name: &str) -> String {
    let source = std::fs::read_to_string(format!("{TESTS}/programs/mod.rs")).unwrap();
    if let Some(start) = source.find(&format!("pub struct {name} ")) {
        let start = source[..start].rfind("\n\n").map_or(0, |blank| blank + 2);
        let implemented =
            start + source[start..].find(&format!("impl {name} ")).expect("it can do something");
        let end = source[implemented..].find("\n}\n").expect("it ends") + implemented + 3;
        return source[start..end].to_owned();
    }
    let start =
        source.find(&format!("pub fn {name}(")).unwrap_or_else(|| panic!("there is no program {name}"));
    let start = source[..start].rfind("\n\n").map_or(0, |blank| blank + 2);
    let end = source[start..].find("\n}\n").expect("it ends") + start + 3;
    source[start..end].to_owned()
}

/// A page with its marked parts as they should be.
fn renewed(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some(start) = rest.find("<!-- ") {
        let (mark, after) = rest[start..].split_once('\n').expect("a mark ends with its line");
        let words: Vec<&str> = mark.split_whitespace().collect();
        let (language, what) = match words[..] {
            ["<!--", "program:", name, "-->"] => ("rust", program(name)),
            ["<!--", "output:", name, "-->"] => {
                ("text", std::fs::read_to_string(format!("{TESTS}/snapshots/{name}.txt")).unwrap())
            }
            ["<!--", "file:", name, "-->"] => {
                ("rust", std::fs::read_to_string(format!("{ROOT}/{name}")).unwrap())
            }
            _ => panic!("{mark} is not understood"),
        };
        text.push_str(&rest[..start]);
        text.push_str(&format!("{mark}\n```{language}\n{what}```\n<!-- end -->"));
        rest = after.split_once("<!-- end -->").expect("a marked part ends").1;
    }
    text + rest
}

#[test]
fn programs_and_outputs_are_those_of_the_tests() {
    let docs = Path::new(ROOT).join("docs");
    let mut all = pages(&docs.join("failures"));
    all.extend([docs.join("guarantees.md"), docs.join("models.md")]);
    let mut shown = 0;
    for path in &all {
        let page = std::fs::read_to_string(path).unwrap();
        let should = renewed(&page);
        shown += page.matches("<!-- output").count();
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(path, &should).unwrap();
        }
        assert!(page == should, "{} is out of date: run once with UPDATE_SNAPSHOTS=1", path.display());
    }
    assert!(shown >= 16, "an output for each kind of failure and of guarantee");
}

/// The guide explains a failure with remarks at the side; the failure is that of the README, which is run.
#[test]
fn the_failure_that_the_guide_explains_is_a_real_one() {
    let read = |name: &str| std::fs::read_to_string(Path::new(ROOT).join(name)).unwrap();
    let (readme, guide) = (read("README.md"), read("docs/guide.md"));
    let real = readme.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let explained = guide.split("## Failures and how to read them").nth(1).unwrap();
    let explained = explained.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let mut looked = 0;
    for line in explained.lines().filter(|line| !line.is_empty() && *line != "...") {
        let shortened = line.rsplit_once("...").map(|(begin, _)| begin).filter(|begin| begin.contains('"'));
        let underlines = line.trim_start_matches([' ', '|', '^']).is_empty();
        let is_it = |real: &str| {
            !real.is_empty()
                && (line.starts_with(real) || shortened.is_some_and(|begin| real.starts_with(begin)))
        };
        // Times and paths are others in every run.
        let varies = line.contains("µs") || line.contains("target/gordian");
        assert!(varies || underlines || real.lines().map(str::trim_end).any(is_it), "{line}");
        looked += 1;
    }
    assert!(looked > 10);
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let docs = Path::new(ROOT).join("docs");
    let contents = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    for page in pages(&docs) {
        let name = page.strip_prefix(&docs).unwrap().to_str().unwrap();
        assert!(name == "SUMMARY.md" || contents.contains(&format!("({name})")), "{name} is missing");
    }
}

#[test]
fn every_link_leads_somewhere() {
    let root = Path::new(ROOT);
    let mut all = pages(&root.join("docs"));
    all.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|p| root.join(p)));
    let mut links = 0;
    for path in all {
        let page = std::fs::read_to_string(&path).unwrap();
        for (at, _) in page.match_indices("](") {
            let target = page[at + 2..].split(')').next().unwrap();
            let file = target.split('#').next().unwrap();
            if file.is_empty() || file.contains(':') || file.contains(char::is_whitespace) {
                continue;
            }
            links += 1;
            assert!(path.parent().unwrap().join(file).exists(), "{} in {}", target, path.display());
        }
    }
    assert!(links > 20);
}
