// What stands below the board: spare men, the side to move, the clock, and what
// turns one position into another.

import { isWhite, manName, parse, picture, write } from "./fen.js";

const FILES = "abcdefgh";
const swapCase = (man) => (isWhite(man) ? man.toLowerCase() : man.toUpperCase());

const TOOLS = `
  <p class="buttons go">
    <button data-action="undo" title="backspace">‹ back</button>
    <button data-action="best" title="space" class="main">best move ›</button>
    <button data-action="turn" id="turn"></button>
    <button data-action="flip" title="f">flip</button>
  </p>
  <div id="game"></div>
  <p class="spare" role="group" aria-label="Spare men: drag one to the board, or choose one and tap squares"></p>
  <p class="buttons">
    <button data-action="clear">clear</button>
    <button data-action="mirror">mirror</button>
    <button data-action="swap">swap colours</button>
    <button data-action="copy">copy FEN</button>
    <button data-action="link">copy link</button>
    <label title="Plies since the last capture or pawn move">clock <input type="number" id="clock" min="0" max="150" step="1"></label>
  </p>`;

export function setUpEditor({ board, view, show, actions }) {
  const tools = document.querySelector("#tools");
  tools.innerHTML = TOOLS;
  tools.hidden = false;
  document.querySelector(".turn").hidden = true;
  const turnButton = tools.querySelector("#turn");
  const clock = tools.querySelector("#clock");
  const spare = tools.querySelector(".spare");
  const editor = { brush: null, edit, place, shown };

  /** Changes the men; what was counted before is forgotten. */
  function edit(change) {
    const { men, turn } = parse(view.fen);
    change(men);
    show(write(men, turn));
  }

  /** Puts a man on a square; a king moves there. */
  function place(men, square, man) {
    if (man.toLowerCase() === "k") for (const [at, other] of men) if (other === man) men.delete(at);
    men.set(square, man);
  }

  function shown() {
    const { turn, clock: counted } = parse(view.fen);
    turnButton.textContent = turn === "b" ? "Black to move" : "White to move";
    if (document.activeElement !== clock) clock.value = Number(counted) || 0;
  }

  /** Every man where `to` says, as `as` says. */
  function moved(to, as = (man) => man, other = (turn) => turn) {
    const { men, turn } = parse(view.fen);
    const placed = new Map([...men].map(([at, man]) => [to(at), as(man)]));
    show(write(placed, other(turn)));
  }

  function copied(button, text) {
    navigator.clipboard?.writeText(text);
    const name = button.textContent;
    button.textContent = "copied";
    setTimeout(() => (button.textContent = name), 1000);
  }

  const otherSide = (turn) => (turn === "w" ? "b" : "w");
  Object.assign(actions, {
    turn: () => moved((at) => at, undefined, otherSide),
    clear: () => edit((men) => { for (const [at, man] of men) if (man.toLowerCase() !== "k") men.delete(at); }),
    mirror: () => moved((at) => FILES[7 - FILES.indexOf(at[0])] + at[1]),
    swap: () => moved((at) => at[0] + (9 - Number(at[1])), swapCase, otherSide),
    copy: (button) => copied(button, view.fen),
    link: (button) => copied(button, location.href),
  });

  clock.addEventListener("change", () => {
    const { men, turn, number } = parse(view.fen);
    const plies = Math.max(0, Math.min(150, Math.round(Number(clock.value) || 0)));
    show(write(men, turn, plies, number));
  });

  for (const man of "KQRBNPkqrbnp") {
    const button = document.createElement("button");
    button.dataset.man = man;
    button.title = manName(man);
    button.setAttribute("aria-pressed", "false");
    const image = new Image(28, 28);
    image.src = picture(man);
    image.alt = manName(man);
    image.draggable = false;
    button.append(image);
    button.addEventListener("pointerdown", (event) => event.button === 0 && board.lift(event, man, null));
    // The board has the pointer and tells of taps; keys click without one.
    button.addEventListener("click", (event) => event.detail === 0 && choose(man));
    spare.append(button);
  }
  board.addEventListener("spare", ({ detail: { man } }) => choose(man));

  function choose(man) {
    editor.brush = editor.brush === man ? null : man;
    for (const other of spare.children) other.setAttribute("aria-pressed", String(other.dataset.man === editor.brush));
  }
  return editor;
}
