//! A program that shows something, made smaller.

use super::program::{Program, Stmt};

impl Program {
    /// The programs that are one simplification smaller.
    pub fn smaller(&self) -> Vec<Program> {
        let mut all = Vec::new();
        if self.bodies.len() > 1 {
            let mut fewer = self.clone();
            fewer.bodies.pop();
            all.push(fewer);
        }
        for i in 0..self.bodies.len() {
            for body in smaller_block(&self.bodies[i]) {
                let mut program = self.clone();
                program.bodies[i] = body;
                all.push(program);
            }
        }
        for (flag, value) in [(0, true), (1, false), (2, false), (3, false)] {
            let mut program = self.clone();
            let place = match flag {
                0 => &mut program.join,
                1 => &mut program.one_site,
                2 => &mut program.weak_failures,
                _ => &mut program.spurious_wakeups,
            };
            if *place != value {
                *place = value;
                all.push(program);
            }
        }
        all
    }
}

fn smaller_block(block: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut all = Vec::new();
    for i in 0..block.len() {
        let mut without = block.to_vec();
        without.remove(i);
        all.push(without);
        let mut stmt = block[i].clone();
        for nested in stmt.blocks() {
            // The inside without the outside.
            let mut flat = block.to_vec();
            let inner = nested.clone();
            flat.splice(i..=i, inner);
            if flat.len() < block.len() + 3 {
                all.push(flat);
            }
        }
        for which in 0..stmt.blocks().len() {
            let inner = stmt.blocks()[which].clone();
            for smaller in smaller_block(&inner) {
                let mut changed = stmt.clone();
                *changed.blocks()[which] = smaller;
                let mut program = block.to_vec();
                program[i] = changed;
                all.push(program);
            }
        }
    }
    all
}
