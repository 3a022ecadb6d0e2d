//! The exploration on the page: what was searched, how far it was when, and the tree.

use gordian_model::exploration::Way;
use gordian_model::{Branched, Course, Exploration, Names, Tree};
use serde_json::{Value, json};

/// Names and values in words.
pub(super) fn rows(found: &Exploration) -> Value {
    let seconds = found.elapsed.as_secs_f64();
    let rate = if seconds > 0.0 { (found.executions + found.blocked) as f64 / seconds } else { 0.0 };
    let mut rows = vec![
        json!(["search", found.search]),
        json!(["result", found.guarantee]),
        json!(["executions", grouped(found.executions)]),
        json!(["steps", grouped(found.steps)]),
        json!(["time", format!("{:.3?}", found.elapsed)]),
        json!(["executions per second", grouped(rate as u64)]),
    ];
    if found.blocked > 0 {
        rows.insert(3, json!(["cut short", grouped(found.blocked)]));
    }
    if let Some((tree, all)) = found.course.tree.as_ref().and_then(|tree| Some((tree, tree.estimate()?))) {
        let all = grouped(all.round() as u64);
        let whole = if tree.share >= 1.0 { all } else { format!("about {all}") };
        rows.push(json!(["executions of a complete search", whole]));
    }
    rows.extend(found.more.iter().map(|(what, much)| json!([what, much])));
    Value::Array(rows)
}

/// With commas between thousands.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// What is drawn.
pub(super) fn course(course: &Course, names: &Names) -> Value {
    let round = |x: f64| (x * 1e6).round() / 1e6;
    let seconds: Vec<f64> = course.samples.iter().map(|s| round(s.elapsed.as_secs_f64())).collect();
    let executions: Vec<u64> = course.samples.iter().map(|s| s.executions).collect();
    let estimates: Vec<Option<f64>> = course.samples.iter().map(|s| s.estimate.map(f64::round)).collect();
    let mut rates = Vec::new();
    let (mut time, mut made) = (0.0, 0);
    // A moment after the one before, as the end may be, a rate says nothing.
    let usual = seconds.last().copied().unwrap_or_default() / seconds.len().max(1) as f64;
    for sample in &course.samples {
        let (now, all) = (sample.elapsed.as_secs_f64(), sample.executions);
        let rate = (now - time > usual / 10.0).then(|| ((all - made) as f64 / (now - time)).round());
        if rate.is_some() {
            (time, made) = (now, all);
        }
        rates.push(rate);
    }
    let bounds: Vec<Value> = course
        .bounds
        .iter()
        .map(|b| json!([round(b.elapsed.as_secs_f64()), b.executions, b.within]))
        .collect();
    json!({
        "seconds": seconds,
        "executions": executions,
        "estimates": estimates,
        "rates": rates,
        "bounds": bounds,
        "preemptions": course.preemptions,
        "tree": course.tree.as_ref().map(|t| tree(t, names)),
    })
}

/// A part of the tree: all executions that begin with certain steps.
struct Part {
    parent: usize,
    level: u32,
    /// The number of the step that sets it apart; 0 for the whole.
    step: u32,
    way: Option<Way>,
    from: u64,
    to: u64,
}

fn tree(tree: &Tree, names: &Names) -> Value {
    let mut parts = vec![Part { parent: 0, level: 0, step: 0, way: None, from: 0, to: tree.executions }];
    split(0, &tree.branches, &mut parts);
    let name = |part: &Part| match part.way {
        None => String::new(),
        Some((thread, 0)) => names.thread(thread),
        Some((thread, outcome)) => format!("{}, outcome {outcome}", names.thread(thread)),
    };
    let parts: Vec<Value> =
        parts.iter().map(|p| json!([p.parent, p.level, p.step, name(p), p.from, p.to - p.from])).collect();
    // With everything in it there is no need to say how far it goes.
    let top = (tree.top != u32::MAX).then_some(tree.top);
    json!({ "executions": tree.executions, "share": tree.share, "top": top, "parts": parts, "depths": tree.depths })
}

/// Splits a part where the search went another way. Those branches that are nearest to the root are all of one node, because the search
/// would have had to branch nearer to it to come to another.
fn split(whole: usize, branches: &[Branched], parts: &mut Vec<Part>) {
    let Some(depth) = branches.iter().map(|b| b.depth).min() else { return };
    let (level, end) = (parts[whole].level + 1, parts[whole].to);
    let mut from = parts[whole].from;
    let mut way = branches.iter().find(|b| b.depth == depth).map(|b| b.from);
    let mut rest = branches;
    loop {
        let at = rest.iter().position(|b| b.depth == depth);
        let to = at.map_or(end, |at| rest[at].executions);
        parts.push(Part { parent: whole, level, step: depth + 1, way, from, to });
        split(parts.len() - 1, &rest[..at.unwrap_or(rest.len())], parts);
        let Some(at) = at else { return };
        (from, way, rest) = (to, Some(rest[at].to), &rest[at + 1..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_model::ThreadId;

    #[test]
    fn numbers_have_commas_between_thousands() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_part_is_split_where_the_search_went_another_way() {
        let main = ThreadId::MAIN;
        let branch = |depth, executions| Branched { depth, executions, from: (main, 0), to: (main, 1) };
        let tree = super::tree(
            &Tree {
                executions: 10,
                seen: 10,
                share: 1.0,
                depths: vec![1, 0, 3],
                branches: vec![branch(2, 1), branch(2, 4), branch(0, 6), branch(2, 7)],
                top: u32::MAX,
            },
            &Names::default(),
        );
        let parts: Vec<(u64, u64, u64, u64, u64)> = tree["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| [0, 1, 2, 4, 5].map(|i| p[i].as_u64().unwrap()).into())
            .collect();
        // Parent, level, step, first execution, executions.
        assert_eq!(
            parts,
            [
                (0, 0, 0, 0, 10),
                (0, 1, 1, 0, 6),
                (1, 2, 3, 0, 1),
                (1, 2, 3, 1, 3),
                (1, 2, 3, 4, 2),
                (0, 1, 1, 6, 4),
                (5, 2, 3, 6, 1),
                (5, 2, 3, 7, 3),
            ]
        );
    }
}
