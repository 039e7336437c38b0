// The widget of sg.explore: a curve whose tangent follows a slider. All numbers are those that Python computed.

const NS = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, EDGE] = [640, 360, 32];

function svg(tag, attributes, text) {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function short(x) {
  if (x === null) return "–";
  return String(Number(x.toPrecision(5))).replace("-", "−");
}

/** Round numbers between two, about as many as are wanted. */
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) found.push(k * step);
  return found;
}

/** The lines of a curve: it is broken where a value is missing. */
function path(data, row, x, y) {
  let pen = "M";
  let found = "";
  data.xs.forEach((at, k) => {
    const value = row[k];
    const inside = value !== null && Math.abs(y(value)) < 10 * HEIGHT;
    if (inside) found += `${pen}${x(at).toFixed(1)},${y(value).toFixed(1)}`;
    pen = inside ? "L" : "M";
  });
  return found;
}

function render({ model, el }) {
  const data = model.get("data");
  const [low, high] = data.limits;
  const [first, last] = [data.xs[0], data.xs[data.xs.length - 1]];
  const x = (v) => EDGE + ((v - first) / (last - first)) * (WIDTH - 2 * EDGE);
  const y = (v) => HEIGHT - EDGE - ((v - low) / (high - low)) * (HEIGHT - 2 * EDGE);
  const box = document.createElement("div");
  box.className = "symgrad-explore";
  box.innerHTML = `<div class="formula">${data.formula}</div>`;
  const plot = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": data.label });
  const line = (x1, y1, x2, y2, name) => {
    const made = svg("line", { x1, y1, x2, y2, class: name });
    plot.append(made);
    return made;
  };
  for (const at of ticks(first, last, 6)) {
    line(x(at), EDGE, x(at), HEIGHT - EDGE, at ? "grid" : "axis");
    plot.append(svg("text", { x: x(at), y: HEIGHT - 8, "text-anchor": "middle" }, short(at)));
  }
  for (const at of ticks(low, high, 8)) {
    line(EDGE, y(at), WIDTH - EDGE, y(at), at ? "grid" : "axis");
    plot.append(svg("text", { x: EDGE + 4, y: y(at) - 4 }, short(at)));
  }
  plot.append(svg("path", { d: path(data, data.rows[0], x, y), class: "f" }));
  plot.append(svg("path", { d: path(data, data.rows[1], x, y), class: "slope" }));
  const tangent = line(0, 0, 0, 0, "tangent");
  const point = svg("circle", { r: 5, class: "point" });
  plot.append(point);
  const slider = document.createElement("input");
  Object.assign(slider, { type: "range", min: 0, max: data.xs.length - 1, value: data.start });
  slider.setAttribute("aria-label", data.name);
  const said = document.createElement("output");
  const move = () => {
    const k = Number(slider.value);
    const [at, value, slope] = [data.xs[k], data.rows[0][k], data.rows[1][k]];
    const there = value !== null && slope !== null;
    said.textContent = `${data.name} = ${short(at)}   f = ${short(value)}   f′ = ${short(slope)}`;
    for (const part of [tangent, point]) part.style.display = there ? "" : "none";
    if (!there) return;
    const reach = (last - first) / 6;
    for (const [k2, side] of [[1, -reach], [2, reach]]) {
      tangent.setAttribute(`x${k2}`, x(at + side));
      tangent.setAttribute(`y${k2}`, y(value + slope * side));
    }
    point.setAttribute("cx", x(at));
    point.setAttribute("cy", y(value));
  };
  slider.addEventListener("input", move);
  const steps = document.createElement("details");
  steps.innerHTML = `<summary>Steps</summary>${data.steps}`;
  box.append(plot, slider, said, steps);
  el.append(box);
  move();
}

export default { render };
