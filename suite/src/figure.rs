//! The figure: how many bugs each search has found after so many executions.

use crate::table::{Row, SEARCHES};
use std::fmt::Write;

/// The searches that are drawn; all eighteen would hide each other.
const DRAWN: [(&str, &str); 8] = [
    ("auto", "#000000"),
    ("exhaustive", "#2050a0"),
    ("dfs:dpor", "#60a0e0"),
    ("preemptions:3", "#208040"),
    ("preemptions:3,dfs", "#90c060"),
    ("best-first:mdpor,pb", "#b03030"),
    ("pos", "#c08020"),
    ("pct:3", "#8040a0"),
];

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 180.0;
const EDGE: f64 = 45.0;

/// The figure, as SVG; executions grow by powers of ten to the right.
pub fn figure(rows: &[Row], limit: u64) -> String {
    let decades = (limit as f64).log10().max(1.0);
    let x = |executions: f64| LEFT + executions.log10() / decades * (WIDTH - LEFT - RIGHT);
    let y = |bugs: usize| HEIGHT - EDGE - bugs as f64 / rows.len() as f64 * (HEIGHT - 2.0 * EDGE);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"20\">bugs found (of {}) within so many executions (median)</text>\n",
        rows.len()
    );
    for tenth in (0..=rows.len()).step_by((rows.len() / 8).max(1)) {
        let at = y(tenth);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tenth}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0
        );
    }
    for decade in 0..=decades as u32 {
        let executions = 10f64.powi(decade as i32);
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{executions}</text>",
            x(executions),
            HEIGHT - EDGE + 18.0
        );
    }
    for (line, (search, colour)) in DRAWN.iter().enumerate() {
        let Some(column) = SEARCHES.iter().position(|(s, _)| s == search) else { continue };
        let mut needed: Vec<u64> =
            rows.iter().filter_map(|row| row.cells[column].median()).map(|m| m.0).collect();
        needed.sort_unstable();
        let mut points = format!("{:.1},{:.1}", x(1.0), y(0));
        for (found, &executions) in needed.iter().enumerate() {
            let at = x((executions as f64).clamp(1.0, limit as f64));
            let _ = write!(points, " {at:.1},{:.1} {at:.1},{:.1}", y(found), y(found + 1));
        }
        let _ = write!(points, " {:.1},{:.1}", x(limit as f64), y(needed.len()));
        let label = EDGE + 20.0 * line as f64 + 10.0;
        let _ = writeln!(
            svg,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>\
             <line x1=\"{:.1}\" y1=\"{label:.1}\" x2=\"{:.1}\" y2=\"{label:.1}\" stroke=\"{colour}\" stroke-width=\"3\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{search}</text>",
            WIDTH - RIGHT + 12.0,
            WIDTH - RIGHT + 30.0,
            WIDTH - RIGHT + 36.0,
            label + 4.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}
