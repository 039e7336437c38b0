// Questions to the server. Answers to the same question are kept; a newer question for a job ends the older one.

import { logarithm } from "./state.js";

const HEADER = "X-Symgrad-Token";
const KEPT = 80;

const answers = new Map();
const running = new Map();
let working = 0;
let watch = () => {};

const TOKEN = "symgrad-token";

/** The token of this server: taken out of the address, and kept by the browser for links that come without it. */
const token = (() => {
  const here = new URL(location.href);
  const given = here.searchParams.get("token");
  here.searchParams.delete("token");
  try {
    if (given) localStorage.setItem(TOKEN, given);
    if (given) history.replaceState(null, "", here);
    return given || localStorage.getItem(TOKEN) || "";
  } catch {
    return given || ""; // a browser that keeps nothing keeps the address as it is
  }
})();

/** Call with true when the first question leaves and false when the last has come back. */
export function onBusy(call) {
  watch = call;
}

const headers = () => ({ "Content-Type": "application/json", ...(token ? { [HEADER]: token } : {}) });
const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));
const failed = (what, kind = "worker") => ({ ok: false, error: { what, at: null, kind } });

async function asked(path, body, signal) {
  for (let turn = 0; turn < 3; turn++) {
    const answer = await fetch(path, { method: body ? "POST" : "GET", headers: headers(), body, signal });
    if (answer.status !== 503 || turn === 2) {
      const found = await answer.json().catch(() => failed(`The server answered ${answer.status} without words.`));
      return found.ok === undefined && !answer.ok ? failed(`The server answered ${answer.status}.`) : found;
    }
    await pause(Math.min(Number(answer.headers.get("Retry-After")) || 1, 5));
  }
}

/** The answer to a job, or null where a newer question for the same job has overtaken it. */
export function ask(job, question = {}) {
  const body = JSON.stringify({ ...question, logarithm: logarithm() });
  const key = `${job} ${body}`;
  const before = running.get(job);
  if (before?.key === key) return before.answer;
  before?.control.abort();
  running.delete(job);
  if (answers.has(key)) return Promise.resolve(answers.get(key));
  const control = new AbortController();
  const answer = awaited(job, key, body, control);
  running.set(job, { key, control, answer });
  return answer;
}

async function awaited(job, key, body, control) {
  if (working++ === 0) watch(true);
  try {
    const found = await asked(`/api/${job}`, body, control.signal);
    if (found.ok) answers.set(key, found);
    if (answers.size > KEPT) answers.delete(answers.keys().next().value);
    return found;
  } catch (error) {
    if (error.name === "AbortError") return null;
    return failed("The server does not answer. Is symgrad serve still running?");
  } finally {
    if (running.get(job)?.control === control) running.delete(job);
    if (--working === 0) watch(false);
  }
}

let examples;

/** The examples of the gallery. */
export async function gallery() {
  examples ??= asked("/api/gallery", null, null).catch(() => ({ examples: [] }));
  return (await examples).examples || [];
}

/** The address of a printable sheet. */
export function sheet({ topic, level, seed, logarithm }, solutions) {
  const query = new URLSearchParams({ topic, level, seed, solutions: solutions ? 1 : 0, logarithm });
  if (token) query.set("token", token);
  return `/sheet?${query}`;
}
