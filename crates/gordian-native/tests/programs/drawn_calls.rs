// Two threads that make calls which a seed draws: on atomics, and on what std has of locks, channels and waiting. What they saw is the
// outcome. Included by the program on std, and by its twin on gordian's types.

struct Shared {
    atomic: AtomicUsize,
    lock: Mutex<usize>,
    changed: Condvar,
    shared: RwLock<usize>,
    once: OnceLock<usize>,
}

/// The next number of a sequence.
fn next(state: &mut usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

impl Shared {
    /// Makes one call; what it saw.
    fn call(&self, which: usize, me: usize, sender: &Sender<usize>, receiver: Option<&Receiver<usize>>) -> usize {
        match which {
            0 => self.atomic.load(SeqCst),
            1 => {
                self.atomic.store(me, SeqCst);
                0
            }
            2 => self.atomic.fetch_add(10, SeqCst),
            3 => {
                let mut value = self.lock.lock().unwrap();
                *value = *value * 3 + me;
                *value
            }
            4 => self.lock.try_lock().map_or(99, |value| *value),
            5 => *self.shared.read().unwrap(),
            6 => {
                let mut value = self.shared.write().unwrap();
                *value = *value * 3 + me;
                *value
            }
            7 => *self.once.get_or_init(|| me),
            8 => {
                sender.send(me).unwrap();
                0
            }
            9 => receiver.map_or(0, |receiver| receiver.try_recv().unwrap_or(77)),
            10 => {
                *self.lock.lock().unwrap() += 100;
                self.changed.notify_all();
                0
            }
            _ => {
                let mut value = self.lock.lock().unwrap();
                while *value < 100 {
                    value = self.changed.wait(value).unwrap();
                }
                *value
            }
        }
    }
}

fn outcome(seed: usize) -> usize {
    let mut state = seed;
    let mut drawn = |kinds| [(); 2].map(|()| next(&mut state) % kinds);
    // Only one of the two waits, and is told.
    let (mine, theirs) = (drawn(12), drawn(11));
    let shared = Arc::new(Shared {
        atomic: AtomicUsize::new(0),
        lock: Mutex::new(0),
        changed: Condvar::new(),
        shared: RwLock::new(0),
        once: OnceLock::new(),
    });
    let (sender, receiver) = channel();
    let other = {
        let (shared, sender) = (shared.clone(), sender.clone());
        thread::spawn(move || {
            let seen = theirs.map(|which| shared.call(which, 2, &sender, None));
            if mine.contains(&11) {
                shared.call(10, 2, &sender, None);
            }
            seen
        })
    };
    let here = mine.map(|which| shared.call(which, 1, &sender, Some(&receiver)));
    let there = other.join().unwrap();
    here.into_iter().chain(there).fold(7, |mix: usize, seen| mix.wrapping_mul(1_000_003).wrapping_add(seen))
}
