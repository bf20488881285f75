// The replay player: one per <section class="replay">, knowing nothing of any other.

const STEP_SECONDS = 0.01;
const PAUSE_SECONDS = 0.9; // between the strokes of a board
const LONGEST_FRAME = 0.1; // a window that was hidden goes on where it was
const SPEEDS = [0.125, 0.25, 0.5, 1, 2, 4];
const DISC_HIT = 0, CUSHION_HIT = 1, POCKETING = 2, STOP = 3;

function seconds(t, digits = 3) {
  return `${t.toFixed(digits)} s`;
}

/** A button that cannot be used now keeps the focus, unlike a disabled one. */
function setAble(button, able) {
  if (able) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}

class Player {
  constructor(section) {
    this.section = section;
    const data = JSON.parse(section.querySelector("script.replay-data").textContent);
    Object.assign(this, { names: data.discs, pockets: data.pockets, told: data.strokes });
    this.fallSeconds = data.fallSeconds;
    this.unpacked = new Map();
    this.time = 0;
    this.speed = 1;
    this.frame = 0;
    this.printed = null;
    this.findParts();
    this.picture = new Picture(this.parts, data);
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
    for (const speed of SPEEDS) {
      const words = speed < 1 ? `1/${1 / speed}` : String(speed);
      this.parts.speed.append(make("option", { value: speed }, `${words}\u00d7`));
    }
    this.parts.speed.value = "1";
  }

  // ---- strokes and events ----

  stroke(number) {
    if (!this.unpacked.has(number)) this.unpacked.set(number, new Stroke(this.told[number], this.fallSeconds));
    return this.unpacked.get(number);
  }

  show(number, time = 0) {
    const { events, scrub } = this.parts;
    const focused = events.contains(document.activeElement);
    this.number = number;
    this.now = this.stroke(number);
    scrub.max = String(this.now.end);
    this.current = null;
    this.begun = null;
    this.picture.begin(this.now);
    this.describe();
    this.listEvents();
    this.seek(time);
    if (focused) (events.querySelector('[tabindex="0"]') ?? this.section).focus({ preventScroll: true });
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
    this.parts.count.textContent = this.now.place;
    setAble(this.parts.strokeBefore, this.number > 0);
    setAble(this.parts.strokeAfter, this.number + 1 < this.told.length);
    this.setCurrent(this.parts.strokes, this.number);
  }

  /** Make buttons of the strokes that the page lists. */
  listStrokes() {
    [...this.parts.strokes.children].forEach((item, number) => {
      const button = make("button", { type: "button", tabindex: "-1" });
      button.append(...item.childNodes);
      button.addEventListener("click", () => this.go(number));
      item.append(button);
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

  // ---- one moment ----

  seek(time, eventNumber = null) {
    const now = this.now;
    this.time = Math.min(Math.max(time, 0), now.end);
    this.eventShown = eventNumber;
    this.picture.draw(this.time, eventNumber);
    const number = eventNumber ?? now.eventAt(this.time);
    if (number !== this.current) {
      this.current = number;
      this.setCurrent(this.parts.events, number);
      setAble(this.parts.after, number + 1 < now.events.length);
    }
    const begun = this.time > 0 || number > 0;
    if (begun !== this.begun) setAble(this.parts.before, begun);
    this.begun = begun;
    this.parts.scrub.value = String(this.time);
    this.parts.clock.textContent = `${Math.min(this.time, now.duration).toFixed(3)} / ${seconds(now.duration)}`;
    if (!this.playing) this.parts.scrub.setAttribute("aria-valuetext", `${this.time.toFixed(2)} seconds`);
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
    const past = this.current >= 0 && this.time > this.now.events[this.current].t + 1e-9;
    const before = past ? this.current : this.current - 1;
    if (by > 0) this.goToEvent(this.current + 1);
    else if (before >= 0) this.goToEvent(before);
    else this.move(0);
  }

  /** Go to another stroke, and play it if one was playing. */
  go(number) {
    if (number < 0 || number >= this.told.length) return;
    const going = this.playing;
    if (going) this.pause();
    this.show(number);
    this.say(this.now.title);
    if (going) this.play();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.parts.speed.value = String(speed);
  }

  setTrails(on) {
    this.parts.trails.setAttribute("aria-pressed", String(on));
    this.picture.showTrails(on);
    this.seek(this.time);
  }

  listen() {
    const { parts } = this;
    parts.play.addEventListener("click", () => this.toggle());
    parts.before.addEventListener("click", () => this.stepEvent(-1));
    parts.after.addEventListener("click", () => this.stepEvent(1));
    parts.trails.addEventListener("click", () => this.setTrails(!this.picture.trails));
    parts.speed.addEventListener("change", () => this.setSpeed(Number(parts.speed.value)));
    parts.scrub.addEventListener("input", () => this.move(Number(parts.scrub.value)));
    parts.strokeBefore.addEventListener("click", () => this.go(this.number - 1));
    parts.strokeAfter.addEventListener("click", () => this.go(this.number + 1));
    parts.board.addEventListener("click", () => this.toggle());
    this.section.addEventListener("keydown", (event) => this.key(event));
    const print = matchMedia("print");
    print.addEventListener("change", () => this.forPaper(print.matches));
    addEventListener("beforeprint", () => this.forPaper(true));
    addEventListener("afterprint", () => this.forPaper(false));
  }

  /** Paper shows the end of the stroke; afterwards all is as it was. A browser may say twice that it prints. */
  forPaper(on) {
    if (on === (this.printed !== null)) return;
    if (on) {
      this.printed = { time: this.time, event: this.eventShown, playing: this.playing };
      this.move(this.now.end);
      return;
    }
    const { time, event, playing } = this.printed;
    this.printed = null;
    this.seek(time, event);
    if (playing) this.play();
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
      t: () => this.setTrails(!this.picture.trails),
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
  // Alone on its page it begins by itself.
  const { carromsim: player } = sections[0];
  if (!wantsCalm() && document.visibilityState === "visible") setTimeout(() => player.time === 0 && player.play(), 600);
}
