//! Where native programs cannot be run: nothing can be started, so nothing else is ever called.

use crate::error::NativeError;
use crate::output::Tail;
use gordian_wire::Shared;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// There is no runtime.
pub(crate) static LIBRARY: &[u8] = &[];

pub(crate) enum Never {}

pub(crate) struct Memory(Never);

impl Memory {
    pub(crate) fn head(&self) -> &Shared {
        match self.0 {}
    }

    pub(crate) fn plan(&mut self) -> &mut [u8] {
        match self.0 {}
    }

    pub(crate) fn beginning(&self) -> &[u8] {
        match self.0 {}
    }

    pub(crate) fn outcome(&self) -> &[u8] {
        match self.0 {}
    }
}

#[allow(dead_code)]
pub(crate) enum Answer {
    Ended(u32),
    Silent,
    Gone,
}

pub(crate) struct Process {
    pub(crate) path: PathBuf,
    pub(crate) memory: Memory,
    pub(crate) tails: [Tail; 2],
}

impl Process {
    pub(crate) fn start(_: &Path, _: &[String], _: Duration) -> Result<Process, NativeError> {
        Err(NativeError::NotHere)
    }

    pub(crate) fn order(&mut self, _: u8) -> bool {
        match self.memory.0 {}
    }

    pub(crate) fn listen(&mut self) -> Answer {
        match self.memory.0 {}
    }

    pub(crate) fn ask_where(&self) {
        match self.memory.0 {}
    }

    pub(crate) fn kill(&self) {
        match self.memory.0 {}
    }

    pub(crate) fn number(&self) -> u32 {
        match self.memory.0 {}
    }
}
