// Practise: a problem, an answer that is graded, hints one at a time. A link fixes topic, level and seed.

import { ask, sheet } from "./api.js";
import { choice, copy, fitted, h, logarithmChoice, put, tell } from "./dom.js";
import { Editor, quotedPlace, reason, verdictOf } from "./editor.js";
import { link, practise, write } from "./state.js";
import { line } from "./views.js";

const LEVELS = [[1, "1"], [2, "2"], [3, "3"]];

let topics = null;
let count = 10; // problems of a series; fewer where the topic has fewer
let now = null; // the state whose problem is shown
let hints = 0; // how many are shown
const solved = new Map(); // of each problem that was tried, whether it is solved

const named = (topic) => topic.charAt(0).toUpperCase() + topic.slice(1).replaceAll("-", " ");
const keyOf = ({ topic, level, seed, index }) => `${topic} ${level} ${seed} ${index}`;
const question = ({ topic, level, seed, index }) => ({ topic, level, seed, index });
const anySeed = () => 1 + Math.floor(Math.random() * 998);

/** Show a state of practising in its place. */
export async function showPractise(place, state, change) {
  topics ??= await ask("topics");
  if (!topics?.ok) {
    const error = topics?.error || { what: "The topics did not arrive." };
    topics = null;
    place.replaceChildren(h("p", { class: "apology" }, reason(error)));
    return;
  }
  if (!state.topic || state.seed === null) {
    change({ topic: state.topic || topics.topics[0].name, seed: state.seed ?? anySeed() }, { replace: true });
    return;
  }
  const again = now && keyOf(now) === keyOf(state) && now.fixed === state.fixed && place.childElementCount > 1;
  const same = again && now.logarithm === state.logarithm;
  now = state;
  if (same) return;
  hints = 0;
  const typed = again ? document.getElementById("answer")?.value : "";
  const chooser = state.fixed ? given(state, change) : choosing(state, change);
  const work = h("section", { class: "work", "aria-labelledby": "problem-title" });
  place.replaceChildren(h("h1", { class: "unseen" }, "Practise"), chooser, work);
  await problem(work, state, change, typed);
}

function called(state, change) {
  const word = h("fieldset", { class: "choice" }, h("legend", {}, "Logarithm"));
  logarithmChoice(word, state, change);
  return h("section", { class: "field" }, word);
}

function given(state, change) {
  return h(
    "aside",
    { class: "ask card-like" },
    h("h2", {}, named(state.topic)),
    h("p", { class: "quiet" }, `Level ${state.level}, series ${state.seed}: chosen by your teacher.`),
    called(state, change),
    series(state),
  );
}

function choosing(state, change) {
  const level = h("fieldset", { class: "choice" }, h("legend", {}, "Level"));
  const topic = topics.topics.find((t) => t.name === state.topic) || topics.topics[0];
  choice(level, "level", LEVELS.filter(([n]) => (topic.levels || [1, 2, 3]).includes(n)), state.level, (value) => change({ level: value, index: 0 }));
  const teacher = practise({ ...question(state), index: 0, fixed: true, logarithm: state.logarithm });
  const share = () => copy(new URL(write(teacher), location.href).href, "Copied a link to these problems");
  const print = (solutions, words) => h("a", { href: sheet(state, solutions), target: "_blank", rel: "noopener" }, words);
  return h(
    "form",
    { class: "ask", "aria-label": "What to practise", onsubmit: (event) => event.preventDefault() },
    h(
      "section",
      { class: "field" },
      h("label", { for: "topic", class: "label-row" }, "Topic"),
      h(
        "select",
        { id: "topic", class: "wide", onchange: (event) => change({ topic: event.target.value, index: 0 }) },
        topics.topics.map((t) => h("option", { value: t.name, selected: t.name === state.topic }, named(t.name))),
      ),
    ),
    h("section", { class: "field" }, level),
    called(state, change),
    h(
      "section",
      { class: "field" },
      h("label", { for: "seed", class: "label-row" }, "Series"),
      h(
        "div",
        { class: "row" },
        h("input", {
          id: "seed",
          class: "size",
          inputmode: "numeric",
          value: String(state.seed),
          onkeydown: (event) => event.key === "Enter" && (event.preventDefault(), event.target.blur()), // which changes it
          onchange: (event) => (/^\d{1,9}$/.test(event.target.value) ? change({ seed: Number(event.target.value), index: 0 }) : (event.target.value = String(state.seed))),
        }),
        h("button", { type: "button", id: "other-series", onclick: () => change({ seed: anySeed(), index: 0 }) }, "Another"),
      ),
      h("p", { class: "quiet" }, "The same number gives the same problems, to everybody."),
    ),
    series(state),
    h(
      "section",
      { class: "field for-class" },
      h("h2", {}, "For a class"),
      h("p", {}, h("button", { type: "button", class: "plain", id: "teacher-link", onclick: share }, "Copy a link to these problems")),
      h("p", {}, print(false, "Print the sheet")),
      h("p", {}, print(true, "Print its solutions")),
    ),
  );
}

/** The ten problems as links, with what was solved. */
function series(state) {
  const list = h("ol", { class: "series", id: "series", "aria-label": "The problems" });
  for (let k = 0; k < count; k++) {
    const one = { ...state, index: k };
    const done = solved.get(keyOf(one));
    const words = done === undefined ? "" : done ? ", solved" : ", not right yet";
    list.append(
      h(
        "li",
        {},
        h(
          "a",
          {
            href: link(one),
            class: done === undefined ? "" : done ? "right" : "wrong",
            "aria-current": k === state.index ? "step" : null,
            "aria-label": `Problem ${k + 1}${words}`,
          },
          String(k + 1),
        ),
      ),
    );
  }
  return list;
}

async function problem(work, state, change, typed = "") {
  const found = await ask("problem", question(state));
  if (!found || now !== state) return;
  if (!found.ok) {
    work.replaceChildren(h("h2", { id: "problem-title" }, `Problem ${state.index + 1}`), h("p", { class: "apology" }, reason(found.error)));
    return;
  }
  if (found.of && found.of !== count) {
    count = found.of;
    document.getElementById("series")?.replaceWith(series(state));
  }
  const { words, mathml, wrt } = found.problem;
  const shown = h("div", { class: "formula big" });
  put(shown, mathml, found.problem.formula);
  const editor = h("div", {});
  const mistake = h("p", { class: "mistake", id: "answer-mistake", role: "status", hidden: true });
  const verdict = h("div", { class: "verdict", id: "verdict", role: "status" });
  const hintList = h("ol", { class: "hints", id: "hints", "aria-live": "polite" });
  const hintButton = h("button", { type: "button", id: "hint", onclick: () => hint(state, found.hints, hintList, hintButton) });
  const input = new Editor(editor, {
    id: "answer",
    mistake,
    describedby: "answer-help",
    placeholder: "2*x*cos(x)",
    typed: () => verdict.replaceChildren(),
    entered: () => check(state, input, verdict),
  });
  const next = h("button", { type: "button", id: "next", onclick: () => change(state.index + 1 < count || state.fixed ? { index: (state.index + 1) % count } : { seed: anySeed(), index: 0 }, { push: true }) }, "Next problem");
  work.replaceChildren(
    h(
      "div",
      { class: "card" },
      h("div", { class: "field-head" }, h("h2", { id: "problem-title" }, `Problem ${state.index + 1}`), h("span", { class: "badge" }, `of ${count}`)),
      h("p", { class: "task" }, words || `Differentiate with respect to ${wrt}.`),
      shown,
        h("label", { for: "answer", class: "label-row" }, "Your answer"),
      editor,
      mistake,
      h("p", { class: "quiet", id: "answer-help" }, "Typed as 2*x*cos(x), 2x cos x or, of matrices, 2*X.T @ (X @ w - y) or 2*X'*(X*w - y)."),
      h("div", { class: "row actions" }, h("button", { type: "button", id: "check", class: "primary", onclick: () => check(state, input, verdict) }, "Check"), hintButton, next),
      verdict,
    ),
    hintList,
  );
  tellHints(hintButton, found.hints);
  input.text = typed || "";
  if (!matchMedia("(pointer: coarse)").matches) input.area.focus({ preventScroll: true });
}

const tellHints = (button, most) => {
  button.textContent = hints === 0 ? "Hint" : hints < most ? `Next hint (${hints} of ${most})` : "No more hints";
  button.disabled = !most || hints >= most;
};

async function check(state, input, verdict) {
  const answer = input.text.trim();
  if (!answer) {
    input.area.focus();
    tell("Type an answer first.");
    return;
  }
  const found = await ask("grade", { ...question(state), answer: input.text });
  if (!found || now !== state) return;
  if (!found.ok) {
    input.show(found.error);
    verdict.replaceChildren();
    return;
  }
  mark(found, input);
  if (found.right || !solved.get(keyOf(state))) solved.set(keyOf(state), found.right);
  document.getElementById("series")?.replaceWith(series(state));
  verdict.replaceChildren(...verdictOf(found));
}

/** Underline the slip in a wrong answer, and in the problem what the words on it speak of. */
function mark(found, input) {
  const task = document.querySelector(".task");
  const text = task.textContent;
  const there = found.right ? null : quotedPlace(found.words || "", text);
  task.replaceChildren(...(there ? [text.slice(0, there[0]), h("mark", {}, text.slice(...there)), text.slice(there[1])] : [text]));
  input.show(found.at ? { at: found.at } : null);
}

async function hint(state, most, list, button) {
  const found = await ask("hint", { ...question(state), number: hints });
  if (!found || now !== state) return;
  const item = line(found.ok ? { ...found, number: null, kind: found.kind === "pair" ? "pair" : "" } : { parts: [{ text: reason(found.error) }] });
  list.append(item);
  item.querySelectorAll(".said").forEach(fitted);
  if (found.ok) hints += 1;
  tellHints(button, most);
}
