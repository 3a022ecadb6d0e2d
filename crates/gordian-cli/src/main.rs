//! The `gordian` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    gordian_cli::gordian()
}
