//! Which accesses to atomics are steps. Those that std makes for itself are not: a program does not see them.
//!
//! What decides is the chain of functions from the access outwards, with those that are inlined: first the wrappers around the
//! instruction, then whoever uses them.

use gordian_wire::Trust;

/// A function on the way from an access outwards, and the file it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) file: String,
}

/// What an access is part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// Treated so.
    Treated(Trust),
    /// Counting references: no step, unless the program looks at such a count.
    Counting,
    /// A count of references that the program looks at: such counts are steps.
    Count,
}

/// What the user wants to be trusted: names of crates, parts of the paths of functions, or of files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trusted {
    patterns: Vec<String>,
}

/// The wrappers around the instruction itself.
const WRAPPERS: [&str; 6] = [
    "core::sync::atomic::",
    "core::intrinsics::",
    "core::ptr::",
    "core::cell::",
    "std::atomic",
    "std::__atomic",
];
/// Parts of std that use atomics for themselves, and whose callers do not depend on the order of these.
const ITSELF: [&str; 9] = [
    "std::thread::",
    "std::panicking::",
    "std::panic::",
    "std::sync::poison::Flag",
    "std::sync::poison::Guard",
    "std::io::",
    "std::rt::",
    "std::sys::backtrace",
    "std::env::",
];
/// Counting references, in Rust and C++.
const COUNTS: [&str; 5] = [
    "alloc::sync::Arc",
    "alloc::sync::Weak",
    "alloc::sync::is_dangling",
    "std::_Sp_counted_",
    "__gnu_cxx::__",
];
/// What looks at such a count, or depends on it in another way than to free what is counted.
const LOOKS: [&str; 13] = [
    "strong_count",
    "weak_count",
    "get_mut",
    "is_unique",
    "try_unwrap",
    "unwrap_or_clone",
    "into_inner",
    "make_mut",
    "upgrade",
    "use_count",
    "_M_get_use_count",
    "_M_add_ref_lock",
    "unique",
];

/// The function, without what it is generic in and without the trait it is implemented for: `<alloc::sync::Arc<T> as Clone>::clone`
/// begins with `alloc::sync::Arc` like any other of its functions.
fn path(name: &str) -> &str {
    name.trim_start_matches(['<', '&'])
}

fn begins(name: &str, with: &[&str]) -> bool {
    with.iter().any(|start| path(name).starts_with(start))
}

impl Trusted {
    pub(crate) fn new(patterns: Vec<String>) -> Trusted {
        Trusted { patterns }
    }

    /// How an access is to be treated that is made by the first of these functions, which the second has called, and so on.
    pub(crate) fn judge(&self, chain: &[Function]) -> Use {
        let wrappers = chain.iter().take_while(|function| begins(&function.name, &WRAPPERS)).count();
        let chain = &chain[wrappers..];
        let Some(first) = chain.first() else { return Use::Treated(Trust::None) };
        if self.names(first) {
            return Use::Treated(Trust::Whole);
        }
        if begins(&first.name, &COUNTS) {
            let mut last = first;
            for function in chain {
                if begins(&function.name, &ITSELF) {
                    return Use::Treated(Trust::Quiet);
                }
                if !begins(&function.name, &COUNTS) {
                    break;
                }
                last = function;
            }
            let looks = LOOKS.iter().any(|word| last.name.contains(word) || first.name.contains(word));
            return if looks { Use::Count } else { Use::Counting };
        }
        if begins(&first.name, &ITSELF) {
            return Use::Treated(Trust::Whole);
        }
        Use::Treated(Trust::None)
    }

    /// Does the user trust this function?
    fn names(&self, function: &Function) -> bool {
        self.patterns.iter().any(|pattern| {
            let crate_of = path(&function.name).split("::").next().unwrap_or_default();
            crate_of == pattern.replace('-', "_")
                || (pattern.contains("::") && path(&function.name).contains(pattern.as_str()))
                || (pattern.contains(['/', '.']) && function.file.contains(pattern.as_str()))
                || function.name == *pattern
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(trusted: &[&str], chain: &[&str]) -> Use {
        let chain: Vec<Function> = chain
            .iter()
            .map(|name| Function { name: (*name).to_owned(), file: "src/x.rs".to_owned() })
            .collect();
        Trusted::new(trusted.iter().map(|&p| p.to_owned()).collect()).judge(&chain)
    }

    #[test]
    fn what_std_does_for_itself_is_no_step() {
        let add = "core::sync::atomic::AtomicUsize::fetch_add";
        let clone = "<alloc::sync::Arc<T,A> as core::clone::Clone>::clone";
        assert_eq!(judge(&[], &[add, clone, "app::main"]), Use::Counting);
        assert_eq!(judge(&[], &[add, clone, "std::thread::spawn", "app::main"]), Use::Treated(Trust::Quiet));
        assert_eq!(judge(&[], &[add, "app::main"]), Use::Treated(Trust::None));
        assert_eq!(
            judge(&[], &[add, "std::sys::sync::mutex::futex::Mutex::lock"]),
            Use::Treated(Trust::None)
        );
        assert_eq!(judge(&[], &[add, "alloc::sync::Arc<T,A>::strong_count", "app::main"]), Use::Count);
        let join = [add, "alloc::sync::Arc<T,A>::get_mut", "std::thread::JoinInner<T>::join", "app::main"];
        assert_eq!(judge(&[], &join), Use::Treated(Trust::Quiet));
    }

    #[test]
    fn what_the_user_names_is_trusted() {
        let chain = ["core::sync::atomic::AtomicBool::swap", "my_queue::list::Queue<T>::push", "app::main"];
        for pattern in ["my-queue", "my_queue", "list::Queue", "src/x.rs"] {
            assert_eq!(judge(&[pattern], &chain), Use::Treated(Trust::Whole), "{pattern}");
        }
        for pattern in ["app", "queue", "other.rs"] {
            assert_eq!(judge(&[pattern], &chain), Use::Treated(Trust::None), "{pattern}");
        }
    }
}
