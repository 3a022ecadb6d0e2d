//! Variables by their names: where they lie.

use object::{Object, ObjectSymbol, SymbolKind};
use std::ops::Range;
use std::path::Path;

/// The variables of a program with this name, by their addresses in the file. Where a path is given its end is enough: `queue::HEAD` is also
/// that of `app::queue::HEAD`.
pub(crate) fn find(path: &Path, name: &str) -> Vec<Range<u64>> {
    let Ok(bytes) = std::fs::read(path) else { return Vec::new() };
    let Ok(file) = object::File::parse(&*bytes) else { return Vec::new() };
    let variables = file.symbols().filter(|symbol| {
        matches!(symbol.kind(), SymbolKind::Data | SymbolKind::Unknown) && symbol.size() > 0
    });
    let is_it = |symbol: &str| is_called(&addr2line::demangle_auto(symbol.into(), None), name);
    variables
        .filter(|symbol| symbol.name().is_ok_and(is_it))
        .map(|symbol| symbol.address()..symbol.address() + symbol.size())
        .collect()
}

/// Is a variable with this symbol meant by a name? Compilers number those that are local to functions: `count.0`.
fn is_called(symbol: &str, name: &str) -> bool {
    let plain = match symbol.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => path,
        _ => symbol,
    };
    let plain = match plain.rsplit_once('.') {
        Some((start, number)) if number.bytes().all(|b| b.is_ascii_digit()) => start,
        _ => plain,
    };
    plain == name || plain.strip_suffix(name).is_some_and(|start| start.ends_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        assert!(is_called("count", "count") && is_called("count.0", "count"));
        assert!(is_called("app::queue::HEAD", "HEAD") && is_called("app::queue::HEAD", "queue::HEAD"));
        assert!(is_called("app::HEAD::h0123456789abcdef", "HEAD"));
        assert!(!is_called("app::AHEAD", "HEAD") && !is_called("count", "coun"));
    }
}
