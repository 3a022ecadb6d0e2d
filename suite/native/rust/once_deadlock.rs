// Two values that are made once, each from the other in some configuration: two threads that begin at both ends wait for each other.
// expect: deadlock
use std::sync::OnceLock;
use std::thread;

static HOST: OnceLock<u32> = OnceLock::new();
static PORT: OnceLock<u32> = OnceLock::new();

fn host(with_port: bool) -> u32 {
    *HOST.get_or_init(|| if with_port { port(false) + 1 } else { 1 })
}

fn port(with_host: bool) -> u32 {
    *PORT.get_or_init(|| if with_host { host(false) + 1 } else { 1 })
}

fn main() {
    let other = thread::spawn(|| port(!cfg!(fixed)));
    host(true);
    other.join().unwrap();
}
