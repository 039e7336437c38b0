// What every part of the page is made of: elements, mathematics put in safely, words said aloud.

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

/** The formulas in a text of MathML, with nothing in them but MathML. */
export function mathematics(text) {
  const read = new DOMParser().parseFromString(text || "", "text/html");
  return [...read.querySelectorAll("math")].filter((m) => !m.parentElement.closest("math")).map(copied);
}

/** Put mathematics into a place; wide ones can be scrolled with the keyboard, too. */
export function put(place, mathml, otherwise = "") {
  const formulas = mathematics(mathml);
  place.replaceChildren(...(formulas.length ? formulas : [otherwise]));
  scrollable(place);
}

/** Let a place take the focus if, and only if, it has something to scroll. */
export function scrollable(place) {
  requestAnimationFrame(() => {
    if (place.scrollWidth > place.clientWidth + 1) place.tabIndex = 0;
    else place.removeAttribute("tabindex");
  });
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

/** Copy a text, also where the browser has no clipboard for pages without TLS. */
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
