// What moves on the board and beside it: discs, trails, aim, marks, trays. Knows no buttons and no lists.

const SVG = "http://www.w3.org/2000/svg";

function make(name, attributes = {}, text = "") {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

function makeSvg(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** One stroke of the page's data, unpacked when it is first shown. */
class Stroke {
  constructor(told, fallSeconds) {
    Object.assign(this, told);
    this.knots = told.knots.map(unpack);
    this.events = told.events.map(([t, kind, a, b]) => ({ t: t * 1e-7, kind, a, b }));
    const gone = this.knots.map((knots, disc) => (this.leaves(disc) ? knots.t[knots.n - 1] : 0));
    this.end = Math.max(this.duration, ...gone.map((t) => (t ? t + fallSeconds : 0)));
  }

  leaves(disc) {
    return this.pocket[disc] >= 0 || this.overboard.includes(disc);
  }

  /** Index of the last event that has happened, -1 before the first. */
  eventAt(t) {
    let found = -1;
    while (found + 1 < this.events.length && this.events[found + 1].t <= t + 1e-9) found += 1;
    return found;
  }
}

/** The board of one replay: shows a stroke at a time. */
class Picture {
  constructor(parts, { discs, radius, holes, fallSeconds }) {
    Object.assign(this, { parts, names: discs, radius, holes, fallSeconds });
    this.state = { x: 0, y: 0, vx: 0, vy: 0, turn: 0, piece: 0 };
    this.time = 0;
    this.trails = true;
    const group = parts.board.querySelector("g.discs");
    this.pieces = new Map();
    for (const element of group.querySelectorAll("[data-disc]")) this.pieces.set(Number(element.dataset.disc), element);
    [this.casings, this.layer] = [makeSvg("g", { fill: "none" }), makeSvg("g", { fill: "none" })];
    group.before(this.casings, this.layer);
    this.aim = makeSvg("path", { class: "replay-aim", fill: "none" });
    this.marks = [makeSvg("circle", { class: "replay-mark" }), makeSvg("circle", { class: "replay-mark" })];
    group.after(this.aim, ...this.marks);
  }

  /** Begin with a stroke; draw() shows it. */
  begin(stroke) {
    this.now = stroke;
    for (const layer of [this.casings, this.layer]) layer.replaceChildren();
    this.paths = new Map();
    this.fallen = null;
    this.placed = new Map();
    this.drawAim();
  }

  /** Draw one moment; the discs of the event that was asked for are ringed. */
  draw(time, eventNumber = null) {
    this.time = time;
    for (let disc = 0; disc < this.now.knots.length; disc += 1) this.drawDisc(disc);
    this.drawTrays();
    this.aim.setAttribute("display", time === 0 ? "inline" : "none");
    this.drawMarks(eventNumber);
  }

  showTrails(on) {
    this.trails = on;
    for (const layer of [this.casings, this.layer]) layer.setAttribute("display", on ? "inline" : "none");
  }

  drawDisc(disc) {
    const knots = this.now.knots[disc];
    const element = this.pieces.get(disc);
    if (!element) return;
    const { state, time } = this;
    if (!knots.n) {
      this.place(disc, element, "");
      return;
    }
    stateAt(knots, time, state);
    let size = 1;
    const gone = time - knots.t[knots.n - 1];
    if (this.now.leaves(disc) && gone > 0) {
      size = Math.max(0, 1 - gone / this.fallSeconds);
      this.sink(disc, state, size);
    }
    const turn = (state.turn * 180) / Math.PI;
    const at = `translate(${state.x.toFixed(3)} ${(-state.y).toFixed(3)}) rotate(${(-turn).toFixed(1)})`;
    this.place(disc, element, size === 1 ? at : size > 0 ? `${at} scale(${size.toFixed(3)})` : "");
    if (this.trails && knots.n > 1) this.drawTrail(disc, knots, state);
  }

  /** Let a disc that fell slide to the middle of its pocket while it shrinks. */
  sink(disc, state, size) {
    const hole = this.holes[this.now.pocket[disc]];
    if (!hole) return;
    state.x = hole[0] + (state.x - hole[0]) * size;
    state.y = hole[1] + (state.y - hole[1]) * size;
  }

  /** Write a disc's transform if it changed; "" takes it off the board. */
  place(disc, element, transform) {
    if (this.placed.get(disc) === transform) return;
    this.placed.set(disc, transform);
    element.setAttribute("display", transform ? "inline" : "none");
    if (transform) element.setAttribute("transform", transform);
  }

  /**
   * The path so far. Whole pieces are exact Bezier curves in one path, which changes with the piece only; a second path
   * leads on to where the disc is now, so that little has to be painted anew in each frame.
   */
  drawTrail(disc, knots, state) {
    const trail = this.trail(disc);
    if (state.piece !== trail.piece) {
      if (state.piece < trail.piece) Object.assign(trail, { piece: 0, whole: trail.start });
      for (; trail.piece < state.piece; trail.piece += 1) trail.whole += this.curve(knots, trail.piece);
      for (const path of trail.done) path.setAttribute("d", trail.whole);
    }
    const i = state.piece;
    const tip = this.startAt(knots, i) + this.curve(knots, i, state);
    if (tip === trail.drawn) return;
    trail.drawn = tip;
    for (const path of trail.tip) path.setAttribute("d", tip);
  }

  trail(disc) {
    if (!this.paths.has(disc)) {
      const kind = [...this.pieces.get(disc).classList].find((name) => name.startsWith("c-"));
      const pair = () => {
        const casing = makeSvg("path", { class: "replay-casing" });
        const path = makeSvg("path", { class: `replay-trail ${kind}` });
        this.casings.append(casing);
        this.layer.append(path);
        return [casing, path];
      };
      const start = this.startAt(this.now.knots[disc], 0);
      this.paths.set(disc, { done: pair(), tip: pair(), start, whole: start, piece: 0, drawn: "" });
    }
    return this.paths.get(disc);
  }

  startAt(knots, i) {
    return `M${knots.x[i].toFixed(2)} ${(-knots.y[i]).toFixed(2)}`;
  }

  curve(knots, i, state = null) {
    if (i >= knots.n - 1) return "";
    const end = state ?? { x: knots.x[i + 1], y: knots.y[i + 1], vx: knots.vx[i + 1], vy: knots.vy[i + 1] };
    const third = (state ? this.time - knots.t[i] : knots.t[i + 1] - knots.t[i]) / 3;
    if (!third || (end.x === knots.x[i] && end.y === knots.y[i])) return "";
    const corners = [
      knots.x[i] + knots.vx[i] * third, knots.y[i] + knots.vy[i] * third,
      end.x - end.vx * third, end.y - end.vy * third,
      end.x, end.y,
    ];
    return `C${corners.map((value, axis) => (axis % 2 ? -value : value).toFixed(2)).join(" ")}`;
  }

  drawAim() {
    const knots = this.now.knots[0];
    const [x, y] = [knots.x[0], -knots.y[0]];
    const [vx, vy] = this.now.velocity;
    const speed = Math.hypot(vx, vy);
    if (!speed) {
      this.aim.setAttribute("d", "");
      return;
    }
    const [ux, uy] = [vx / speed, -vy / speed];
    const [from, to] = [this.radius[0], this.radius[0] * (1.6 + 0.35 * Math.min(speed, 12))];
    const head = 0.45 * this.radius[0];
    const [tx, ty] = [x + ux * to, y + uy * to];
    const side = (sign) => `L${tx - head * (ux + sign * 0.6 * uy)} ${ty - head * (uy - sign * 0.6 * ux)}`;
    const line = `M${x + ux * from} ${y + uy * from}L${tx} ${ty}`;
    this.aim.setAttribute("d", `${line}M${tx} ${ty}${side(1)}M${tx} ${ty}${side(-1)}`);
  }

  /** Ring the discs of the event that was asked for. */
  drawMarks(eventNumber) {
    const event = eventNumber === null ? null : this.now.events[eventNumber];
    this.marks.forEach((mark, which) => {
      const disc = event ? [event.a, event.b][which] : -1;
      const seen = disc >= 0 && this.now.knots[disc].n > 0;
      mark.setAttribute("display", seen ? "inline" : "none");
      if (!seen) return;
      stateAt(this.now.knots[disc], this.time, this.state);
      mark.setAttribute("cx", this.state.x.toFixed(2));
      mark.setAttribute("cy", (-this.state.y).toFixed(2));
      mark.setAttribute("r", (1.25 * this.radius[disc]).toFixed(2));
    });
  }

  /** Show beside the board what has fallen, before this stroke (pale) and in it. */
  drawTrays() {
    const { now } = this;
    const gone = now.knots.map((knots, disc) =>
      now.leaves(disc) && knots.n > 0 && this.time >= knots.t[knots.n - 1] + this.fallSeconds);
    const key = gone.map(Number).join("");
    if (key === this.fallen) return;
    this.fallen = key;
    for (let pocket = 0; pocket < 4; pocket += 1) {
      const before = [...now.lying.keys()].filter((disc) => now.lying[disc] === pocket);
      const fell = [...now.pocket.keys()].filter((disc) => gone[disc] && now.pocket[disc] === pocket);
      fell.sort((one, other) => now.knots[one].t[now.knots[one].n - 1] - now.knots[other].t[now.knots[other].n - 1]);
      const list = this.parts[`tray${pocket}`];
      list.replaceChildren(...before.map((disc) => this.token(disc, true)), ...fell.map((disc) => this.token(disc)));
    }
    const off = now.overboard.filter((disc) => gone[disc]).map((disc) => this.names[disc]);
    this.parts.overboard.textContent = off.length ? `Overboard: ${off.join(", ")}` : "";
  }

  token(disc, earlier = false) {
    const size = 2.2 * this.radius[disc];
    const svg = makeSvg("svg", { viewBox: `${-size / 2} ${-size / 2} ${size} ${size}`, "aria-hidden": "true" });
    const copy = this.pieces.get(disc).cloneNode(true);
    copy.setAttribute("transform", "");
    copy.setAttribute("display", "inline");
    svg.append(copy);
    const item = make("li", earlier ? { class: "is-earlier" } : {});
    item.append(svg, make("span", { class: "replay-hidden" }, this.names[disc] + (earlier ? ", earlier" : "")));
    return item;
  }
}
