//! Producers send to the main thread over an mpsc channel.

use super::kit::sync::mpsc;
use super::kit::thread;
use super::outcome;

/// What is received: as many messages as are sent, or all until the senders are gone.
fn received(producers: usize, ops: usize, to_the_end: bool) -> Vec<u64> {
    let (sender, receiver) = mpsc::channel();
    let producers: Vec<_> = (0..producers)
        .map(|me| {
            let sender = sender.clone();
            thread::spawn(move || {
                for _ in 0..ops {
                    sender.send(me as u64).unwrap();
                }
            })
        })
        .collect();
    drop(sender);
    let mut all = Vec::new();
    while to_the_end || all.len() < producers.len() * ops {
        let Ok(value) = receiver.recv() else { break };
        all.push(value);
    }
    producers.into_iter().for_each(|p| p.join().unwrap());
    all
}

pub(super) fn program(producers: usize, ops: usize) -> u64 {
    outcome(received(producers, ops, false))
}

pub(super) fn hangup(producers: usize, ops: usize) -> u64 {
    let all = received(producers, ops, true);
    assert_eq!(all.len(), producers * ops);
    outcome(all)
}

/// The last to start is not the first to be heard, or so it was thought.
pub(super) fn buggy(producers: usize, ops: usize) -> u64 {
    let all = received(producers, ops, false);
    assert!(all[..ops].iter().any(|&from| from + 1 < producers as u64), "only the last was heard");
    outcome(all)
}
