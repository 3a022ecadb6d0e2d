//! The name that the source gives to something that is made in it: that of the field and the binding it goes to.
//!
//! This looks at the text only, backwards from where the thing is made, so it may find nothing; it must not find something that
//! is wrong.

/// The name of what is made at byte `at` of the source: `counter`, `queue.head`, `locks.1`.
pub(crate) fn binding(source: &str, at: usize) -> Option<String> {
    let (before, after) = source.split_at_checked(at)?;
    let derived = identifier(after);
    if !derived.is_empty() && is_colon(after[derived.len()..].trim_start()) {
        // A derived implementation has the place of the field itself.
        return Some(derived.to_owned());
    }
    let before = recent(before);
    let mut walk = Walk { rest: &before, is_listed: is_listed(after), parts: Vec::new() };
    let base = walk.outwards();
    let mut parts = walk.parts;
    parts.extend(base);
    let name: String = parts.iter().rev().map(String::as_str).collect();
    let name = name.strip_prefix('.').unwrap_or(&name);
    (name.starts_with(|c: char| c.is_alphabetic() || c == '_')).then(|| name.to_owned())
}

/// The name of the field that a method is called on, with the method at byte `at`: `waits` in `self.waits.load()`.
pub(crate) fn field(source: &str, at: usize) -> Option<String> {
    let before = recent(source.get(..at)?);
    let mut rest = before.trim_end().strip_suffix('.')?.trim_end();
    while let Some(inside) = rest.strip_suffix(']') {
        rest = skip_group(inside)?;
    }
    let name = last_identifier(rest);
    let is_field = rest[..rest.len() - name.len()].trim_end().ends_with('.');
    (is_field && !identifier(name).is_empty()).then(|| name.to_owned())
}

/// The name of the only field whose type begins so, of the struct that a derived implementation at byte `at` is of.
pub(crate) fn derived(source: &str, at: usize, kind: &str) -> Option<String> {
    let (before, after) = source.split_at_checked(at)?;
    let line = before.rsplit('\n').next()?;
    if !line.trim_start().starts_with("#[derive(") {
        return None;
    }
    let (head, body) = after.split_once('{')?;
    head.contains("struct ").then_some(())?;
    let fields = body.split('\n').map(str::trim).take_while(|line| !line.starts_with('}'));
    let mut fitting = fields.filter_map(|line| {
        let (name, of) = line.strip_prefix("pub ").unwrap_or(line).split_once(':')?;
        let fits = of.split('<').next()?.rsplit("::").next()?.trim().starts_with(kind);
        (fits && identifier(name) == name).then(|| name.to_owned())
    });
    fitting.next().filter(|_| fitting.next().is_none())
}

/// The name of the first argument of the call in C at byte `at`, if it is nothing but a name: `queue->lock` in
/// `pthread_mutex_lock(&queue->lock)`.
pub(crate) fn argument(source: &str, at: usize) -> Option<String> {
    let call = source.get(at..)?;
    let callee = identifier(call);
    let rest = call[callee.len()..].trim_start().strip_prefix('(')?.trim_start();
    let rest = rest.strip_prefix('&').unwrap_or(rest).trim_start();
    let end = rest.find([',', ')'])?;
    let name = rest[..end].trim();
    let parts = name.replace("->", ".");
    let plain = parts.split('.').all(|part| !part.is_empty() && identifier(part) == part);
    let names = !callee.is_empty() && callee != "syscall";
    (names && plain).then(|| name.to_owned())
}

/// Statements that are longer than this are not understood.
const LINES: usize = 12;

/// The last lines of a text, without comments.
fn recent(text: &str) -> String {
    let lines: Vec<&str> = text.rsplitn(LINES + 1, '\n').take(LINES).collect();
    let code = |line: &&str| line.split("//").next().unwrap_or_default().to_owned();
    lines.iter().rev().map(code).collect::<Vec<_>>().join("\n")
}

struct Walk<'a> {
    /// What is still to be looked at, from its end.
    rest: &'a str,
    /// There are others beside it.
    is_listed: bool,
    parts: Vec<String>,
}

impl Walk<'_> {
    /// Goes from the inside out; the name of the binding, if there is one.
    fn outwards(&mut self) -> Option<String> {
        let mut nth = 0;
        loop {
            self.rest = self.rest.trim_end();
            let last = self.rest.chars().next_back()?;
            self.rest = &self.rest[..self.rest.len() - last.len_utf8()];
            match last {
                '&' | '*' => {}
                ',' => {
                    nth += 1;
                    self.rest = skip_element(self.rest);
                }
                '(' | '[' => {
                    let is_call = self.rest.ends_with(|c: char| is_word(c) || matches!(c, '>' | '!'));
                    if (nth > 0 || self.is_listed) && (!is_call || last == '[') {
                        self.parts.push(if last == '(' { format!(".{nth}") } else { format!("[{nth}]") });
                    } else if nth > 0 {
                        return None;
                    }
                    self.rest = skip_callee(self.rest);
                    (nth, self.is_listed) = (0, false);
                }
                '|' => {
                    let start = self.rest.rfind('|')?;
                    self.rest = self.rest[..start].trim_end().trim_end_matches("move");
                }
                '{' => {
                    let outside = self.rest.trim_end();
                    self.rest = outside.strip_suffix("const")?;
                }
                ':' if !self.rest.ends_with(':') => {
                    let field = last_identifier(self.rest);
                    if field.is_empty() {
                        return None;
                    }
                    self.parts.push(format!(".{field}"));
                    self.rest = skip_fields(&self.rest[..self.rest.len() - field.len()])?;
                    (nth, self.is_listed) = (0, false);
                }
                '=' => return bound(self.rest),
                _ => return None,
            }
        }
    }
}

/// The name on the left of an equals sign.
fn bound(text: &str) -> Option<String> {
    let statement = text.rsplit([';', '{', '}']).next()?.trim();
    let statement = statement.strip_prefix("pub ").unwrap_or(statement).trim_start();
    let keyword = ["let ", "static ", "const "].iter().find_map(|k| statement.strip_prefix(k));
    match keyword {
        Some(pattern) => {
            let pattern = pattern.trim_start();
            let pattern = pattern.strip_prefix("mut ").unwrap_or(pattern).trim_start();
            match pattern.strip_prefix('(') {
                Some(several) => {
                    let several: Vec<&str> = several.split([',', ')']).map(str::trim).collect();
                    let names: Vec<&str> = several.into_iter().take_while(|name| !name.is_empty()).collect();
                    let plain = !names.is_empty() && names.iter().all(|name| identifier(name) == *name);
                    plain.then(|| names.join("/"))
                }
                None => Some(identifier(pattern).to_owned()).filter(|name| !name.is_empty()),
            }
        }
        None => {
            let path = statement.strip_prefix("self.").unwrap_or(statement);
            let plain =
                !path.is_empty() && path.split('.').all(|part| !part.is_empty() && identifier(part) == part);
            plain.then(|| path.to_owned())
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    if text.starts_with(|c: char| c.is_ascii_digit()) { "" } else { &text[..end] }
}

fn last_identifier(text: &str) -> &str {
    let start =
        text.char_indices().rev().take_while(|&(_, c)| is_word(c)).last().map_or(text.len(), |(i, _)| i);
    &text[start..]
}

fn is_colon(text: &str) -> bool {
    text.starts_with(':') && !text.starts_with("::")
}

/// Is the expression that a text begins with followed by a comma?
fn is_listed(text: &str) -> bool {
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return false,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => return true,
            ';' if depth == 0 => return false,
            _ => {}
        }
    }
    false
}

/// Without the element of a list that a text ends with.
fn skip_element(text: &str) -> &str {
    let mut depth = 0;
    for (i, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth == 0 => return &text[..i + 1],
            '(' | '[' | '{' => depth -= 1,
            ',' if depth == 0 => return &text[..i + 1],
            _ => {}
        }
    }
    ""
}

/// Without the fields of a struct that a text ends with, and its name.
fn skip_fields(text: &str) -> Option<&str> {
    let mut rest = text.trim_end();
    loop {
        rest = match rest.chars().next_back()? {
            ',' => skip_element(&rest[..rest.len() - 1]).trim_end(),
            '{' => return Some(skip_callee(rest[..rest.len() - 1].trim_end())),
            _ => return None,
        };
    }
}

/// Without the function, method, macro or type that a text ends with, and what a method is called on.
fn skip_callee(text: &str) -> &str {
    let mut rest = text;
    loop {
        let shorter = rest.trim_end_matches(|c| is_word(c) || matches!(c, ':' | '.' | '!' | '?' | '<' | '>'));
        if shorter.len() < rest.len() {
            rest = shorter;
            // "= Arc::new" leaves the blank; a chain of methods may go over several lines.
            continue;
        }
        match rest.chars().next_back() {
            Some(')' | ']') => match skip_group(&rest[..rest.len() - 1]) {
                Some(outside) => rest = outside,
                None => return "",
            },
            _ if rest.ends_with(char::is_whitespace) && text[rest.len()..].starts_with('.') => {
                rest = rest.trim_end();
            }
            _ => return rest,
        }
    }
}

/// Without what is between brackets, given the text up to the closing one.
fn skip_group(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (i, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth == 0 => return Some(&text[..i]),
            '(' | '[' | '{' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of what is made at the mark.
    fn name(text: &str) -> Option<String> {
        let at = text.find('^').expect("a mark");
        binding(&text.replace('^', ""), at)
    }

    #[test]
    fn bindings_and_fields_give_their_names() {
        for (text, expected) in [
            ("let count = ^AtomicUsize::new(0);", "count"),
            ("let count = Arc::new(^AtomicUsize::new(0));", "count"),
            ("let mut count: Arc<AtomicUsize> = Arc::new(^AtomicUsize::new(0));", "count"),
            ("static LOCK: Mutex<()> = ^Mutex::new(());", "LOCK"),
            ("static CELL: LazyLock<Mutex<u8>> = LazyLock::new(|| ^Mutex::new(0));", "CELL"),
            ("Counter { left: ^AtomicUsize::new(tickets) }", "left"),
            ("let queue = Queue { tail: Atomic::new(1), head: ^Atomic::new(0) };", "queue.head"),
            (
                "let queue = Arc::new(Queue {\n    head: CachePadded::new(^Atomic::new(0)), // first\n});",
                "queue.head",
            ),
            ("x;\nlet shared =\n    Arc::new(Shared { ready: ^AtomicUsize::new(0), v: 1 });", "shared.ready"),
            ("let locks = Arc::new((^Mutex::new(()), Mutex::new(())));", "locks.0"),
            ("let locks = Arc::new((Mutex::new(()), ^Mutex::new(())));", "locks.1"),
            ("let forks = [Mutex::new(()), Mutex::new(()), ^Mutex::new(())];", "forks[2]"),
            ("let flags = [const { ^AtomicBool::new(false) }; 2];", "flags"),
            ("let forks: Vec<_> = (0..3).map(|_| ^Mutex::new(())).collect();", "forks"),
            ("let (tx, rx) = ^mpsc::channel();", "tx/rx"),
            ("self.head = ^Atomic::new(0);", "head"),
            ("struct Shared {\n    ^a: AtomicUsize,\n}", "a"),
        ] {
            assert_eq!(name(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn the_field_that_a_method_is_called_on_has_a_name() {
        for (text, expected) in [
            ("self.waits.^load(SeqCst)", Some("waits")),
            ("self.nodes[at as usize].next[0].^store(1)", Some("next")),
            ("shared\n    .head // the first\n    .^compare_exchange(", Some("head")),
            ("count.^load(SeqCst)", None),
            ("self.lock().^load(SeqCst)", None),
            ("pair.0.^load(SeqCst)", None),
            ("^load(SeqCst)", None),
        ] {
            let at = text.find('^').expect("a mark");
            assert_eq!(field(&text.replace('^', ""), at).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_call_in_c_names_what_it_is_about() {
        for (text, expected) in [
            ("  ^pthread_mutex_lock(&a);", Some("a")),
            ("if (^pthread_mutex_trylock( &q->lock )) return;", Some("q->lock")),
            ("^sem_init(&s.full, 0, 2);", Some("s.full")),
            ("^pthread_mutex_lock(locks + i);", None),
            ("^pthread_mutex_lock(&locks[i]);", None),
            ("^syscall(SYS_futex, &word, 0, 1);", None),
            ("^x = 1;", None),
        ] {
            let at = text.find('^').expect("a mark");
            assert_eq!(argument(&text.replace('^', ""), at).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_derived_default_names_the_only_field_of_its_kind() {
        let text = "#[derive(Debug, Default)]\npub struct Port {\n    // Kept.\n    pub lock: Mutex<u8>,\n    a: AtomicBool,\n    b: AtomicUsize,\n}\n\nstruct Other {\n    lock: Condvar,\n}";
        let at = text.find("Default").unwrap();
        assert_eq!(derived(text, at, "Mutex").as_deref(), Some("lock"));
        assert_eq!(derived(text, at, "Atomic"), None, "there are two");
        assert_eq!(derived(text, at, "Condvar"), None, "that is another struct");
        assert_eq!(derived(text, text.find("Port").unwrap(), "Mutex"), None);
    }

    #[test]
    fn what_has_no_name_gets_none() {
        for text in [
            "^AtomicUsize::new(0)",
            "fn new() -> Self { Self(^AtomicUsize::new(0)) }",
            "run(1, ^AtomicUsize::new(0))",
            "let made = (); ^Mutex::new(());",
            "if x == 1 { ^Mutex::new(()) }",
            "// let count =\n^Mutex::new(());",
            "return ^Mutex::new(());",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}
