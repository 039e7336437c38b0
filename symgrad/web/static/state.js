// What the page shows, as one frozen value, and that value as an address: a link is the exercise.

export const NOTATIONS = ["matrix", "index", "entries", "where"];
export const TABS = [...NOTATIONS, "steps", "grade", "study", "several", "graph", "plot", "numbers", "code"];
export const STYLES = ["calculus", "matrix", "backprop"];
export const ASKED = ["points", "gradient", "hessian", "laplacian", "plane", "divergence", "curl", "determinant"];
export const TARGETS = ["numpy", "python", "c", "jax", "torch", "sympy", "latex"];
export const KINDS = ["number", "vector", "matrix"];
export const LOGARITHMS = ["log", "ln"];
const LONGEST = 4000;

/** The tabs that have something to say of what the server read: of functions of numbers the steps come first. */
export function tabsOf(looked) {
  if (looked?.depends) return ["steps", "grade", "matrix"];
  const names = Object.values(looked?.names || {});
  const arrays = !looked || names.some(({ kind }) => kind !== "number");
  if (arrays) return TABS.filter((tab) => !["study", "several"].includes(tab));
  const vector = looked.shape.length > 0;
  const first = vector ? ["steps", "grade", "several", ...NOTATIONS] : ["steps", "grade", "study", ...(names.length > 1 ? ["several"] : []), "matrix", "where"];
  return [...first, "graph", "plot", "numbers", "code"];
}

const EXPLORE = {
  mode: "explore",
  formula: "",
  names: {}, // only those that somebody decided on; the others are guessed
  wrt: null,
  order: 1,
  notation: "matrix",
  style: null,
  ask: null, // what the tab of several variables is asked
  target: "numpy",
  seed: 0,
  tab: null, // the first one of such a formula
};
const PRACTISE = { mode: "practise", topic: null, level: 1, seed: null, index: 0, fixed: false };

const oneOf = (value, values, otherwise) => (values.includes(value) ? value : otherwise);

const WORD = "symgrad-logarithm";

/** The natural logarithm's name that was chosen in this browser. */
function rememberedLogarithm() {
  try {
    return oneOf(localStorage.getItem(WORD), LOGARITHMS, "log");
  } catch {
    return "log"; // a browser that keeps nothing
  }
}

/** Remember what the natural logarithm is called. */
export function rememberLogarithm(word) {
  try {
    localStorage.setItem(WORD, word);
  } catch {
    // It holds until the page is left.
  }
}

let shown = null;

/** What the natural logarithm is called: as in the state that is shown. */
export const logarithm = () => shown ?? rememberedLogarithm();

/** Call the natural logarithm as a state has it, in questions and in the states that follow. */
export function callLogarithm(word) {
  shown = word;
}

/** A state of exploring, from what is given. */
export const explore = (given = {}) => Object.freeze({ ...EXPLORE, logarithm: logarithm(), ...given });

/** A state of practising, from what is given. */
export const practise = (given = {}) => Object.freeze({ ...PRACTISE, logarithm: logarithm(), ...given });

/** The state that an exercise of the gallery stands for. */
export function ofExercise({ formula, names = {}, wrt = null, order = 1, notation = "matrix", style = null }) {
  return explore({ formula, names, wrt, order, notation, style });
}

const whole = (text, least, most, otherwise) => {
  const found = /^\d{1,9}$/.test(text ?? "") ? Number(text) : otherwise;
  return found === null ? null : Math.min(Math.max(found, least), most);
};

function readName(text) {
  const [kind, sizes = "", assume = "", ...value] = text.split(":");
  return {
    kind: oneOf(kind, KINDS, "number"),
    shape: sizes ? sizes.split(",").map((size) => size.trim()).slice(0, 2) : [],
    assume: assume ? assume.split(",") : [],
    value: value.length ? value.join(":") : null,
  };
}

function writeName({ kind, shape = [], assume = [], value = null }) {
  const parts = [kind, shape.join(","), assume.join(",")];
  if (value !== null && value !== "") parts.push(value);
  while (parts.length > 1 && parts.at(-1) === "") parts.pop();
  return parts.join(":");
}

/** The state of an address's fragment. */
export function read(fragment) {
  const query = new URLSearchParams(fragment.replace(/^#/, "").replaceAll("+", "%2B")); // a plus is a plus
  if (query.has("practise")) {
    return practise({
      topic: query.get("topic"),
      level: whole(query.get("level"), 1, 3, 1),
      seed: whole(query.get("seed"), 0, 1e9, null),
      index: whole(query.get("problem"), 1, 10, 1) - 1,
      fixed: query.get("fixed") === "1",
      logarithm: oneOf(query.get("logarithm"), LOGARITHMS, logarithm()),
    });
  }
  const names = {};
  for (const [key, value] of query) if (key.startsWith("n.")) names[key.slice(2)] = readName(value);
  const tab = oneOf(query.get("tab"), TABS, null);
  return explore({
    formula: (query.get("f") || "").slice(0, LONGEST),
    names,
    wrt: query.get("wrt") || null,
    order: whole(query.get("order"), 1, 3, 1),
    tab,
    notation: oneOf(query.get("notation"), NOTATIONS, NOTATIONS.includes(tab) ? tab : "matrix"),
    style: oneOf(query.get("style"), STYLES, null),
    ask: oneOf(query.get("ask"), ASKED, null),
    target: oneOf(query.get("target"), TARGETS, "numpy"),
    seed: whole(query.get("seed"), 0, 1e9, 0),
    logarithm: oneOf(query.get("logarithm"), LOGARITHMS, logarithm()),
  });
}

// Spaces, and the signs of a query, are written as such; what is plain in a fragment is left readable.
const quoted = (text) =>
  encodeURIComponent(text).replace(/%(2C|3A|28|29|2A|2F|40|5E|5B|5D|7C|27)/g, (sign) => decodeURIComponent(sign));

/** The fragment of a state; what goes without saying is left out. */
export function write(state) {
  const parts = [];
  const add = (key, value) => parts.push(`${quoted(key)}=${quoted(String(value))}`);
  const called = () => [state.logarithm, rememberedLogarithm()].includes("ln") && add("logarithm", state.logarithm);
  if (state.mode === "practise") {
    parts.push("practise");
    if (state.topic) add("topic", state.topic);
    if (state.level !== 1) add("level", state.level);
    if (state.seed !== null) add("seed", state.seed);
    if (state.index) add("problem", state.index + 1);
    if (state.fixed) add("fixed", 1);
    called();
    return `#${parts.join("&")}`;
  }
  add("f", state.formula);
  if (state.wrt) add("wrt", state.wrt);
  for (const [name, named] of Object.entries(state.names)) add(`n.${name}`, writeName(named));
  if (state.order !== 1) add("order", state.order);
  if (state.tab) add("tab", state.tab);
  if (state.notation !== (NOTATIONS.includes(state.tab) ? state.tab : "matrix")) add("notation", state.notation);
  if (state.style) add("style", state.style);
  if (state.ask) add("ask", state.ask);
  if (state.target !== "numpy") add("target", state.target);
  if (state.seed) add("seed", state.seed);
  called();
  return `#${parts.join("&")}`;
}

/** The address of a state, for links. */
export const link = (state) => `./${write(state)}`;

const STORE = "symgrad-history";
const MOST = 40;

/** What was looked at in this browser, newest first. */
export function remembered() {
  try {
    return JSON.parse(localStorage.getItem(STORE)) || [];
  } catch {
    return [];
  }
}

/** Remember an address by its formula; the newest of a formula replaces the older. */
export function remember(state) {
  const kept = remembered().filter((one) => one.formula !== state.formula || one.wrt !== state.wrt);
  kept.unshift({ formula: state.formula, wrt: state.wrt, address: write(state) });
  try {
    localStorage.setItem(STORE, JSON.stringify(kept.slice(0, MOST)));
  } catch {
    // A browser that keeps nothing has no history.
  }
}

/** Forget all. */
export function forget() {
  try {
    localStorage.removeItem(STORE);
  } catch {
    // There is nothing to forget.
  }
}
