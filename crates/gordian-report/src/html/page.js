"use strict";
// What goes wrong here is noted where a test, or a person who reports it, finds it.
const noteError = (what) => { document.documentElement.dataset.error = String(what); };
addEventListener("error", (event) => noteError(event.message));
addEventListener("unhandledrejection", (event) => noteError(event.reason));

const $ = (id) => document.getElementById(id);
const make = (tag, name, text) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
};
const data = JSON.parse($("data").textContent);
const ROW = 26, LEAST_LANE = 180, DOT = 11;
// A step in the data: thread, text, place, preempts, who could go on before it, objects.
const [THREAD, TEXT, SITE, PREEMPTS, ENABLED, OBJECTS] = [0, 1, 2, 3, 4, 5];
const view = { trace: 0, step: 1, thread: -1, object: -1, arrows: true, explored: false };
let trace, rows, rowOf, arrowsOf, stepsOf, numberWidth, laneWidth;

const place = (site) => (site ? data.sites[site - 1].join(":") : "");
const short = (site) => place(site).replace(/^.*\//, "");
// A text with paths cut down to the name of the file.
const brief = (text) => text.replace(/[^\s(]*\/(?=[^\s/]+:\d)/g, "");
const end = () => trace.steps.length + 1;
const isEnd = (step) => step === end();

// ---- choosing what is shown

function choose(number) {
  view.trace = number;
  trace = data.traces[number];
  arrowsOf = new Map();
  for (const arrow of trace.arrows) {
    for (const step of [arrow[0], arrow[1]]) {
      if (!arrowsOf.has(step)) arrowsOf.set(step, []);
      arrowsOf.get(step).push(arrow);
    }
  }
  stepsOf = trace.threads.map(() => []);
  trace.steps.forEach((step, i) => stepsOf[step[THREAD]].push(i + 1));
  const options = (select, word, names) => {
    select.replaceChildren(new Option(word, "-1"), ...names.map((name, i) => new Option(name, i)));
  };
  options($("thread"), "every thread", trace.threads.map((thread) => thread[0]));
  options($("object"), "every object", trace.objects.map((object) => object.name));
  $("trace").value = number ? "original" : "minimal";
  view.thread = view.object = -1;
  layOut();
  showLegend();
  filter();
}

function filter() {
  const kept = (step) =>
    (view.thread < 0 || step[THREAD] === view.thread) && (view.object < 0 || step[OBJECTS].includes(view.object));
  rows = [];
  trace.steps.forEach((step, i) => { if (kept(step)) rows.push(i + 1); });
  const filtered = view.thread >= 0 || view.object >= 0;
  $("shown").textContent = filtered ? `${rows.length} of ${trace.steps.length} steps` : "";
  if (trace.end || !rows.length) rows.push(end());
  rowOf = new Map(rows.map((step, i) => [step, i]));
  for (const element of drawnRows.values()) element.remove();
  drawnRows.clear();
  $("thread").value = view.thread;
  $("object").value = view.object;
  $("rows").style.height = rows.length * ROW + "px";
  $("lanes").setAttribute("aria-rowcount", rows.length + 1);
  if (!rowOf.has(view.step)) view.step = nearest(view.step);
  select(view.step);
}

const nearest = (step) => rows[Math.min(after(rows, step - 1), rows.length - 1)];

// The number of entries that are at most `limit`.
function after(list, limit) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= limit) low = middle + 1; else high = middle;
  }
  return low;
}

function layOut() {
  const threads = trace.threads.length;
  const longest = trace.steps.reduce((most, step) => Math.max(most, short(step[SITE]).length), 5);
  const places = Math.min(longest * 7.4 + 18, 240);
  numberWidth = 44 + String(trace.steps.length).length * 8;
  laneWidth = Math.max(LEAST_LANE, ($("lanes").clientWidth - numberWidth - places) / Math.max(threads, 1));
  const style = $("lanes").style;
  style.setProperty("--lanes", `repeat(${threads}, ${laneWidth}px)`);
  style.setProperty("--number", numberWidth + "px");
  style.setProperty("--width", numberWidth + threads * laneWidth + places + "px");
  const heads = ["step", ...trace.threads.map((thread) => thread[0]), "place"];
  $("heads").replaceChildren(...heads.map((head) => {
    const cell = make("div", "", head);
    cell.setAttribute("role", "columnheader");
    cell.title = head;
    return cell;
  }));
}

// ---- the lanes: only the rows that can be seen exist

let drawnFrom = 0, drawnTo = -1;
let drawnRows = new Map();

function draw(anew) {
  const lanes = $("lanes");
  const from = Math.max(0, Math.floor(lanes.scrollTop / ROW) - 20);
  const to = Math.min(rows.length - 1, Math.ceil((lanes.scrollTop + lanes.clientHeight) / ROW) + 20);
  if (!anew && from === drawnFrom && to === drawnTo) return;
  drawnFrom = from;
  drawnTo = to;
  const near = linked(view.step);
  const drawn = new Map();
  for (let i = from; i <= to; i++) {
    const step = rows[i], element = drawnRows.get(step) || row(i);
    element.setAttribute("aria-selected", step === view.step);
    element.classList.toggle("now", step === view.step);
    element.classList.toggle("linked", step !== view.step && near.has(step));
    if (!element.isConnected) $("rows").append(element);
    drawn.set(step, element);
  }
  for (const [step, element] of drawnRows) if (drawn.get(step) !== element) element.remove();
  drawnRows = drawn;
  drawArrows(from, to);
  lanes.setAttribute("aria-activedescendant", "step-" + view.step);
}

function linked(step) {
  return new Set((arrowsOf.get(step) || []).flatMap(([from, to]) => [from, to]));
}

function row(i) {
  const number = rows[i];
  const element = make("div", "row");
  element.id = "step-" + number;
  element.dataset.step = number;
  element.setAttribute("role", "row");
  element.setAttribute("aria-rowindex", i + 2);
  element.style.top = i * ROW + "px";
  const cells = isEnd(number) ? endCells(element) : stepCells(element, number, i);
  for (const cell of cells) cell.setAttribute("role", "gridcell");
  element.append(...cells);
  return element;
}

function stepCells(element, number, i) {
  const step = trace.steps[number - 1];
  const before = i > 0 && trace.steps[rows[i - 1] - 1];
  element.classList.toggle("preempts", !!step[PREEMPTS]);
  element.classList.toggle("switches", !!before && before[THREAD] !== step[THREAD]);
  const count = make("div", "number", number + (step[PREEMPTS] ? "!" : ""));
  if (step[PREEMPTS]) count.title = "a switch away from a thread that could have gone on";
  const lanes = trace.threads.map((_, lane) => {
    const mine = lane === step[THREAD];
    const cell = make("div", mine ? "cell mine" : "cell", mine ? data.texts[step[TEXT]] : "");
    if (mine) cell.title = cell.textContent;
    return cell;
  });
  const where = make("div", "place", short(step[SITE]));
  where.title = place(step[SITE]);
  return [count, ...lanes, where];
}

function endCells(element) {
  element.classList.add("end");
  const failure = trace.end;
  const lanes = trace.threads.map((_, lane) => {
    const notes = failure ? failure.notes.filter((note) => note[0] === lane).map((note) => note[1]) : [];
    const mine = failure && (failure.thread === lane || notes.length);
    const words = notes.length ? notes.join("; ") : mine ? failure.message : "";
    const cell = make("div", mine ? "cell mine" : "cell", brief(words));
    cell.title = words;
    return cell;
  });
  return [make("div", "number", "end"), ...lanes, make("div", "place", failure ? short(failure.site) : "")];
}

function drawArrows(from, to) {
  const paths = [];
  const x = (step) => numberWidth + trace.steps[step - 1][THREAD] * laneWidth + DOT;
  const path = ([first, second, why]) => {
    const a = rowOf.get(first), b = rowOf.get(second);
    if (a === undefined || b === undefined || ((a < from || a > to) && (b < from || b > to))) return;
    const [x1, y1, x2, y2] = [x(first), (a + 0.5) * ROW, x(second), (b + 0.5) * ROW];
    const side = x2 > x1 ? 1 : -1;
    const bend = Math.min(60, Math.abs(x2 - x1) / 3);
    const element = document.createElementNS("http://www.w3.org/2000/svg", "path");
    element.setAttribute("d",
      `M${x1 + side * 6} ${y1}C${x1 + side * bend} ${y1 + 8} ${x2 - side * bend} ${y2 - 8} ${x2 - side * 7} ${y2}`);
    element.dataset.arrow = `${first}-${second}`;
    element.dataset.why = data.whys[why][0];
    if (first === view.step || second === view.step) element.setAttribute("class", "now");
    paths.push(element);
  };
  // Those of the rows that are drawn; an arrow that only passes by says nothing.
  const seen = new Set();
  for (let i = from; view.arrows && i <= to; i++) {
    for (const arrow of arrowsOf.get(rows[i]) || []) {
      if (!seen.has(arrow)) path(arrow);
      seen.add(arrow);
    }
  }
  paths.sort((a, b) => a.classList.contains("now") - b.classList.contains("now"));
  $("paths").replaceChildren(...paths);
}

// ---- one step

function select(step, scroll = true) {
  view.step = step;
  const lanes = $("lanes"), top = rowOf.get(step) * ROW, room = lanes.clientHeight - 28 - ROW;
  if (scroll && (top < lanes.scrollTop + ROW || top > lanes.scrollTop + room - ROW)) {
    lanes.scrollTop = top - room / 2;
  }
  const lane = isEnd(step) ? (trace.end ? trace.end.thread : null) : trace.steps[step - 1][THREAD];
  const left = numberWidth + lane * laneWidth;
  if (lane !== null && (left < lanes.scrollLeft + numberWidth || left + laneWidth > lanes.scrollLeft + lanes.clientWidth)) {
    lanes.scrollLeft = left - (lanes.clientWidth + numberWidth - laneWidth) / 2;
  }
  draw(true);
  $("where").textContent = isEnd(step) ? "the end" : `step ${step} of ${trace.steps.length}`;
  $("first").disabled = $("back").disabled = rowOf.get(step) === 0;
  $("last").disabled = $("forward").disabled = rowOf.get(step) === rows.length - 1;
  showStep(step);
  showObjects(step);
  showThreads(step);
  // Last, because it asks where things are: then the page is laid out once.
  showSource(step);
  remember();
}

function link(step) {
  const button = make("button", "", isEnd(step) ? "the end" : `step ${step}`);
  button.onclick = () => reveal(step);
  return button;
}

// Goes to a step, if need be without the filter that hides it.
function reveal(step) {
  if (!rowOf.has(step)) {
    view.thread = view.object = -1;
    view.step = step;
    filter();
  }
  select(step);
}

function showStep(step) {
  const list = [];
  if (isEnd(step)) {
    $("step").textContent = trace.end ? `The failure: ${trace.end.kind}` : "The end";
    $("did").textContent = trace.end ? brief(trace.end.message) : "";
    for (const [lane, text, site] of trace.end ? trace.end.notes : []) {
      const who = lane === null ? "" : trace.threads[lane][0] + " ";
      list.push(make("li", "", brief(`${who}${text}${site ? ` (${place(site)})` : ""}`)));
    }
  } else {
    const [lane, text, , preempts] = trace.steps[step - 1];
    $("step").textContent = `Step ${step}: ${trace.threads[lane][0]}`;
    $("did").textContent = data.texts[text];
    if (preempts) {
      const before = trace.threads[trace.steps[step - 2][THREAD]][0];
      list.push(make("li", "", `! a preemption: ${before} could have gone on`));
    }
    for (const [first, second, why] of arrowsOf.get(step) || []) {
      const other = first === step ? second : first;
      const item = make("li", "", data.whys[why][first === step ? 1 : 0] + " ");
      item.append(link(other), ` (${trace.threads[trace.steps[other - 1][THREAD]][0]})`);
      list.push(item);
    }
  }
  $("because").replaceChildren(...list);
}

let sourceShown = "";

function showSource(step) {
  let site = isEnd(step) ? (trace.end ? trace.end.site : 0) : trace.steps[step - 1][SITE];
  const own = site !== 0;
  if (!own && !isEnd(step)) {
    // A guard that goes out of scope has no place: somewhere after what its thread did before.
    const mine = stepsOf[trace.steps[step - 1][THREAD]];
    const earlier = mine.slice(0, after(mine, step)).findLast((before) => trace.steps[before - 1][SITE]);
    if (earlier) site = trace.steps[earlier - 1][SITE];
  }
  const box = $("source");
  $("place").textContent = site ? (own ? "" : "no place of its own; after ") + place(site) : "Source";
  if (!site) {
    sourceShown = "";
    const what = isEnd(step) ? "The failure" : "This step";
    box.replaceChildren(make("p", "", `${what} has no place of its own in the source.`));
    return;
  }
  const [file, line] = data.sites[site - 1];
  const pieces = data.sources[file];
  if (!pieces) {
    sourceShown = "";
    box.replaceChildren(make("p", "", `${file} could not be read when this page was written.`));
    return;
  }
  if (sourceShown !== file) {
    const lines = [];
    for (const [first, texts] of pieces) {
      if (first > 1) lines.push(make("div", "gap", "⋮"));
      texts.forEach((text, i) => {
        const element = make("div", "code");
        element.dataset.line = first + i;
        element.append(make("span", "", first + i), make("span", "", text));
        lines.push(element);
      });
    }
    box.replaceChildren(...lines);
    sourceShown = file;
  }
  for (const old of box.querySelectorAll(".here")) {
    old.classList.remove("here", "after");
    old.removeAttribute("aria-current");
  }
  const here = box.querySelector(`[data-line="${line}"]`);
  if (!here) return;
  here.classList.add("here");
  here.classList.toggle("after", !own);
  here.setAttribute("aria-current", "true");
  box.scrollTop = here.offsetTop - box.offsetTop - box.clientHeight / 2 + 10;
}

const held = (object, point) => data.texts[object.is[Math.max(after(object.at, point) - 1, 0)]];
const MOST_OBJECTS = 200;

function showObjects(step) {
  const point = Math.min(step, trace.steps.length);
  $("point").textContent = isEnd(step) ? "at the end" : `after step ${step}`;
  const body = [];
  const line = (object, i) => {
    const now = held(object, point), was = held(object, point - 1);
    const changed = !isEnd(step) && now !== was;
    const tr = make("tr", changed ? "changed" : "");
    tr.dataset.object = object.name;
    const name = make("button", "", object.name);
    name.title = `${object.kind}${object.site ? ", made at " + place(object.site) : ""}: show only its steps`;
    name.onclick = () => { view.object = view.object === i ? -1 : i; filter(); };
    const first = make("td"), second = make("td");
    first.append(name);
    if (changed) second.append(make("span", "was", was + " → "));
    second.append(make("span", "is", now));
    tr.append(first, second);
    return tr;
  };
  const shown = trace.objects.map((object, i) => [object, i]);
  const touched = isEnd(step) ? [] : trace.steps[step - 1][OBJECTS];
  // Of very many objects those come first that the step touched.
  if (shown.length > MOST_OBJECTS) shown.sort((a, b) => touched.includes(b[1]) - touched.includes(a[1]));
  for (const [object, i] of shown.slice(0, MOST_OBJECTS)) body.push(line(object, i));
  if (shown.length > MOST_OBJECTS) {
    const tr = make("tr"), td = make("td", "still", `${shown.length - MOST_OBJECTS} more objects`);
    td.colSpan = 2;
    tr.append(td);
    body.push(tr);
  }
  $("objects").tBodies[0].replaceChildren(...body);
}

function showThreads(step) {
  const point = Math.min(step, trace.steps.length);
  const could = point === trace.steps.length ? null : data.sets[trace.steps[point][ENABLED]];
  const body = trace.threads.map(([name, born, ended], lane) => {
    const next = stepsOf[lane][after(stepsOf[lane], point)];
    const notes = isEnd(step) && trace.end ? trace.end.notes.filter((note) => note[0] === lane).map((note) => note[1]) : [];
    const text = next && data.texts[trace.steps[next - 1][TEXT]];
    let words;
    if (notes.length) words = ["", brief(notes.join("; "))];
    else if (isEnd(step) && trace.end && trace.end.thread === lane) words = ["", brief(trace.end.message)];
    else if (isEnd(step) && ended) words = ["still", "has ended"];
    else if (point < born) words = ["still", "not spawned yet"];
    else if (!next) words = ["still", "takes no further step"];
    else if (could && could.includes(lane)) words = ["", text];
    else words = ["still", "waits, then: " + text];
    const tr = make("tr");
    tr.dataset.thread = name;
    tr.append(make("td", "", name), make("td", ...words));
    return tr;
  });
  $("next").textContent = isEnd(step) ? "at the end" : "does next";
  $("threads").tBodies[0].replaceChildren(...body);
}

// ---- keys, buttons, the address

function move(by) {
  const to = Math.min(Math.max(rowOf.get(view.step) + by, 0), rows.length - 1);
  select(rows[to]);
}

function movePreemption(by) {
  for (let i = rowOf.get(view.step) + by; i >= 0 && i < rows.length; i += by) {
    const step = trace.steps[rows[i] - 1];
    if (step && step[PREEMPTS]) return select(rows[i]);
  }
}

const isDark = () => {
  const said = document.documentElement.dataset.theme;
  return said ? said === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

function setTheme(theme) {
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  $("theme").textContent = isDark() ? "☀ light" : "☾ dark";
}

function toggleTheme() {
  setTheme(isDark() ? "light" : "dark");
  remember();
}

function toggleArrows() {
  view.arrows = !view.arrows;
  $("arrows").checked = view.arrows;
  draw(true);
  remember();
}

function toggleTrace() {
  if (data.traces.length < 2) return;
  choose(1 - view.trace);
  select(end());
}

const KEYS = {
  ArrowDown: () => move(1), ArrowRight: () => move(1), j: () => move(1),
  ArrowUp: () => move(-1), ArrowLeft: () => move(-1), k: () => move(-1),
  PageDown: () => move(20), PageUp: () => move(-20),
  Home: () => move(-Infinity), End: () => move(Infinity),
  n: () => movePreemption(1), p: () => movePreemption(-1),
  a: toggleArrows, o: toggleTrace, t: toggleTheme, e: () => toggleExplored(),
  Escape: () => { if (view.explored) return toggleExplored(false); view.thread = view.object = -1; filter(); },
  "?": () => $("keys").showModal(),
};

addEventListener("keydown", (event) => {
  const own = event.target.closest ? event.target.closest("select, input, dialog, #source") : null;
  if (own || event.ctrlKey || event.altKey || event.metaKey || !KEYS[event.key]) return;
  // Steps stay where they are while they are not seen.
  if (view.explored && !["t", "e", "?", "Escape"].includes(event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});
$("first").onclick = () => move(-Infinity);
$("back").onclick = () => move(-1);
$("forward").onclick = () => move(1);
$("last").onclick = () => move(Infinity);
$("thread").onchange = (event) => { view.thread = +event.target.value; filter(); };
$("object").onchange = (event) => { view.object = +event.target.value; filter(); };
$("arrows").onchange = toggleArrows;
$("trace").onchange = toggleTrace;
$("theme").onclick = toggleTheme;
$("help").onclick = () => $("keys").showModal();
$("rows").onclick = (event) => {
  const clicked = event.target.closest(".row");
  if (clicked) select(+clicked.dataset.step, false);
};
$("lanes").addEventListener("scroll", () => draw(false), { passive: true });
addEventListener("resize", () => { layOut(); draw(true); });

// The address holds what is shown, so that a place in the page can be kept and passed on.
let writing = 0;
function remember() {
  // Held keys come faster than addresses may be changed.
  clearTimeout(writing);
  writing = setTimeout(() => {
    const said = new URLSearchParams();
    said.set("step", isEnd(view.step) ? "end" : view.step);
    if (view.thread >= 0) said.set("thread", trace.threads[view.thread][0]);
    if (view.object >= 0) said.set("object", trace.objects[view.object].name);
    if (!view.arrows) said.set("arrows", "off");
    if (view.trace) said.set("trace", "original");
    if (view.explored) said.set("view", "exploration");
    const theme = document.documentElement.dataset.theme;
    if (theme) said.set("theme", theme);
    history.replaceState(null, "", "#" + said);
  }, 150);
}

function recall() {
  const said = new URLSearchParams(location.hash.slice(1));
  setTheme(said.get("theme"));
  choose(said.get("trace") === "original" && data.traces.length > 1 ? 1 : 0);
  view.arrows = said.get("arrows") !== "off";
  $("arrows").checked = view.arrows;
  view.thread = trace.threads.findIndex((thread) => thread[0] === said.get("thread"));
  view.object = trace.objects.findIndex((object) => object.name === said.get("object"));
  const step = +said.get("step");
  view.step = step >= 1 && step < end() ? Math.floor(step) : end();
  filter();
}
addEventListener("hashchange", recall);

function showLegend() {
  const preemptions = trace.steps.filter((step) => step[PREEMPTS]).length;
  const switches = trace.steps.filter((step, i) => i && step[THREAD] !== trace.steps[i - 1][THREAD]).length;
  const count = (n, word, more) => `${n} ${word}${n === 1 ? "" : more}`;
  $("legend").textContent =
    `${count(trace.steps.length, "step", "s")}, ${count(switches, "switch", "es")}, ${count(preemptions, "preemption", "s")}. `
    + "! is a preemption: a switch away from a thread that could have gone on. "
    + "Arrows lead from a step to one of another thread that depends on it.";
}

function showExploration() {
  const entries = [...(data.exploration || [["search", "not recorded in the saved trace"]])];
  if (data.replay) entries.push(["replay", data.replay]);
  $("exploration").replaceChildren(...entries.map(([name, value]) => {
    const entry = make("div");
    entry.append(make("dt", "", name), make("dd", "", value));
    return entry;
  }));
}

$("which").hidden = data.traces.length < 2;
recall();
showExploration();
