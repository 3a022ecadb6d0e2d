//! Where panics abort, a check cannot work; it says so and ends the process in an orderly way.

use std::path::Path;
use std::process::Command;

#[test]
fn a_program_whose_panics_abort_is_told_so() {
    // A build of its own, without optimisation and debug information, so that it does not take long.
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--locked", "--package", "gordian", "--example", "lost_update"])
        .args(["--config", "profile.dev.panic=\"abort\""])
        .args(["--config", "profile.dev.opt-level=0", "--config", "profile.dev.debug=false"])
        .arg("--target-dir")
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("panic-abort"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("COLUMNS", "400")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains(
            "this program is built with panic = \"abort\", so a panic in the tested code cannot be caught; build the \
             profile that runs checks with panic = \"unwind\" (cargo test does so by itself)"
        ),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(2), "{text}");
}
