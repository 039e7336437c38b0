// Pictures of numbers that the server found: a curve with its tangent, contours with the gradient.
// Points are those of the server's grid, so that every number shown is one that was computed.

import { h, s } from "./dom.js";

const LEFT = 46;
const RIGHT = 18;
const TOP = 14;
const BOTTOM = 30;

/** A number in few characters. */
export function short(x, digits = 4) {
  if (typeof x !== "number") return String(x ?? "–");
  if (x !== 0 && (Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3)) {
    return x.toExponential(2).replace("e+", "e").replace("-", "−").replace("e-", "e−");
  }
  return String(Number(x.toPrecision(digits))).replace("-", "−");
}

function ticks([low, high], most) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) found.push(k * step);
  return found;
}

/** The range of values to show: all of them, or, where a pole would flatten the rest, the middle of them. */
function range(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (!sorted.length) return [-1, 1];
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
  const [low, high, inner, outer] = [at(0), at(1), at(0.12), at(0.88)];
  const wide = high - low > 4 * (outer - inner) && outer > inner;
  const [a, b] = wide ? [inner - 0.6 * (outer - inner), outer + 0.6 * (outer - inner)] : [low, high];
  const room = (b - a) * 0.06 || Math.abs(a) * 0.1 || 1;
  return [a - room, b + room];
}

class Frame {
  constructor(width, height, xs, ys, label) {
    Object.assign(this, { width, height, xs, ys });
    this.svg = s("svg", { class: "plot", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label });
    this.sx = (width - LEFT - RIGHT) / (xs[1] - xs[0]);
    this.sy = (height - TOP - BOTTOM) / (ys[1] - ys[0]);
  }

  x = (value) => LEFT + (value - this.xs[0]) * this.sx;
  y = (value) => this.height - BOTTOM - (value - this.ys[0]) * this.sy;

  add(tag, attributes, ...children) {
    const made = s(tag, attributes, ...children);
    this.svg.append(made);
    return made;
  }

  axes() {
    const group = this.add("g", { class: "axes", "aria-hidden": "true" });
    const [right, bottom] = [this.width - RIGHT, this.height - BOTTOM];
    for (const value of ticks(this.xs, Math.max(3, Math.round(this.width / 90)))) {
      const at = this.x(value).toFixed(1);
      group.append(s("line", { class: value ? "grid" : "zero", x1: at, x2: at, y1: TOP, y2: bottom }));
      group.append(s("text", { x: at, y: bottom + 18, "text-anchor": "middle" }, short(value, 6)));
    }
    for (const value of ticks(this.ys, Math.max(3, Math.round(this.height / 60)))) {
      const at = this.y(value).toFixed(1);
      group.append(s("line", { class: value ? "grid" : "zero", x1: LEFT, x2: right, y1: at, y2: at }));
      group.append(s("text", { x: LEFT - 8, y: Number(at) + 4, "text-anchor": "end" }, short(value, 6)));
    }
    this.inside = this.add("svg", {
      x: LEFT, y: TOP, width: right - LEFT, height: bottom - TOP, viewBox: `${LEFT} ${TOP} ${right - LEFT} ${bottom - TOP}`, // clips
    });
  }

  /** A line through points; it breaks where a value is missing and where it jumps over more than the picture's height. */
  curve(xs, values, name) {
    const high = this.ys[1] - this.ys[0];
    let path = "";
    let before = null;
    xs.forEach((x, k) => {
      const value = values[k];
      if (!Number.isFinite(value)) return (before = null);
      const jumps = before !== null && Math.abs(value - before) > 1.5 * high;
      const kept = Math.min(Math.max(value, this.ys[0] - 4 * high), this.ys[1] + 4 * high);
      path += `${before === null || jumps ? "M" : "L"}${this.x(x).toFixed(1)} ${this.y(kept).toFixed(1)}`;
      before = value;
    });
    this.inside.append(s("path", { class: `curve ${name}`, d: path }));
  }
}

const nearest = (values, wanted) => {
  let best = 0;
  values.forEach((value, k) => (best = Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? k : best));
  return best;
};

/** Let a picture be pointed at and its handle be moved with the keyboard. */
function movable(frame, handle, point, step) {
  const pointed = (event) => {
    const box = frame.svg.getBoundingClientRect();
    point(
      frame.xs[0] + (((event.clientX - box.left) * frame.width) / box.width - LEFT) / frame.sx,
      frame.ys[0] + (frame.height - BOTTOM - ((event.clientY - box.top) * frame.height) / box.height) / frame.sy,
    );
  };
  frame.svg.addEventListener("pointerdown", (event) => {
    frame.svg.setPointerCapture(event.pointerId);
    pointed(event);
    handle.focus({ preventScroll: true });
    event.preventDefault();
  });
  frame.svg.addEventListener("pointermove", (event) => frame.svg.hasPointerCapture(event.pointerId) && pointed(event));
  handle.addEventListener("keydown", (event) => {
    const far = event.shiftKey ? 10 : 1;
    const moves = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, far], ArrowDown: [0, -far], PageUp: [20, 0], PageDown: [-20, 0], Home: [-1e6, 0], End: [1e6, 0] };
    if (!(event.key in moves)) return;
    event.preventDefault();
    step(...moves[event.key]);
  });
}

const shownAs = (pairs) =>
  pairs.map(([name, value, mark]) => h("span", { class: "reading" }, h("span", { class: `swatch ${mark || ""}`, "aria-hidden": "true" }), h("i", {}, name), " = ", h("b", {}, value)));

/** f, f′ and a tangent that can be moved. Returns the picture and its line of readings. */
export function drawCurve(data, width, { name, at }) {
  const { x: xs, f, df } = data;
  const known = (k) => Number.isFinite(f[k]) && Number.isFinite(df[k]);
  const frame = new Frame(width, Math.round(Math.min(400, Math.max(260, width * 0.58))), [xs[0], xs.at(-1)], range([...f, ...df]), `f and f′ over ${name}`);
  frame.axes();
  frame.curve(xs, df, "df");
  frame.curve(xs, f, "f");
  const tangent = s("line", { class: "tangent" });
  const drop = s("line", { class: "drop" });
  const slope = s("circle", { class: "dot df", r: 4 });
  frame.inside.append(drop, tangent, slope);
  const handle = frame.add("circle", { class: "handle", r: 8, tabindex: 0, role: "slider", "aria-label": `Point of tangency, ${name}`, "aria-valuemin": xs[0], "aria-valuemax": xs.at(-1) });
  const readings = h("p", { class: "readings" });
  let now = at ?? 0;
  const move = (k) => {
    const wanted = Math.min(Math.max(k, 0), xs.length - 1);
    const way = wanted >= now ? 1 : -1;
    let to = wanted;
    while (to >= 0 && to < xs.length && !known(to)) to += way;
    if (!known(to)) return;
    now = to;
    const [x, value, rise] = [xs[to], f[to], df[to]];
    const [a, b] = frame.xs;
    const set = (node, attributes) => Object.entries(attributes).forEach(([key, v]) => node.setAttribute(key, v));
    set(tangent, { x1: frame.x(a), x2: frame.x(b), y1: frame.y(value + rise * (a - x)), y2: frame.y(value + rise * (b - x)) });
    set(drop, { x1: frame.x(x), x2: frame.x(x), y1: frame.y(value), y2: frame.y(rise) });
    set(slope, { cx: frame.x(x), cy: frame.y(rise) });
    set(handle, { cx: frame.x(x), cy: Math.min(Math.max(frame.y(value), TOP), frame.height - BOTTOM), "aria-valuenow": x, "aria-valuetext": `${name} ${short(x)}, f ${short(value)}, slope ${short(rise)}` });
    readings.replaceChildren(...shownAs([[name, short(x)], [`f(${name})`, short(value, 5), "f"], [`f′(${name})`, short(rise, 5), "df"]]));
  };
  movable(frame, handle, (x) => move(nearest(xs, x)), (across, up) => move(now + across + up));
  move(at ?? Math.round(xs.length * 0.62));
  return { picture: frame.svg, readings, where: () => now };
}

const MARKS = { zeros: "circle", extrema: "diamond", "inflection points": "square" };

function markOf(kind, at, up) {
  const place = { class: `mark ${MARKS[kind]}` };
  if (MARKS[kind] === "circle") return s("circle", { ...place, cx: at, cy: up, r: 4.5 });
  const turned = MARKS[kind] === "diamond" ? `rotate(45 ${at} ${up})` : "";
  return s("rect", { ...place, x: at - 4.5, y: up - 4.5, width: 9, height: 9, transform: turned });
}

/** The curve of a study with all that is marked on it. Returns its legend and the picture. */
export function drawStudy({ x: xs, y: f, heights, marks, uprights, lines }, width, name) {
  const frame = new Frame(width, Math.round(Math.min(400, Math.max(260, width * 0.58))), [xs[0], xs.at(-1)], heights, `The curve of f over ${name}, with its zeros, extrema, inflection points and asymptotes`);
  frame.svg.setAttribute("role", "img");
  frame.axes();
  const dashed = (x1, y1, x2, y2) => frame.inside.append(s("line", { class: "asymptote", x1: frame.x(x1), y1: frame.y(y1), x2: frame.x(x2), y2: frame.y(y2) }));
  for (const x of uprights) dashed(x, heights[0], x, heights[1]);
  for (const [slope, height] of lines) dashed(xs[0], slope * xs[0] + height, xs.at(-1), slope * xs.at(-1) + height);
  frame.curve(xs, f, "f");
  for (const [kind, places] of Object.entries(marks)) {
    for (const [x, y] of places) frame.inside.append(markOf(kind, frame.x(x), frame.y(y)));
  }
  const entries = Object.keys(marks).filter((kind) => marks[kind].length).map((kind) => h("span", {}, h("span", { class: `spot ${MARKS[kind]}`, "aria-hidden": "true" }), kind));
  if (uprights.length || lines.length) entries.push(h("span", {}, h("span", { class: "swatch asymptote", "aria-hidden": "true" }), "asymptotes"));
  return [h("p", { class: "legend" }, entries), frame.svg];
}

/** Segments of the line f = level in each square of the grid. Source: Lorensen and Cline 1987, in the plane. */
function contour(xs, ys, f, level) {
  const segments = [];
  for (let j = 0; j + 1 < ys.length; j++) {
    for (let i = 0; i + 1 < xs.length; i++) {
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
      const values = corners.map(([a, b]) => f[b][a]);
      if (!values.every(Number.isFinite)) continue;
      const crossings = [];
      for (let k = 0; k < 4; k++) {
        const [u, v] = [values[k], values[(k + 1) % 4]];
        if (u < level === v < level) continue;
        const share = (level - u) / (v - u);
        const [[ia, ja], [ib, jb]] = [corners[k], corners[(k + 1) % 4]];
        crossings.push([xs[ia] + share * (xs[ib] - xs[ia]), ys[ja] + share * (ys[jb] - ys[ja])]);
      }
      for (let k = 0; k + 1 < crossings.length; k += 2) segments.push([crossings[k], crossings[k + 1]]);
    }
  }
  return segments;
}

/** As many numbers at equal distances, between the first and the last of a list. */
const spread = (values, count) => Array.from({ length: count }, (_, k) => values[0] + ((values.at(-1) - values[0]) * k) / (count - 1));

function pathOf(frame, segments) {
  return segments.map(([[a, b], [c, d]]) => `M${frame.x(a).toFixed(1)} ${frame.y(b).toFixed(1)}L${frame.x(c).toFixed(1)} ${frame.y(d).toFixed(1)}`).join("");
}

function arrow(frame, x, y, gx, gy, longest, largest) {
  const [u, v] = [gx * frame.sx, -gy * frame.sy];
  const size = Math.hypot(u, v);
  if (!Number.isFinite(size) || size === 0) return null;
  const long = longest * Math.min(1, Math.max(0.25, Math.sqrt(Math.hypot(gx, gy) / largest)));
  const [px, py, ex, ey] = [frame.x(x), frame.y(y), u / size, v / size];
  const [tx, ty] = [px + ex * long, py + ey * long];
  const wing = Math.min(7, long * 0.35);
  return `M${px} ${py}L${tx} ${ty}M${tx - wing * (ex - ey * 0.6)} ${ty - wing * (ey + ex * 0.6)}L${tx} ${ty}L${tx - wing * (ex + ey * 0.6)} ${ty - wing * (ey - ex * 0.6)}`;
}

/** Level lines of f, and the gradient at a point that can be moved. Returns the picture and its line of readings. */
export function drawContours(data, width, { names: [first, second], at }) {
  const { x: xs, y: ys, f, gx, gy, fine } = data;
  const [finerX, finerY] = [spread(xs, fine[0].length), spread(ys, fine.length)];
  const along = (level) => pathOf(frame, contour(finerX, finerY, fine, level));
  const side = Math.min(width, 520);
  const frame = new Frame(side, side - LEFT - RIGHT + TOP + BOTTOM, [xs[0], xs.at(-1)], [ys[0], ys.at(-1)], `Level lines of f over ${first} and ${second}`);
  frame.axes();
  const values = f.flat().filter(Number.isFinite).sort((a, b) => a - b);
  const count = 12;
  for (let k = 1; k <= count; k++) {
    const level = values[Math.round(((k - 0.5) / count) * (values.length - 1))];
    frame.inside.append(s("path", { class: `level of-${Math.ceil((k / count) * 4)}`, d: along(level) }));
  }
  const sizes = gx.flatMap((row, j) => row.map((g, i) => Math.hypot(g, gy[j][i]))).filter(Number.isFinite).sort((a, b) => a - b);
  const largest = sizes[Math.round(0.95 * (sizes.length - 1))] || 1;
  const stride = Math.max(1, Math.round(xs.length / 10));
  let field = "";
  for (let j = Math.floor(stride / 2); j < ys.length; j += stride) {
    for (let i = Math.floor(stride / 2); i < xs.length; i += stride) field += arrow(frame, xs[i], ys[j], gx[j][i], gy[j][i], 17, largest) || "";
  }
  frame.inside.append(s("path", { class: "field", d: field }));
  const through = s("path", { class: "through" });
  const gradient = s("path", { class: "gradient" });
  frame.inside.append(through, gradient);
  const handle = frame.add("circle", { class: "handle", r: 8, tabindex: 0, role: "slider", "aria-label": `A point of ${first} and ${second}`, "aria-valuemin": xs[0], "aria-valuemax": xs.at(-1) });
  const readings = h("p", { class: "readings" });
  let now = at ?? [Math.round(xs.length * 0.7), Math.round(ys.length * 0.66)];
  const move = (i, j) => {
    i = Math.min(Math.max(i, 0), xs.length - 1);
    j = Math.min(Math.max(j, 0), ys.length - 1);
    if (!Number.isFinite(f[j][i])) return;
    now = [i, j];
    through.setAttribute("d", along(f[j][i] + 1e-9 * (Math.abs(f[j][i]) || 1)));
    gradient.setAttribute("d", arrow(frame, xs[i], ys[j], gx[j][i], gy[j][i], 76, largest) || "");
    const facts = { cx: frame.x(xs[i]), cy: frame.y(ys[j]), "aria-valuenow": xs[i], "aria-valuetext": `${first} ${short(xs[i])}, ${second} ${short(ys[j])}, f ${short(f[j][i])}, gradient ${short(gx[j][i])}, ${short(gy[j][i])}` };
    Object.entries(facts).forEach(([key, v]) => handle.setAttribute(key, v));
    readings.replaceChildren(...shownAs([[`(${first}, ${second})`, `(${short(xs[i])}, ${short(ys[j])})`], ["f", short(f[j][i], 5), "f"], ["∇f", `(${short(gx[j][i])}, ${short(gy[j][i])})`, "gradient"]]));
  };
  movable(frame, handle, (x, y) => move(nearest(xs, x), nearest(ys, y)), (across, up) => move(now[0] + across, now[1] + up));
  move(...now);
  return { picture: frame.svg, readings, where: () => now };
}
