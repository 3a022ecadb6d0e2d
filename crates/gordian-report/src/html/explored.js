
// ---- the exploration: the tree, how far it was when, bounds

const SVG = "http://www.w3.org/2000/svg";
const draws = (tag, attributes, text) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
};
const number = (n) => (Math.abs(n) >= 100 ? Math.round(n) : +n.toPrecision(3)).toLocaleString("en");
const time = (s) => (s < 0.001 ? number(s * 1e6) + " µs" : s < 1 ? number(s * 1e3) + " ms" : number(s) + " s");
const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;

// About four round numbers from 0 to the most.
function ticks(most) {
  const rough = most / 4, ten = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].find((n) => n * ten >= rough) * ten;
  const all = [];
  for (let at = 0; at <= most * 1.0001; at += step) all.push(at);
  return all;
}

// A figure with a title, a drawing that can be gone through with the arrow keys, and a line that says what is under the cursor.
function figure(title, about, drawing, size, tell) {
  const box = make("figure"), caption = make("figcaption");
  caption.append(make("h2", "", title), make("p", "about", about));
  const said = make("p", "said");
  said.setAttribute("aria-live", "polite");
  box.append(caption, drawing, said);
  drawing.setAttribute("tabindex", "0");
  drawing.setAttribute("role", "group");
  drawing.setAttribute("aria-label", `${title}. ${about} Arrow keys go through it.`);
  let at = size - 1;
  const go = (to) => {
    at = Math.min(Math.max(to, 0), size - 1);
    said.textContent = tell(at);
  };
  const keys = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
  drawing.addEventListener("keydown", (event) => {
    if (!(event.key in keys)) return;
    event.preventDefault();
    event.stopPropagation();
    go(at + keys[event.key]);
  });
  go(at);
  return [box, go];
}

const WIDE = 460, HIGH = 190, LEFT = 62, RIGHT = 14, TOP = 10, LOW = 26;

// Axes, and how values become places.
function axes(mostX, mostY, wordX, labelX) {
  const svg = draws("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "plot" });
  const x = (v) => LEFT + (v / (mostX || 1)) * (WIDE - LEFT - RIGHT);
  const y = (v) => HIGH - LOW - (v / (mostY || 1)) * (HIGH - LOW - TOP);
  for (const tick of ticks(mostY)) {
    svg.append(draws("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(tick), y2: y(tick) }));
    svg.append(draws("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, compact(tick)));
  }
  if (labelX) {
    for (const tick of ticks(mostX)) svg.append(draws("text", { x: x(tick), y: HIGH - 8, "text-anchor": "middle" }, labelX(tick)));
  }
  svg.append(draws("line", { class: "axis", x1: LEFT, x2: WIDE - RIGHT, y1: HIGH - LOW, y2: HIGH - LOW }));
  if (wordX) svg.append(draws("title", {}, wordX));
  return [svg, x, y];
}

// 12,000 as 12k where there is little room.
const compact = (n) => (n >= 1e9 ? number(n / 1e9) + "G" : n >= 1e6 ? number(n / 1e6) + "M" : n >= 1e4 ? number(n / 1e3) + "k" : number(n));

// Lines over time: [class, values] each; a value that is not known is left out.
function lines(title, about, seconds, series, tell) {
  const last = seconds.length - 1;
  const values = series.flatMap(([, values]) => values.filter((v) => v !== null));
  const [svg, x, y] = axes(seconds[last], Math.max(...values, 1), "", time);
  for (const [name, values] of series) {
    const points = values.map((v, i) => (v === null ? null : `${x(seconds[i])},${y(v)}`)).filter((p) => p);
    svg.append(draws("polyline", { class: name, points: points.join(" ") }));
    // One alone is no line.
    if (points.length === 1) svg.append(draws("circle", { class: name, cx: points[0].split(",")[0], cy: points[0].split(",")[1], r: 3 }));
  }
  const cursor = svg.appendChild(draws("line", { class: "cursor", y1: TOP, y2: HIGH - LOW }));
  const [box, go] = figure(title, about, svg, seconds.length, (i) => {
    cursor.setAttribute("x1", x(seconds[i]));
    cursor.setAttribute("x2", x(seconds[i]));
    return `${time(seconds[i])}: ${tell(i)}`;
  });
  svg.addEventListener("pointermove", (event) => {
    const at = ((event.clientX - svg.getBoundingClientRect().left) / svg.getBoundingClientRect().width) * WIDE;
    let near = 0;
    seconds.forEach((s, i) => { if (Math.abs(x(s) - at) < Math.abs(x(seconds[near]) - at)) near = i; });
    go(near);
  });
  return box;
}

function bars(title, about, values, label, tell) {
  const [svg, , y] = axes(1, Math.max(...values, 1), "", null);
  const each = (WIDE - LEFT - RIGHT) / values.length;
  // No more labels than can be read.
  const every = Math.ceil(values.length / 12);
  const drawn = values.map((value, i) => {
    const bar = draws("rect", {
      class: "column", x: LEFT + i * each + Math.min(each * 0.15, 3), width: Math.max(each - Math.min(each * 0.3, 6), 0.5),
      y: y(value), height: Math.max(HIGH - LOW - y(value), value ? 1 : 0),
    });
    svg.append(bar);
    if (i % every === 0) svg.append(draws("text", { x: LEFT + (i + 0.5) * each, y: HIGH - 8, "text-anchor": "middle" }, label(i)));
    return bar;
  });
  const [box, go] = figure(title, about, svg, values.length, (i) => {
    drawn.forEach((bar, k) => bar.classList.toggle("now", k === i));
    return tell(i);
  });
  svg.addEventListener("pointermove", (event) => {
    const at = ((event.clientX - svg.getBoundingClientRect().left) / svg.getBoundingClientRect().width) * WIDE;
    if (at >= LEFT && at < WIDE - RIGHT) go(Math.floor((at - LEFT) / each));
  });
  return box;
}

// A part of the tree in the data: parent, level, step, way, first execution, executions.
const [PARENT, LEVEL, STEP, WAY, FROM, COUNT] = [0, 1, 2, 3, 4, 5];
const BAND = 22, MOST_LEVELS = 14;

// The tree from above: a band for each step at which there was more than one way, as wide as there were executions.
function icicle(tree) {
  const { parts } = tree, box = make("figure", "wide"), caption = make("figcaption");
  const svg = draws("svg", { class: "icicle", tabindex: 0, role: "tree", "aria-label": "The tree of what was explored. Arrow keys: down to the first way, up, left and right among ways; Enter looks closer, Backspace from farther away." });
  const said = make("p", "said"), children = parts.map(() => []);
  parts.forEach((part, i) => { if (i) children[part[PARENT]].push(i); });
  said.setAttribute("aria-live", "polite");
  let root = 0, now = 0;
  const words = (i) => {
    const [, , step, way, from, count] = parts[i];
    const share = `${number((100 * count) / tree.executions)} %`;
    if (!i) return `the whole tree: ${plural(count, "execution")}`;
    return `step ${step} by ${way}: ${plural(count, "execution")}, from the ${number(from + 1)}${["st", "nd", "rd"][from % 10] && Math.floor(from / 10) % 10 !== 1 ? ["st", "nd", "rd"][from % 10] : "th"} on (${share})`;
  };
  const paint = () => {
    const [, top, , , start, count] = parts[root], room = svg.clientWidth || 900;
    const x = (execution) => ((execution - start) / count) * room;
    const visible = [];
    let levels = 1;
    const walk = (i) => {
      const [, level, , , from, size] = parts[i], width = (size / count) * room;
      if (level - top >= MOST_LEVELS || width < 0.75) return;
      levels = Math.max(levels, level - top + 1);
      visible.push([i, x(from), (level - top) * BAND, width]);
      children[i].forEach(walk);
    };
    walk(root);
    svg.setAttribute("height", levels * BAND);
    svg.replaceChildren(...visible.map(([i, left, y, width]) => {
      const [, , step, way] = parts[i], group = draws("g", { id: `part-${i}`, role: "treeitem", "data-part": i, "aria-label": words(i), "aria-level": parts[i][LEVEL] + 1 });
      const kind = !i ? "whole" : children[parts[i][PARENT]].indexOf(i) % 2 ? "odd" : "even";
      group.append(draws("rect", { x: left + 0.5, y: y + 0.5, width: Math.max(width - 1, 0.5), height: BAND - 1, class: kind }));
      const text = i ? `${step}: ${way}` : "all";
      if (width > text.length * 6.6 + 10) group.append(draws("text", { x: left + 6, y: y + 15 }, text));
      group.append(draws("title", {}, words(i)));
      if (i === now) group.setAttribute("class", "now");
      return group;
    }));
    // What is selected is drawn last, so that nothing lies on its frame.
    const selected = svg.querySelector(".now");
    if (selected) svg.append(selected);
    svg.setAttribute("aria-activedescendant", `part-${now}`);
    said.textContent = words(now) + (root ? "; looking closer, Backspace goes back" : "");
  };
  const isBelow = (i) => { for (let at = i; ; at = parts[at][PARENT]) { if (at === root) return true; if (!at) return false; } };
  const goTo = (i) => {
    now = i;
    if (!isBelow(now)) root = parts[now][PARENT];
    paint();
  };
  const beside = (by) => {
    const all = children[parts[now][PARENT]], to = all[all.indexOf(now) + by];
    if (now && to !== undefined) goTo(to);
  };
  const keys = {
    ArrowDown: () => { if (children[now].length) goTo(children[now][0]); },
    ArrowUp: () => { if (now) goTo(parts[now][PARENT]); },
    ArrowRight: () => beside(1), ArrowLeft: () => beside(-1),
    Enter: () => { if (children[now].length) { root = now; paint(); } },
    Backspace: () => { if (root) { root = parts[root][PARENT]; paint(); } },
    Home: () => { root = now = 0; paint(); },
  };
  svg.addEventListener("keydown", (event) => {
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  });
  svg.addEventListener("click", (event) => {
    const clicked = event.target.closest("[data-part]");
    if (clicked) goTo(+clicked.dataset.part);
  });
  svg.addEventListener("dblclick", () => keys.Enter());
  const kept = tree.top === null ? "" : ` Shown are branches at the first ${plural(tree.top, "step")}.`;
  const far = tree.share >= 1 ? "all of it was explored" : `about ${number(tree.share * 100)} % of it was explored`;
  caption.append(make("h2", "", "The tree"), make("p", "about",
    `A band for each step at which the search went more than one way; its parts are as wide as there were executions. ${plural(tree.executions, "execution")}, ${far}.${kept}`));
  box.append(caption, svg, said);
  return [box, paint];
}

let paintTree = () => {};

function drawExplored() {
  const course = data.course, panel = $("explored");
  $("explore").hidden = !course;
  if (!course) return;
  const figures = [];
  const { seconds, executions, estimates, rates, bounds, preemptions, tree } = course;
  if (tree && tree.parts.length > 1) {
    const [box, paint] = icicle(tree);
    figures.push(box);
    paintTree = paint;
  } else {
    const why = tree ? "It has one branch: no other way was tried yet." : "This search does not go through a tree depth first.";
    const box = make("figure", "wide");
    box.append(make("h2", "", "The tree"), make("p", "about", why));
    figures.push(box);
  }
  if (seconds.length) {
    const estimated = estimates.some((e) => e !== null);
    const at = (i) => `${plural(executions[i], "execution")}` + (estimates[i] === null ? "" : `, about ${number(estimates[i])} in all`);
    figures.push(lines("Executions and the estimate",
      estimated ? "Made so far, and as many as a complete search was thought to take (dashed)." : "Made so far. This search gives no estimate.",
      [0, ...seconds], [["estimate", [null, ...estimates]], ["made", [0, ...executions]]], (i) => (i ? at(i - 1) : "the beginning")));
    figures.push(lines("Executions per second", "Since the point before.", seconds, [["made", rates]],
      (i) => (rates[i] === null ? "not known" : `${plural(rates[i], "execution")} a second`)));
  }
  if (preemptions.length) {
    const more = (i) => (i === 15 ? "15 or more" : i);
    const done = bounds.map(([s, n, within]) => `Finished after ${plural(n, "execution")} (${time(s)}): none fails ${within}.`);
    figures.push(bars("Bounds", ["Executions by the number of their preemptions.", ...done].join(" "), preemptions, (i) => (i === 15 ? "15+" : i),
      (i) => `${plural(preemptions[i], "execution")} with ${more(i)} ${i === 1 ? "preemption" : "preemptions"}`));
  }
  if (tree && tree.depths.length) {
    figures.push(bars("Where it branched", "How often the search went another way, by the number of the step.", tree.depths, (i) => i + 1,
      (i) => `${plural(tree.depths[i], "time")} at step ${i + 1}`));
  }
  panel.replaceChildren(...figures);
}

function toggleExplored(on) {
  view.explored = Boolean(data.course) && (on === undefined ? !view.explored : on);
  document.querySelector("main").hidden = view.explored;
  $("explored").hidden = !view.explored;
  $("legend").hidden = view.explored;
  $("explore").setAttribute("aria-pressed", view.explored);
  if (view.explored) {
    paintTree();
    $("explored").focus({ preventScroll: true });
  } else {
    layOut();
    draw(true);
  }
  remember();
}

$("explore").onclick = () => toggleExplored();
addEventListener("resize", () => { if (view.explored) paintTree(); });
drawExplored();
if (new URLSearchParams(location.hash.slice(1)).get("view") === "exploration") toggleExplored(true);
addEventListener("hashchange", () => toggleExplored(new URLSearchParams(location.hash.slice(1)).get("view") === "exploration"));
document.documentElement.dataset.ready = "yes";
