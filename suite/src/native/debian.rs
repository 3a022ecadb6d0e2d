//! Programs as Debian ships them, nothing recompiled: they compress a file with several threads, and in every execution they have to write what they
//! write by themselves, byte for byte.

use super::tools::output;
use gordian_model::{End, Names, Plan, Trace};
use gordian_native::{Invocation, Native};
use gordian_search::{Limits, Search, Target, explore};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A program that compresses.
pub struct Compressor {
    /// Its name, which is that of its package too.
    pub name: &'static str,
    /// What it is told: `IN` is the file it reads, `OUT` the one it writes.
    pub arguments: &'static str,
    /// What it adds to the name of a file, if it chooses the name itself.
    adds: &'static str,
    /// The size of the file.
    bytes: usize,
}

/// Two workers each, and files of more than two blocks, so that both have something to do. (Blocks of pbzip2 have at least 100 kB, those of zstd 512 KiB.)
pub const COMPRESSORS: &[Compressor] = &[
    Compressor {
        name: "plzip",
        arguments: "-n2 -0 -k -f -B 16384 -s 4096 -o OUT IN",
        adds: "",
        bytes: 40_000,
    },
    Compressor { name: "pixz", arguments: "-0 -p 2 -f 0.05 IN OUT", adds: "", bytes: 40_000 },
    Compressor { name: "zstd", arguments: "-q -T2 -1 -B512KiB -f -o OUT IN", adds: "", bytes: 1_300_000 },
    Compressor { name: "pigz", arguments: "-p2 -1 -b 32 -k -f -n -m IN", adds: ".gz", bytes: 80_000 },
    Compressor { name: "pbzip2", arguments: "-p2 -1 -b1 -k -f IN", adds: ".bz2", bytes: 250_000 },
];

/// What came of it.
#[derive(Debug)]
pub struct Comparison {
    /// Executions that came to their end, in each of which the output was compared.
    pub compared: u64,
    /// What is known now.
    pub guarantee: String,
    /// The most threads of an execution, the main one included.
    pub threads: usize,
    /// Bytes read and written.
    pub bytes: (usize, usize),
    /// What was not as it should be.
    pub wrong: Option<String>,
}

impl Compressor {
    /// Is it installed?
    pub fn is_there(&self) -> bool {
        output(Command::new(self.name).arg("-h")).is_ok()
    }

    /// Explores it in this folder, to the end or to a limit.
    pub fn explore(&self, folder: &Path, limits: Limits) -> Result<Comparison, String> {
        let cannot = |error: std::io::Error| format!("{} cannot be written: {error}", folder.display());
        let input = folder.join(self.name);
        std::fs::create_dir_all(folder).map_err(cannot)?;
        std::fs::write(&input, text(self.bytes)).map_err(cannot)?;
        let mut out = input.clone().into_os_string();
        out.push(if self.adds.is_empty() { ".out" } else { self.adds });
        let (input, out) = (input.to_string_lossy(), out.to_string_lossy());
        let words: Vec<String> = std::iter::once(self.name)
            .chain(self.arguments.split(' '))
            .map(|word| word.replace("IN", &input).replace("OUT", &out))
            .collect();
        let plain = output(Command::new(&words[0]).args(&words[1..]))?;
        if !plain.status.success() {
            return Err(format!("{} ended with {}", words.join(" "), plain.status));
        }
        let expected = std::fs::read(&*out).map_err(|error| format!("{out} cannot be read: {error}"))?;
        let native = Native::start(&Invocation { words }, Duration::from_secs(10))
            .map_err(|error| error.to_string())?;
        let mut target =
            Compared { native, out: Path::new(&*out), expected: &expected, count: 0, wrong: None };
        let found = loop {
            let found = explore(&mut target, &Search::default(), limits, Plan::default(), |_, _| {});
            if !target.native.starts_again() {
                break found;
            }
        };
        Ok(Comparison {
            compared: target.count,
            guarantee: found.guarantee.to_string(),
            threads: target.native.names().threads(),
            bytes: (self.bytes, expected.len()),
            wrong: found.failure.map(|(failure, _)| failure.message).or(target.wrong),
        })
    }
}

/// A target that looks at the output after each execution.
struct Compared<'a> {
    native: Native,
    out: &'a Path,
    expected: &'a [u8],
    count: u64,
    wrong: Option<String>,
}

impl Target for Compared<'_> {
    fn run(&mut self, plan: &Plan) -> &Trace {
        self.run_named(plan).0
    }

    fn run_named(&mut self, plan: &Plan) -> (&Trace, Option<&Names>) {
        // What an earlier execution has written says nothing about this one.
        let _ = std::fs::remove_file(self.out);
        let (trace, names) = self.native.run_named(plan);
        if trace.end == End::Complete {
            self.count += 1;
            let wrong = match std::fs::read(self.out) {
                Ok(written) if written == self.expected => None,
                Ok(written) => Some(format!("{} bytes that differ", written.len())),
                Err(error) => Some(format!("nothing: {error}")),
            };
            let number = self.count;
            self.wrong = self.wrong.take().or(wrong.map(|wrong| format!("execution {number} left {wrong}")));
        }
        (trace, names)
    }
}

/// Some text that can be compressed, the same every time.
fn text(bytes: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut text = Vec::with_capacity(bytes + 16);
    while text.len() < bytes {
        // Numerical Recipes' generator; its upper bits are good enough for this.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.extend_from_slice([&b"alpha "[..], b"beta ", b"gamma ", b"delta\n"][(state >> 30) as usize]);
    }
    text.truncate(bytes);
    text
}
