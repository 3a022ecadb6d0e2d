//! The pseudo-code in which the oracles are written, and its interpreter.

use gordian::sync::Mutex;
use gordian::sync::MutexGuard;
use gordian::sync::atomic::{AtomicI64, Ordering::SeqCst};
use gordian::thread;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

thread_local! {
    static DROPPED: Cell<bool> = const { Cell::new(false) };
}

/// Was the last execution on this OS thread dropped by an `assume`?
pub fn was_dropped() -> bool {
    DROPPED.get()
}

#[derive(Clone, Debug)]
enum Expr {
    Number(i64),
    Local(String),
    Binary(Box<Expr>, String, Box<Expr>),
}

#[derive(Clone, Debug)]
struct Place {
    name: String,
    index: Option<Expr>,
}

#[derive(Clone, Debug)]
enum Stmt {
    Store(Place, Expr),
    Load(String, Place),
    Let(String, Expr),
    Add(String, Place, Expr),
    Exchange(String, Place, Expr),
    Cas(Place, Expr, Expr),
    Lock(String),
    Unlock(String),
    If(Expr, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    For(String, Expr, Expr, Vec<Stmt>),
    Assume(Expr),
    Call(String, Vec<Expr>),
    Return,
    Fence,
    SpawnAll,
    JoinAll,
}

struct Thread {
    body: Vec<Stmt>,
    i: i64,
}

/// A program.
pub struct Code {
    defs: BTreeMap<String, (Vec<String>, Vec<Stmt>)>,
    threads: Vec<Thread>,
    main: Vec<Stmt>,
    n: i64,
    shared: Vec<String>,
    arrays: Vec<String>,
    mutexes: Vec<String>,
}

struct Parser {
    tokens: Vec<String>,
    at: usize,
    shared: Vec<String>,
    arrays: Vec<String>,
    mutexes: Vec<String>,
}

fn tokens(code: &str) -> Vec<String> {
    let chars: Vec<char> = code.chars().collect();
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let start = i;
        let word = |c: char| c.is_alphanumeric() || c == '_';
        match chars[i] {
            c if c.is_whitespace() => {
                i += 1;
                continue;
            }
            '@' => {
                i += 1;
                while i < chars.len() && word(chars[i]) {
                    i += 1;
                }
                continue;
            }
            c if word(c) => {
                while i < chars.len() && word(chars[i]) {
                    i += 1;
                }
            }
            c => {
                let two: String = chars[i..chars.len().min(i + 2)].iter().collect();
                let long = ["==", "!=", "<=", ">=", "+=", "**", ".."].contains(&two.as_str());
                i += if long { 2 } else { c.len_utf8().min(1) };
            }
        }
        tokens.push(chars[start..i].iter().collect());
    }
    tokens
}

fn is_local(name: &str) -> bool {
    name.starts_with('r') || ["i", "j", "k", "N", "_"].contains(&name)
}

fn note(list: &mut Vec<String>, name: &str) {
    if !list.iter().any(|n| n == name) {
        list.push(name.to_owned());
    }
}

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn ahead(&self, by: usize) -> &str {
        self.tokens.get(self.at + by).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn expect(&mut self, token: &str) {
        let found = self.next();
        assert_eq!(found, token, "at token {} of {:?}", self.at, self.tokens);
    }

    fn take(&mut self, token: &str) -> bool {
        let there = self.peek() == token;
        self.at += usize::from(there);
        there
    }

    fn expr(&mut self, level: usize) -> Expr {
        const LEVELS: [&[&str]; 5] =
            [&["==", "!=", "<", ">", "<=", ">="], &["^"], &["+", "-"], &["*", "%", "/"], &["**"]];
        if level == LEVELS.len() {
            if self.take("(") {
                let inner = self.expr(0);
                self.expect(")");
                return inner;
            }
            let token = self.next();
            return token.parse().map_or(Expr::Local(token), Expr::Number);
        }
        let mut left = self.expr(level + 1);
        while LEVELS[level].contains(&self.peek()) {
            let operator = self.next();
            left = Expr::Binary(left.into(), operator, self.expr(level + 1).into());
        }
        left
    }

    fn place(&mut self) -> Place {
        let name = self.next();
        if self.take("[") {
            let index = self.expr(0);
            self.expect("]");
            note(&mut self.arrays, &name);
            return Place { name, index: Some(index) };
        }
        note(&mut self.shared, &name);
        Place { name, index: None }
    }

    fn arguments(&mut self) -> Vec<Expr> {
        let mut all = Vec::new();
        self.expect("(");
        while !self.take(")") {
            all.push(self.expr(0));
            self.take(",");
        }
        all
    }

    fn block(&mut self) -> Vec<Stmt> {
        let mut block = Vec::new();
        self.expect("{");
        while !self.take("}") {
            if !self.take(";") {
                block.push(self.stmt());
            }
        }
        block
    }

    /// `fadd(x,1)` or `xchg(x,1)` into a local.
    fn modify(&mut self, into: String) -> Stmt {
        let word = self.next();
        self.expect("(");
        let place = self.place();
        self.expect(",");
        let value = self.expr(0);
        self.expect(")");
        if word == "fadd" { Stmt::Add(into, place, value) } else { Stmt::Exchange(into, place, value) }
    }

    fn stmt(&mut self) -> Stmt {
        match (self.peek(), self.ahead(1)) {
            ("if", _) => {
                self.next();
                Stmt::If(self.condition(), self.block())
            }
            ("while", _) => {
                self.next();
                Stmt::While(self.condition(), self.block())
            }
            ("for", _) => {
                self.next();
                let name = self.next();
                self.expect("in");
                let from = self.expr(0);
                self.expect("..");
                let to = self.expr(0);
                Stmt::For(name, from, to, self.block())
            }
            ("assume", _) => {
                self.next();
                Stmt::Assume(self.condition())
            }
            ("return", _) => {
                self.next();
                Stmt::Return
            }
            ("fence", _) => {
                self.next();
                Stmt::Fence
            }
            ("spawn", _) => {
                self.at += 2;
                Stmt::SpawnAll
            }
            ("join", _) => {
                self.at += 2;
                Stmt::JoinAll
            }
            ("lock" | "unlock", _) => {
                let locks = self.next() == "lock";
                self.expect("(");
                let name = self.next();
                self.expect(")");
                note(&mut self.mutexes, &name);
                if locks { Stmt::Lock(name) } else { Stmt::Unlock(name) }
            }
            ("cas", _) => {
                self.at += 2;
                let place = self.place();
                self.expect(",");
                let expected = self.expr(0);
                self.expect(",");
                let new = self.expr(0);
                self.expect(")");
                Stmt::Cas(place, expected, new)
            }
            ("xchg" | "fadd", _) => self.modify("_".to_owned()),
            (_, "(") => {
                let name = self.next();
                Stmt::Call(name, self.arguments())
            }
            (name, _) if is_local(name) => {
                let name = self.next();
                self.expect("=");
                let (word, after) = (self.peek().to_owned(), self.ahead(1).to_owned());
                if word == "fadd" || word == "xchg" {
                    self.modify(name)
                } else if word.starts_with(char::is_alphabetic) && (!is_local(&word) || after == "[") {
                    Stmt::Load(name, self.place())
                } else {
                    Stmt::Let(name, self.expr(0))
                }
            }
            _ => {
                let place = self.place();
                if self.take("+=") {
                    return Stmt::Add("_".to_owned(), place, self.expr(0));
                }
                self.expect("=");
                Stmt::Store(place, self.expr(0))
            }
        }
    }

    fn condition(&mut self) -> Expr {
        self.expect("(");
        let condition = self.expr(0);
        self.expect(")");
        condition
    }
}

impl Code {
    pub fn parse(code: &str, n: i64) -> Code {
        let mut p = Parser {
            tokens: tokens(code),
            at: 0,
            shared: Vec::new(),
            arrays: Vec::new(),
            mutexes: Vec::new(),
        };
        let mut defs = BTreeMap::new();
        let mut threads = Vec::new();
        let mut main = vec![Stmt::SpawnAll, Stmt::JoinAll];
        let numbers = BTreeMap::from([("N".to_owned(), n)]);
        while p.at < p.tokens.len() {
            let head = p.next();
            match head.as_str() {
                "def" => {
                    let name = p.next();
                    let mut parameters = Vec::new();
                    p.expect("(");
                    while !p.take(")") {
                        if !p.take(",") {
                            parameters.push(p.next());
                        }
                    }
                    p.expect(":");
                    defs.insert(name, (parameters, p.block()));
                }
                "main" => {
                    p.expect(":");
                    main = p.block();
                }
                "T" => {
                    p.expect("(");
                    p.expect("i");
                    p.expect("=");
                    let from = value(&p.expr(0), &numbers);
                    p.expect("..");
                    let to = value(&p.expr(0), &numbers);
                    p.expect(")");
                    p.expect(":");
                    let body = p.block();
                    threads.extend((from..=to).map(|i| Thread { body: body.clone(), i }));
                }
                _ => {
                    let mut alike = 1;
                    while p.take(",") {
                        p.next();
                        alike += 1;
                    }
                    p.expect(":");
                    let body = p.block();
                    threads.extend((0..alike).map(|_| Thread { body: body.clone(), i: 0 }));
                }
            }
        }
        let Parser { shared, arrays, mutexes, .. } = p;
        Code { defs, threads, main, n, shared, arrays, mutexes }
    }

    /// Runs the program once, inside a check.
    pub fn run(self: &Code) {
        DROPPED.set(false);
        let memory = Arc::new(Memory {
            variables: self.shared.iter().map(|_| AtomicI64::new(0)).collect(),
            arrays: self.arrays.iter().map(|_| (0..12).map(|_| AtomicI64::new(0)).collect()).collect(),
            mutexes: self.mutexes.iter().map(|_| Mutex::new(())).collect(),
        });
        let mut handles = Vec::new();
        let mut run = Run { code: self, memory: &memory, held: Vec::new() };
        let mut env = BTreeMap::from([("N".to_owned(), self.n)]);
        for stmt in &self.main {
            match stmt {
                Stmt::SpawnAll => {
                    thread::scope(|scope| {
                        for thread in &self.threads {
                            let memory = Arc::clone(&memory);
                            scope.spawn(move || {
                                let mut run = Run { code: self, memory: &memory, held: Vec::new() };
                                let mut env =
                                    BTreeMap::from([("N".to_owned(), self.n), ("i".to_owned(), thread.i)]);
                                run.block(&thread.body, &mut env);
                            });
                        }
                    });
                    handles.push(());
                }
                Stmt::JoinAll => handles.clear(),
                stmt => {
                    run.stmt(stmt, &mut env);
                }
            }
        }
    }
}

struct Memory {
    variables: Vec<AtomicI64>,
    arrays: Vec<Vec<AtomicI64>>,
    mutexes: Vec<Mutex<()>>,
}

struct Run<'a> {
    code: &'a Code,
    memory: &'a Memory,
    held: Vec<(usize, MutexGuard<'a, ()>)>,
}

/// What comes after a statement.
#[derive(PartialEq)]
enum Then {
    GoOn,
    Return,
    /// The thread stops.
    Stop,
}

type Env = BTreeMap<String, i64>;

fn value(expr: &Expr, env: &Env) -> i64 {
    match expr {
        Expr::Number(n) => *n,
        Expr::Local(name) => *env.get(name).unwrap_or_else(|| panic!("{name} has no value")),
        Expr::Binary(left, operator, right) => {
            let (a, b) = (value(left, env), value(right, env));
            match operator.as_str() {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a / b,
                "%" => a.rem_euclid(b),
                "^" => a ^ b,
                "**" => a.pow(b as u32),
                "==" => i64::from(a == b),
                "!=" => i64::from(a != b),
                "<" => i64::from(a < b),
                ">" => i64::from(a > b),
                "<=" => i64::from(a <= b),
                ">=" => i64::from(a >= b),
                other => panic!("no operator {other}"),
            }
        }
    }
}

impl<'a> Run<'a> {
    fn at(&self, place: &Place, env: &Env) -> &'a AtomicI64 {
        let find = |list: &[String]| list.iter().position(|n| *n == place.name).expect("seen by the parser");
        match &place.index {
            None => &self.memory.variables[find(&self.code.shared)],
            Some(index) => &self.memory.arrays[find(&self.code.arrays)][value(index, env) as usize],
        }
    }

    fn block(&mut self, block: &[Stmt], env: &mut Env) -> Then {
        for stmt in block {
            match self.stmt(stmt, env) {
                Then::GoOn => {}
                then => return then,
            }
        }
        Then::GoOn
    }

    fn mutex(&self, name: &str) -> usize {
        self.code.mutexes.iter().position(|n| n == name).expect("seen by the parser")
    }

    fn stmt(&mut self, stmt: &Stmt, env: &mut Env) -> Then {
        match stmt {
            Stmt::Store(place, expr) => self.at(place, env).store(value(expr, env), SeqCst),
            Stmt::Load(name, place) => {
                let read = self.at(place, env).load(SeqCst);
                env.insert(name.clone(), read);
            }
            Stmt::Let(name, expr) => {
                env.insert(name.clone(), value(expr, env));
            }
            Stmt::Add(name, place, expr) => {
                let old = self.at(place, env).fetch_add(value(expr, env), SeqCst);
                env.insert(name.clone(), old);
            }
            Stmt::Exchange(name, place, expr) => {
                let old = self.at(place, env).swap(value(expr, env), SeqCst);
                env.insert(name.clone(), old);
            }
            Stmt::Cas(place, expected, new) => {
                let (expected, new) = (value(expected, env), value(new, env));
                let _ = self.at(place, env).compare_exchange(expected, new, SeqCst, SeqCst);
            }
            Stmt::Lock(name) => {
                let mutex = self.mutex(name);
                self.held.push((mutex, self.memory.mutexes[mutex].lock().unwrap()));
            }
            Stmt::Unlock(name) => {
                let mutex = self.mutex(name);
                let at = self.held.iter().position(|h| h.0 == mutex).expect("it is held");
                drop(self.held.remove(at));
            }
            Stmt::If(condition, then) => {
                if value(condition, env) != 0 {
                    return self.block(then, env);
                }
            }
            Stmt::While(condition, body) => {
                while value(condition, env) != 0 {
                    match self.block(body, env) {
                        Then::GoOn => {}
                        then => return then,
                    }
                }
            }
            Stmt::For(name, from, to, body) => {
                for k in value(from, env)..=value(to, env) {
                    env.insert(name.clone(), k);
                    match self.block(body, env) {
                        Then::GoOn => {}
                        then => return then,
                    }
                }
            }
            Stmt::Assume(condition) => {
                if value(condition, env) == 0 {
                    DROPPED.set(true);
                    return Then::Stop;
                }
            }
            Stmt::Call(name, arguments) => {
                let (parameters, body) = &self.code.defs[name];
                let mut inner: Env = BTreeMap::from([("N".to_owned(), self.code.n)]);
                for (parameter, argument) in parameters.iter().zip(arguments) {
                    inner.insert(parameter.clone(), value(argument, env));
                }
                if self.block(body, &mut inner) == Then::Stop {
                    return Then::Stop;
                }
            }
            Stmt::Return => return Then::Return,
            Stmt::Fence | Stmt::SpawnAll | Stmt::JoinAll => {}
        }
        Then::GoOn
    }
}
