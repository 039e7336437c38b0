// The table of names: what each letter of the formula is, guessed until somebody decides.

import { h } from "./dom.js";
import { KINDS } from "./state.js";

const SIZES = { number: [], vector: ["n"], matrix: ["n", "d"] };
const POSSIBLE = { number: ["positive"], vector: ["positive", "one-hot", "simplex"], matrix: ["positive", "one-hot", "simplex"] };
const STRUCTURES = {
  symmetric: "symmetric",
  positive_definite: "positive definite",
  diagonal: "diagonal",
  lower: "lower triangular",
  upper: "upper triangular",
  orthogonal: "orthogonal",
  skew: "skew-symmetric",
};
const MEANING = {
  positive: "all entries are positive",
  "one-hot": "one entry is 1 and the others are 0; of a matrix, in each row",
  simplex: "entries ≥ 0 that sum to 1; of a matrix, in each row",
};

/** Assumptions in words. */
const said = (assume) => assume.map((what) => STRUCTURES[what] || what);

const open = new Set();
let shown = "";

/** What names are on the whole: those decided on, and guesses for the others. */
export function merged(decided, looked) {
  const found = {};
  for (const [name, guess] of Object.entries(looked)) {
    const { kind, shape, assume } = { ...guess, ...decided[name] };
    const known = (assume || []).map((what) => (what === "onehot" ? "one-hot" : what));
    found[name] = { kind, shape: [...shape], assume: known, value: decided[name]?.value ?? null };
  }
  return found;
}

/** Fill the place with a row for each name; `decide(name, what)` is called when one is changed, with null to guess again. */
export function showNames(place, decided, looked, decide, possible = {}) {
  const all = merged(decided, looked);
  const now = JSON.stringify([all, decided, [...open]]);
  if (now === shown && place.childElementCount) return;
  shown = now;
  const focus = place.contains(document.activeElement) ? document.activeElement.id : null;
  if (!Object.keys(all).length) {
    place.replaceChildren(h("p", { class: "quiet" }, "No letters yet."));
    return;
  }
  const again = () => showNames(place, decided, looked, decide, possible);
  const head = h("tr", {}, ["Name", "Kind", "Size"].map((t) => h("th", { scope: "col" }, t)));
  head.append(h("td", {}));
  const rows = Object.entries(all).flatMap(([name, one]) =>
    rowsOf(name, one, { guess: looked[name], decided: name in decided, decide, again, possible: possible[name] }),
  );
  place.replaceChildren(h("table", { class: "names-table" }, h("thead", {}, head), h("tbody", {}, rows)));
  if (focus) document.getElementById(focus)?.focus();
}

/** The same table for paper: words where the page has controls. */
export function printedNames(names) {
  const rows = Object.entries(names).map(([name, { kind, shape, assume, value }]) =>
    h("tr", {}, h("th", { scope: "row" }, h("code", {}, name)), [kind, shape.join(" × "), said(assume).join(", "), value ?? ""].map((words) => h("td", {}, String(words)))),
  );
  if (!rows.length) return "";
  const head = h("tr", {}, ["Name", "Kind", "Size", "Known of it", "Value"].map((words) => h("th", { scope: "col" }, words)));
  return h("table", { class: "printed-table" }, h("caption", {}, "Names"), h("thead", {}, head), h("tbody", {}, rows));
}

function rowsOf(name, one, { guess, decided, decide, again, possible }) {
  const set = (patch) => decide(name, { ...one, ...patch });
  const kind = h(
    "select",
    {
      id: `kind-${name}`,
      "aria-label": `Kind of ${name}`,
      onchange: (event) => set({ kind: event.target.value, shape: SIZES[event.target.value], assume: [], value: null }),
    },
    KINDS.map((k) => h("option", { value: k, selected: k === one.kind }, k)),
  );
  const sizes = one.shape.map((size, axis) =>
    h("input", {
      id: `size-${axis}-${name}`,
      class: "size",
      value: String(size),
      maxlength: "12",
      "aria-label": `${one.shape.length === 1 ? "Length" : axis ? "Columns" : "Rows"} of ${name}`,
      onchange: (event) => set({ shape: one.shape.map((s, k) => (k === axis ? event.target.value.trim() : s)) }),
    }),
  );
  const more = h("button", {
    type: "button",
    id: `more-${name}`,
    class: "more",
    "aria-expanded": String(open.has(name)),
    "aria-label": `More on ${name}`,
    "aria-controls": `details-${name}`,
    onclick: () => {
      if (!open.delete(name)) open.add(name);
      again();
    },
  });
  const notes = [...said(one.assume), one.value ? `= ${one.value}` : null].filter(Boolean).join(", ");
  const row = h(
    "tr",
    { class: decided ? "decided" : "guessed" },
    h("th", { scope: "row" }, h("code", {}, name)),
    h("td", {}, kind),
    h("td", { class: "sizes" }, sizes.length === 2 ? [sizes[0], h("span", { "aria-hidden": "true" }, "×"), sizes[1]] : sizes),
    h("td", { class: "more-cell" }, notes && !open.has(name) ? h("span", { class: "notes", title: notes }, notes) : null, more),
  );
  const details = h(
    "tr",
    { id: `details-${name}`, class: "details", hidden: !open.has(name) },
    h("td", { colspan: "4" }, detailsOf(name, one, { guess, decided, decide, set, possible })),
  );
  return [row, details];
}

/** The menu of structures, which a square matrix can have. */
function structureOf(name, one, set) {
  const chosen = one.assume.find((what) => what in STRUCTURES) || "";
  const square = one.shape[0] === one.shape[1];
  const others = one.assume.filter((what) => !(what in STRUCTURES));
  const options = Object.entries({ "": square ? "any" : "any, as it is not square", ...STRUCTURES });
  return h(
    "label",
    { class: "value" },
    h("span", {}, "Structure"),
    h(
      "select",
      {
        id: `structure-${name}`,
        "aria-label": `Structure of ${name}`,
        disabled: !square && !chosen,
        onchange: (event) => set({ assume: event.target.value ? [...others, event.target.value] : others }),
      },
      options.map(([what, words]) => h("option", { value: what, selected: what === chosen }, words)),
    ),
  );
}

function detailsOf(name, one, { guess, decided, decide, set, possible }) {
  const offered = [...new Set([...(possible || POSSIBLE[one.kind]), ...one.assume.filter((what) => !(what in STRUCTURES))])];
  const checks = offered.map((what) =>
    h(
      "label",
      { class: "check", title: MEANING[what] || what },
      h("input", {
        type: "checkbox",
        id: `assume-${what}-${name}`,
        checked: one.assume.includes(what),
        onchange: (event) =>
          set({ assume: event.target.checked ? [...one.assume, what] : one.assume.filter((a) => a !== what) }),
      }),
      what === "positive" && one.kind !== "number" ? "positive entries" : what,
    ),
  );
  const structure = one.kind === "matrix" ? structureOf(name, one, set) : null;
  const value = h(
    "label",
    { class: "value" },
    h("span", {}, "Value"),
    h("input", {
      id: `value-${name}`,
      value: one.value ?? "",
      placeholder: one.kind === "number" ? "drawn at random" : one.kind === "vector" ? "[1, 2, 3]" : "[[1, 2], [3, 4]]",
      "aria-label": `Value of ${name}`,
      onchange: (event) => set({ value: event.target.value.trim() || null }),
    }),
  );
  const origin = decided
    ? h("button", { type: "button", class: "plain", onclick: () => decide(name, null) }, "Guess again")
    : h("p", { class: "quiet" }, guess.why || "guessed by its letter");
  return h("div", { class: "detail-fields" }, h("div", { class: "checks", role: "group", "aria-label": `What is known of ${name}` }, checks), structure, value, origin);
}
