// A line of formula to type in: a textarea over a layer that repeats its text and underlines a mistake at its place.

import { h } from "./dom.js";

export class Editor {
  /** Put an editor into a place; `typed` is called with the text at each change, `entered` at the Enter key. */
  constructor(place, { id, mistake, label, describedby, placeholder, typed, entered }) {
    this.mistake = mistake;
    this.layer = h("div", { class: "editor-layer", "aria-hidden": "true" });
    this.area = h("textarea", {
      id,
      rows: 1,
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      wrap: "soft",
      maxlength: "4000",
      placeholder,
      "aria-label": label,
      "aria-describedby": [mistake.id, describedby].filter(Boolean).join(" "),
      oninput: () => {
        this.show(null);
        typed(this.area.value);
      },
      onkeydown: (event) => {
        if (event.key !== "Enter" || event.isComposing || event.shiftKey) return;
        event.preventDefault();
        entered?.(this.area.value);
      },
    });
    place.classList.add("editor");
    place.replaceChildren(this.layer, this.area);
    this.show(null);
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    if (this.area.value !== text) this.area.value = text;
    this.show(null);
  }

  /** Underline the mistake and give its reason, if there is one; with null take both away. */
  show(error) {
    const text = this.area.value;
    const [start, end] = placed(error?.at, text);
    const mark = start === null ? null : h("mark", {}, text.slice(start, end) || "\u00a0");
    this.layer.replaceChildren(text.slice(0, start ?? text.length), ...(mark ? [mark, text.slice(end)] : []), "\u200b");
    this.area.setAttribute("aria-invalid", error ? "true" : "false");
    this.mistake.hidden = !error?.what;
    this.mistake.textContent = error?.what ? reason(error) : "";
  }
}

/** The place of a mistake within the text; one sign wide at least. */
function placed(at, text) {
  if (!at) return [null, null];
  const start = Math.min(Math.max(at[0], 0), text.length);
  return [start, Math.min(Math.max(at[1], start + 1), Math.max(text.length, start))];
}

/** The reason of a mistake, in a line: where it is, the text above shows. */
export const reason = (error) =>
  error.what.split("\n")[0].replace(/^(parse|grade|derive): /, "").replace(/,? at character \d+:?$/, "");

/** A string without spaces and with ^ for **, and for each of its signs where it stood. */
function plain(text) {
  const signs = [...text.matchAll(/\*\*|\S/g)];
  return { text: signs.map(([sign]) => (sign === "**" ? "^" : sign)).join(""), at: signs.map((m) => [m.index, m.index + m[0].length]) };
}

/** The place in a string of the longest formula that some words quote, or null; a single letter does not count. */
export function quotedPlace(words, text) {
  const within = plain(text);
  const parts = words.split(/\s+/);
  let best = null;
  for (let i = 0; i < parts.length; i++) {
    for (let j = i + 1; j <= Math.min(parts.length, i + 20); j++) {
      const quoted = plain(parts.slice(i, j).join(" ").replace(/[.,:;]+$/, "")).text;
      const at = within.text.indexOf(quoted);
      if (!/[\^*/+@(]/.test(quoted) || at < 0 || (best && quoted.length <= best.long)) continue;
      best = { long: quoted.length, place: [within.at[at][0], within.at[at + quoted.length - 1][1]] };
    }
  }
  return best?.place ?? null;
}

/** What a grade says of an answer: whether it is right, the slip, a hint, and a point where it differs. */
export function verdictOf({ right, slip, words, point }) {
  const badge = slip && slip !== "other" ? h("span", { class: "badge" }, slip) : null;
  const mark = h("span", { "aria-hidden": "true" }, right ? "✓ " : "✗ ");
  return [
    h("p", { class: right ? "right" : "wrong" }, mark, right ? "Right." : "Not yet.", badge),
    words ? h("p", {}, words) : "",
    point ? h("p", { class: "quiet" }, point) : "",
  ];
}
