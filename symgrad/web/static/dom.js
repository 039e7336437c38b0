// What every part of the page is made of: elements, mathematics put in safely, words said aloud.

import { LOGARITHMS, rememberLogarithm } from "./state.js";

export const $ = (id) => document.getElementById(id);

/** An element with its attributes, listeners (names that begin with "on") and children. */
export function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && typeof value !== "string") made[name] = value;
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of SVG with its attributes and children. */
export function s(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const MATHML = "http://www.w3.org/1998/Math/MathML";
const TAGS = new Set(
  ("math mrow mi mn mo ms mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover mtable mtr mtd " +
    "mlabeledtr mstyle mpadded mphantom mmultiscripts mprescripts none merror semantics").split(" "),
);
const ATTRIBUTES = new Set(
  ("display displaystyle alttext mathvariant stretchy fence separator form lspace rspace columnalign rowspacing " +
    "columnspacing scriptlevel accent accentunder largeop movablelimits symmetric minsize maxsize width height depth " +
    "linethickness columnlines rowlines columnspan rowspan dir intent arg").split(" "),
);

function copied(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  if (node.nodeType !== Node.ELEMENT_NODE || !TAGS.has(node.localName)) return null;
  const made = document.createElementNS(MATHML, node.localName);
  for (const { name, value } of node.attributes) if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
  for (const child of node.childNodes) {
    const kept = copied(child);
    if (kept) made.append(kept);
  }
  return made;
}

/** The formulas in a string of MathML, with nothing in them but MathML. */
export function mathematics(text) {
  const read = new DOMParser().parseFromString(text || "", "text/html");
  return [...read.querySelectorAll("math")].filter((m) => !m.parentElement.closest("math")).map(copied);
}

/** Put mathematics into a place: smaller, or in several lines, where it would not fit; else it can be scrolled. */
export function put(place, mathml, otherwise = "") {
  const formulas = mathematics(mathml);
  place.replaceChildren(...(formulas.length ? formulas : [otherwise]));
  fitted(place);
}

const whole = new WeakMap(); // of a place, its formulas in one line each

/** Make what stands in a place as wide as the place, as far as its formulas can be broken. */
export function fitted(place) {
  whole.set(place, [...place.childNodes].map((node) => node.cloneNode(true)));
  watch(place, () => {
    place.classList.remove("tight");
    place.replaceChildren(...whole.get(place).map((node) => node.cloneNode(true)));
    if (isWide(place)) place.classList.add("tight");
    for (const math of isWide(place) ? place.querySelectorAll("math") : []) inLines(math, place);
    showEdges(place);
  });
}

const element = (tag, ...children) => {
  const made = document.createElementNS(MATHML, tag);
  made.append(...children);
  return made;
};

/** Break a sum before its signs, so that its lines fit; what stands before an equals sign begins the first one. */
function inLines(math, place) {
  const room = place.clientWidth - 2 * parseFloat(getComputedStyle(place).fontSize);
  if (math.getBoundingClientRect().width <= room) return;
  const lines = [[]];
  let used = 0;
  for (const piece of pieces(math)) {
    const width = piece.reduce((sum, node) => sum + node.getBoundingClientRect().width, 0);
    if (used && used + width > room && piece[0].localName === "mo") {
      lines.push([]);
      used = 0;
    }
    lines.at(-1).push(...piece);
    used += width;
  }
  if (lines.length < 2) return;
  const indent = () => {
    const space = element("mspace");
    space.setAttribute("width", "1em");
    return space;
  };
  const table = element("mtable", ...lines.map((line, k) => element("mtr", element("mtd", element("mrow", ...(k ? [indent()] : []), ...line)))));
  table.setAttribute("displaystyle", "true");
  math.replaceChildren(table);
  math.classList.add("lines");
}

const SIGNS = ["+", "−", "-", "="];

/** The pieces of a formula between which it may be broken: each begins with the sign before a term. */
function pieces(math) {
  let row = math;
  const before = [];
  for (;;) {
    const children = [...row.children];
    const rest = children.length - 1;
    if (children[rest]?.localName !== "mrow" || (rest && children[rest - 1].textContent !== "=")) break;
    before.push(...children.slice(0, rest));
    row = children[rest];
  }
  const found = before.length ? [before] : [];
  for (const node of row.children) {
    if (before.includes(node)) continue;
    const begins = node.localName === "mo" && SIGNS.includes(node.textContent) && node !== row.firstElementChild;
    if (begins || !found.length || found.at(-1) === before) found.push([node]);
    else found.at(-1).push(node);
  }
  return found;
}

const isWide = (place) => place.scrollWidth > place.clientWidth + 1;

/** Let a place take the focus, and fade where it goes on, if and only if it has something to scroll. */
export function scrollable(place) {
  watch(place, () => showEdges(place));
}

function showEdges(place) {
  const rest = place.scrollWidth - place.clientWidth - place.scrollLeft;
  if (!isWide(place)) place.removeAttribute("tabindex");
  else if (place.role !== "tablist") place.tabIndex = 0; // whose tabs take it
  place.classList.toggle("goes-on", isWide(place) && rest > 1);
  place.classList.toggle("went-on", isWide(place) && place.scrollLeft > 1);
}

const watched = new WeakMap();
const widths = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const known = watched.get(target);
    if (!known || known.width === contentRect.width) continue;
    known.width = contentRect.width;
    requestAnimationFrame(known.look);
  }
});

/** Look at a place now, and whenever its width changes; its edges also when it is scrolled. */
function watch(place, look) {
  if (!watched.has(place)) place.addEventListener("scroll", () => showEdges(place), { passive: true });
  watched.set(place, { look, width: null });
  widths.unobserve(place);
  widths.observe(place);
}

/** Say something to a reader of the screen. */
export function tell(words) {
  $("told").textContent = "";
  requestAnimationFrame(() => ($("told").textContent = words));
}

let fading;

/** Show a short message, and say it. */
export function toast(words) {
  tell(words);
  const place = $("toast");
  place.textContent = words;
  place.hidden = false;
  clearTimeout(fading);
  fading = setTimeout(() => (place.hidden = true), 2200);
}

/** Copy a string, also where the browser has no clipboard for pages without TLS. */
export async function copy(text, words) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const around = document.querySelector("dialog[open]") || document.body;
    const held = h("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" });
    const before = document.activeElement;
    held.value = text;
    around.append(held);
    held.select();
    document.execCommand("copy");
    held.remove();
    before?.focus();
  }
  toast(words);
}

/** The natural logarithm's name, as a choice in a fieldset that has its legend already. */
export function logarithmChoice(fieldset, { logarithm }, change) {
  choice(fieldset, "logarithm", LOGARITHMS.map((word) => [word, word]), logarithm, (word) => {
    rememberLogarithm(word);
    change({ logarithm: word });
  });
}

/** Radio buttons in a row, in a fieldset that has its legend already. */
export function choice(fieldset, name, options, chosen, pick) {
  const old = fieldset.querySelector(".segments");
  const before = old?.contains(document.activeElement) ? document.activeElement.value : null;
  const segments = h(
    "div",
    { class: "segments" },
    options.map(([value, label]) =>
      h(
        "label",
        { class: "segment" },
        h("input", { type: "radio", name, value: String(value), checked: value === chosen, onchange: () => pick(value) }),
        h("span", {}, label),
      ),
    ),
  );
  if (old) old.replaceWith(segments);
  else fieldset.append(segments);
  if (before !== null) [...segments.querySelectorAll("input")].find((i) => i.value === before)?.focus();
}
