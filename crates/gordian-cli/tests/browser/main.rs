//! The page of a failure in a real browser. Each test opens a page, lets a script of its own look at it or press keys, and
//! reads what that script noted.

mod chromium;
mod failing;

use chromium::{Opened, open, with_browser};
use failing::*;

/// The most that the page of a small failure may take up, in bytes.
const SMALL: usize = 150_000;

/// Looks at what is shown now: the step, then its place in the source.
const NOW: &str = r#"
    const now = () => document.querySelector(".row.now").dataset.step + ": " + $("did").textContent;
    const here = () => (document.querySelector(".code.here span:last-child") || {}).textContent;
    const holds = (name) => document.querySelector(`#objects tr[data-object^="${name}"] td:last-child`).textContent;
    const thread = (name) => document.querySelector(`#threads tr[data-thread="${name}"] td:last-child`).textContent;
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const rows = () => $("rows").querySelectorAll(".row").length;
    const text = (id) => $(id).textContent;
"#;

fn look(page: &str, fragment: &str, script: &str) -> Opened {
    open(page, fragment, &format!("{NOW}{script}"))
}

#[test]
fn pages_open_at_the_failure_without_an_error_and_load_nothing() {
    with_browser(|| {
        for (page, kind) in [(deadlock(), "deadlock"), (data_race(), "data race"), (lost_update(), "panic")] {
            assert!(page.len() < SMALL, "{kind}: {} bytes", page.len());
            let seen = look(
                &page,
                "",
                r#"
                note(document.querySelector(".kind").textContent);
                note(text("where"));
                note(text("step"));
                note(performance.getEntriesByType("resource").length);
                note(document.querySelectorAll("[src], link, [href]").length);
                "#,
            );
            seen.is([&format!("✗ {kind}"), "the end", &format!("The failure: {kind}"), "0", "0"]);
        }
    });
}

#[test]
fn a_deadlock_says_in_each_lane_what_its_thread_waits_for() {
    with_browser(|| {
        let seen = look(
            &deadlock(),
            "#step=end",
            r#"
            for (const cell of document.querySelectorAll(".row.end .cell")) note(cell.textContent);
            note(thread("main.1"));
            "#,
        );
        assert_eq!(seen.notes.len(), 3, "{:?}", seen.notes);
        for (note, holder) in seen.notes.iter().zip(["main.1", "main", "main"]) {
            assert!(
                note.starts_with("waits to lock mutex ") && note.contains(&format!("held by {holder} since")),
                "{note}"
            );
        }
    });
}

#[test]
fn keys_step_through_the_failure_and_every_value_follows() {
    with_browser(|| {
        let seen = look(
            &lost_update(),
            "#step=1",
            r#"
            note(now()); note(holds("count")); note(here().trim());
            press("j"); press("ArrowDown"); note(now()); note(holds("count")); note(thread("main.1"));
            press("k"); note(now());
            press("End"); note(now()); note(holds("count")); note(here().trim());
            press("Home"); note(text("where"));
            press("n"); note(document.querySelector(".row.now .number").textContent);
            press("?"); note($("keys").open);
            "#,
        );
        let line = "let seen = count.load(SeqCst); // in main";
        seen.is([
            "1: load count = 0 (initial)",
            "0",
            line,
            "3: store count: 0 → 1",
            "0 → 1",
            "takes no further step",
            "2: load count = 0 (initial)",
            "6: main panicked: one was lost",
            "1",
            "assert!(count.load(SeqCst) == 2, \"one was lost\");",
            "step 1 of 5",
            "2!",
            "true",
        ]);
    });
}

#[test]
fn the_address_says_what_is_shown() {
    with_browser(|| {
        let page = handshake();
        let seen = look(
            &page,
            "#step=2&theme=dark&thread=main.1&arrows=off",
            r#"
            note(document.documentElement.dataset.theme);
            note(getComputedStyle(document.body).backgroundColor);
            note(text("shown"));
            note(rows());
            note($("paths").children.length);
            press("Escape");
            note(text("shown")); note(rows());
            press("t");
            note(getComputedStyle(document.body).backgroundColor);
            "#,
        );
        // A row more than there are steps: the failure.
        let [all, its] = [7, 4];
        seen.is([
            "dark",
            "rgb(22, 24, 28)",
            &format!("{its} of {all} steps"),
            &(its + 1).to_string(),
            "0",
            "",
            &(all + 1).to_string(),
            "rgb(251, 251, 250)",
        ]);
    });
}

#[test]
fn a_filter_by_object_leaves_its_steps_and_the_arrows_lead_to_others() {
    with_browser(|| {
        let seen = look(
            &handshake(),
            "#step=1",
            r#"
            const arrows = () => [...$("paths").children].map((p) => p.dataset.arrow + " " + p.dataset.why);
            note(arrows().sort().join("; "));
            const object = $("object");
            object.value = [...object.options].find((o) => o.text.startsWith("told_by")).value;
            object.dispatchEvent(new Event("change"));
            note(rows());
            press("End"); press("k");
            note(now());
            $("because").querySelector("li:last-child button").click();
            note(now());
            "#,
        );
        seen.is([
            "2-3 takes what was given back by; 4-6 takes what was given back by; 5-6 is woken by",
            "4",
            "6: wake up told_by, lock told",
            "5: notify_one told_by",
        ]);
    });
}

#[test]
fn the_lane_of_a_step_is_brought_into_view() {
    with_browser(|| {
        let seen = look(
            &many_threads(30),
            "#step=1",
            r#"
            const lanes = $("lanes").getBoundingClientRect();
            let outside = 0, moved = 0;
            do {
                const cell = document.querySelector(".row.now .mine").getBoundingClientRect();
                if (cell.left < lanes.left || cell.right > lanes.right || cell.top < lanes.top || cell.bottom > lanes.bottom) outside++;
                if ($("lanes").scrollLeft > 0) moved++;
                press("j");
            } while (text("where") !== "the end");
            note(outside); note(moved > 0);
            "#,
        );
        seen.is(["0", "true"]);
    });
}

#[test]
fn the_original_trace_is_behind_a_switch() {
    with_browser(|| {
        let (minimal, original) = (1, 3);
        let seen = look(
            &with_original(minimal, original),
            "",
            r#"
            note($("which").hidden); note(rows() - 1);
            press("o"); note(rows() - 1); note($("trace").value);
            press("o"); note(rows() - 1);
            "#,
        );
        seen.is(["false", "1", "3", "original", "1"]);
        let seen = look(&lost_update(), "#trace=original", r#"note($("which").hidden); note(rows());"#);
        seen.is(["true", "6"]);
    });
}

#[test]
fn what_the_program_says_is_shown_and_not_carried_out() {
    with_browser(|| {
        let seen = look(
            &hostile(),
            "",
            r#"note(window.stolen === undefined); note(text("did")); note(document.querySelector("h1").childNodes[0].textContent.trim());"#,
        );
        let message = format!("main panicked: {HOSTILE}");
        seen.is(["true", &message, &message]);
    });
}

#[test]
fn source_that_cannot_be_read_is_left_out_with_a_sentence() {
    with_browser(|| {
        let seen = look(&without_source(), "#step=1", r#"note(text("source"));"#);
        assert!(
            seen.notes[0].ends_with("failing.rs could not be read when this page was written."),
            "{:?}",
            seen.notes
        );
    });
}

#[test]
fn ten_thousand_steps_are_no_burden() {
    with_browser(|| {
        let page = long(10_000);
        let seen = look(
            &page,
            "#step=5000",
            r#"
            const opened = performance.now();
            note(text("where")); note(rows() < 200); note($("paths").children.length > 5);
            const start = performance.now();
            for (let i = 0; i < 200; i++) { press("j"); $("lanes").offsetHeight; }
            note(text("where"));
            note(Math.round((performance.now() - start) / 200 * 100) / 100);
            note(Math.round(opened));
            press("End"); note(rows() < 200);
            "#,
        );
        let [at, few, arrows, later, each, opened, few_again] = seen.notes.try_into().expect("seven notes");
        println!("{} bytes; opened in {opened} ms, {each} ms a step", page.len());
        let all = [at, few, arrows, later, few_again];
        assert_eq!(all, ["step 5000 of 10001", "true", "true", "step 5200 of 10001", "true"]);
        // A tenth of this on a busy machine; what is slower is felt.
        assert!(each.parse::<f64>().unwrap() < 100.0, "{each} ms a step");
    });
}

#[test]
fn the_exploration_is_shown_and_gone_through_with_keys() {
    with_browser(|| {
        let page = found_last("dfs", 6);
        let seen = look(
            &page,
            "#view=exploration",
            r#"
            note($("explored").hidden); note(document.querySelector("main").hidden);
            note([...$("explored").querySelectorAll("h2")].map((h) => h.textContent).join("; "));
            const tree = document.querySelector(".icicle"), said = () => tree.parentNode.querySelector(".said").textContent;
            const at = (key) => tree.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            note(said());
            at("ArrowDown"); note(said());
            at("ArrowRight"); note(said());
            at("ArrowLeft"); at("ArrowDown"); note(said());
            at("ArrowUp"); at("Enter"); note(said());
            at("Backspace"); at("Home"); note(said());
            note(tree.querySelectorAll("[role=treeitem]").length > 20);
            const plots = [...document.querySelectorAll(".plot")];
            const told = plots.map((plot) => plot.parentNode.querySelector(".said").textContent);
            note(told[0].replace(/^[^:]*s: /, ""));
            note(told[2]);
            plots[2].dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
            note(plots[2].parentNode.querySelector(".said").textContent);
            note(plots[3].parentNode.querySelector(".said").textContent);
            const step = view.step;
            press("k"); note(view.step === step);
            press("e"); note($("explored").hidden); note(document.querySelector(".row.now") !== null);
            "#,
        );
        seen.is([
            "false",
            "true",
            "The tree; Executions and the estimate; Executions per second; Bounds; Where it branched",
            // Below a first step of main there are 11! / (5! 6!) executions. The next one fails.
            "the whole tree: 463 executions",
            "step 1 by main: 462 executions, from the 1st on (99.8 %)",
            "step 1 by main.1: 1 execution, from the 463rd on (0.216 %)",
            "step 2 by main: 210 executions, from the 1st on (45.4 %)",
            "step 1 by main: 462 executions, from the 1st on (99.8 %); looking closer, Backspace goes back",
            "the whole tree: 463 executions",
            "true",
            // Both ways at the first step have as many: 12! / (6! 6!) in all.
            "463 executions, about 924 in all",
            "1 execution with 10 preemptions",
            "2 executions with 0 preemptions",
            "126 times at step 11",
            "true",
            "true",
            "true",
        ]);
    });
}

#[test]
fn a_search_without_a_tree_says_so_and_shows_its_bounds() {
    with_browser(|| {
        let seen = look(
            &found_last("preemptions:1", 8),
            "",
            r#"
            press("e");
            note($("explored").querySelector(".about").textContent);
            note(document.querySelectorAll(".icicle").length);
            note([...$("explored").querySelectorAll("h2")].map((h) => h.textContent).join("; "));
            press("Escape"); note($("explored").hidden);
            "#,
        );
        seen.is([
            "This search does not go through a tree depth first.",
            "0",
            "The tree; Executions and the estimate; Executions per second; Bounds",
            "true",
        ]);
        // A page that knows nothing of the search has no button for it.
        let seen = look(
            &without_source(),
            "#view=exploration",
            r#"note($("explore").hidden); note($("explored").hidden);"#,
        );
        seen.is(["true", "true"]);
    });
}

#[test]
fn a_long_exploration_is_no_burden() {
    with_browser(|| {
        let page = found_last("exhaustive", 8);
        assert!(page.len() < SMALL, "{} bytes", page.len());
        let seen = look(
            &page,
            "#view=exploration",
            r#"
            note(document.querySelectorAll(".icicle g").length < 2000);
            const tree = document.querySelector(".icicle"), start = performance.now();
            for (let i = 0; i < 100; i++) {
                tree.dispatchEvent(new KeyboardEvent("keydown", { key: i % 2 ? "ArrowUp" : "ArrowDown", bubbles: true }));
                tree.getBoundingClientRect();
            }
            note((performance.now() - start) / 100 < 100);
            note(data.course.executions.at(-1)); note(data.course.seconds.length <= 130);
            "#,
        );
        // 15! / (7! 8!), and the one that fails.
        seen.is(["true", "true", "6436", "true"]);
    });
}
