//! What acts have to do with each other: the table by which steps are dependent, race, or let each other go.

use crate::access::Act;
use crate::acts::Acts;

/// What an earlier act has to do with a later one on the same object by another thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Their order cannot matter.
    Commute,
    /// The earlier enabled the later: ordered, and no race.
    Enables,
    /// Their order matters, and the other order may be possible.
    Race,
}

/// What two acts have to do with each other, before their sequence numbers are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    Commute,
    Enables,
    Race,
    /// If the numbers are the same.
    EnablesSame,
    RaceSame,
    /// If they are not.
    RaceOther,
}

pub(crate) const ACTS: usize = Act::ALL.len();

/// [`Act::rule`] for all pairs: the search asks for it more often than for anything else.
static RULES: [[Rule; ACTS]; ACTS] = {
    let mut rules = [[Rule::Commute; ACTS]; ACTS];
    let mut i = 0;
    while i < ACTS * ACTS {
        rules[i / ACTS][i % ACTS] = Act::ALL[i / ACTS].rule(Act::ALL[i % ACTS]);
        i += 1;
    }
    rules
};

impl Act {
    /// Every act, in the order of their numbers.
    pub(crate) const ALL: [Act; 50] = {
        use Act::*;
        [
            Read,
            Write,
            Take,
            TryTake,
            Share,
            Saw,
            TryShare,
            Free,
            Unshare,
            Probe,
            ProbeShare,
            Mark,
            Put,
            Get,
            TryGet,
            Empty,
            Close,
            Closed,
            Shut,
            Refused,
            RefusedFull,
            Enqueue,
            Notify,
            NotifyNone,
            Woken,
            WokenTimed,
            Expired,
            Arrive,
            Leave,
            Lead,
            Count,
            Down,
            CountRead,
            CountWrite,
            Exit,
            Join,
            IsFinished,
            Unpark,
            UnparkAgain,
            Park,
            ParkTimed,
            ParkExpired,
            ArriveLast,
            Seen,
            Unseen,
            Look,
            Cancel,
            CancelAgain,
            Heed,
            Interrupted,
        ]
    };

    /// Does what this one has to do with earlier acts depend on sequence numbers?
    #[inline]
    pub fn is_numbered(self) -> bool {
        use Act::*;
        const NUMBERED: Acts = Acts::NONE
            .with(Get)
            .with(TryGet)
            .with(Woken)
            .with(WokenTimed)
            .with(Arrive)
            .with(ArriveLast)
            .with(Leave)
            .with(Lead);
        NUMBERED.has(self)
    }

    /// The relation of `self` to the later act `next`, with the sequence numbers of both.
    #[inline]
    pub fn relation(self, seq: u16, next: Act, next_seq: u16) -> Relation {
        match RULES[self as usize][next as usize] {
            Rule::Commute => Relation::Commute,
            Rule::Enables => Relation::Enables,
            Rule::Race => Relation::Race,
            Rule::EnablesSame if seq == next_seq => Relation::Enables,
            Rule::RaceSame if seq == next_seq => Relation::Race,
            Rule::RaceOther if seq != next_seq => Relation::Race,
            Rule::EnablesSame | Rule::RaceSame | Rule::RaceOther => Relation::Commute,
        }
    }

    pub(crate) const fn rule(self, next: Act) -> Rule {
        use Act::*;
        use Rule::*;
        match (self, next) {
            (Read, Read) => Commute,
            (Read | Write, Read | Write) => Race,
            // Of several writes only the one that is read next has a place among them.
            (Seen | Unseen, Unseen) => Commute,
            (Read | Write | Seen | Unseen, Read | Write | Seen | Unseen) => Race,

            (Share | Saw | TryShare | Unshare, Share | Saw | TryShare | Unshare | ProbeShare) => Commute,
            (ProbeShare, Share | Saw | TryShare | Unshare) => Commute,
            (Probe | ProbeShare, Probe | ProbeShare) => Commute,
            (Free, Take | Share | Saw) | (Unshare, Take) => Enables,
            (
                Take | TryTake | Share | Saw | TryShare | Free | Unshare | Probe | ProbeShare | Mark,
                Take | TryTake | Share | Saw | TryShare | Free | Unshare | Probe | ProbeShare | Mark,
            ) => Race,

            (Put, Put) => Race,
            (Get | TryGet, Get | TryGet) => Race,
            (Put, Get) => EnablesSame,
            (Put, TryGet) => RaceSame,
            (Empty | Closed, Empty | Closed) | (Close, Close) => Commute,
            (Put | Close, Empty) | (Get | TryGet, Empty) | (Empty, Put | Close | TryGet) => Race,
            // They commute, but without the message that was got the end that went away would have been seen.
            (Close, TryGet) | (TryGet, Close) => Race,
            (Empty, Get) => Enables,
            (Close, Closed) => Enables,
            (Get | TryGet, Closed) => Race,
            (Closed, Close | Get | TryGet) => Race,
            (Put | Refused, Shut) | (Shut, Refused) => Race,
            (Shut, RefusedFull) => Enables,

            (Put | Get | TryGet, Look) | (Look, Put | Get | TryGet) => Race,

            (Enqueue, Enqueue) | (NotifyNone, NotifyNone) => Commute,
            (Enqueue, Notify | NotifyNone) | (Notify | NotifyNone, Enqueue) => Race,
            (Notify, Notify | NotifyNone) | (NotifyNone, Notify) => Race,
            (Notify, Woken) => EnablesSame,
            (Notify, WokenTimed) => RaceSame,
            (Expired, Notify | NotifyNone) | (Notify | NotifyNone, Expired) => Race,

            // Who comes last of a round does not matter. But if it comes last without somebody who might have been in the
            // round (who sleeps, or is in another execution), then that one is in the next.
            (Arrive, Arrive | ArriveLast) => RaceOther,
            (ArriveLast, Arrive | ArriveLast) => Race,
            (Arrive | ArriveLast, Leave) => EnablesSame,
            (Lead, Lead) => RaceSame,

            (Count, Count | Down) | (Down, Count) | (CountRead, CountRead) => Commute,
            (Count | Down | CountRead | CountWrite, Count | Down | CountRead | CountWrite) => Race,

            (Exit, Join) => Enables,
            (Exit, IsFinished) | (IsFinished, Exit) => Race,

            (Unpark, Park) => Enables,
            (
                Unpark | UnparkAgain | Park | ParkTimed | ParkExpired,
                Unpark | UnparkAgain | Park | ParkTimed | ParkExpired,
            ) => Race,

            (Cancel, Interrupted) => Enables,
            (Cancel | CancelAgain | Heed | Interrupted, Cancel | CancelAgain | Heed | Interrupted) => Race,

            _ => Commute,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Access, dependent};
    use crate::id::ObjectId;
    use Act::*;

    fn rel(a: Act, b: Act) -> Relation {
        a.relation(0, b, 0)
    }

    #[test]
    fn reads_commute_and_writes_do_not() {
        assert_eq!(rel(Read, Read), Relation::Commute);
        assert_eq!(rel(Read, Write), Relation::Race);
        assert_eq!(rel(Write, Write), Relation::Race);
    }

    #[test]
    fn takers_race_with_takers_and_releasing_only_enables() {
        assert_eq!(rel(Take, Take), Relation::Race);
        assert_eq!(rel(Free, Take), Relation::Enables);
        assert_eq!(rel(Free, TryTake), Relation::Race);
        assert_eq!(rel(Free, Probe), Relation::Race);
        assert_eq!(rel(Share, Share), Relation::Commute);
        assert_eq!(rel(Unshare, Take), Relation::Enables);
    }

    #[test]
    fn a_send_and_a_receive_of_another_message_commute() {
        assert_eq!(Put.relation(0, Get, 0), Relation::Enables);
        assert_eq!(Put.relation(1, Get, 0), Relation::Commute);
        assert_eq!(Put.relation(0, TryGet, 0), Relation::Race);
        assert_eq!(rel(Put, Put), Relation::Race);
    }

    #[test]
    fn the_last_to_arrive_leaves_no_room() {
        assert_eq!(rel(Arrive, Arrive), Relation::Commute);
        assert_eq!(rel(Arrive, ArriveLast), Relation::Commute);
        let access = |act| [Access { object: ObjectId(0), act, seq: 0 }];
        assert!(dependent(&access(Arrive), &access(ArriveLast)));
        assert!(!dependent(&access(Arrive), &access(Arrive)));
    }

    #[test]
    fn acts_are_listed_in_the_order_of_their_numbers() {
        assert!(Act::ALL.iter().enumerate().all(|(i, act)| *act as usize == i));
        // The last of the enum.
        assert_eq!(Act::ALL.len(), Interrupted as usize + 1);
    }

    #[test]
    fn only_the_first_request_lets_a_thread_go() {
        assert_eq!(rel(Cancel, Interrupted), Relation::Enables);
        assert_eq!(rel(CancelAgain, Interrupted), Relation::Race);
        assert_eq!(rel(Cancel, CancelAgain), Relation::Race);
        assert_eq!(rel(Heed, Cancel), Relation::Race);
    }

    #[test]
    fn families_commute() {
        assert_eq!(rel(Exit, Unpark), Relation::Commute);
        assert_eq!(rel(Write, Take), Relation::Commute);
    }
}
