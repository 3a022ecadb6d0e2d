//! What a command line asks of a compiler: as much as has to be known to add options in the right places.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// What a command line asks for.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Job {
    /// There is something to be compiled.
    pub(crate) compiles: bool,
    /// A program or a shared library comes out.
    pub(crate) links: bool,
    /// Something is said about debug information.
    pub(crate) says_debug: bool,
    /// Optimisation is left to the link.
    pub(crate) is_late: bool,
    /// An option that makes hooks impossible, and why.
    pub(crate) refused: Option<String>,
}

/// Options whose value is the next argument.
const WITH_VALUE: &[&str] = &[
    "-o",
    "-x",
    "-I",
    "-L",
    "-D",
    "-U",
    "-A",
    "-B",
    "-T",
    "-u",
    "-e",
    "-z",
    "-h",
    "-G",
    "-F",
    "-include",
    "-imacros",
    "-isystem",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iquote",
    "-isysroot",
    "-imultilib",
    "-cxx-isystem",
    "-ivfsoverlay",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-Xanalyzer",
    "-mllvm",
    "-aux-info",
    "--param",
    "-target",
    "-arch",
    "-wrapper",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-gcc-toolchain",
    "--sysroot",
    "--include",
    "--include-directory",
    "--output",
    "--language",
    "--define-macro",
    "--undefine-macro",
    "-specs",
    "--specs",
    "-install_name",
    "-framework",
    "-rpath",
    "-soname",
];

/// Options after which nothing is linked.
const WITHOUT_LINK: &[&str] =
    &["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--compile", "--assemble", "--preprocess", "-r"];

/// What these arguments ask for.
pub(crate) fn look(arguments: &[OsString]) -> Job {
    let mut job = Job::default();
    let (mut is_static, mut inputs, mut links, mut language) = (None, false, true, false);
    let all = expanded(arguments, 0);
    let mut rest = all.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        let text = &*text;
        if !text.starts_with('-') || text == "-" {
            inputs = true;
            job.compiles |= (language || !is_object(argument)) && !text.is_empty();
            continue;
        }
        match text {
            "-x" | "--language" => {
                language = rest.next().is_some_and(|language| language != "none");
                continue;
            }
            "-static" | "--static" | "-static-pie" => is_static = Some(text.to_owned()),
            _ if WITHOUT_LINK.contains(&text) => links = false,
            _ if text.starts_with("-x") => language = text != "-xnone",
            _ if text.starts_with("-flto") => job.is_late = true,
            "-fno-lto" => job.is_late = false,
            _ if text.starts_with("-g") => job.says_debug = true,
            // With nothing else given, a library alone is linked.
            _ if text.starts_with("-l") => inputs = true,
            _ if text
                .strip_prefix("-fsanitize=")
                .is_some_and(|all| all.split(',').any(|one| one == "thread")) =>
            {
                job.refused = Some(
                    "-fsanitize=thread brings the library of the sanitizer, which has the same functions as Gordian's hooks; leave \
                     it out"
                        .to_owned(),
                );
            }
            _ => {}
        }
        if WITH_VALUE.contains(&text) {
            rest.next();
        }
    }
    job.links = links && inputs;
    job.compiles &= inputs;
    if let Some(option) = is_static.filter(|_| job.links) {
        job.refused = Some(format!(
            "{option} makes a program into which nothing can be loaded, so Gordian cannot control it; link it dynamically"
        ));
    }
    job
}

/// Is it compiled already?
fn is_object(file: &OsStr) -> bool {
    let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
    let ends = [".o", ".a", ".so", ".lo", ".la", ".obj", ".ld", ".lds", ".res"];
    ends.iter().any(|end| name.ends_with(end)) || name.contains(".so.")
}

/// The arguments, with those that lie in files in their places. The compiler reads the files itself; this is only for looking.
fn expanded(arguments: &[OsString], depth: usize) -> Vec<OsString> {
    const DEEPEST: usize = 16;
    let mut all = Vec::new();
    for argument in arguments {
        let file = argument.to_str().and_then(|text| text.strip_prefix('@')).filter(|_| depth < DEEPEST);
        match file.and_then(|file| std::fs::read(file).ok()) {
            Some(bytes) => all.extend(expanded(&words(&String::from_utf8_lossy(&bytes)), depth + 1)),
            None => all.push(argument.clone()),
        }
    }
    all
}

/// The words of such a file: spaces and lines part them, quotes and backslashes keep them together.
fn words(text: &str) -> Vec<OsString> {
    let mut all = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(q)) if c == q => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => all.extend(word.take().map(OsString::from)),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    all.extend(word.map(OsString::from));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Job {
        look(&line.split(' ').filter(|word| !word.is_empty()).map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_compiled_and_what_is_linked() {
        for (line, compiles, links) in [
            ("-o a a.c -pthread", true, true),
            ("-c a.c", true, false),
            ("-E a.c", true, false),
            ("-MM a.c", true, false),
            ("-MD -MF a.d -c a.c -o a.o", true, false),
            ("-S a.c", true, false),
            ("a.o b.o -o a", false, true),
            ("-shared -o liba.so a.o", false, true),
            ("-shared -fPIC a.cpp -o liba.so", true, true),
            ("a.o libb.a libc.so.6 -lm", false, true),
            ("-r a.o b.o -o c.o", false, false),
            ("-x c -", true, true),
            ("-x c -c a.o", true, false),
            ("-xc++ -E -", true, false),
            ("-x c a -x none b.o", true, true),
            ("-v", false, false),
            ("--version", false, false),
            ("-print-prog-name=ld", false, false),
            ("-dumpmachine", false, false),
            ("", false, false),
            ("-I a.c -D b.c -L c", false, false),
            ("-Wl,--version", false, false),
        ] {
            let job = of(line);
            assert_eq!((job.compiles, job.links), (compiles, links), "{line}");
        }
    }

    #[test]
    fn what_is_said_about_debug_information_and_late_optimisation() {
        assert!(!of("-c a.c").says_debug);
        for line in ["-g -c a.c", "-g0 a.c", "-ggdb3 a.c", "-gdwarf-4 a.c"] {
            assert!(of(line).says_debug, "{line}");
        }
        assert!(of("-flto=auto a.c").is_late && !of("-flto -fno-lto a.c").is_late && !of("a.c").is_late);
    }

    #[test]
    fn what_makes_hooks_impossible_is_refused() {
        assert!(of("-static a.c").refused.unwrap().starts_with("-static makes a program into which nothing"));
        assert!(of("-static-pie a.o").refused.is_some());
        assert_eq!(of("-static -c a.c").refused, None);
        assert!(of("-fsanitize=undefined,thread -c a.c").refused.is_some());
        assert_eq!(of("-fsanitize=undefined -c a.c").refused, None);
    }

    #[test]
    fn options_in_files_count() {
        let folder = std::env::temp_dir().join(format!("gordian-job-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (one, two) = (folder.join("one"), folder.join("two"));
        std::fs::write(&one, format!("-g0 @{}\n", two.display())).unwrap();
        std::fs::write(&two, "-c 'a b.c' \"x\\\"y\"").unwrap();
        let job = of(&format!("@{}", one.display()));
        assert!(job.says_debug && job.compiles && !job.links, "{job:?}");
        std::fs::write(&one, format!("@{}", one.display())).unwrap();
        look(&[OsString::from(format!("@{}", one.display()))]);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(words("-c 'a b.c' \"x\\\"y\" ''"), ["-c", "a b.c", "x\"y", ""]);
        // As the compiler does, one that is not there is taken for a file to be compiled.
        assert!(of("@/no/such/file").compiles);
    }
}
