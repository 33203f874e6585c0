// The page of a position: the board, what is said of it, and going from one to
// the next. The server renders what is said; here it is fetched and put in.

import "./board.js";
import { address, isWhite, parse, picture, manName, write } from "./fen.js";
import { setUpPlay } from "./play.js";
import { setUpTables } from "./tables.js";

const board = document.querySelector("chess-board");
if (board) start();
setUpTables();

function start() {
  const panel = document.querySelector("#panel");
  const more = document.querySelector("#more");
  const fenBox = document.querySelector("#fen");
  const query = new URLSearchParams(location.search);
  const view = {
    fen: board.getAttribute("fen"),
    order: query.get("order") ?? "dtm",
    units: query.get("units") ?? "moves",
    free: query.get("free") ?? "",
    flip: query.get("flip") ?? "",
    mode: "play", // or "edit"
  };
  const kept = new Map(); // panels fetched ahead
  let asked = 0;
  let playing = null;

  const parameters = (fen) => {
    let text = `fen=${address(fen)}`;
    if (view.order !== "dtm") text += `&order=${view.order}`;
    if (view.units !== "moves") text += `&units=${view.units}`;
    if (view.free) text += `&free=${view.free}`;
    if (view.flip) text += "&flip=1";
    return text;
  };

  /** The text of a piece of the page, from memory if it was fetched ahead. */
  function piece(path, fen) {
    const url = `/${path}?${parameters(fen)}`;
    if (!kept.has(url)) {
      if (kept.size > 200) kept.clear();
      const text = fetch(url).then((answer) => answer.text());
      kept.set(url, text);
      text.then((html) => html.includes("data-solving") && kept.delete(url), () => kept.delete(url));
    }
    return kept.get(url);
  }

  /** Shows a position; `how` is what to do with the history of addresses. */
  async function show(fen, how = "push") {
    view.fen = fen;
    fenBox.value = fen;
    board.setAttribute("fen", fen);
    if (how === "push") history.pushState({ fen }, "", `/?${parameters(fen)}`);
    if (how === "replace") history.replaceState({ fen }, "", `/?${parameters(fen)}`);
    const number = ++asked;
    try {
      const html = await piece("panel", fen);
      if (number !== asked) return; // another position was asked for meanwhile
      panel.innerHTML = html;
      after();
      more.innerHTML = await piece("more", fen);
      if (number === asked) ahead();
    } catch {
      if (number === asked) panel.innerHTML = `<p class="verdict trouble">The service does not answer.</p>`;
    }
  }

  /** What follows once the panel is there. */
  function after() {
    marks();
    heatMap();
    watchSolve();
    playing?.shown();
  }

  /** Fetches what the best moves lead to. */
  function ahead() {
    for (const move of [...panel.querySelectorAll("li[data-fen]")].slice(0, 3)) piece("panel", move.dataset.fen);
  }

  function marks() {
    const { men, turn } = parse(view.fen);
    document.querySelector(".turn").textContent = `${turn === "b" ? "Black" : "White"} to move`;
    turnButton.textContent = turn === "b" ? "Black to move" : "White to move";
    const kinds = [...new Set(men.values())].sort((a, b) => isWhite(b) - isWhite(a) || "kqrbnp".indexOf(a.toLowerCase()) - "kqrbnp".indexOf(b.toLowerCase()));
    const free = document.querySelector("#free");
    free.replaceChildren("Free man: ");
    for (const man of kinds) {
      const link = document.createElement("a");
      link.className = "choice";
      link.href = "#";
      link.dataset.free = man;
      link.title = `The value of every square for the ${manName(man)}`;
      if (man === view.free) link.setAttribute("aria-current", "true");
      const image = new Image(24, 24);
      image.src = picture(man);
      image.alt = manName(man);
      link.append(image);
      free.append(link);
    }
    if (view.free) free.insertAdjacentHTML("beforeend", `<a class="choice" href="#" data-free="">off</a>`);
    const title = panel.querySelector(".verdict")?.textContent;
    if (title) document.title = `${title.split(". ")[0]} · Molien`;
  }

  /** The board as a heat map, if a man is left free. */
  async function heatMap() {
    const fen = view.fen;
    const { men, turn } = parse(fen);
    const square = [...men].find(([, man]) => man === view.free)?.[0];
    if (!square) return board.heat();
    men.delete(square);
    const rest = write(men, turn);
    const metric = view.order;
    const url = `/api/v1/free?fen=${address(rest)}&man=${view.free}&metric=${metric}`;
    const found = await fetch(url).then((answer) => answer.json());
    if (fen !== view.fen || !found.squares) return;
    const kinds = { win: "win", "maybe-win": "cursed", "cursed-win": "cursed", draw: "draw",
      "blessed-loss": "blessed", "maybe-loss": "blessed", loss: "loss" };
    const values = {};
    for (const [name, value] of Object.entries(found.squares)) {
      const plies = value[metric];
      const depth = view.units === "plies" ? Math.abs(plies) : Math.ceil(Math.abs(plies) / 2);
      const sign = value.category.includes("win") ? "+" : "-";
      values[name] = [kinds[value.category], value.category === "draw" ? "=" : sign + depth];
    }
    board.heat(values);
  }

  /** Listens to a solve and shows the position once it is done. */
  function watchSolve() {
    const state = panel.querySelector("[data-solving]");
    if (!state) return;
    const fen = view.fen;
    const events = new EventSource(`/api/v1/solve?material=${state.dataset.solving}`);
    const line = panel.querySelector("#progress");
    const isHere = () => view.fen === fen || (events.close(), false);
    events.addEventListener("queued", () => isHere() && (line.textContent = "Waiting for others."));
    events.addEventListener("solving", (event) => {
      const { material, metric, ply } = JSON.parse(event.data);
      if (isHere()) line.textContent = `${material}, ${metric.toUpperCase()}: ${ply} plies so far. Other positions stay usable.`;
    });
    events.addEventListener("done", () => (events.close(), isHere() && show(fen, "none")));
    events.addEventListener("failed", (event) => {
      events.close();
      if (isHere()) line.textContent = JSON.parse(event.data).error;
    });
  }

  // Moves.

  const moveTo = (from, to) =>
    [...panel.querySelectorAll("li[data-uci]")].filter((m) => m.dataset.uci.startsWith(from + to));

  const best = () => panel.querySelector("li[data-fen]");

  /** Plays a move of the list. */
  function play(move) {
    if (!move) return;
    if (playing?.moved(move)) return;
    show(move.dataset.fen);
  }

  board.addEventListener("drop", ({ detail: { from, to, man } }) => {
    const legal = from && to ? moveTo(from, to) : [];
    // Of promotions the best comes first.
    if (view.mode === "play" && legal.length) return play(legal[0]);
    if (playing) return board.setAttribute("fen", view.fen);
    edit((men) => {
      if (from) men.delete(from);
      if (to) place(men, to, man);
    });
  });
  board.addEventListener("put", ({ detail: { square, man } }) =>
    edit((men) => (man ? place(men, square, man) : men.delete(square))));
  board.addEventListener("pick", ({ detail: { square } }) => {
    if (brush === null) return;
    edit((men) => (brush ? place(men, square, brush) : men.delete(square)));
  });

  /** Puts a man on a square; a king moves there. */
  function place(men, square, man) {
    if (man.toLowerCase() === "k") for (const [at, other] of men) if (other === man) men.delete(at);
    men.set(square, man);
  }

  function edit(change) {
    const { men, turn } = parse(view.fen);
    change(men);
    show(write(men, turn));
  }

  const swapCase = (man) => (isWhite(man) ? man.toLowerCase() : man.toUpperCase());
  const actions = {
    turn: () => show(write(parse(view.fen).men, parse(view.fen).turn === "w" ? "b" : "w")),
    flip: () => {
      board.toggleAttribute("flipped");
      view.flip = board.flipped ? "1" : "";
      history.replaceState({ fen: view.fen }, "", `/?${parameters(view.fen)}`);
      heatMap();
    },
    clear: () => edit((men) => { for (const [at, man] of men) if (man.toLowerCase() !== "k") men.delete(at); }),
    mirror: () => edit((men) => {
      const old = [...men];
      men.clear();
      for (const [at, man] of old) men.set("hgfedcba"["abcdefgh".indexOf(at[0])] + at[1], man);
    }),
    swap: () => {
      const { men, turn } = parse(view.fen);
      const old = [...men];
      men.clear();
      for (const [at, man] of old) men.set(at[0] + (9 - Number(at[1])), swapCase(man));
      show(write(men, turn === "w" ? "b" : "w"));
    },
    undo: () => history.back(),
    best: () => play(best()),
    copy: () => navigator.clipboard?.writeText(view.fen),
    link: () => navigator.clipboard?.writeText(location.href),
  };

  // What stands below the board, for those with scripts.
  let brush = null;
  const tools = document.querySelector("#tools");
  tools.innerHTML = `
    <p class="spare" aria-label="Spare men"></p>
    <p>
      <button data-action="turn" id="turn">White to move</button>
      <button data-action="flip" title="f">flip</button>
      <button data-action="clear">clear</button>
      <button data-action="mirror">mirror</button>
      <button data-action="swap">swap colours</button>
    </p>
    <p>
      <button data-action="undo" title="backspace">‹ back</button>
      <button data-action="best" title="space">best move ›</button>
      <button data-action="copy">copy FEN</button>
      <button data-action="link">copy link</button>
    </p>
    <div id="game"></div>`;
  tools.hidden = false;
  document.querySelector(".turn").hidden = true;
  const turnButton = tools.querySelector("#turn");
  const spare = tools.querySelector(".spare");
  for (const man of "KQRBNPkqrbnp") {
    const button = document.createElement("button");
    button.dataset.man = man;
    button.title = manName(man);
    const image = new Image(28, 28);
    image.src = picture(man);
    image.alt = manName(man);
    image.draggable = false;
    button.append(image);
    button.addEventListener("pointerdown", (event) => event.button === 0 && board.lift(event, man, null));
    button.addEventListener("click", () => {
      brush = brush === man ? null : man;
      for (const other of spare.children) other.classList.toggle("chosen", other.dataset.man === brush);
    });
    spare.append(button);
  }

  document.addEventListener("click", (event) => {
    const action = event.target.closest("[data-action]");
    if (action) return actions[action.dataset.action]();
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const move = link.closest("li[data-uci]");
    const set = (name, value) => ((view[name] = value), kept.clear(), show(view.fen, "replace"));
    if (move) play(move);
    else if (link.dataset.fen) show(link.dataset.fen);
    else if (link.dataset.order) set("order", link.dataset.order);
    else if (link.dataset.units) set("units", link.dataset.units);
    else if ("free" in link.dataset) set("free", link.dataset.free);
    else if ("play" in link.dataset) playing = setUpPlay({ board, panel, view, show, address, end: () => (playing = null) });
    else return;
    event.preventDefault();
  });

  const point = (event) => board.arrow(event.target.closest?.("li[data-uci]")?.dataset.uci);
  panel.addEventListener("pointerover", point);
  panel.addEventListener("pointerleave", () => board.arrow());
  panel.addEventListener("focusin", point);

  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && !event.target.closest("a, button")) actions.best();
    else if (event.key === "Backspace") actions.undo();
    else if (event.key === "f") actions.flip();
    else return;
    event.preventDefault();
  });

  document.querySelector("form.fen").addEventListener("submit", (event) => {
    event.preventDefault();
    show(fenBox.value);
  });
  window.addEventListener("popstate", (event) => show(event.state?.fen ?? view.fen, "none"));
  history.replaceState({ fen: view.fen }, "");
  after();
  ahead();
}
