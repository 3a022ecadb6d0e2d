//! Identities. Threads keep theirs over all executions of a search; objects are numbered anew in each
//! execution, in the order in which they are first announced.

use serde::{Deserialize, Serialize};

/// A thread under test. The same spawn path has the same number in every execution of a search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// The thread that runs the test itself.
    pub const MAIN: ThreadId = ThreadId(0);

    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Something threads meet at, in one execution.
///
/// Two executions that share a prefix number the objects announced in that prefix alike; beyond it the
/// numbers of one execution mean nothing in another (see `gordian_search::optimal`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// No object: the op touches nothing that is shared.
    pub const NONE: ObjectId = ObjectId(u32::MAX);
    const LIFE: u32 = 1 << 31;

    /// The object that stands for the life of a thread: spawn, exit, join, park token.
    pub fn life(thread: ThreadId) -> ObjectId {
        ObjectId(Self::LIFE | thread.0)
    }

    /// The thread whose life this object is, if it is one.
    pub fn as_life(self) -> Option<ThreadId> {
        (self != Self::NONE && self.0 & Self::LIFE != 0).then_some(ThreadId(self.0 & !Self::LIFE))
    }

    const YOUNG: u32 = 1 << 30;

    /// Any object created at this place: what is known of one that another execution may number differently.
    pub fn from_site(site: SiteId) -> ObjectId {
        ObjectId(Self::YOUNG | site.0)
    }

    /// The place, if it stands for any object from there.
    pub fn as_site(self) -> Option<SiteId> {
        (self.as_life().is_none() && self.0 & Self::YOUNG != 0).then_some(SiteId(self.0 & !Self::YOUNG))
    }

    /// The number as an index into the objects of the execution.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place in the source, interned in [`Names`](crate::Names). Zero is "unknown".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct SiteId(pub u32);

impl SiteId {
    /// A place nobody recorded.
    pub const UNKNOWN: SiteId = SiteId(0);
}
