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

    /// The line with which somebody elsewhere does the same.
    pub fn line_in(&self, circumstances: &Circumstances) -> String {
        let Circumstances { folder, variables } = circumstances;
        let folder = folder.as_ref().map_or_else(String::new, |folder| format!("cd {} && ", quoted(folder)));
        let variables: String =
            variables.iter().map(|(name, value)| format!("{name}={} ", quoted(value))).collect();
        format!("{folder}{variables}{}", self.line())
    }

    /// Reads such a line; nothing if it is something else.
    pub fn read(line: &str) -> Option<Invocation> {
        Some(read(line)?.0)
    }
}

/// Where an invocation is made, if that matters: tests of Rust's expect to be in the folder of their package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The folder; the current one if nothing is said.
    pub folder: Option<String>,
    /// Environment variables besides those that are there.
    pub variables: Vec<(String, String)>,
}

impl Circumstances {
    /// Those of a line that [`Invocation::line_in`] has made; nothing if it is something else.
    pub fn read(line: &str) -> Option<Circumstances> {
        Some(read(line)?.1)
    }
}

fn read(line: &str) -> Option<(Invocation, Circumstances)> {
    let mut circumstances = Circumstances::default();
    // No name of a test has a space in it.
    let (before, command) = match line.find(BEGINNING)? {
        0 => (Vec::new(), line),
        at => (split(line[..at].strip_suffix(' ')?)?, &line[at..]),
    };
    let mut before = before.into_iter().peekable();
    if before.next_if(|word| word == "cd").is_some() {
        circumstances.folder = Some(before.next()?);
        before.next_if(|word| word == "&&")?;
    }
    for word in before {
        let (name, value) = word.split_once('=')?;
        circumstances.variables.push((name.to_owned(), value.to_owned()));
    }
    let words = split(command.strip_prefix(BEGINNING)?)?;
    (!words.is_empty()).then_some((Invocation { words }, circumstances))
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
        let circumstances = Circumstances {
            folder: Some("/home/it's me/a".to_owned()),
            variables: vec![("A".to_owned(), "b=c d".to_owned()), ("B".to_owned(), String::new())],
        };
        let invocation = Invocation { words: vec!["./a".to_owned()] };
        let line = invocation.line_in(&circumstances);
        assert_eq!(line, "cd '/home/it'\\''s me/a' && A='b=c d' B='' gordian run -- ./a");
        assert_eq!(Circumstances::read(&line), Some(circumstances));
        assert_eq!(Invocation::read(&line), Some(invocation.clone()));
        assert_eq!(invocation.line_in(&Circumstances::default()), "gordian run -- ./a");
        assert_eq!(Invocation::read("rm x && gordian run -- ./a"), None);
        assert_eq!(Invocation::read("tests::it_works"), None);
        assert_eq!(Invocation::read("gordian run -- 'open"), None);
    }
}
