//! What an execution did, as a number.

/// Adds a value to those seen so far. Odd multipliers lose nothing; different lists of small numbers stay different.
pub(crate) fn mix(all: u64, value: u64) -> u64 {
    (all ^ value.wrapping_add(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
}
