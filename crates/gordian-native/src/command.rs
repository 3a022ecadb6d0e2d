//! A program with its arguments, as a saved failure names it: the line that a person would type.

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The program, and what follows.
    pub words: Vec<String>,
}

/// What every saved invocation begins with; no test of Rust's is called so.
const BEGINNING: &str = "gordian run -- ";

impl Invocation {
    /// The line as it is saved.
    pub fn line(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        format!("{BEGINNING}{}", words.join(" "))
    }

    /// Reads such a line; nothing if it is something else.
    pub fn read(line: &str) -> Option<Invocation> {
        let words = split(line.strip_prefix(BEGINNING)?)?;
        (!words.is_empty()).then_some(Invocation { words })
    }
}

/// The text as one word of a shell.
fn quoted(text: &str) -> String {
    let plain =
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:+@%,=".contains(c));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// The words of a line that [`quoted`] has made.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_back_as_the_words_it_was_made_of() {
        for words in [&["./a.out"][..], &["a b", "it's", "", "--x=1", "\\", "\"ü\""]] {
            let invocation = Invocation { words: words.iter().map(|&w| w.to_owned()).collect() };
            assert_eq!(Invocation::read(&invocation.line()), Some(invocation));
        }
        assert_eq!(Invocation::read("tests::it_works"), None);
        assert_eq!(Invocation::read("gordian run -- 'open"), None);
    }
}
