//! `#[gordian::test]` and `#[gordian::lin::operations]`.
//!
//! What they stand before is taken apart by hand, token by token: a function is a name, perhaps a return type, and a body that is passed on
//! as it stands, so that the compiler's own messages about it are not disturbed, and nothing but `quote` has to be built.
#![forbid(unsafe_code)]

mod function;
mod operations;
mod options;

use function::Function;
use options::Options;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

/// Checks the function in every interleaving, as a test.
///
/// | option | meaning |
/// |---|---|
/// | `search = "exhaustive"` | how to search |
/// | `executions = 10_000`, `time = "10s"` | limits on the search; time in `ms`, `s`, `m` or `h` |
/// | `memory = 268435456` | bytes for executions that have yet to be made; more goes to a temporary file |
/// | `steps = 20_000` | limit on the steps of one execution; more is a failure |
/// | `seed = 7` | for searches that make random choices |
/// | `should_fail`, `should_fail = "deadlock"` | the test passes if and only if a failure (of that kind) is found |
/// | `cover = "full, empty"` | markers of `gordian::cover!` in the tested code that some execution must reach; those in the function itself need not be named |
/// | `fair_rounds = 16` | how often a thread may pause in a row, changing nothing, before the others go first |
/// | `stack_size = 262144` | bytes of stack for each thread |
/// | `leaks = false` | values that are never dropped are no failures |
/// | `weak_failures = true` | `compare_exchange_weak` may fail although the value is the expected one |
/// | `spurious_wakeups = true` | a condition variable may wake a thread that nobody notified |
/// | `minimise = 1_000` | the most executions to make a failure small with; 0 shows failures as they are found |
///
/// The environment (`GORDIAN_SEARCH` and so on) beats the attribute, and the attribute beats `gordian.toml`.
///
/// The function takes no arguments, and returns nothing or a `Result`, whose `Err` is a failure. Other attributes, such as
/// `#[ignore]`, `#[should_panic]` and `#[cfg]`, work as they do with `#[test]`.
#[proc_macro_attribute]
pub fn test(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(options.into(), item.into()).into()
}

/// Makes the methods of an impl block that have `#[op]` operations, to be checked for linearizability: adds `operations()`, which gives a `gordian::lin::Object`.
///
/// `#[op]` has an expression for each argument, which gives what to choose from, and after a semicolon what is to be said of the operation, as methods of `Object`. The object is made by
/// `Default::default()`, or as `new = ` says.
///
/// ```ignore
/// #[gordian::lin::operations(new = Stack::new())]
/// impl Stack {
///     #[op(1..=3)]
///     fn push(&self, value: u32) { .. }
///     #[op(; lock_free())]
///     fn pop(&self) -> Option<u32> { .. }
/// }
///
/// #[test]
/// fn the_stack_is_linearizable() {
///     Stack::operations().check();
/// }
/// ```
#[proc_macro_attribute]
pub fn operations(
    options: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let item = TokenStream::from(item);
    let expanded = operations::expand(options.into(), item.clone());
    expanded
        .unwrap_or_else(|Error { at, message }| quote_spanned!(at=> ::core::compile_error!(#message); #item))
        .into()
}

/// Something wrong with the use of the attribute.
#[derive(Debug)]
struct Error {
    at: Span,
    message: String,
}

impl Error {
    fn new(at: Span, message: impl Into<String>) -> Error {
        Error { at, message: message.into() }
    }
}

fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let result = Options::parse(options).and_then(|options| Ok((options, Function::parse(item.clone())?)));
    match result {
        Ok((options, function)) => test_of(&options, &function),
        Err(Error { at, message }) => {
            // The function stays, so that there are no further errors about whatever it uses.
            quote_spanned!(at=> ::core::compile_error!(#message); #[allow(dead_code)] #item)
        }
    }
}

fn test_of(options: &Options, function: &Function) -> TokenStream {
    let Function { attributes, visibility, name, returns, body, markers } = function;
    let keys = options.settings.iter().map(|(key, _)| key);
    let values = options.settings.iter().map(|(_, value)| value);
    let cover = &options.cover;
    let should_fail = match &options.should_fail {
        None => quote!(::core::option::Option::None),
        Some(kind) => quote!(::core::option::Option::Some(#kind)),
    };
    let text = name.to_string();
    let text = text.strip_prefix("r#").unwrap_or(&text);
    quote! {
        #(#attributes)*
        #[::core::prelude::v1::test]
        #visibility fn #name() {
            fn #name() #returns #body
            ::gordian::__private::run_test(
                ::gordian::__private::Test {
                    module: ::core::module_path!(),
                    name: #text,
                    marker: ::core::concat!("\u{1e}gordian::test\u{1f}", ::core::module_path!(), "::", #text, "\u{1e}"),
                    manifest: ::core::option_env!("CARGO_MANIFEST_DIR"),
                    settings: &[#((#keys, #values)),*],
                    should_fail: #should_fail,
                    cover: &[#(#markers,)* #(#cover,)*],
                },
                || ::gordian::__private::outcome(#name()),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::expand;

    /// The text of the error that an attribute on an item gives.
    fn error(options: &str, item: &str) -> String {
        let text = expand(options.parse().unwrap(), item.parse().unwrap()).to_string();
        let Some((_, rest)) = text.split_once("compile_error ! (\"") else { panic!("no error in {text}") };
        rest.split_once("\")").unwrap().0.replace("\\\"", "\"")
    }

    #[test]
    fn a_wrong_option_is_named_with_the_closest_and_the_list() {
        assert_eq!(
            error("executoins = 5", "fn f() {}"),
            "unknown option `executoins` (did you mean `executions`?); valid are search, executions, time, seed, memory, \
             steps, fair_rounds, stack_size, leaks, weak_failures, spurious_wakeups, minimise, should_fail, cover"
        );
    }

    #[test]
    fn a_wrong_value_says_what_was_expected() {
        for (options, expected) in [
            ("executions = \"many\"", "`executions` takes a whole number, such as `executions = 10_000`"),
            ("executions", "`executions` takes a whole number, such as `executions = 10_000`"),
            ("search = 5", "`search` takes a text, such as `search = \"exhaustive\"`"),
            ("leaks = 1", "`leaks` takes true or false, such as `leaks = false`"),
            (
                "time = \"10 parsecs\"",
                "`time` takes a number with a unit (ms, s, m, h), such as `time = \"10s\"`",
            ),
            (
                "should_fail = \"deadlok\"",
                "unknown kind of failure \"deadlok\" (did you mean \"deadlock\"?); valid are panic, deadlock, livelock, data race, leak, step limit, nondeterminism, crash, not covered",
            ),
            ("steps = 5, steps = 6", "`steps` is given twice"),
            (
                "5",
                "expected an option: search, executions, time, seed, memory, steps, fair_rounds, stack_size, leaks, weak_failures, spurious_wakeups, minimise, should_fail, cover",
            ),
            ("steps = 5 executions = 6", "expected a comma between options"),
        ] {
            assert_eq!(error(options, "fn f() {}"), expected, "{options}");
        }
    }

    #[test]
    fn functions_that_cannot_be_tests_say_why() {
        for (item, expected) in [
            (
                "async fn f() {}",
                "an async function cannot be a check: run its future to completion in an ordinary function instead",
            ),
            (
                "fn f(x: u8) {}",
                "a check takes no arguments: make what it needs inside, once for every execution",
            ),
            (
                "fn f<T>() {}",
                "a check cannot be generic: call the generic function from one check for each type",
            ),
            ("struct S;", "#[gordian::test] goes on a function"),
            ("unsafe fn f() {}", "a check cannot be an unsafe function: use an unsafe block inside it"),
            ("#[test] fn f() {}", "#[gordian::test] makes the function a test; remove the other #[test]"),
        ] {
            assert_eq!(error("", item), expected, "{item}");
        }
    }

    #[test]
    fn other_attributes_and_markers_are_kept() {
        let item =
            "/// Words.\n #[ignore] pub fn f() -> Result<(), String> { gordian::cover!(\"deep\"); Ok(()) }";
        let text =
            expand("should_fail, cover = \"a, b\"".parse().unwrap(), item.parse().unwrap()).to_string();
        assert!(
            text.starts_with(
                "# [doc = \" Words.\"] # [ignore] # [:: core :: prelude :: v1 :: test] pub fn f () {"
            ),
            "{text}"
        );
        assert!(text.contains("cover : & [\"deep\" , \"a\" , \"b\" ,]"), "{text}");
        assert!(text.contains("fn f () -> Result < () , String > {"), "{text}");
    }
}
