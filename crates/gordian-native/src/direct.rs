//! A program that somebody else starts, such as a debugger, to repeat the execution that was carried out last.

use crate::process::LIBRARY;
use crate::target::Native;
use gordian_model::Trace;
use gordian_wire::{DIRECT_VARIABLE, Phase, SIZE, STOP_VARIABLE, take_outcome};
use std::io::{Error, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// What such a program needs: files in a folder.
#[derive(Debug)]
pub struct Direct {
    /// The program itself.
    pub program: PathBuf,
    library: PathBuf,
    memory: PathBuf,
}

/// Where to stop, in the environment of the program; the debugger has a breakpoint in the function that is called there.
pub const STOP: &str = STOP_VARIABLE;

impl Native {
    /// Leaves in a folder what a process needs that is started without us, to do again what the last execution did. Addresses have to be
    /// the same, so it must be started without address randomisation.
    pub fn leave(&self, folder: &Path) -> Result<Direct, Error> {
        let direct = Direct {
            program: self.path().to_owned(),
            library: folder.join("runtime.so"),
            memory: folder.join("memory"),
        };
        std::fs::write(&direct.library, LIBRARY)?;
        let head = self.memory().head();
        head.phase.store(Phase::Ready as u32, Relaxed);
        head.outcome.store(0, Relaxed);
        // A debugger shows the threads of the kernel.
        head.kernel_threads.store(1, Relaxed);
        let mut file = std::fs::File::create(&direct.memory)?;
        file.write_all(self.memory().beginning())?;
        // What is not written to takes up no room.
        file.set_len(SIZE as u64)?;
        Ok(direct)
    }
}

impl Direct {
    /// The environment that it is to have, besides where to stop.
    pub fn variables(&self) -> Vec<(String, String)> {
        let mut preload = self.library.display().to_string();
        if let Ok(others) = std::env::var("LD_PRELOAD")
            && !others.is_empty()
        {
            preload = format!("{preload}:{others}");
        }
        let memory = self.memory.display().to_string();
        [("LD_PRELOAD", preload), ("LD_BIND_NOW", "1".to_owned()), (DIRECT_VARIABLE, memory)]
            .map(|(name, value)| (name.to_owned(), value))
            .into()
    }

    /// Reads what such a program hands over where it stops: the steps so far, and what each thread does next.
    pub fn read(bytes: &[u8]) -> Option<Trace> {
        Some(take_outcome(bytes)?.into_trace())
    }
}
