//! Markers that some execution must reach, so that a test which passes is known to have come where it should.

/// Marks a place that some execution must reach; with a condition, one in which it holds.
///
/// A marker that was never reached never ran, so it cannot make itself known. `#[gordian::test]` finds the markers in its
/// own function; those in the tested code are named with `cover = "..."` there, or with
/// [`Checker::must_cover`](crate::Checker::must_cover).
///
/// ```
/// let report = gordian::Checker::new().must_cover(["both"]).run(|| {
///     let first = gordian::choose(2) == 1;
///     let second = gordian::choose(2) == 1;
///     gordian::cover!("both", first && second);
/// });
/// assert!(report.failure().is_none());
/// ```
#[macro_export]
macro_rules! cover {
    ($name:literal) => {
        $crate::__private::cover($name)
    };
    ($name:literal, $condition:expr) => {
        if $condition {
            $crate::__private::cover($name)
        }
    };
}

/// Notes that a marker was reached.
#[cfg(feature = "check")]
pub fn cover(name: &'static str) {
    if crate::runtime::active() {
        crate::runtime::shared(|shared, _| {
            if !shared.covered.contains(&name) {
                shared.covered.push(name);
            }
        });
    }
}

/// Without checks there is nothing to note.
#[cfg(not(feature = "check"))]
#[inline]
pub fn cover(_: &'static str) {}
