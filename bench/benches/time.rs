//! Time for a complete search of each program, by criterion.
#![allow(missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use gordian::Checker;
use gordian_bench::programs::PROGRAMS;

fn searches(c: &mut Criterion) {
    for search in ["dfs", "exhaustive"] {
        let mut group = c.benchmark_group(search);
        group.sample_size(10).warm_up_time(std::time::Duration::from_millis(200));
        group.measurement_time(std::time::Duration::from_millis(800));
        for program in PROGRAMS.iter().filter(|p| p.small || search == "exhaustive") {
            let checker = Checker::new().search(search);
            group.bench_function(program.name, |b| b.iter(|| checker.run(program.body).executions()));
        }
        group.finish();
    }
}

criterion_group!(benches, searches);
criterion_main!(benches);
