//! What a program prints: all of it is read, so that no program waits for room, and the last of it is kept.

/// The end of what was printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail {
    kept: Vec<u8>,
    cut: bool,
}

/// How much is kept.
const KEPT: usize = 16 << 10;
/// How many lines are shown.
const SHOWN: usize = 8;

impl Tail {
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
        self.cut = false;
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(KEPT)..];
        self.kept.extend_from_slice(bytes);
        if self.kept.len() > 2 * KEPT {
            self.kept.drain(..self.kept.len() - KEPT);
            self.cut = true;
        }
    }

    /// What is kept, without what terminals take for orders.
    pub(crate) fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.kept);
        text.chars().filter(|c| !c.is_control() || matches!(c, '\t' | '\n')).collect()
    }

    /// The last lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = self.text();
        last_lines(&text).into_iter().map(str::to_owned).collect()
    }
}

/// The last lines of a text that are not empty.
pub(crate) fn last_lines(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(SHOWN)..].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_whatever_comes_before() {
        let mut tail = Tail::default();
        for i in 0..100_000 {
            tail.add(format!("line {i}\n").as_bytes());
        }
        assert!(tail.kept.len() <= 2 * KEPT && tail.cut);
        assert_eq!(tail.lines().last().unwrap(), "line 99999");
        assert_eq!(tail.lines().len(), SHOWN);
        tail.add(&[b'x'; 3 * KEPT]);
        assert!(tail.kept.len() <= 2 * KEPT);
    }

    #[test]
    fn orders_to_terminals_are_left_out() {
        let mut tail = Tail::default();
        tail.add(b"\x1b[31mred\x1b[0m\n\n\xff\n");
        assert_eq!(tail.lines(), ["[31mred[0m", "\u{fffd}"]);
    }
}
