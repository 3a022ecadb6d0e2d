//! What a step would have touched if another had not happened.

use super::{Order, Touch};
use gordian_model::{Access, Accesses, Act, ObjectId, OpKind, Step, copied};

impl Order {
    /// What step `later` would have touched if step `earlier`, with which it races, had not happened: a failed try succeeds
    /// when the taker before it is gone, a compare-and-swap meets the old value, the next message has another number.
    /// Where that is not certain it is what it touches at most.
    #[inline]
    pub fn touched_without(&self, steps: &[Step], earlier: usize, later: usize) -> Accesses {
        let second = &steps[later];
        let touched = copied(&second.accesses);
        match does_the_same(second.kind) {
            true => touched,
            false => self.adjusted(touched, steps, earlier, later),
        }
    }

    #[inline(never)]
    fn adjusted(&self, mut touched: Accesses, steps: &[Step], earlier: usize, later: usize) -> Accesses {
        let (first, second) = (&steps[earlier], &steps[later]);
        for access in touched.iter_mut() {
            let object = access.object;
            for before in first.accesses.iter().filter(|b| b.object == object) {
                adjust(access, before, first, second);
            }
        }
        if matches!(second.kind, OpKind::CompareExchange | OpKind::CompareExchangeWeak) {
            return touched;
        }
        if touched.len() > 1 && touched.iter().any(|a| matches!(a.act, Act::Heed | Act::Interrupted)) {
            self.heed(&mut touched, steps, earlier, later);
        }
        if second.kind == OpKind::Arrive
            && let Some(before) = first.accesses.iter().find(|b| b.object == second.object && arrives(b.act))
        {
            // In the round before, from which `earlier` is missing; as the last of it, unless others are missing too.
            let round = |t: &&Touch| arrives(t.access.act) && t.access.seq == before.seq;
            let all = self.touches(before.object).filter(round).count();
            let left = self.remaining(before.object, earlier).filter(round).count();
            let access = touched.iter_mut().find(|a| arrives(a.act)).expect("it arrives");
            access.act = if left + 1 == all { Act::ArriveLast } else { Act::Arrive };
            access.seq = before.seq;
        }
        if matches!(second.kind, OpKind::Send | OpKind::TrySend | OpKind::TryReceive | OpKind::ReceiveTimed) {
            self.foresee_channel(&mut touched, first, second, earlier);
        }
        touched
    }

    /// What becomes of an op on a channel.
    fn foresee_channel(&self, touched: &mut Accesses, first: &Step, second: &Step, earlier: usize) {
        let (messages, slots, ready) = channel(second.object);
        if matches!(second.kind, OpKind::Send | OpKind::TrySend) {
            let was_refused = second.accesses.iter().any(|a| a.act == Act::Refused);
            let may_succeed =
                was_refused && first.accesses.iter().any(|a| (messages..=ready).contains(&a.object.0));
            if may_succeed {
                let sent =
                    self.remaining(ObjectId(messages), earlier).filter(|t| t.access.act == Act::Put).count()
                        as u32;
                let get = if second.kind == OpKind::Send { Act::Get } else { Act::TryGet };
                touched.retain(|a| a.object.0 != slots);
                touched.push(Access { object: ObjectId(messages), act: Act::Put, seq: sent as u16 });
                touched.push(Access { object: ObjectId(slots), act: get, seq: sent as u16 });
                touched.push(Access { object: ObjectId(ready), act: Act::Write, seq: 0 });
                if second.kind == OpKind::TrySend && first.accesses.iter().any(|a| a.act == Act::Shut) {
                    // Before the receiver went there may still have been no room.
                    touched.push(Access { object: ObjectId(slots), act: Act::Empty, seq: 0 });
                }
            } else if touched.iter().any(|a| a.object.0 == slots && a.act == Act::Empty) {
                let put = touched.iter_mut().filter(|a| a.act == Act::Put);
                put.for_each(|a| (a.act, a.seq) = (Act::Refused, 0));
            }
        }
        if matches!(second.kind, OpKind::TryReceive | OpKind::ReceiveTimed)
            && touched.iter().any(|a| a.object.0 == messages && a.act == Act::Empty)
        {
            touched.retain(|a| a.object.0 != slots);
        }
    }

    /// A wait that the thread can be called out of goes otherwise where nobody has asked it to end, and where what it got is missing.
    fn heed(&self, touched: &mut Accesses, steps: &[Step], earlier: usize, later: usize) {
        use Act::*;
        let step = &steps[later];
        let asks = |t: &&Touch| t.access.act == Cancel && (t.step as usize) < later;
        let was_asked = self.touches(ObjectId::life(step.thread)).any(|t| asks(&t));
        let is_asked = self.remaining(ObjectId::life(step.thread), earlier).any(|t| asks(&t));
        let misses = match step.kind {
            OpKind::Acquire => touched.iter().any(|a| a.act == Empty),
            OpKind::Wake | OpKind::WakeTimed => touched.iter().any(|a| a.act == Expired),
            OpKind::Join => {
                let ended = |a: &Access| a.object == step.object && a.act == Exit;
                steps[earlier].accesses.iter().any(ended)
            }
            _ => return,
        };
        if misses {
            // It goes before it has the mutex.
            touched.retain(|a| a.act != Take);
        }
        let timed = step.kind == OpKind::WakeTimed;
        for access in touched.iter_mut() {
            access.act = match access.act {
                Heed | Interrupted => {
                    if misses && !timed {
                        Interrupted
                    } else {
                        Heed
                    }
                }
                // It would have waited for what it got.
                TryGet if !is_asked => Get,
                WokenTimed if was_asked && !is_asked && !timed => Woken,
                IsFinished if !misses && !is_asked => Join,
                act => act,
            };
        }
    }

    /// Does somebody who arrived in this round of a barrier do so no longer when what happens after step `at` has not happened yet?
    pub fn is_missed(&self, arrival: &Access, at: usize) -> bool {
        let round = |t: &&Touch| arrives(t.access.act) && t.access.seq == arrival.seq;
        let touches = self.touches(arrival.object).filter(round);
        touches.count() > self.remaining(arrival.object, at).filter(round).count()
    }
}

/// Does the op touch the same in the same way, whatever came before it?
#[inline]
pub(crate) fn does_the_same(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, Load | Store | Lock | Unlock) || kind.rmw().is_some()
}

fn arrives(act: Act) -> bool {
    matches!(act, Act::Arrive | Act::ArriveLast)
}

/// The numbers that a channel takes up.
fn channel(object: ObjectId) -> (u32, u32, u32) {
    (object.0, object.0.wrapping_add(1), object.0.wrapping_add(2))
}

fn adjust(access: &mut Access, before: &Access, earlier: &Step, later: &Step) {
    use Act::*;
    let is_cas = matches!(later.kind, OpKind::CompareExchange | OpKind::CompareExchangeWeak);
    let tries = matches!(
        later.kind,
        OpKind::TryLock | OpKind::TryWriteLock | OpKind::LockTimed | OpKind::WriteLockTimed
    );
    match (before.act, access.act) {
        (Write, Read | Write) if is_cas => {
            access.act = if earlier.value == later.arg { Write } else { Read };
        }
        (Take | TryTake | Share | TryShare, Probe) if tries => access.act = TryTake,
        (Take | TryTake, ProbeShare) => access.act = TryShare,
        (Take, Saw) if later.kind == OpKind::OnceBegin => access.act = Take,
        (Free | Unshare, TryTake) => access.act = Probe,
        (Free, TryShare) => access.act = ProbeShare,
        (Put, TryGet) => (access.act, access.seq) = (Empty, 0),
        (Get | TryGet, Empty) => (access.act, access.seq) = (TryGet, before.seq),
        (Put, Put) | (Get | TryGet, Get | TryGet) => access.seq = before.seq,
        (Notify, Notify) => access.seq = before.seq,
        (Notify | Expired, NotifyNone) => (access.act, access.seq) = (Notify, u16::MAX),
        (Notify, WokenTimed) => (access.act, access.seq) = (Expired, 0),
        (Unpark, ParkTimed) => access.act = ParkExpired,
        (Unpark, UnparkAgain) => access.act = Unpark,
        (Park | ParkTimed, Unpark) => access.act = UnparkAgain,
        _ => {}
    }
}
