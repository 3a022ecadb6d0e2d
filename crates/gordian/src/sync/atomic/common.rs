//! The methods that all atomics have, whatever they hold.

/// Methods for an atomic with the fields `real` and `tag` and the functions `at`, `bits` and `value`.
macro_rules! common {
    ($value:ty) => {
        #[inline]
        fn first(&self) -> impl FnOnce() -> u64 + '_ {
            || Self::bits(self.real.load(Ordering::Relaxed))
        }

        /// The value as it is inside or outside of a check, put into `real`.
        fn settle(&mut self) {
            if runtime::active()
                && let Some(bits) = self.at().current()
            {
                *self.real.get_mut() = Self::value(bits);
                // The next use registers it anew with the value that is there then.
                self.tag.forget();
            }
        }

        /// See std.
        pub fn get_mut(&mut self) -> &mut $value {
            self.settle();
            self.real.get_mut()
        }

        /// See std. It is no `const fn`: in a check the value is in the model.
        pub fn into_inner(mut self) -> $value {
            self.settle();
            self.real.into_inner()
        }

        /// See std. What is done through the pointer is not seen by a check, and what a check does is not seen through it.
        pub const fn as_ptr(&self) -> *mut $value {
            self.real.as_ptr()
        }

        /// See std.
        #[inline(never)]
        #[track_caller]
        pub fn load(&self, order: Ordering) -> $value {
            if !runtime::active() {
                self.tag.outside();
                return self.real.load(order);
            }
            Self::value(self.at().load(self.first(), order))
        }

        /// See std.
        #[inline(never)]
        #[track_caller]
        pub fn store(&self, val: $value, order: Ordering) {
            if !runtime::active() {
                self.tag.outside();
                return self.real.store(val, order);
            }
            self.at().store(self.first(), Self::bits(val), order);
        }

        /// See std.
        #[inline(never)]
        #[track_caller]
        pub fn swap(&self, val: $value, order: Ordering) -> $value {
            if !runtime::active() {
                self.tag.outside();
                return self.real.swap(val, order);
            }
            self.rmw(Rmw::Swap, Self::bits(val), order)
        }

        /// A read-modify-write inside a check.
        #[inline]
        #[track_caller]
        fn rmw(&self, rmw: Rmw, arg: u64, order: Ordering) -> $value {
            Self::value(self.at().rmw(self.first(), rmw, arg, order))
        }

        /// See std.
        #[inline(never)]
        #[track_caller]
        pub fn compare_exchange(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
        ) -> Result<$value, $value> {
            if !runtime::active() {
                self.tag.outside();
                return self.real.compare_exchange(current, new, success, failure);
            }
            let values = (Self::bits(current), Self::bits(new));
            let reply = self.at().compare_exchange(self.first(), values, (success, failure), false);
            reply.map(Self::value).map_err(Self::value)
        }

        /// See std.
        #[inline(never)]
        #[track_caller]
        pub fn compare_exchange_weak(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
        ) -> Result<$value, $value> {
            if !runtime::active() {
                self.tag.outside();
                return self.real.compare_exchange_weak(current, new, success, failure);
            }
            let values = (Self::bits(current), Self::bits(new));
            let reply = self.at().compare_exchange(self.first(), values, (success, failure), true);
            reply.map(Self::value).map_err(Self::value)
        }

        /// See std.
        #[deprecated(note = "Use `compare_exchange` or `compare_exchange_weak` instead")]
        #[track_caller]
        pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
            let failure = match order {
                Ordering::Relaxed | Ordering::Release => Ordering::Relaxed,
                Ordering::Acquire | Ordering::AcqRel => Ordering::Acquire,
                other => other,
            };
            self.compare_exchange(current, new, order, failure).unwrap_or_else(|v| v)
        }

        /// See std.
        #[track_caller]
        pub fn fetch_update<F>(
            &self,
            set_order: Ordering,
            fetch_order: Ordering,
            f: F,
        ) -> Result<$value, $value>
        where
            F: FnMut($value) -> Option<$value>,
        {
            self.try_update(set_order, fetch_order, f)
        }

        /// See std.
        #[track_caller]
        pub fn try_update(
            &self,
            set_order: Ordering,
            fetch_order: Ordering,
            mut f: impl FnMut($value) -> Option<$value>,
        ) -> Result<$value, $value> {
            let mut prev = self.load(fetch_order);
            while let Some(next) = f(prev) {
                match self.compare_exchange_weak(prev, next, set_order, fetch_order) {
                    Ok(x) => return Ok(x),
                    Err(next_prev) => prev = next_prev,
                }
            }
            Err(prev)
        }

        /// See std.
        #[track_caller]
        pub fn update(
            &self,
            set_order: Ordering,
            fetch_order: Ordering,
            mut f: impl FnMut($value) -> $value,
        ) -> $value {
            let mut prev = self.load(fetch_order);
            loop {
                match self.compare_exchange_weak(prev, f(prev), set_order, fetch_order) {
                    Ok(x) => return x,
                    Err(next_prev) => prev = next_prev,
                }
            }
        }
    };
}

pub(super) use common;
