// The tabs of the explorer: each asks one job and shows its answer, and computes nothing.

import { ask } from "./api.js";
import { choice, copy, fitted, h, mathematics, put, scrollable } from "./dom.js";
import { Editor, reason, verdictOf } from "./editor.js";
import { drawContours, drawCurve, drawStudy, short } from "./plot.js";
import { NOTATIONS } from "./state.js";

export const LABELS = {
  matrix: "Matrix",
  index: "Index",
  entries: "Entries",
  where: "Where",
  steps: "Steps",
  grade: "Your answer",
  study: "Study",
  several: "Several variables",
  graph: "Graph",
  plot: "Plot",
  numbers: "Numbers",
  code: "Code",
};
const STYLE_LABELS = { calculus: "Calculus", matrix: "Matrix", backprop: "Backprop" };
const ASK_LABELS = { points: "Critical points", gradient: "Gradient", hessian: "Hessian", laplacian: "Laplacian", plane: "Tangent plane" };
const FIELD_LABELS = { divergence: "Divergence", curl: "Curl", determinant: "Jacobian determinant" };
const TARGET_LABELS = { numpy: "NumPy", python: "Python", c: "C", jax: "JAX", torch: "PyTorch", sympy: "SymPy", latex: "LaTeX" };
const NOTATION_WORDS = {
  matrix: "Whole arrays, as one writes them on paper.",
  index: "One entry, by letters for its indices.",
  entries: "Every entry, where the sizes are numbers.",
  where: "Parts that occur more than once get a name.",
};

const copyButton = (text, what) =>
  h("button", { type: "button", class: "small", "aria-label": `Copy ${what}`, onclick: () => copy(text, `Copied ${what}`) }, "Copy");

const apology = (error) => h("p", { class: "apology" }, reason(error));

/** A formula in a box of its own that scrolls where it is wide. */
function formula(mathml, otherwise = "", name = "formula") {
  const place = h("div", { class: name });
  put(place, mathml, otherwise);
  return place;
}

// ---- matrix, index, entries, where

function textRows(form) {
  const rows = [["Text", form.text, "the text"], ["LaTeX", form.latex, "the LaTeX"]].filter(([, text]) => text);
  return h(
    "dl",
    { class: "spellings" },
    rows.map(([label, text, what]) => {
      const code = h("code", { class: "spelling" }, text);
      scrollable(code);
      return h("div", {}, h("dt", {}, label), h("dd", {}, code, copyButton(text, what)));
    }),
  );
}

/** A way to the notation that this derivative has. */
function instead({ best }, state, change) {
  if (!best || best === state.notation) return null;
  return h("button", { type: "button", onclick: () => change({ tab: best, notation: best }) }, `Show ${LABELS[best].toLowerCase()} notation`);
}

async function notation({ exercise, state, change }) {
  const found = await ask("derive", { exercise });
  if (!found) return null;
  if (!found.ok) return [apology(found.error)];
  const form = found.notations[state.notation] || { none: `There is no such form of this derivative.` };
  const ofNumbers = Object.values(exercise.names).every(({ kind }) => kind === "number");
  const intro = ofNumbers ? null : h("p", { class: "quiet" }, NOTATION_WORDS[state.notation]);
  if (form.none) return [intro, h("p", { class: "apology" }, form.none), instead(found, state, change)];
  const words = [found.words || []].flat().filter(Boolean);
  return [
    intro,
    textRows(form),
    words.length ? h("ul", { class: "remarks" }, words.map((one) => h("li", {}, one))) : null,
  ];
}

// ---- steps

async function steps({ exercise, state, change, panel }) {
  const style = state.style;
  const found = await ask("steps", { exercise, ...(style ? { style } : {}) });
  if (!found) return null;
  const chosen = style || found.style || "calculus";
  const styles = found.style === null ? null : panelChoice("style", "In the style of", STYLE_LABELS, chosen, (value) => change({ style: value }), panel);
  if (!found.ok) return [styles, apology(found.error)];
  const list = lines(found.steps);
  const told = found.steps.some((step) => step.kind === "result") || !found.result;
  const result = h("div", { class: "result" }, h("p", { class: "rule-name" }, "Result"), told ? null : formula(found.result.mathml, found.result.text));
  return [styles, list, told ? null : result];
}

function lines(steps) {
  const list = h("ol", { class: "steps" }, steps.map(line));
  list.querySelectorAll(".said").forEach(fitted);
  return list;
}

/** A line of a derivation: its words and formulas in their order, its number on the left and sizes on the right. */
export function line({ kind = "", number = null, parts = [], ledger = "" }) {
  const pair = kind === "pair";
  const said = parts.map((part) => {
    const shown = part.mathml?.length ? part.mathml.flatMap(mathematics) : [part.text];
    shown.slice(1).forEach((equal) => equal.classList.add("next"));
    return pair ? h("span", { class: "column" }, shown) : shown;
  });
  return h(
    "li",
    { class: `line ${kind}` },
    number ? h("span", { class: "at" }, String(number)) : null,
    h("div", { class: "said" }, said.flat()),
    ledger ? h("span", { class: "ledger" }, ledger) : null,
  );
}

function panelChoice(name, legend, labels, chosen, pick, panel) {
  const kept = panel.querySelector(`fieldset[data-choice="${name}"]`);
  const fieldset = kept || h("fieldset", { class: "choice inline", "data-choice": name }, h("legend", {}, legend));
  choice(fieldset, name, Object.entries(labels), chosen, pick);
  return fieldset;
}

// ---- your answer

let typed = "";

function grade({ exercise }) {
  const place = h("div", {});
  const mistake = h("p", { class: "mistake", id: "own-mistake", role: "status", hidden: true });
  const verdict = h("div", { class: "verdict", role: "status" });
  const check = async () => {
    if (!input.text.trim()) return input.area.focus();
    const found = await ask("grade", { exercise, answer: input.text });
    if (!found) return;
    input.show(found.ok ? found.at && { at: found.at } : found.error);
    verdict.replaceChildren(...(found.ok ? verdictOf(found) : []));
  };
  const change = (text) => {
    typed = text;
    verdict.replaceChildren();
  };
  const input = new Editor(place, { id: "own-answer", mistake, placeholder: "2*x*cos(x)", typed: change, entered: check });
  input.text = typed;
  const button = h("button", { type: "button", class: "primary", onclick: check }, "Check");
  return [h("label", { for: "own-answer", class: "label-row" }, "Your derivative"), place, mistake, h("div", { class: "row actions" }, button), verdict];
}

// ---- study, several variables

async function study({ exercise, panel }) {
  const found = await ask("study", { exercise });
  if (!found) return null;
  if (!found.ok) return [apology(found.error)];
  const room = h("div", { class: "plot-room" });
  const draw = () => room.replaceChildren(...drawStudy(found.curve, widthOf(panel), found.name));
  draw();
  watchWidth(room, draw);
  return [room, lines(found.steps)];
}

async function several({ exercise, shape, state, change, panel }) {
  const found = await ask("several", { exercise, ...(state.ask ? { ask: state.ask } : {}) });
  if (!found) return null;
  const labels = shape.length ? FIELD_LABELS : ASK_LABELS;
  const chosen = state.ask in labels ? state.ask : Object.keys(labels)[0];
  const asked = panelChoice("ask", "What to find", labels, chosen, (value) => change({ ask: value }), panel);
  return [asked, found.ok ? lines(found.steps) : apology(found.error)];
}

// ---- graph

async function graph({ exercise }) {
  const found = await ask("graph", { exercise });
  if (!found) return null;
  if (!found.ok) return [apology(found.error)];
  const [, wide, high] = /<svg[^>]*?\bwidth="([\d.]+)[^"]*"[^>]*?\bheight="([\d.]+)/.exec(found.svg) || [];
  const picture = h("img", {
    class: "graph",
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(found.svg)}`,
    alt: found.alt || "The graph of the computation, from the letters at its top to the result",
    width: wide ? Math.round(wide) : null,
    height: high ? Math.round(high) : null,
  });
  const place = h("div", { class: "graph-room", role: "group", "aria-label": "Graph" }, picture);
  scrollable(place);
  return [
    h("p", { class: "quiet" }, "What is computed, from the letters to the result, and along each arrow what comes back."),
    place,
  ];
}

// ---- plot

const widthOf = (panel) => Math.max(280, Math.min(panel.clientWidth - 2 * parseFloat(getComputedStyle(panel).paddingLeft), 760));

const windows = new Map(); // of each formula, what part of the plane is looked at

async function plot({ exercise, panel, again }) {
  const key = JSON.stringify(exercise);
  const view = windows.get(key) || {};
  const found = await ask("plot", { exercise, ...(view.over ? { over: view.over } : {}) });
  if (!found) return null;
  if (!found.ok) return [view.over ? ranges(view.over, move) : null, apology(found.error)];
  const names = found.axes || Object.keys(exercise.names).filter((n) => exercise.names[n].kind === "number");
  const over = found.over || [found.x, found.y].filter(Boolean).map((values) => [values[0], values.at(-1)]);
  function move(next) {
    windows.set(key, { over: next });
    again();
  }
  const room = h("div", { class: "plot-room" });
  const draw = () => {
    const width = widthOf(panel);
    const made = found.y
      ? drawContours(found, width, { names, at: view.at })
      : drawCurve(found, width, { name: names[0], at: view.at });
    drawn = made;
    room.replaceChildren(legend(Boolean(found.y)), made.picture, made.readings);
  };
  let drawn;
  draw();
  watchWidth(room, () => {
    view.at = drawn.where();
    draw();
  });
  return [room, ranges(over, move, names), h("p", { class: "quiet" }, "Drag the point, or move it with the arrow keys.")];
}

const legend = (contours) =>
  h(
    "p",
    { class: "legend" },
    (contours ? [["f", "contours of f"], ["gradient", "gradient"]] : [["f", "f"], ["df", "f′"], ["tangent", "tangent"]]).map(([mark, words]) =>
      h("span", {}, h("span", { class: `swatch ${mark}`, "aria-hidden": "true" }), words),
    ),
  );

let watched;

function watchWidth(room, call) {
  watched?.disconnect();
  let before = null;
  watched = new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (before !== null && Math.abs(width - before) > 8) call();
    before = width;
  });
  watched.observe(room);
}

function ranges(over, move, names = ["x", "y"]) {
  const scaled = (factor) => move(over.map(([a, b]) => [(a + b) / 2 - ((b - a) / 2) * factor, (a + b) / 2 + ((b - a) / 2) * factor]));
  const ends = over.map(([a, b], k) => {
    const end = (value, which, at) =>
      h("input", {
        class: "size",
        id: `over-${k}-${at}`,
        inputmode: "decimal",
        value: String(Number(value.toPrecision(6))),
        "aria-label": `${names[k] || ""} ${which}`,
        onchange: (event) => {
          const typed = Number(event.target.value.replace("−", "-"));
          const next = over.map((pair) => [...pair]);
          next[k][at] = typed;
          if (Number.isFinite(typed) && next[k][0] < next[k][1]) move(next);
          else event.target.value = String(value);
        },
      });
    return h("span", { class: "range" }, h("i", {}, names[k] || ""), " from ", end(a, "from", 0), " to ", end(b, "to", 1));
  });
  return h(
    "div",
    { class: "ranges", role: "group", "aria-label": "What is shown" },
    ends,
    h(
      "span",
      { class: "zoom" },
      h("button", { type: "button", class: "small", id: "zoom-in", onclick: () => scaled(0.5) }, "Zoom in"),
      h("button", { type: "button", class: "small", id: "zoom-out", onclick: () => scaled(2) }, "Zoom out"),
    ),
  );
}

// ---- numbers

const depth = (value) => (Array.isArray(value) ? 1 + depth(value[0] ?? 0) : 0);

/** A number, vector or matrix; deeper ones as matrices below each other. */
function values(value, label) {
  const deep = depth(value);
  if (deep === 0) return h("span", { class: "number" }, short(value, 6));
  if (deep > 2) return h("div", { class: "stack" }, value.map((one, k) => values(one, `${label}, part ${k + 1}`)));
  const rows = (deep === 1 ? [value] : value).map((row) => h("tr", {}, row.map((one) => h("td", {}, short(one, 5)))));
  const size = deep === 1 ? `${value.length} entries` : `${value.length} by ${value[0]?.length ?? 0}`;
  const place = h("div", { class: "values-room" }, h("table", { class: "values", "aria-label": `${label}, ${size}` }, h("tbody", {}, rows)));
  scrollable(place);
  return place;
}

async function numbers({ exercise, state, change }) {
  const found = await ask("numbers", { exercise, seed: state.seed });
  const others = h("button", { type: "button", id: "other-numbers", onclick: () => change({ seed: state.seed + 1 }) }, "Other numbers");
  if (!found) return null;
  if (!found.ok) return [apology(found.error), others];
  const item = (label, value) => h("div", {}, h("dt", {}, label), h("dd", {}, values(value, label)));
  const by = exercise.wrt || "";
  const checks = (found.checks || []).map((check) =>
    h(
      "tr",
      { class: check.agrees ? "agrees" : check.agrees === null ? "" : "differs" },
      h("th", { scope: "row" }, check.way),
      h("td", {}, check.agrees ? "✓ agrees" : check.agrees === null ? check.words || "–" : "✗ differs"),
      h("td", { class: "number" }, check.largest === null || check.largest === undefined ? "–" : short(check.largest, 2)),
    ),
  );
  return [
    h("div", { class: "panel-head" }, h("h3", {}, "At these numbers"), others),
    h("dl", { class: "inputs" }, Object.entries(found.inputs || {}).map(([name, value]) => item(name, value))),
    h("dl", { class: "outputs" }, item("f", found.value), item(by ? `derivative with respect to ${by}` : "derivative", found.derivative)),
    checks.length
      ? [
          h("h3", {}, "Cross-check"),
          h("p", { class: "quiet" }, "The same derivative, found in ways that share nothing."),
          h(
            "table",
            { class: "checks-table" },
            h("thead", {}, h("tr", {}, ["Way", "Verdict", "Largest error"].map((t) => h("th", { scope: "col" }, t)))),
            h("tbody", {}, checks),
          ),
        ]
      : null,
  ];
}

// ---- code

async function code({ exercise, state, change, panel }) {
  const found = await ask("code", { exercise, target: state.target });
  if (!found) return null;
  const targets = panelChoice("target", "Language", TARGET_LABELS, state.target, (value) => change({ target: value }), panel);
  if (!found.ok) return [targets, apology(found.error)];
  const { source, filename } = found;
  const text = h("pre", { class: "source", "aria-label": `Source, ${filename}`, role: "region", tabindex: "0" }, h("code", {}, source));
  return [
    targets,
    h(
      "div",
      { class: "panel-head" },
      h("code", { class: "filename" }, filename),
      h("button", { type: "button", id: "copy-code", onclick: () => copy(source, `Copied ${filename}`) }, "Copy"),
      h("button", { type: "button", id: "download-code", onclick: () => download(source, filename) }, "Download"),
    ),
    text,
  ];
}

function download(text, filename) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = h("a", { href: address, download: filename });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

const VIEWS = { steps, grade, study, several, graph, plot, numbers, code, ...Object.fromEntries(NOTATIONS.map((name) => [name, notation])) };

let turn = 0;

/** Put something else than a view into the panel; the view that is awaited is not shown any more. */
export function showInstead(panel, ...parts) {
  turn++;
  panel.setAttribute("aria-busy", "false");
  panel.replaceChildren(...parts);
}

/** Fill the panel with the view of a tab; what stands there stays until the answer is there. */
export async function showView(panel, { exercise, shape, state, change }) {
  const own = ++turn;
  const again = () => showView(panel, { exercise, shape, state, change });
  panel.setAttribute("aria-busy", "true");
  const parts = await VIEWS[state.tab]({ exercise, shape, state, change, panel, again });
  if (parts === null || own !== turn) return;
  const focus = panel.contains(document.activeElement) ? document.activeElement.id : null;
  panel.setAttribute("aria-busy", "false");
  panel.dataset.view = state.tab;
  panel.replaceChildren(...parts.flat(2).filter(Boolean));
  if (focus && focus !== "panel") document.getElementById(focus)?.focus();
}
