// <chess-board>: shows men, lets them be dragged, placed by key and dropped.
// It says what happened by events and decides nothing:
//   drop    { from, to, man }  a man was moved; no `to`: off the board
//   put     { square, man }    a letter was typed on a square
//   pick    { square }         a square was chosen
//   spare   { man }            a man beside the board was tapped, not dragged

import { FILES, manName, parse, picture } from "./fen.js";

const SVG = "http://www.w3.org/2000/svg";

export class ChessBoard extends HTMLElement {
  static observedAttributes = ["fen", "flipped"];

  #men = new Map();
  #cursor = "e4";
  #held = null; // the square whose man is picked up by key or tap
  #drag = null;

  connectedCallback() {
    this.#build();
    this.addEventListener("pointerdown", (event) => this.#down(event));
    this.addEventListener("pointermove", (event) => this.#move(event));
    this.addEventListener("pointerup", (event) => this.#up(event));
    this.addEventListener("pointercancel", () => this.#letGo());
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("focusin", ({ target }) => target.dataset.square && this.#focus(target.dataset.square, false));
  }

  attributeChangedCallback() {
    if (this.isConnected && this.grid) this.#build();
  }

  get flipped() {
    return this.hasAttribute("flipped");
  }

  man(square) {
    return this.#men.get(square);
  }

  cell(square) {
    return this.grid.querySelector(`[data-square=${square}]`);
  }

  #build() {
    this.#men = parse(this.getAttribute("fen") ?? "").men;
    const hadFocus = this.contains(document.activeElement);
    const grid = document.createElement("div");
    grid.className = "board";
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-label", "Chess board");
    const ranks = [8, 7, 6, 5, 4, 3, 2, 1];
    const files = [...FILES];
    if (this.flipped) (ranks.reverse(), files.reverse());
    for (const rank of ranks) {
      const row = document.createElement("div");
      row.setAttribute("role", "row");
      for (const file of files) {
        const cell = this.#cell(file + rank);
        if (file === files[0]) cell.dataset.rank = rank;
        if (rank === ranks[7]) cell.dataset.file = file;
        row.append(cell);
      }
      grid.append(row);
    }
    this.arrows = document.createElementNS(SVG, "svg");
    this.arrows.setAttribute("viewBox", "0 0 8 8");
    this.arrows.classList.add("arrows");
    grid.append(this.arrows);
    this.grid = grid;
    this.replaceChildren(grid);
    this.#focus(this.#cursor, hadFocus);
  }

  #cell(square) {
    const man = this.#men.get(square);
    const cell = document.createElement("div");
    const dark = (FILES.indexOf(square[0]) + Number(square[1])) % 2 === 1;
    cell.className = `sq ${dark ? "dark" : "light"}`;
    cell.dataset.square = square;
    cell.tabIndex = -1;
    cell.setAttribute("role", "gridcell");
    cell.setAttribute("aria-label", man ? `${square}, ${manName(man)}` : square);
    if (man) {
      const image = new Image();
      image.src = picture(man);
      image.alt = manName(man);
      image.draggable = false;
      cell.append(image);
    }
    return cell;
  }

  /** Marks squares with a class; nothing clears it. */
  mark(name, squares = []) {
    for (const cell of this.grid.querySelectorAll(`.${name}`)) cell.classList.remove(name);
    for (const square of squares) this.cell(square)?.classList.add(name);
  }

  /** Shows values on squares: { e4: ["win", "+27"] }, for the man that stands
   * on `from`; nothing clears them. */
  heat(values = {}, from = null) {
    this.mark("free", from ? [from] : []);
    for (const cell of this.grid.querySelectorAll(".sq")) {
      cell.classList.remove("win", "cursed", "draw", "blessed", "loss");
      cell.querySelector(".heat")?.remove();
      const value = values[cell.dataset.square];
      if (!value) continue;
      const text = document.createElement("span");
      text.className = "heat";
      text.textContent = value[1];
      cell.classList.add(value[0]);
      cell.append(text);
    }
  }

  /** Draws arrows for moves such as e2e4; nothing clears them. */
  arrow(...moves) {
    this.arrows.replaceChildren();
    for (const uci of moves) if (uci) this.#draw(uci);
  }

  #draw(uci) {
    const [from, to] = [this.#middle(uci.slice(0, 2)), this.#middle(uci.slice(2, 4))];
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
    const end = { x: to.x - dx * 0.35, y: to.y - dy * 0.35 };
    const path = document.createElementNS(SVG, "path");
    if (this.arrows.childElementCount) path.classList.add("answer");
    path.setAttribute("d",
      `M${from.x} ${from.y}L${end.x} ${end.y}M${to.x} ${to.y}` +
      `L${end.x - dy * 0.18} ${end.y + dx * 0.18}L${end.x + dy * 0.18} ${end.y - dx * 0.18}Z`);
    this.arrows.append(path);
  }

  #middle(square) {
    const [file, rank] = [FILES.indexOf(square[0]), Number(square[1]) - 1];
    return this.flipped ? { x: 7.5 - file, y: rank + 0.5 } : { x: file + 0.5, y: 7.5 - rank };
  }

  #say(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }

  // Mouse and touch.

  #down(event) {
    const square = event.target.closest("[data-square]")?.dataset.square;
    if (!square || event.button !== 0) return;
    this.#focus(square, true);
    const man = this.#men.get(square);
    if (this.#held && this.#held !== square) return; // the second tap drops
    if (man) this.lift(event, man, square);
  }

  /** Begins to drag a man, from a square or from beside the board. */
  lift(event, man, from) {
    event.preventDefault();
    const ghost = new Image();
    ghost.src = picture(man);
    ghost.className = "ghost";
    ghost.width = ghost.height = this.cell("a1").offsetWidth;
    this.#drag = { man, from, ghost, x: event.clientX, y: event.clientY, moved: false };
    this.setPointerCapture(event.pointerId);
  }

  #move(event) {
    const drag = this.#drag;
    if (!drag) return;
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 5) return;
    if (!drag.moved) {
      drag.moved = true;
      document.body.append(drag.ghost);
      if (drag.from) this.cell(drag.from).classList.add("lifted");
    }
    const half = drag.ghost.width / 2;
    drag.ghost.style.transform = `translate(${event.clientX - half}px, ${event.clientY - half}px)`;
  }

  #up(event) {
    const drag = this.#drag;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const to = under?.closest("[data-square]")?.dataset.square;
    if (drag?.moved) {
      this.#letGo();
      if (to !== drag.from) this.#say("drop", { from: drag.from, to, man: drag.man });
    } else if (to) {
      this.#letGo();
      this.#choose(to);
    } else {
      this.#letGo();
      if (drag && !drag.from) this.#say("spare", { man: drag.man });
    }
  }

  #letGo() {
    this.#drag?.ghost.remove();
    if (this.#drag?.from) this.cell(this.#drag.from).classList.remove("lifted");
    this.#drag = null;
  }

  /** Picks a man up, or drops the one that was. */
  #choose(square) {
    const from = this.#held;
    this.#held = null;
    this.mark("held");
    if (from && from !== square) this.#say("drop", { from, to: square, man: this.#men.get(from) });
    else if (!from && this.#men.has(square)) {
      this.#held = square;
      this.mark("held", [square]);
    } else if (!from) this.#say("pick", { square });
  }

  // Keys.

  #focus(square, really) {
    this.cell(this.#cursor)?.setAttribute("tabindex", "-1");
    this.#cursor = square;
    const cell = this.cell(square);
    cell.tabIndex = 0;
    if (really) cell.focus({ preventScroll: true });
  }

  #key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = steps[event.key];
    if (step) {
      const turn = this.flipped ? -1 : 1;
      const file = FILES.indexOf(this.#cursor[0]) + step[0] * turn;
      const rank = Number(this.#cursor[1]) + step[1] * turn;
      if (FILES[file] && rank >= 1 && rank <= 8) this.#focus(FILES[file] + rank, true);
    } else if (event.key === "Enter") this.#choose(this.#cursor);
    else if (event.key === "Escape") (this.#held = null, this.mark("held"));
    else if (event.key === "Delete") this.#say("put", { square: this.#cursor, man: null });
    else if (/^[KQRBNPkqrbnp]$/.test(event.key) && !event.ctrlKey && !event.metaKey) {
      this.#say("put", { square: this.#cursor, man: event.key });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

customElements.define("chess-board", ChessBoard);
