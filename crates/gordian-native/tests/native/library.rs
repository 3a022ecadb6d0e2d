//! Functions of the C library access memory for code with hooks.

use crate::bugs::{is_clean, is_found};
use crate::compile::hooked;
use gordian_model::FailureKind::DataRace;

#[test]
fn what_functions_of_the_c_library_do_to_memory_is_judged() {
    for options in [&[][..], &["-O2"]] {
        let Some(program) = hooked("library.c", options) else { return };
        for case in ["memcpy", "memmove", "memset", "memcmp", "strlen", "strcpy", "strcat", "strcmp"] {
            is_found(&program, &[case], DataRace, "data race");
            is_clean(&program, &[case, "fixed"]);
        }
        is_clean(&program, &["first difference"]);
    }
}
