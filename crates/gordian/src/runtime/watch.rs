//! A debugger that looks at one execution (`gordian replay FILE --debug`).
//!
//! Before the step that was asked for, on the stack of the thread that is about to make it, the runtime writes down what
//! there is and calls [`stop`], in which the debugger has a breakpoint. What it is handed is plain memory that can be read
//! without knowing any type: the script that comes with the command does. Without a debugger nothing happens there.

use super::host::{Request, Runtime};
use super::registers::Registers;
use super::suspend;
use gordian_model::{End, Recording, ThreadId, Trace};
use gordian_report::{Look, Moment, Sources};
use serde_json::{Value, json};

/// What is to be looked at.
#[derive(Debug)]
pub(crate) struct Debugged {
    /// Stop before this step, the first being 1; [`END`] is the failure itself.
    pub(crate) stop_at: u64,
    /// The number of steps that were recorded...
    pub(crate) steps: u64,
    /// ...and what they were.
    pub(crate) recorded: Option<Trace>,
}

impl Debugged {
    /// The execution that was recorded.
    pub(crate) fn new(stop_at: u64, recording: &Recording) -> Debugged {
        Debugged { stop_at, steps: recording.plan.prefix.len() as u64, recorded: recording.trace.clone() }
    }
}

/// After all steps.
const END: u64 = u64::MAX;

/// What the debugger is handed, by address. The script knows where each part lies.
#[repr(C)]
struct View {
    magic: u64,
    /// The debugger writes here.
    stop_at: u64,
    /// JSON.
    text: *const u8,
    len: usize,
}

const MAGIC: u64 = u64::from_le_bytes(*b"gordian\x01");

/// An execution that is looked at.
pub(super) struct Watch {
    view: View,
    text: String,
    steps: u64,
    recorded: Option<Trace>,
    /// What each thread went to rest with last.
    registers: Vec<Registers>,
    /// The failure has been shown.
    failed: bool,
}

impl Watch {
    pub(super) fn new(debugged: Debugged) -> Box<Watch> {
        let Debugged { stop_at, steps, recorded } = debugged;
        let view = View { magic: MAGIC, stop_at, text: std::ptr::null(), len: 0 };
        Box::new(Watch { view, text: String::new(), steps, recorded, registers: Vec::new(), failed: false })
    }

    fn stop_at(&self) -> u64 {
        // SAFETY: a field of ours, which somebody outside of the program may have written to.
        unsafe { std::ptr::read_volatile(&raw const self.view.stop_at) }
    }

    /// Hands a moment over.
    fn show(&mut self, moment: &Value) {
        self.text = moment.to_string();
        (self.view.text, self.view.len) = (self.text.as_ptr(), self.text.len());
        // Where to stop next is for the debugger to say.
        self.view.stop_at = END;
        stop(&raw mut self.view);
    }
}

/// Where an execution is stopped.
struct Stop {
    /// The number of the step that comes next; none after the last.
    number: Option<u64>,
    /// The thread that makes it, or that fails.
    thread: Option<ThreadId>,
    /// We are on its stack.
    here: bool,
    failed: Option<String>,
}

/// The debugger has a breakpoint here.
#[inline(never)]
extern "C" fn stop(view: *mut View) {
    // Written here, so that no other function has the same body and could stand for this one.
    // SAFETY: the caller has just made it from a reference.
    unsafe { std::ptr::write_volatile(&raw mut (*view).magic, MAGIC) };
}

/// Waits for the thread's turn to make a step, then lets the debugger look at it.
///
/// # Safety
/// As `suspend`; the execution is watched.
#[cold]
#[inline(never)]
pub(super) unsafe fn wait(rt: *mut Runtime) {
    // SAFETY: as promised.
    unsafe {
        save_registers(rt);
        suspend(rt, Request::Started);
        let me = (*rt).running;
        // A thread that has joined another comes back without a step of its own.
        if !(*rt).silent && (*rt).conductor.is_announced(me) {
            before_step(rt, me, true);
        }
    }
}

/// Writes down where the running thread is; inlined, because the caller's frame is the one that stays.
///
/// # Safety
/// As `suspend`.
#[inline(always)]
pub(super) unsafe fn save_registers(rt: *mut Runtime) {
    // SAFETY: as promised; the place is in a live task.
    unsafe {
        let me = (*rt).running.index();
        if let Some(watch) = &mut (*rt).watch {
            if watch.registers.len() <= me {
                watch.registers.resize(me + 1, Registers::default());
            }
            Registers::save(&raw mut watch.registers[me]);
        }
    }
}

/// The thread is about to make a step; `here` says that this is its stack.
///
/// # Safety
/// `rt` is the live runtime of this OS thread.
#[inline]
pub(super) unsafe fn before_step(rt: *mut Runtime, thread: ThreadId, here: bool) {
    // SAFETY: as promised; no reference lives across a switch.
    unsafe {
        if (*rt).watch.is_some() {
            let number = (*rt).conductor.trace.len() as u64 + 1;
            if (*rt).watch.as_ref().is_some_and(|watch| watch.stop_at() <= number) {
                show(rt, &Stop { number: Some(number), thread: Some(thread), here, failed: None });
            }
        }
    }
}

/// The running thread panics, and has not unwound yet.
///
/// # Safety
/// As `before_step`.
pub(super) unsafe fn at_panic(rt: *mut Runtime) {
    // SAFETY: as promised.
    unsafe {
        let steps = (*rt).conductor.trace.len() as u64;
        let over = (*rt).silent || (*rt).conductor.is_over();
        let Some(watch) = &mut (*rt).watch else { return };
        // One that comes earlier is not what the execution fails with.
        if !over && !watch.failed && steps >= watch.steps {
            watch.failed = true;
            let me = (*rt).running;
            let who = (*rt).conductor.names.thread(me);
            let what = (&(*rt).tasks)[me.index()].last_panic.as_ref().map(|note| note.message.clone());
            let what = format!("{who} panicked: {}", what.unwrap_or_default());
            show(rt, &Stop { number: None, thread: Some(me), here: true, failed: Some(what) });
        }
    }
}

/// The execution is over, and what failed has not been shown.
///
/// # Safety
/// As `before_step`; the host is running.
#[inline]
pub(super) unsafe fn at_end(rt: *mut Runtime) {
    // SAFETY: as promised.
    unsafe {
        if (*rt).watch.is_some() {
            show_failure(rt);
        }
    }
}

/// # Safety
/// As `at_end`.
#[cold]
#[inline(never)]
unsafe fn show_failure(rt: *mut Runtime) {
    // SAFETY: as promised.
    unsafe {
        let Some(watch) = &mut (*rt).watch else { return };
        let (what, thread) = match &(*rt).conductor.trace.end {
            End::Failed(failure) => (failure.message.clone(), failure.thread),
            _ => return,
        };
        if !std::mem::replace(&mut watch.failed, true) {
            show(rt, &Stop { number: None, thread, here: false, failed: Some(what) });
        }
    }
}

/// Writes down what there is, and stops.
///
/// # Safety
/// As `before_step`.
#[cold]
#[inline(never)]
unsafe fn show(rt: *mut Runtime, at: &Stop) {
    // SAFETY: as promised; the references end before the debugger has a say, and it only reads.
    unsafe {
        let moment = (*rt).moment(at);
        if let Some(watch) = &mut (*rt).watch {
            watch.show(&moment);
        }
    }
}

impl Runtime {
    /// What there is now, for the debugger's script.
    fn moment(&self, at: &Stop) -> Value {
        let conductor = &self.conductor;
        let mut trace = conductor.trace.clone();
        trace.aftermath = Some(Box::new(conductor.aftermath()));
        let look = Look::from_environment(false).detailed(true);
        let recorded = self.watch.as_ref().and_then(|watch| watch.recorded.as_ref());
        let sources = Sources::from_environment();
        let moment = Moment::new(&trace, recorded, &conductor.names, &sources, &look);
        let threads: Vec<Value> = conductor
            .born()
            .map(|t| {
                let (next, place) = moment.next(t).unwrap_or_default();
                let ended = conductor.is_finished(t);
                let registers = self.watch.as_ref().and_then(|watch| watch.registers.get(t.index()));
                let registers = registers.into_iter().flat_map(Registers::iter);
                let registers: serde_json::Map<String, Value> =
                    registers.map(|(name, value)| (name.to_owned(), value.into())).collect();
                json!({
                    "name": conductor.names.thread(t), "next": next, "place": place, "ended": ended,
                    "registers": registers,
                })
            })
            .collect();
        json!({
            "step": at.number,
            "made": conductor.trace.len(),
            "thread": at.thread.map(|t| conductor.names.thread(t)),
            "here": at.here,
            "failed": at.failed,
            "threads": threads,
            "table": moment.table(),
            "names": Registers::NAMES,
        })
    }
}
