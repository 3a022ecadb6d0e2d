//! Replies: what comes of an op.

/// What an op gave back.
///
/// Like [`Op`](crate::Op) it has no padding, because it lies on the stacks of threads whose state is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Reply {
    /// The value: what was read, which outcome, a count.
    pub value: u64,
    /// Did a fallible op succeed?
    pub ok: bool,
    /// A remark: poisoned, disconnected, timed out.
    pub flag: bool,
    #[doc(hidden)]
    pub rest: [u8; 6],
}

impl Reply {
    /// Success without a value.
    pub const DONE: Reply = Reply { value: 0, ok: true, flag: false, rest: [0; 6] };
    /// Failure without a value.
    pub const FAILED: Reply = Reply { value: 0, ok: false, flag: false, rest: [0; 6] };

    /// Success with a value.
    #[inline]
    pub fn value(value: u64) -> Reply {
        Reply { value, ..Reply::DONE }
    }

    /// The same with the remark set.
    #[inline]
    pub fn flagged(self, flag: bool) -> Reply {
        Reply { flag, ..self }
    }

    /// As two words, which a function that is called gives back in registers.
    #[inline(always)]
    pub fn into_words(self) -> (u64, u64) {
        (self.value, u64::from(self.ok) | u64::from(self.flag) << 8)
    }

    /// The reply that has become these [words](Self::into_words).
    #[inline(always)]
    pub fn from_words((value, marks): (u64, u64)) -> Reply {
        Reply { value, ok: marks & 1 != 0, flag: marks >> 8 != 0, rest: [0; 6] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_the_same_from_its_words() {
        for marks in 0..4 {
            let reply =
                Reply { value: u64::MAX - 7, ok: marks & 1 == 1, flag: marks & 2 == 2, ..Reply::DONE };
            assert_eq!(Reply::from_words(reply.into_words()), reply);
        }
    }
}
