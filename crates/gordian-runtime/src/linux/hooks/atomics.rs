//! Atomics of code with hooks.

use super::{calls, chosen, words};
use crate::hooks::shadow::Judged;
use crate::runtime::Runtime;
use crate::{blocks, turn};
use gordian_model::object::Object;
use gordian_model::op::{Order, Rmw};
use gordian_model::{ObjectId, Op, OpKind, Reply, SiteId, ThreadId};
use gordian_wire::Trust;
use libc::c_int;
use std::sync::atomic::{self, Ordering};

/// The compilers' number for an ordering. "Consume" is taken for "acquire", as they do.
fn order(number: c_int) -> Order {
    match number & 0xff {
        0 => Order::Relaxed,
        1 | 2 => Order::Acquire,
        3 => Order::Release,
        4 => Order::AcqRel,
        _ => Order::SeqCst,
    }
}

/// An op on an atomic, of which it is not said yet.
fn an_op(kind: OpKind, mo: c_int) -> Op {
    Op { order: order(mo), ..Op::new(kind, ObjectId::NONE, SiteId::UNKNOWN) }
}

/// The compilers' number for neither acquiring nor releasing.
const RELAXED: c_int = 0;
/// The compilers' number for both acquiring and releasing.
pub(crate) const ACQ_REL: c_int = 4;

/// An access to an atomic that a thread is about to make.
pub(crate) struct Access {
    pub(crate) me: ThreadId,
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) caller: usize,
}

impl Access {
    /// Carries it out as a step. What is in memory is given to the model before, and `back` puts what the model makes of it into memory. Where
    /// what is written is not known, it is taken for what is there when it is the thread's turn, with the bits of `unknown` changed.
    fn step(&self, op: Op, unknown: Option<u64>, back: impl FnOnce(&Reply, u64)) -> Reply {
        let &Access { me, address, bytes, caller } = self;
        let at = calls::site(caller);
        turn::with(|rt| {
            rt.is_back(me);
            blocks::check(rt, me, (address, bytes), at);
        });
        // SAFETY: the program is about to access just that.
        let id = unsafe { words::object(me, address, bytes, at) };
        let op = Op { object: id, site: at, detail: bytes as u8, ..op };
        let before = |rt: &mut Runtime, op: &mut Op| {
            // It may have been freed meanwhile.
            blocks::check(rt, me, (address, bytes), at);
            // SAFETY: as above.
            let before = unsafe { words::value(address, bytes) };
            if rt.held(id) != before {
                if !rt.was_unknown(id) {
                    // Code without hooks was here. Who it was is not known, so it may have been anybody.
                    rt.conductor.knows_all(me);
                }
                if let Object::Atomic(atomic) = rt.conductor.object_mut(id) {
                    atomic.set(before);
                }
            }
            if let Some(bits) = unknown.filter(|_| op.kind != OpKind::Load) {
                op.arg = before ^ bits;
            }
        };
        let after = |rt: &mut Runtime, reply: &Reply| {
            let after = rt.held(id);
            back(reply, after);
            let write = op.kind == OpKind::Store || (op.kind != OpKind::Load && reply.ok);
            let place = (me, address, bytes);
            // It belongs to what it publishes, and the clock has gone on since.
            let time = rt.conductor.time(me).saturating_sub(1);
            self.others(rt, id, write, op.order.releases());
            let judged = rt.shadow.access_atomic(&mut rt.conductor, place, (write, time), at);
            turn::judged(rt, me, judged == Judged::Race);
            // A compare-and-swap that fails may be followed by one that is not seen, where code without hooks takes over.
            rt.control(me).unseen = true;
        };
        let trust = turn::with(|rt| rt.trust(me, at));
        if trust == Trust::None {
            return turn::step_around(me, &op, before, after);
        }
        turn::with(|rt| {
            rt.beat();
            let mut op = op;
            before(rt, &mut op);
            let reply = rt.conductor.perform_within(me, &op, trust == Trust::Whole);
            after(rt, &reply);
            reply
        })
    }

    /// Atomics of other sizes that share some of the bytes.
    fn others(&self, rt: &mut Runtime, id: ObjectId, wrote: bool, releases: bool) {
        for other in rt.words.overlapping(self.address, self.bytes) {
            debug_assert_ne!(other, id);
            if wrote {
                rt.conductor.also_wrote(self.me, other, releases);
                // What it holds is looked up when it is asked for.
                rt.will_be_known(other);
            } else {
                rt.conductor.also_touched(self.me, other, false);
            }
        }
    }

    fn plain(&self, op: Op) -> Reply {
        self.step(op, None, |_, value| {
            // SAFETY: the program is about to access just that.
            unsafe { words::set(self.address, self.bytes, value) }
        })
    }

    /// As [`foretold`](Self::foretold), by code without hooks that is trusted to be in order.
    pub(crate) fn met(&self, write: bool, at: SiteId) {
        let (me, address) = (self.me, self.address);
        let kind = if write { OpKind::Swap } else { OpKind::Load };
        self.step(an_op(kind, ACQ_REL), Some(0), |_, _| {});
        // SAFETY: the function that is about to begin will read it.
        let id = unsafe { words::object(me, address, self.bytes, at) };
        turn::with(|rt| {
            rt.conductor.acquire(me, id);
            rt.control(me).unseen = true;
        });
    }

    /// A plain access that is a step, as if it were to a relaxed atomic. It happens when this returns.
    pub(crate) fn raced(&self, write: bool) {
        let kind = if write { OpKind::Store } else { OpKind::Load };
        self.step(an_op(kind, RELAXED), Some(1), |_, _| {});
        if write {
            // SAFETY: the program is about to access just that.
            let id = unsafe { words::object(self.me, self.address, self.bytes, SiteId::UNKNOWN) };
            turn::with(|rt| rt.will_be_known(id));
        }
    }

    /// An access that happens when this returns, and whose value is not known before: to volatile memory, for example.
    pub(crate) fn foretold(&self, write: bool, mo: c_int) {
        let kind = if write { OpKind::Swap } else { OpKind::Load };
        let (me, address, bytes) = (self.me, self.address, self.bytes);
        self.step(an_op(kind, mo), Some(1), |_, _| {});
        if write {
            // SAFETY: the object is there already.
            let id = unsafe { words::object(me, address, bytes, SiteId::UNKNOWN) };
            turn::with(|rt| rt.will_be_known(id));
        }
    }
}

/// So often in a row trusted code may do something to atomics without a step. If it does so more often it may be waiting for others.
const PATIENCE: u32 = 10_000;

impl Runtime {
    /// How an access to an atomic at this place is treated.
    fn trust(&mut self, me: ThreadId, at: SiteId) -> Trust {
        let trust = self.shared.trust(at.0);
        let within = &mut self.control(me).within;
        *within = if trust == Trust::None { 0 } else { *within + 1 };
        if *within > PATIENCE { Trust::None } else { trust }
    }
}

macro_rules! stub {
    ($name:expr, $register:literal, $to:path) => {
        const _: () = {
            /// One of the compilers' functions.
            ///
            /// # Safety
            /// Called by compilers only.
            #[unsafe(naked)]
            #[unsafe(export_name = $name)]
            unsafe extern "C" fn stub() {
        std::arch::naked_asm!($crate::snapshot::note!(), concat!("mov ", $register, ", [rsp]"), "jmp {to}", to = sym $to)
            }
            #[used]
            static KEPT: unsafe extern "C" fn() = stub;
        };
    };
}
pub(crate) use stub;

macro_rules! update {
    ($module:ident, $bits:literal, $type:ty, $name:literal, $rmw:ident, $real:ident) => {
        const _: () = {
            extern "C-unwind" fn update(at: *mut $type, value: $type, mo: c_int, caller: usize) -> $type {
                let op = || Op { arg: value as u64, ..an_op(OpKind::from(Rmw::$rmw), mo) };
                match $module::access(at, caller) {
                    Some(access) => access.plain(op()).value as $type,
                    None => $module::real(at).$real(value, Ordering::SeqCst),
                }
            }
            stub!(concat!("__tsan_atomic", $bits, "_", $name), "rcx", update);
        };
    };
}

/// One of the two kinds of compare-and-exchange that gcc calls, carried out by `$either`.
macro_rules! exchanges {
    ($type:ty, $bits:literal, $name:literal, $kind:ident, $either:ident) => {
        const _: () = {
            extern "C-unwind" fn exchange(
                at: *mut $type,
                old: *mut $type,
                new: $type,
                mo: c_int,
                failed: c_int,
                caller: usize,
            ) -> c_int {
                $either(OpKind::$kind, at, old, new, [mo, failed], caller)
            }
            stub!(concat!("__tsan_atomic", $bits, "_compare_exchange_", $name), "r9", exchange);
        };
    };
}

macro_rules! atomics {
    ($module:ident, $bits:literal, $type:ty, $atomic:ty) => {
        mod $module {
            use super::*;

            /// The thread, if it is under control, and what it is about to do.
            pub(super) fn access(at: *mut $type, caller: usize) -> Option<Access> {
                let me = turn::caller(caller)?;
                if chosen::passes(at as usize, size_of::<$type>()) {
                    chosen::pass(me, caller);
                    return None;
                }
                Some(Access { me, address: at as usize, bytes: size_of::<$type>(), caller })
            }

            pub(super) fn real<'a>(at: *mut $type) -> &'a $atomic {
                // SAFETY: the program says that it is one.
                unsafe { <$atomic>::from_ptr(at) }
            }

            extern "C-unwind" fn load(at: *mut $type, mo: c_int, caller: usize) -> $type {
                match access(at, caller) {
                    Some(access) => access.plain(an_op(OpKind::Load, mo)).value as $type,
                    None => real(at).load(Ordering::SeqCst),
                }
            }
            stub!(concat!("__tsan_atomic", $bits, "_load"), "rdx", load);

            extern "C-unwind" fn store(at: *mut $type, value: $type, mo: c_int, caller: usize) {
                match access(at, caller) {
                    Some(access) => {
                        access.plain(Op { arg: value as u64, ..an_op(OpKind::Store, mo) });
                    }
                    None => real(at).store(value, Ordering::SeqCst),
                }
            }
            stub!(concat!("__tsan_atomic", $bits, "_store"), "rcx", store);

            fn exchange(access: Access, kind: OpKind, [old, new]: [$type; 2], mo: [c_int; 2]) -> Reply {
                let op = an_op(kind, mo[0]);
                access.plain(Op { arg: old as u64, arg2: new as u64, failure: order(mo[1]), ..op })
            }

            extern "C-unwind" fn value(
                at: *mut $type,
                old: $type,
                new: $type,
                mo: c_int,
                failed: c_int,
                caller: usize,
            ) -> $type {
                match access(at, caller) {
                    Some(access) => {
                        exchange(access, OpKind::CompareExchange, [old, new], [mo, failed]).value as $type
                    }
                    None => {
                        let done = real(at).compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst);
                        done.unwrap_or_else(|found| found)
                    }
                }
            }
            stub!(concat!("__tsan_atomic", $bits, "_compare_exchange_val"), "r9", value);

            fn either(
                kind: OpKind,
                at: *mut $type,
                old: *mut $type,
                new: $type,
                mo: [c_int; 2],
                caller: usize,
            ) -> c_int {
                // SAFETY: the compiler passes where the expected value is, and where the one found goes.
                let expected = unsafe { old.read() };
                let found = match access(at, caller) {
                    Some(access) => {
                        let reply = exchange(access, kind, [expected, new], mo);
                        if reply.ok { Ok(expected) } else { Err(reply.value as $type) }
                    }
                    None => real(at).compare_exchange(expected, new, Ordering::SeqCst, Ordering::SeqCst),
                };
                if let Err(found) = found {
                    // SAFETY: as above.
                    unsafe { old.write(found) };
                }
                c_int::from(found.is_ok())
            }

            exchanges!($type, $bits, "strong", CompareExchange, either);
            exchanges!($type, $bits, "weak", CompareExchangeWeak, either);
        }
        update!($module, $bits, $type, "exchange", Swap, swap);
        update!($module, $bits, $type, "fetch_add", Add, fetch_add);
        update!($module, $bits, $type, "fetch_sub", Sub, fetch_sub);
        update!($module, $bits, $type, "fetch_and", And, fetch_and);
        update!($module, $bits, $type, "fetch_or", Or, fetch_or);
        update!($module, $bits, $type, "fetch_xor", Xor, fetch_xor);
        update!($module, $bits, $type, "fetch_nand", Nand, fetch_nand);
    };
}

atomics!(bits8, "8", u8, atomic::AtomicU8);
atomics!(bits16, "16", u16, atomic::AtomicU16);
atomics!(bits32, "32", u32, atomic::AtomicU32);
atomics!(bits64, "64", u64, atomic::AtomicU64);

/// A fence.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn __tsan_atomic_thread_fence(mo: c_int) {
    match turn::me() {
        Some(me) => turn::with(|rt| rt.conductor.fence(me, order(mo))),
        None => atomic::fence(Ordering::SeqCst),
    }
}

/// A fence between a thread and its own signal handlers.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn __tsan_atomic_signal_fence(_: c_int) {
    atomic::compiler_fence(Ordering::SeqCst);
}
