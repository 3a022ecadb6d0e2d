//! The functions that are taken over, as the program would have found them without us.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A function behind ours.
pub(crate) struct Real {
    name: &'static CStr,
    /// The version of the symbol, where the one found without saying which is an old one.
    version: Option<&'static CStr>,
    found: AtomicUsize,
}

impl Real {
    pub(crate) const fn new(name: &'static CStr, version: Option<&'static CStr>) -> Real {
        Real { name, version, found: AtomicUsize::new(0) }
    }

    /// Its address.
    pub(crate) fn get(&self) -> *const c_void {
        let known = self.found.load(Relaxed);
        if known != 0 {
            return known as *const c_void;
        }
        // SAFETY: both names end with a zero.
        let found = unsafe {
            let versioned =
                self.version.map(|v| libc::dlvsym(libc::RTLD_NEXT, self.name.as_ptr(), v.as_ptr()));
            match versioned.filter(|address| !address.is_null()) {
                Some(address) => address,
                None => libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()),
            }
        };
        if found.is_null() {
            crate::end::give_up(&format!("the C library has no {}", self.name.to_string_lossy()));
        }
        self.found.store(found as usize, Relaxed);
        found
    }
}

/// The function that a program would have called had ours not been there first, as a function of this type.
macro_rules! real {
    ($name:literal as $type:ty) => {
        real!($name, None, $type)
    };
    ($name:literal $version:literal as $type:ty) => {
        real!($name, Some($version), $type)
    };
    ($name:literal, $version:expr, $type:ty) => {{
        static REAL: $crate::real::Real = $crate::real::Real::new($name, $version);
        // SAFETY: the C library's function of this name has this type.
        #[allow(unused_unsafe)]
        let function = unsafe { std::mem::transmute::<*const std::ffi::c_void, $type>(REAL.get()) };
        function
    }};
}
pub(crate) use real;

/// Defines a function of the C library: `name(arguments) -> result`, which passes its arguments and the address it was called from to
/// `implementation`. The address tells the place in the source, and only a function without a prologue sees it for certain.
macro_rules! entry {
    ($(#[$doc:meta])* $name:ident, 0 => $to:path) => { entry!(@ $(#[$doc])* $name, "rdi", $to); };
    ($(#[$doc:meta])* $name:ident, 1 => $to:path) => { entry!(@ $(#[$doc])* $name, "rsi", $to); };
    ($(#[$doc:meta])* $name:ident, 2 => $to:path) => { entry!(@ $(#[$doc])* $name, "rdx", $to); };
    ($(#[$doc:meta])* $name:ident, 3 => $to:path) => { entry!(@ $(#[$doc])* $name, "rcx", $to); };
    ($(#[$doc:meta])* $name:ident, 4 => $to:path) => { entry!(@ $(#[$doc])* $name, "r8", $to); };
    ($(#[$doc:meta])* $name:ident, 5 => $to:path) => { entry!(@ $(#[$doc])* $name, "r9", $to); };
    (@ $(#[$doc:meta])* $name:ident, $register:literal, $to:path) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// As the C library's function asks for.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            std::arch::naked_asm!($crate::snapshot::note!(), concat!("mov ", $register, ", [rsp]"), "jmp {to}", to = sym $to)
        }
    };
}
pub(crate) use entry;
