//! How a program begins: `main` is ours. It turns the process into a fork server, and what that forks goes on with the program's own
//! `main`, each time from the same state.

use super::real::{entry, real};
use super::turn;
use super::{again, blocks, carriers, end, hooks, identity, points, signals, sys, thread, watch};
use gordian_model::ThreadId;
use gordian_wire::{
    ANSWERS_VARIABLE, DIRECT_VARIABLE, LIBRARY_VARIABLE, MAGIC, MEMORY_VARIABLE, ORDERS_VARIABLE, PLAN_AT,
    PLAN_SIZE, Phase, REFUSED_VARIABLE, SIZE, STOP_VARIABLE, Shared, take_plan,
};
use libc::{c_char, c_int, c_void};
use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicUsize, Ordering::*};

type Main = unsafe extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

static PROGRAM: AtomicUsize = AtomicUsize::new(0);

/// See the LSB: what the first instructions of a program call, with its `main`.
///
/// # Safety
/// As the C library's function asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn __libc_start_main(
    main: Main,
    argc: c_int,
    argv: *mut *mut c_char,
    init: *mut c_void,
    fini: *mut c_void,
    rtld_fini: *mut c_void,
    stack_end: *mut c_void,
) -> c_int {
    type Start = unsafe extern "C-unwind" fn(
        Main,
        c_int,
        *mut *mut c_char,
        *mut c_void,
        *mut c_void,
        *mut c_void,
        *mut c_void,
    ) -> c_int;
    let start = real!(c"__libc_start_main" as Start);
    PROGRAM.store(main as usize, Relaxed);
    // SAFETY: passed on, with our own `main`.
    unsafe { start(ours, argc, argv, init, fini, rtld_fini, stack_end) }
}

unsafe extern "C-unwind" fn ours(
    argc: c_int,
    argv: *mut *mut c_char,
    environment: *mut *mut c_char,
) -> c_int {
    // SAFETY: it was stored from just that type.
    let main: Main = unsafe { std::mem::transmute(PROGRAM.load(Relaxed)) };
    if let Some((shared, pipes)) = connect() {
        turn::create(shared);
        turn::with(|rt| rt.sites.set_program(text_of(&mut |_, first| first)));
        let (start, end) = text_of(&mut |name, _| name.contains("libgcc_s"));
        turn::UNWINDER[0].store(start, Relaxed);
        turn::UNWINDER[1].store(end, Relaxed);
        thread::prepare();
        identity::prepare();
        thread::REFUSED.store(descriptor(REFUSED_VARIABLE).map_or(0, |n| n.max(0) as u32), Relaxed);
        signals::prepare();
        if hooks::are_there() {
            shared.hooked.store(1, Relaxed);
            blocks::prepare();
        }
        end::prepare();
        // One heap is enough for threads of which one runs at a time, and further ones take time to make.
        // SAFETY: no other thread is there.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
        carriers::prepare();
        match pipes {
            Some((orders, answers)) => serve(shared, orders, answers),
            None => begin_at_once(shared),
        }
        // The program's stack begins below this function's.
        let base = std::ptr::from_ref(&main) as usize & !7;
        turn::with(|rt| rt.control(ThreadId::MAIN).base = base);
        thread::arm();
    }
    // SAFETY: what the program would have got. The environment may have moved when variables of ours were taken out.
    unsafe {
        unsafe extern "C" {
            static mut environ: *mut *mut c_char;
        }
        let _ = environment;
        main(argc, argv, environ)
    }
}

/// Takes a variable out of the environment.
fn variable(name: &str) -> Option<CString> {
    let name = CString::new(name).ok()?;
    // SAFETY: no other thread is there to change the environment.
    unsafe {
        let value = libc::getenv(name.as_ptr());
        let text = (!value.is_null()).then(|| CStr::from_ptr(value).to_owned());
        libc::unsetenv(name.as_ptr());
        text
    }
}

fn descriptor(name: &str) -> Option<c_int> {
    variable(name)?.to_str().ok()?.parse().ok()
}

/// Maps what is shared with the host, and gives the pipes to it; no pipes if a debugger has started the program, nothing if there is no host.
fn connect() -> Option<(&'static Shared, Option<(c_int, c_int)>)> {
    if let Some(file) = variable(DIRECT_VARIABLE) {
        // Anything but a number is the end.
        let stop = variable(STOP_VARIABLE).and_then(|stop| stop.to_str().ok()?.parse().ok());
        watch::prepare(stop.unwrap_or(u64::MAX));
        // SAFETY: a path that ends with a zero.
        let memory = unsafe { libc::open(file.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        // The next run finds it as it was.
        return Some((map(memory, libc::MAP_PRIVATE), None));
    }
    let memory = descriptor(MEMORY_VARIABLE)?;
    let (orders, answers) = (descriptor(ORDERS_VARIABLE)?, descriptor(ANSWERS_VARIABLE)?);
    let library = descriptor(LIBRARY_VARIABLE)?;
    // SAFETY: it was passed for the loader alone.
    unsafe { libc::close(library) };
    Some((map(memory, libc::MAP_SHARED), Some((orders, answers))))
}

fn map(memory: c_int, how: c_int) -> &'static Shared {
    // SAFETY: the descriptor is that of the shared memory, which the host has made that large. Everything in its head is atomic.
    let shared = unsafe {
        libc::unsetenv(c"LD_PRELOAD".as_ptr());
        libc::unsetenv(c"LD_BIND_NOW".as_ptr());
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let base = libc::mmap(std::ptr::null_mut(), SIZE, protection, how, memory, 0);
        libc::close(memory);
        if base == libc::MAP_FAILED {
            end::give_up("the memory that is shared with the host cannot be mapped");
        }
        &*base.cast::<Shared>()
    };
    if shared.magic.load(Acquire) != MAGIC {
        end::give_up("the host and the runtime are of different versions");
    }
    shared
}

/// Where the instructions lie of the first file in memory that is wanted, by its name and whether it is the program itself.
fn text_of(is_wanted: &mut dyn FnMut(&str, bool) -> bool) -> (usize, usize) {
    struct Search<'a> {
        is_wanted: &'a mut dyn FnMut(&str, bool) -> bool,
        first: bool,
        found: (usize, usize),
    }
    unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
        // SAFETY: what the C library passes; the program itself comes first.
        unsafe {
            let (info, search) = (&*info, &mut *search.cast::<Search<'_>>());
            let name = if info.dlpi_name.is_null() { c"" } else { CStr::from_ptr(info.dlpi_name) };
            let first = std::mem::replace(&mut search.first, false);
            if !(search.is_wanted)(&name.to_string_lossy(), first) {
                return 0;
            }
            let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize);
            for header in headers.iter().filter(|h| h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_X != 0)
            {
                let start = info.dlpi_addr as usize + header.p_vaddr as usize;
                search.found = (start, start + header.p_memsz as usize);
            }
        }
        1
    }
    let mut search = Search { is_wanted, first: true, found: (0, 0) };
    // SAFETY: the callback gets what it expects.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut search).cast()) };
    search.found
}

/// Begins an execution in this process.
fn begin_at_once(shared: &'static Shared) {
    points::set(shared, 0);
    absorb();
    begin(shared);
}

/// Forks an execution for every order, and returns in each of them.
fn serve(shared: &'static Shared, orders: c_int, answers: c_int) {
    shared.early.store(threads_now().saturating_sub(1), Relaxed);
    shared.phase.store(Phase::Ready as u32, Release);
    sys::write(answers, &0u32.to_le_bytes());
    let mut points = 0;
    loop {
        // A process that makes room for a new one has read the order already.
        if shared.leaves.swap(0, AcqRel) == 0 && sys::read_byte(orders).is_none() {
            // The host is gone.
            sys::exit_process(0);
        }
        points = points::set(shared, points);
        absorb();
        match fork() {
            0 => {
                // SAFETY: the descriptors are ours; whoever forked this may be gone already, but then so is the pipe.
                unsafe {
                    libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                    let kernel = shared.kernel_threads.load(Relaxed) != 0 || !carriers::are_used();
                    if shared.rerun.load(Relaxed) == 0 || kernel {
                        libc::close(orders);
                        libc::close(answers);
                    } else {
                        again::prepare(shared, orders, answers);
                        absorb();
                    }
                }
                return begin(shared);
            }
            ..0 => {
                sys::write(answers, &u32::MAX.to_le_bytes());
            }
            child => {
                let mut status = 0u32;
                // SAFETY: there is room for the status.
                while unsafe {
                    sys::call(libc::SYS_wait4, [child as usize, &raw mut status as usize, 0, 0, 0, 0])
                } == -(libc::EINTR as isize)
                {}
                if shared.leaves.load(Acquire) == 0 {
                    sys::write(answers, &status.to_le_bytes());
                }
            }
        }
    }
}

/// Takes over what the host knows from earlier executions.
fn absorb() {
    turn::with(|rt| {
        rt.sites.absorb(rt.shared, &mut rt.conductor.names);
        rt.recorded.absorb(rt.shared);
    });
}

/// Forks. What the C library and the program have registered to be called then is not: to them it is one process from the beginning to
/// the end.
fn fork() -> c_int {
    let number = carriers::own_number();
    let flags = (libc::SIGCHLD | libc::CLONE_CHILD_SETTID | libc::CLONE_CHILD_CLEARTID) as usize;
    if number.is_null() {
        // SAFETY: this process has one thread; the new one closes what it has no use for.
        return unsafe { real!(c"fork" as unsafe extern "C" fn() -> c_int)() };
    }
    // SAFETY: as above; the kernel writes the number of the thread to where the C library keeps it.
    unsafe { sys::call(libc::SYS_clone, [flags, 0, 0, number as usize, 0, 0]) as c_int }
}

fn begin(shared: &'static Shared) {
    if shared.kernel_threads.load(Relaxed) != 0 {
        carriers::leave_to_kernel();
    }
    let base = std::ptr::from_ref(shared).cast::<u8>();
    let len = (shared.plan.load(Relaxed) as usize).min(PLAN_SIZE);
    // SAFETY: that much is mapped, and the host writes to it only between executions.
    let plan = take_plan(unsafe { std::slice::from_raw_parts(base.add(PLAN_AT), len) });
    match plan {
        Some(plan) => turn::begin(&plan),
        None => end::give_up("the plan cannot be read"),
    }
    shared.phase.store(Phase::Running as u32, Release);
}

/// How many threads the process has.
fn threads_now() -> u32 {
    // SAFETY: plain calls of the C library.
    unsafe {
        let folder = libc::opendir(c"/proc/self/task".as_ptr());
        if folder.is_null() {
            return 1;
        }
        let mut count = 0;
        while let Some(entry) = libc::readdir(folder).as_ref() {
            count += u32::from(entry.d_name[0] != b'.' as c_char);
        }
        libc::closedir(folder);
        count
    }
}

entry!(
    /// See sched_getaffinity(2): the program has the processors that the host has, although it runs on one.
    sched_getaffinity, 3 => affinity
);
entry!(
    /// See sched_setaffinity(2): it stays on the one it is on.
    sched_setaffinity, 3 => set_affinity
);

unsafe extern "C-unwind" fn affinity(process: c_int, size: usize, set: *mut u8, _caller: usize) -> c_int {
    let Some(_) = turn::me() else {
        type Get = unsafe extern "C" fn(c_int, usize, *mut u8) -> c_int;
        // SAFETY: passed on as it came.
        return unsafe { real!(c"sched_getaffinity" c"GLIBC_2.3.4" as Get)(process, size, set) };
    };
    turn::with(|rt| {
        for i in 0..size {
            let word = rt.shared.processors.get(i / 8).map_or(0, |word| word.load(Relaxed));
            // SAFETY: the program has that much room.
            unsafe { set.add(i).write(word.to_le_bytes()[i % 8]) };
        }
    });
    0
}

unsafe extern "C-unwind" fn set_affinity(
    process: c_int,
    size: usize,
    set: *const u8,
    _caller: usize,
) -> c_int {
    if turn::me().is_some() {
        return 0;
    }
    type Set = unsafe extern "C" fn(c_int, usize, *const u8) -> c_int;
    // SAFETY: passed on as it came.
    unsafe { real!(c"sched_setaffinity" c"GLIBC_2.3.4" as Set)(process, size, set) }
}
