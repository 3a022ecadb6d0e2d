//! Is an address that of a static? Statics lie in the writable segments of the program and its libraries.

#[cfg(all(unix, not(target_vendor = "apple")))]
mod segments {
    use std::sync::OnceLock;

    type Range = std::ops::Range<usize>;

    unsafe extern "C" fn collect(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        into: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the loader hands over a valid description and the pointer given to `dl_iterate_phdr`.
        unsafe {
            let ranges = &mut *into.cast::<Vec<Range>>();
            let info = &*info;
            if info.dlpi_phdr.is_null() {
                return 0;
            }
            for header in std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) {
                if header.p_type == libc::PT_LOAD {
                    let start = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
                    ranges.push(start..start.wrapping_add(header.p_memsz as usize));
                }
            }
        }
        0
    }

    /// The segments of what is loaded when this is first asked. A library that is loaded later is not known, so
    /// what its statics hold at the end of an execution is leaked.
    pub(in crate::runtime) fn is_static(address: usize) -> bool {
        static RANGES: OnceLock<Vec<Range>> = OnceLock::new();
        let ranges = RANGES.get_or_init(|| {
            let mut ranges: Vec<Range> = Vec::new();
            // SAFETY: the callback gets a pointer to the list, which outlives the call.
            unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut ranges).cast()) };
            ranges
        });
        ranges.iter().any(|range| range.contains(&address))
    }
}

#[cfg(not(all(unix, not(target_vendor = "apple"))))]
mod segments {
    /// Not known here: what a static holds at the end of the first execution that uses it is leaked.
    pub(in crate::runtime) fn is_static(_: usize) -> bool {
        false
    }
}

pub(super) use segments::is_static;
