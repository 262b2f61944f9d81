"use strict";
// What happens when a step of the picture is chosen: its numbers are written beside it.
const KINDS = ["compute", "network", "store", "tasks"];

function escaped(text) {
  return String(text).replace(/[&<>"']/g, (c) => "&#" + c.charCodeAt(0) + ";");
}

function bytes(n) {
  const units = ["B", "kiB", "MiB", "GiB", "TiB", "PiB"];
  let at = 0;
  while (n >= 1024 && at < units.length - 1) { n /= 1024; at += 1; }
  return (at ? n.toFixed(2) : n.toFixed(0)) + " " + units[at];
}

function time(s) {
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"], [1e-3, "ms"], [1e-6, "us"]];
  const [unit, name] = units.find((u) => s >= u[0]) || [1e-6, "us"];
  return s ? Number((s / unit).toPrecision(2)).toLocaleString("en") + " " + name : "0 s";
}

// Where the cuts of a dimension lie, as parts of its extent; every few of them where they are many.
function cutsOf(dim) {
  const [extent, count = 1, step = extent, lead = extent, edges = null] = dim;
  if (edges) return edges.filter((e) => e > 0 && e < extent).map((e) => e / extent);
  const most = 48;
  const every = Math.max(1, Math.ceil((count - 1) / most));
  const found = [];
  for (let i = 0; i < count - 1; i += every) {
    const at = lead + i * step;
    if (at < extent) found.push(at / extent);
  }
  return found;
}

// A box of the last three dimensions, cut by lines.
function gridPicture(grid) {
  if (!grid.length) return "";
  const side = (extent, largest) => 50 + 130 * Math.pow(extent / largest, 0.35);
  const shown = grid.slice(-3);
  while (shown.length < 3) shown.unshift([1]);
  const largest = Math.max(1, ...shown.map((dim) => dim[0]));
  const [depth, height, width] = shown.map((dim, i) =>
    dim[0] === 1 ? (i ? 40 : 0) : side(dim[0], largest) * (i ? 1 : 0.4));
  const at = (z, y, x) => [10 + x * width + z * depth, 10 + depth + y * height - z * depth];
  const point = (p) => p.map((v) => v.toFixed(1)).join(" ");
  const face = (...corners) => `<path class="face" d="M${corners.map((c) => point(at(...c))).join("L")}Z"/>`;
  const line = (a, b) => `M${point(at(...a))}L${point(at(...b))}`;
  let parts = face([0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]);
  if (depth) {
    parts += face([0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]);
    parts += face([0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]);
  }
  let path = "";
  for (const z of depth ? cutsOf(shown[0]) : []) {
    path += line([z, 0, 0], [z, 0, 1]) + line([z, 0, 1], [z, 1, 1]);
  }
  for (const y of cutsOf(shown[1])) path += line([0, y, 0], [0, y, 1]) + line([0, y, 1], [1, y, 1]);
  for (const x of cutsOf(shown[2])) path += line([0, 0, x], [0, 1, x]) + line([0, 0, x], [1, 0, x]);
  const w = (width + depth + 20).toFixed(0), h = (height + depth + 20).toFixed(0);
  return `<svg width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">${parts}<path class="cut" d="${path}"/></svg>`;
}

function row(name, value) {
  return `<tr><th>${escaped(name)}</th><td>${escaped(value)}</td></tr>`;
}

function shareRow(name, seconds, most) {
  const width = most ? Math.max(1, Math.round(120 * seconds / most)) : 0;
  return `<tr><th>${name}</th><td><span class="share" style="width:${width}px"></span> ${time(seconds)}</td></tr>`;
}

// The table of a step, as HTML; `plan` is what the page holds as JSON.
function details(plan, number) {
  const words = plan.words;
  const [ops, type, line, grid, gridText, decided, seconds, kinds, counts, sizes, second, reads] =
    plan.steps[number - 1];
  const [blocks, slices, edges] = counts;
  const [read, moved, written, work] = sizes;
  const most = Math.max(...kinds);
  let rows = row("result", words[type]);
  rows += row("grid", `${words[gridText]}, ${blocks.toLocaleString("en")} block${blocks === 1 ? "" : "s"}`);
  rows += row("decided by", words[decided]);
  rows += row("seconds", time(seconds));
  kinds.forEach((s, i) => { if (s > 0) rows += shareRow(KINDS[i], s, most); });
  rows += row("number of tasks", `${(blocks + slices).toLocaleString("en")}, ${slices.toLocaleString("en")} of them slices`);
  if (edges) rows += row("edges", edges.toLocaleString("en"));
  if (read) rows += row("read", bytes(read));
  if (moved) rows += row("moved", bytes(moved));
  if (written) rows += row("written", bytes(written));
  rows += row("a block holds", bytes(work));
  if (second >= 0) rows += row("next best", words[second]);
  if (reads.length) rows += row("reads", reads.map((r) => (r > 0 ? "step " + r : words[-r - 1])).join(", "));
  if (line >= 0) rows += row("written at", words[line]);
  return `<h2>step ${number}: ${escaped(words[ops])}</h2>${gridPicture(grid)}<table>${rows}</table>`;
}

function show(page, plan, number) {
  const before = page.querySelector(".shown");
  if (before) before.classList.remove("shown");
  const box = page.querySelector("#step-" + number);
  if (box) box.classList.add("shown");
  page.querySelector(".details").innerHTML = details(plan, number);
}

if (typeof document !== "undefined") {
  const plan = JSON.parse(document.getElementById("plan").textContent);
  const choose = (number) => show(document, plan, number);
  document.querySelectorAll(".step").forEach((box) => {
    const number = Number(box.id.slice("step-".length));
    box.setAttribute("tabindex", "0");
    ["click", "focus", "mouseenter"].forEach((what) => box.addEventListener(what, () => choose(number)));
  });
  document.querySelectorAll(".bar").forEach((bar) => {
    bar.addEventListener("click", () => choose(Number(bar.dataset.step)));
  });
  if (plan.steps.length) choose(plan.longest);
}
