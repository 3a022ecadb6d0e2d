//! What cargo starts for `cargo gordian`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    gordian_cli::cargo_gordian()
}
