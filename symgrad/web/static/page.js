// The page as a whole: one state, shown; changed by the controls, by the address, and by undo.

import { ask, gallery, onBusy } from "./api.js";
import { $, choice, copy, fitted, h, logarithmChoice, put, scrollable, tell, toast } from "./dom.js";
import { Editor, reason } from "./editor.js";
import { merged, printedNames, showNames } from "./names.js";
import { showPractise } from "./practise.js";
import { callLogarithm, explore, forget, link, NOTATIONS, ofExercise, read, remember, remembered, tabsOf, write } from "./state.js";
import { LABELS, showInstead, showView } from "./views.js";

const FIRST = { formula: "norm(X*w - y)^2", wrt: "w" };
const PATIENCE = 250; // milliseconds without a key before the server is asked
const TYPING = 1500; // changes by typing that follow each other within this are undone together
const MOST = 200;

let state = explore();
let looked = null; // what the server read in the formula
let lastExplore = null;
const past = [];
const future = [];
let typedAt = 0;
let waiting;
let remembering;

// ---- the state and the address

/** Change the state by a patch, and show it. */
function change(patch, { typing = false, push = false, replace = false } = {}) {
  const next = Object.freeze({ ...state, ...patch });
  if (write(next) === write(state)) return;
  const now = Date.now();
  if (!replace && !(typing && now - typedAt < TYPING)) {
    past.push(state);
    if (past.length > MOST) past.shift();
    future.length = 0;
  }
  typedAt = typing ? now : 0;
  state = next;
  history[push ? "pushState" : "replaceState"](null, "", write(state));
  show(typing);
}

/** Go to another state altogether, such as an example; the browser's Back returns. */
function go(next) {
  past.push(state);
  future.length = 0;
  state = Object.freeze({ ...next, logarithm: state.logarithm });
  history.pushState(null, "", write(state));
  show();
}

function travel(from, to, words) {
  if (!from.length) return;
  to.push(state);
  state = from.pop();
  history.replaceState(null, "", write(state));
  show();
  tell(words);
}

const undo = () => travel(past, future, "Undone");
const redo = () => travel(future, past, "Redone");

// ---- showing

function show(typing = false) {
  callLogarithm(state.logarithm);
  const practising = state.mode === "practise";
  $("explore").hidden = practising;
  $("practise").hidden = !practising;
  $("go-explore").toggleAttribute("aria-current", !practising);
  $("go-practise").toggleAttribute("aria-current", practising);
  if (!practising) $("go-explore").setAttribute("aria-current", "page");
  if (practising) $("go-practise").setAttribute("aria-current", "page");
  $("undo").disabled = !past.length;
  $("redo").disabled = !future.length;
  document.title = `${practising ? "Practise" : state.formula || "Explore"} · symgrad`;
  if (practising) {
    showPractise($("practise"), state, change);
    return;
  }
  lastExplore = state;
  $("go-explore").href = link(state);
  if (!typing) formula.text = state.formula;
  showControls();
  clearTimeout(waiting);
  waiting = setTimeout(refresh, typing ? PATIENCE : 0);
}

const letters = () => Object.keys(looked?.names || {});
const chosenWrt = () => (state.wrt && letters().includes(state.wrt) ? state.wrt : looked?.wrt);

/** The tab that is shown: the one that was chosen, where such a formula has it. */
function shownTab() {
  const tabs = tabsOf(looked);
  if (tabs.includes(state.tab)) return state.tab;
  return NOTATIONS.includes(state.tab) ? "matrix" : tabs[0];
}

function showControls() {
  choice($("wrt"), "wrt", letters().map((name) => [name, name]), chosenWrt(), (wrt) => change({ wrt }));
  choice($("order"), "order", [[1, "1"], [2, "2"], [3, "3"]], state.order, (order) => change({ order }));
  logarithmChoice($("logarithm"), state, change);
  showTabs();
  const decide = (name, what) => {
    const { [name]: _, ...others } = state.names;
    change({ names: what ? { ...others, [name]: what } : others });
  };
  $("names-hint").textContent = hintOf(merged(state.names, looked?.names || {}));
  $("names-printed").replaceChildren(printedNames(merged(state.names, looked?.names || {})));
  showNames($("names"), state.names, looked?.names || {}, decide, looked?.possible);
}

/** What the names are, in a line; where the table is open, what to do with it. */
function hintOf(names) {
  if ($("names-field").open) return "guessed by the usual letters; change what is not meant";
  const constants = Object.entries(looked?.constants || {}).map(([letter, meaning]) => `${letter} is ${meaning}`);
  const sizes = Object.entries(names).map(([name, { shape }]) => [name, shape.join("×")].filter(Boolean).join(" "));
  return [...sizes, ...constants].join(", ");
}

function showTabs() {
  const tabs = $("tabs");
  const names = tabsOf(looked);
  if (tabs.dataset.names !== names.join(" ")) {
    tabs.dataset.names = names.join(" ");
    tabs.replaceChildren(...names.map((name) => tabOf(name, names)));
    scrollable(tabs);
  }
  for (const tab of tabs.children) {
    const chosen = tab.id === `tab-${shownTab()}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    if (chosen) {
      $("panel").setAttribute("aria-labelledby", tab.id);
      tabs.scrollTo({ left: tab.offsetLeft - tabs.clientWidth / 2 + tab.clientWidth / 2 });
    }
  }
}

function tabOf(name, names) {
  const choose = () => change({ tab: name, ...(NOTATIONS.includes(name) ? { notation: name } : {}) });
  const move = (event) => {
    const at = names.indexOf(name);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = $(`tab-${names[(to + names.length) % names.length]}`);
    tab.click();
    tab.focus();
  };
  const attributes = { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel", tabindex: "-1" };
  return h("button", { ...attributes, onclick: choose, onkeydown: move }, name === "matrix" && !names.includes("index") ? "Text" : LABELS[name]);
}

/** The exercise as the server takes it, with all names told. */
const exercise = () => ({
  formula: state.formula,
  names: merged(state.names, looked.names),
  wrt: chosenWrt() || null,
  order: state.order,
  notation: state.notation,
});

const SPELLINGS = { symgrad: "symgrad", numpy: "NumPy", matlab: "MATLAB", python: "Python" };

async function refresh() {
  const of = state;
  if (!of.formula.trim()) {
    looked = null;
    empty();
    return;
  }
  const found = await ask("look", { exercise: { formula: of.formula, names: of.names } });
  if (!found || of !== state) return;
  showStale(!found.ok && looked !== null);
  if (!found.ok) {
    formula.show(found.error);
    if (!looked) offer("When the formula is mended, its derivative stands here. ");
    return;
  }
  formula.show(null);
  looked = found;
  $("spelling").hidden = Object.values(found.names).every(({ kind }) => kind === "number"); // of which all spellings say the same
  $("spelling").textContent = `read as ${SPELLINGS[found.spelling] || found.spelling}`;
  put($("preview"), found.mathml, found.formula);
  showControls();
  await Promise.all([derivative(of), view(of)]);
}

/** Say that what stands there is of an earlier formula. */
function showStale(stale) {
  $("explore").classList.toggle("stale", stale);
  $("stale").hidden = !stale;
}

function empty() {
  formula.show(null);
  showStale(false);
  $("spelling").hidden = true;
  $("shape").hidden = true;
  $("derivative-mistake").hidden = true;
  $("preview").replaceChildren(h("p", { class: "quiet" }, "Type a formula, such as x^2*sin(x) or norm(X*w - y)^2."));
  $("derivative").replaceChildren();
  offer("");
  showControls();
}

/** Where there is nothing to show, words and a way to the gallery. */
function offer(words) {
  const way = h("button", { type: "button", class: "plain", onclick: openGallery }, "gallery");
  showInstead($("panel"), h("p", { class: "quiet" }, words, "Examples are in the ", way, "."));
}

async function derivative(of) {
  const found = chosenWrt() ? await ask("derive", { exercise: exercise() }) : constant();
  if (!found || of !== state) return;
  $("derivative-mistake").hidden = found.ok;
  $("shape").hidden = !found.ok;
  if (!found.ok) {
    $("derivative-mistake").textContent = reason(found.error);
    $("derivative").replaceChildren();
    return;
  }
  const form = found.notations[state.notation];
  const usable = (one) => one && !one.none;
  const others = [found.best, ...NOTATIONS].map((n) => found.notations[n]);
  const fitting = usable(form) ? form : others.find(usable);
  $("shape").textContent = shapeOf(found.shape);
  put($("derivative"), fitting?.mathml, fitting?.text || "");
  const [math, second] = $("derivative").querySelectorAll("math");
  if (math) withLeft(math, chosenWrt(), of.order, found.depends);
  second?.before(h("p", { class: "quiet" }, "where"));
  fitted($("derivative"));
  clearTimeout(remembering);
  remembering = setTimeout(() => remember(of), 1500);
}

const constant = () => ({ ok: false, error: { what: "There is no variable to differentiate with respect to." } });

const SHAPES = ["number", "vector", "matrix"];
const shapeOf = (shape) => [SHAPES[shape.length] || "array", shape.join(" × ")].filter(Boolean).join(", ");

/** Write ∂f/∂w = before a formula, or df/dx where there is one letter only. */
function withLeft(math, by, order, depends) {
  const made = (tag, ...children) => {
    const one = document.createElementNS(math.namespaceURI, tag);
    one.append(...children);
    return one;
  };
  const d = letters().length === 1 || depends ? "d" : "∂";
  const times = (base) => (order === 1 ? base : made("msup", base, made("mn", String(order))));
  const fraction = made("mfrac", made("mrow", times(made("mi", d)), made("mi", depends || "f")), made("mrow", made("mi", d), times(made("mi", by))));
  const rest = made("mrow", ...math.childNodes);
  math.replaceChildren(made("mrow", fraction, made("mo", "="), rest));
  math.removeAttribute("alttext");
}

async function view(of) {
  if (!chosenWrt()) {
    showInstead($("panel"));
    return;
  }
  const tab = shownTab();
  const notation = NOTATIONS.includes(tab) ? tab : of.notation;
  await showView($("panel"), { exercise: exercise(), shape: looked.shape, state: { ...of, tab, notation }, change });
}

// ---- the gallery and the history

let examples;

async function openGallery() {
  $("gallery").showModal();
  examples ??= await gallery();
  listExamples();
}

function listExamples() {
  const wanted = $("gallery-find").value.trim().toLowerCase();
  const fits = ({ title, why, group, exercise: e }) => `${title} ${why} ${group} ${e.formula}`.toLowerCase().includes(wanted);
  const groups = new Map();
  for (const one of examples.filter(fits)) groups.set(one.group || "", [...(groups.get(one.group || "") || []), one]);
  const parts = [...groups].map(([group, members]) =>
    h("section", { class: "group" }, h("h3", {}, group), h("ul", { class: "examples" }, members.map((one) => h("li", {}, exampleOf(one))))),
  );
  $("gallery-list").replaceChildren(...(parts.length ? parts : [h("p", { class: "quiet" }, "No example has this in it.")]));
}

function exampleOf({ title, why, exercise: e }) {
  const take = (event) => {
    event.preventDefault();
    $("gallery").close();
    go(ofExercise(e));
    $("formula").focus({ preventScroll: true });
    tell(`Example: ${title}`);
  };
  return h("a", { class: "example", href: link(ofExercise(e)), onclick: take }, h("strong", {}, title), h("code", {}, e.formula), h("span", {}, why));
}

function openHistory() {
  const items = remembered().map(({ formula: f, wrt, address }) => {
    const take = (event) => {
      event.preventDefault();
      $("history").close();
      go(read(address));
    };
    return h("li", {}, h("a", { href: `./${address}`, class: "example", onclick: take }, h("code", {}, f), wrt ? h("span", {}, `with respect to ${wrt}`) : null));
  });
  $("history-list").replaceChildren(...(items.length ? items : [h("li", { class: "quiet" }, "Nothing yet.")]));
  $("history-clear").hidden = !items.length;
  $("history").showModal();
}

// ---- light and dark

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme || (darkSystem.matches ? "dark" : "light")) === "dark";

function showTheme() {
  $("theme").setAttribute("aria-pressed", String(isDark()));
}

function switchTheme() {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("symgrad-theme", theme);
  } catch {
    // It holds until the page is left.
  }
  showTheme();
}

// ---- the page

const formula = new Editor($("formula-editor"), {
  id: "formula",
  mistake: $("formula-mistake"),
  placeholder: "norm(X*w - y)^2",
  typed: (text) => change({ formula: text }, { typing: true }),
  entered: () => {
    clearTimeout(waiting);
    refresh();
  },
});

function keys(event) {
  const typing = event.target.closest?.("textarea, input:not([type=radio]):not([type=checkbox])");
  if (typing || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "z" && !event.shiftKey) undo();
  else if ((key === "z" && event.shiftKey) || key === "y") redo();
  else return;
  event.preventDefault();
}

function begin() {
  try {
    const theme = localStorage.getItem("symgrad-theme");
    if (theme) document.documentElement.dataset.theme = theme;
  } catch {
    // Without a store the system's choice holds.
  }
  showTheme();
  darkSystem.addEventListener("change", showTheme);
  onBusy((busy) => ($("busy").hidden = !busy));
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    (state.mode === "practise" ? $("answer") : $("formula"))?.focus();
  });
  if (matchMedia("(max-width: 60rem)").matches) $("names-field").open = false;
  $("names-field").addEventListener("toggle", showControls);
  $("ask").addEventListener("submit", (event) => event.preventDefault());
  $("go-explore").addEventListener("click", (event) => {
    event.preventDefault();
    if (state.mode !== "explore") go(lastExplore || explore(FIRST));
  });
  $("undo").addEventListener("click", undo);
  $("redo").addEventListener("click", redo);
  $("print").addEventListener("click", () => print());
  $("theme").addEventListener("click", switchTheme);
  $("copy-link").addEventListener("click", () => copy(location.href, "Copied the link to this exercise"));
  $("open-gallery").addEventListener("click", openGallery);
  $("open-history").addEventListener("click", openHistory);
  $("gallery-find").addEventListener("input", () => examples && listExamples());
  $("history-clear").addEventListener("click", () => {
    forget();
    $("history").close();
    toast("Forgotten");
  });
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
    });
  }
  document.addEventListener("keydown", keys);
  addEventListener("popstate", () => {
    state = read(location.hash);
    show();
  });
  state = location.hash.length > 1 ? read(location.hash) : explore(FIRST);
  show();
}

begin();
