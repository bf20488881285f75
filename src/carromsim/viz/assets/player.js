// The replay player: one per <section class="replay">, knowing nothing of any other.

const SVG = "http://www.w3.org/2000/svg";
const FALL_SECONDS = 0.18; // how long a disc is seen to sink once the motion law has let go of it
const STEP_SECONDS = 0.01;
const PAUSE_SECONDS = 0.9; // between the strokes of a board
const LONGEST_FRAME = 0.1; // a window that was hidden goes on where it was
const SPEEDS = [0.125, 0.25, 0.5, 1, 2, 4];
const SEATS = ["bottom", "right", "top", "left"];
const DISC_HIT = 0, CUSHION_HIT = 1, POCKETING = 2, STOP = 3;

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

function seconds(t, digits = 3) {
  return `${t.toFixed(digits)} s`;
}

/** One stroke of the page's data, unpacked when it is first shown. */
class Stroke {
  constructor(told) {
    Object.assign(this, told);
    this.knots = told.knots.map(unpack);
    this.events = told.events.map(([t, kind, a, b]) => ({ t: t * 1e-7, kind, a, b }));
    const gone = this.knots.map((knots, disc) => (this.leaves(disc) ? knots.t[knots.n - 1] : 0));
    this.end = Math.max(this.duration, ...gone.map((t) => (t ? t + FALL_SECONDS : 0)));
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

class Player {
  constructor(section) {
    this.section = section;
    const data = JSON.parse(section.querySelector("script.replay-data").textContent);
    Object.assign(this, { names: data.discs, pockets: data.pockets, radius: data.radius, holes: data.holes });
    this.told = data.strokes;
    this.unpacked = new Map();
    this.state = { x: 0, y: 0, vx: 0, vy: 0, turn: 0, piece: 0 };
    this.time = 0;
    this.speed = 1;
    this.frame = 0;
    this.trails = true;
    this.findParts();
    this.drawLayers();
    this.listStrokes();
    this.listen();
    this.show(0);
    section.classList.add("is-ready");
  }

  get playing() {
    return this.frame !== 0;
  }

  // ---- what the page holds ----

  findParts() {
    this.parts = {};
    for (const element of this.section.querySelectorAll("[data-part]")) this.parts[element.dataset.part] = element;
    this.svg = this.parts.board.querySelector("svg");
    this.discs = this.svg.querySelector("g.discs");
    this.pieces = new Map();
    for (const element of this.discs.querySelectorAll("[data-disc]")) {
      this.pieces.set(Number(element.dataset.disc), element);
    }
    for (const speed of SPEEDS) {
      const words = speed < 1 ? `1/${1 / speed}` : String(speed);
      this.parts.speed.append(make("option", { value: speed }, `${words}\u00d7`));
    }
    this.parts.speed.value = "1";
  }

  drawLayers() {
    [this.casings, this.layer] = [makeSvg("g", { fill: "none" }), makeSvg("g", { fill: "none" })];
    this.discs.before(this.casings, this.layer);
    this.aim = makeSvg("path", { class: "replay-aim", fill: "none" });
    this.marks = [makeSvg("circle", { class: "replay-mark" }), makeSvg("circle", { class: "replay-mark" })];
    this.discs.after(this.aim, ...this.marks);
  }

  // ---- strokes and events ----

  stroke(number) {
    if (!this.unpacked.has(number)) this.unpacked.set(number, new Stroke(this.told[number]));
    return this.unpacked.get(number);
  }

  show(number, time = 0) {
    this.number = number;
    this.now = this.stroke(number);
    this.parts.scrub.max = String(this.now.end);
    for (const layer of [this.casings, this.layer]) layer.replaceChildren();
    this.paths = new Map();
    this.current = null;
    this.fallen = null;
    this.placed = new Map();
    this.describe();
    this.listEvents();
    this.drawAim();
    this.seek(time);
  }

  describe() {
    const { title, meant, ruling, laws, score, facts } = this.now;
    const many = this.told.length > 1;
    this.parts.title.textContent = many ? title : "";
    const said = { meant, ruling, laws: laws.join(", "), score };
    for (const [name, text] of Object.entries(said)) {
      this.parts[name].textContent = text;
      this.parts[name].parentElement.hidden = !text;
    }
    this.parts.facts.replaceChildren();
    for (const [name, value] of facts) {
      const row = make("div", value.length > 20 ? { class: "is-long" } : {});
      row.append(make("dt", {}, name), make("dd", {}, value));
      this.parts.facts.append(row);
    }
    if (!many) return;
    this.parts.count.textContent = `${this.number + 1} of ${this.told.length}`;
    this.setCurrent(this.parts.strokes, this.number);
  }

  listStrokes() {
    const many = this.told.length > 1;
    for (const name of ["strokeButtons", "strokeList"]) this.parts[name].hidden = !many;
    if (!many) return;
    this.section.classList.add("has-strokes");
    this.told.forEach((told, number) => {
      const button = make("button", { type: "button", tabindex: "-1" });
      button.append(make("span", { class: "replay-name" }, told.title));
      const rest = [told.meant, [told.ruling, told.laws.join(", ")].filter(Boolean).join(" \u00b7 "), told.score];
      for (const text of rest.filter(Boolean)) button.append(make("span", {}, text));
      button.addEventListener("click", () => this.go(number));
      const item = make("li");
      item.append(button);
      this.parts.strokes.append(item);
    });
  }

  listEvents() {
    const items = this.now.events.map((event, number) => {
      const button = make("button", { type: "button", tabindex: number ? "-1" : "0" });
      button.append(make("span", { class: "replay-when" }, seconds(event.t, 4)), make("span", {}, this.words(event)));
      button.addEventListener("click", () => this.goToEvent(number));
      const item = make("li", event.kind === POCKETING ? { class: "is-pocketing" } : {});
      item.append(button);
      return item;
    });
    this.parts.events.replaceChildren(...items);
    this.parts.eventCount.textContent = `Events (${items.length})`;
    const ticks = this.now.events.filter((event) => event.kind !== STOP).map((event) => {
      const x = `${(100 * event.t) / this.now.end}%`;
      const kind = event.kind === POCKETING ? "is-pocketing" : "";
      return makeSvg("line", { x1: x, x2: x, y1: "0", y2: "100%", class: kind });
    });
    this.parts.ticks.replaceChildren(...ticks);
  }

  words({ kind, a, b }) {
    const disc = this.names[a];
    if (kind === DISC_HIT) return `${disc} and ${this.names[b]} meet`;
    if (kind === CUSHION_HIT) return `${disc} meets the frame`;
    if (kind === POCKETING) return `${disc} falls, ${this.pockets[this.now.pocket[a]]}`;
    if (kind === STOP) return `${disc} stops`;
    return `${disc} leaves the board`;
  }

  /** Mark one button of a list as the current one: it takes the focus by Tab, and is in view in its own box. */
  setCurrent(list, number) {
    const before = list.querySelector("[aria-current]");
    if (before) {
      before.removeAttribute("aria-current");
      before.tabIndex = -1;
    }
    const item = list.children[Math.max(number, 0)];
    if (!item) return;
    for (const button of list.querySelectorAll('button[tabindex="0"]')) button.tabIndex = -1;
    item.firstChild.tabIndex = 0;
    if (number < 0) return;
    item.firstChild.setAttribute("aria-current", "true");
    list.scrollTop = item.offsetTop - (list.clientHeight - item.offsetHeight) / 2;
  }

  // ---- drawing one moment ----

  seek(time, eventNumber = null) {
    const now = this.now;
    this.time = Math.min(Math.max(time, 0), now.end);
    for (let disc = 0; disc < now.knots.length; disc += 1) this.drawDisc(disc);
    const number = eventNumber ?? now.eventAt(this.time);
    if (number !== this.current) {
      this.current = number;
      this.setCurrent(this.parts.events, number);
    }
    this.drawTrays();
    this.aim.setAttribute("display", this.time === 0 ? "inline" : "none");
    this.drawMarks(eventNumber);
    this.parts.scrub.value = String(this.time);
    this.parts.clock.textContent = `${Math.min(this.time, now.duration).toFixed(3)} / ${seconds(now.duration)}`;
    if (!this.playing) this.parts.scrub.setAttribute("aria-valuetext", `${this.time.toFixed(2)} seconds`);
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
      size = Math.max(0, 1 - gone / FALL_SECONDS);
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
      now.leaves(disc) && knots.n > 0 && this.time >= knots.t[knots.n - 1] + FALL_SECONDS);
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

  // ---- running ----

  play() {
    if (this.playing) return;
    if (this.time >= this.now.end) this.show(this.number);
    this.last = null;
    this.rested = 0;
    this.frame = requestAnimationFrame((stamp) => this.tick(stamp));
    this.showPlaying();
  }

  pause() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.showPlaying();
    this.seek(this.time);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  tick(stamp) {
    this.frame = requestAnimationFrame((next) => this.tick(next));
    const passed = this.last === null ? 0 : Math.min(Math.max(stamp - this.last, 0) / 1000, LONGEST_FRAME);
    this.last = stamp;
    if (this.time < this.now.end) {
      this.seek(this.time + passed * this.speed);
      return;
    }
    this.rested += passed;
    if (this.number + 1 >= this.told.length) this.pause();
    else if (this.rested >= PAUSE_SECONDS) {
      this.rested = 0;
      this.show(this.number + 1);
    }
  }

  showPlaying() {
    const { play } = this.parts;
    play.classList.toggle("is-playing", this.playing);
    play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }

  // ---- what people ask for ----

  say(text) {
    this.parts.said.textContent = text;
  }

  move(time) {
    if (this.playing) this.pause();
    this.seek(time);
  }

  goToEvent(number) {
    const event = this.now.events[number];
    if (!event) return;
    if (this.playing) this.pause();
    this.seek(event.t, number);
    this.say(`${seconds(event.t, 4)}: ${this.words(event)}`);
  }

  stepEvent(by) {
    if (by > 0) this.goToEvent(this.current + 1);
    else if (this.current > 0) this.goToEvent(this.current - 1);
    else this.move(0);
  }

  /** Go to another stroke, and play it if one was playing. */
  go(number) {
    if (number < 0 || number >= this.told.length) return;
    const going = this.playing;
    if (going) this.pause();
    this.show(number);
    this.say(`${this.now.title}, ${number + 1} of ${this.told.length}`);
    if (going) this.play();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.parts.speed.value = String(speed);
  }

  setTrails(on) {
    this.trails = on;
    this.parts.trails.setAttribute("aria-pressed", String(on));
    for (const layer of [this.casings, this.layer]) layer.setAttribute("display", on ? "inline" : "none");
    this.seek(this.time);
  }

  listen() {
    const { parts } = this;
    parts.play.addEventListener("click", () => this.toggle());
    parts.before.addEventListener("click", () => this.stepEvent(-1));
    parts.after.addEventListener("click", () => this.stepEvent(1));
    parts.trails.addEventListener("click", () => this.setTrails(!this.trails));
    parts.speed.addEventListener("change", () => this.setSpeed(Number(parts.speed.value)));
    parts.scrub.addEventListener("input", () => this.move(Number(parts.scrub.value)));
    parts.strokeBefore.addEventListener("click", () => this.go(this.number - 1));
    parts.strokeAfter.addEventListener("click", () => this.go(this.number + 1));
    parts.board.addEventListener("click", () => this.toggle());
    this.section.addEventListener("keydown", (event) => this.key(event));
    const print = matchMedia("print");
    print.addEventListener("change", () => print.matches && this.move(this.now.end));
    addEventListener("beforeprint", () => this.move(this.now.end));
  }

  key(event) {
    const { target } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || target.tagName === "SELECT") return;
    const pressing = ["BUTTON", "SUMMARY"].includes(target.tagName);
    const action = this.actions(event.shiftKey, target)[event.key];
    if (!action || (pressing && event.key === " ")) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  actions(shift, target) {
    const list = [this.parts.events, this.parts.strokes].find((each) => each.contains(target));
    const speedBy = (by) => this.setSpeed(SPEEDS[Math.min(Math.max(SPEEDS.indexOf(this.speed) + by, 0), SPEEDS.length - 1)]);
    const along = (by) => shift ? () => this.stepEvent(by) : () => this.move(this.time + by * STEP_SECONDS);
    const keys = {
      " ": () => this.toggle(),
      ArrowLeft: along(-1),
      ArrowRight: along(1),
      Home: () => this.move(0),
      End: () => this.move(this.now.end),
      "-": () => speedBy(-1),
      "+": () => speedBy(1),
      "=": () => speedBy(1),
      t: () => this.setTrails(!this.trails),
      n: () => this.go(this.number + 1),
      p: () => this.go(this.number - 1),
    };
    if (list) {
      keys.ArrowUp = () => this.moveIn(list, target, "previousElementSibling");
      keys.ArrowDown = () => this.moveIn(list, target, "nextElementSibling");
    }
    return keys;
  }

  moveIn(list, target, way) {
    const item = target.closest("li")[way];
    if (!item) return;
    item.firstChild.focus();
    item.firstChild.click();
  }
}

function wantsCalm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

const sections = [...document.querySelectorAll("section.replay")];
for (const section of sections) section.carromsim = new Player(section);
if (sections.length === 1 && sections[0].parentElement.localName === "main") {
  // Alone on its page: its keys work wherever no other control has them, and it begins by itself.
  const { carromsim: player } = sections[0];
  document.addEventListener("keydown", (event) => {
    if (event.target === document.body) player.key(event);
  });
  if (!wantsCalm() && document.visibilityState === "visible") setTimeout(() => player.time === 0 && player.play(), 600);
}
