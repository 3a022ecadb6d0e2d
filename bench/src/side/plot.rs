//! Growth as a picture: CPU time on a logarithmic axis, by size.

use super::rounds::Line;
use super::tool::Library;
use std::fmt::Write;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 320.0;
const MARGIN: f64 = 60.0;
/// Where the lines end at the right; their names stand beside them.
const RIGHT: f64 = WIDTH - 2.2 * MARGIN;

fn colour(library: Library) -> &'static str {
    match library {
        Library::Gordian => "#2050a0",
        Library::Loom => "#b03030",
        Library::Shuttle => "#308040",
    }
}

/// Draws the lines; the vertical axis goes from a microsecond to ten seconds.
pub fn plot(title: &str, axis: &str, lines: &[Line]) -> String {
    let sizes = || lines.iter().flat_map(|(_, points)| points.iter().map(|(n, _)| *n));
    let (low, high) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(1));
    let span = (high - low).max(1) as f64;
    let x = |n: usize| MARGIN + (n - low) as f64 / span * (RIGHT - MARGIN);
    let y = |seconds: f64| HEIGHT - MARGIN - (seconds.log10() + 6.0) / 7.0 * (HEIGHT - 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"24\">{title}</text>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{axis}</text>\n",
        WIDTH / 2.0,
        HEIGHT - 16.0
    );
    for (power, label) in (-6..=1).zip(["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"])
    {
        let at = y(10f64.powi(power));
        let _ = writeln!(
            svg,
            "<line x1=\"{MARGIN}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            RIGHT,
            MARGIN - 6.0,
            at + 4.0
        );
    }
    for n in low..=high {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{n}</text>",
            x(n),
            HEIGHT - MARGIN + 18.0
        );
    }
    for (tool, points) in lines {
        let colour = colour(tool.library);
        let line: Vec<String> = points.iter().map(|(n, s)| format!("{:.1},{:.1}", x(*n), y(*s))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            line.join(" ")
        );
        for (n, seconds) in points {
            let (x, y) = (x(*n), y(*seconds));
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        if let Some((n, seconds)) = points.last() {
            let (x, y) = (x(*n) + 8.0, y(*seconds) + 4.0);
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{}</text>", tool.name);
        }
    }
    svg.push_str("</svg>\n");
    svg
}
