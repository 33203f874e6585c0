// The page of a position: the board, what is said of it, and going from one to
// the next. The server renders what is said; here it is fetched and put in.

import "./board.js";
import { setUpEditor } from "./editor.js";
import { address, isWhite, manName, parse, picture, write } from "./fen.js";
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
  };
  const kept = new Map(); // pieces of the page, fetched ahead
  let asked = 0; // the number of the last position asked for
  let depth = history.state?.depth ?? 0; // how far one can go back
  let last = null; // the move that led here
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
      const text = fetch(url).then((answer) => {
        if (answer.status >= 500) kept.delete(url);
        return answer.text();
      });
      kept.set(url, text);
      const isPassing = (html) => !html || html.includes("data-solving"); // until the table is solved
      text.then((html) => isPassing(html) && kept.delete(url), () => kept.delete(url));
    }
    return kept.get(url);
  }

  /** Shows a position; `how` is what to do with the history of addresses. */
  async function show(fen, how = "push", move = null) {
    if (how !== "replace") last = move;
    view.fen = fen;
    fenBox.value = fen;
    board.setAttribute("fen", fen);
    const state = { fen, move: last };
    if (how === "push") history.pushState({ ...state, depth: ++depth }, "", `/?${parameters(fen)}`);
    if (how === "replace") history.replaceState({ ...state, depth }, "", `/?${parameters(fen)}`);
    const number = ++asked;
    // Both are asked for at once. What stands below is hidden, not shoved about, until it is
    // that of this position.
    const below = () => piece("more", fen).catch(() => "");
    const rest = below();
    try {
      const html = await piece("panel", fen);
      if (number !== asked) return; // another position was asked for meanwhile
      panel.innerHTML = html;
      more.classList.add("stale");
      shown();
    } catch {
      if (number === asked) panel.innerHTML = `<p class="verdict trouble">The service does not answer.</p>`;
      return;
    }
    const text = (await rest) || (await below());
    if (number !== asked) return;
    more.innerHTML = text;
    more.classList.remove("stale");
    ahead();
  }

  /** What follows once the panel is there. */
  function shown() {
    const answer = panel.querySelector(".answer");
    board.mark("check", answer?.dataset.check ? [answer.dataset.check] : []);
    board.mark("wrong", answer?.dataset.wrong?.split(" ").filter(Boolean) ?? []);
    board.mark("last", last ? [last.slice(0, 2), last.slice(2, 4)] : []);
    board.arrow();
    const title = panel.querySelector(".verdict")?.textContent;
    if (title) document.title = `${title.split(". ")[0].replace(/\.$/, "")} · Molien`;
    editor.shown();
    freeMen();
    heatMap();
    watchSolve();
  }

  /** Fetches what the best moves lead to. */
  function ahead() {
    for (const move of [...panel.querySelectorAll("li[data-fen]")].slice(0, 3)) piece("panel", move.dataset.fen);
  }

  // The free man.

  const FROM_KING = "kqrbnp";

  function freeMen() {
    const kinds = [...new Set(parse(view.fen).men.values())];
    kinds.sort((a, b) => isWhite(b) - isWhite(a) || FROM_KING.indexOf(a.toLowerCase()) - FROM_KING.indexOf(b.toLowerCase()));
    const choices = kinds.map((man) => {
      const link = Object.assign(document.createElement("a"), { className: "choice", href: "#" });
      link.dataset.free = man;
      link.title = `The value of every square for the ${manName(man)}`;
      if (man === view.free) link.setAttribute("aria-current", "true");
      const image = new Image(24, 24);
      image.src = picture(man);
      image.alt = manName(man);
      link.append(image);
      return link;
    });
    const free = document.querySelector("#free");
    free.replaceChildren("Free man: ", ...choices);
    if (view.free) free.insertAdjacentHTML("beforeend", `<a class="choice" href="#" data-free="">off</a>`);
  }

  const KINDS = { win: "win", "maybe-win": "cursed", "cursed-win": "cursed", draw: "draw",
    "blessed-loss": "blessed", "maybe-loss": "blessed", loss: "loss" };

  /** The board as a heat map, if a man is left free. */
  async function heatMap() {
    const fen = view.fen;
    const { men, turn } = parse(fen);
    const from = [...men].find(([, man]) => man === view.free)?.[0];
    if (!from) return board.heat();
    men.delete(from);
    const metric = view.order;
    const url = `/api/v1/free?fen=${address(write(men, turn))}&man=${view.free}&metric=${metric}`;
    const found = await fetch(url).then((answer) => answer.json()).catch(() => ({}));
    if (fen !== view.fen || !found.squares) return;
    const values = {};
    for (const [square, value] of Object.entries(found.squares)) {
      const plies = Math.abs(value[metric] ?? 0);
      const depth = view.units === "plies" ? plies : Math.ceil(plies / 2);
      const sign = value.category.includes("win") ? "+" : "−";
      values[square] = [KINDS[value.category], value.category === "draw" ? "=" : sign + depth];
    }
    board.heat(values, from);
  }

  /** Listens to a solve and shows the position once it is done. */
  function watchSolve() {
    const state = panel.querySelector("[data-solving]");
    if (!state) return;
    const fen = view.fen;
    const events = new EventSource(`/api/v1/solve?material=${state.dataset.solving}`);
    const line = panel.querySelector("#progress");
    const isHere = () => view.fen === fen || (events.close(), false);
    const again = () => (events.close(), isHere() && show(fen, "none", last));
    events.addEventListener("queued", () => isHere() && (line.textContent = "Others come first. You can look at other positions meanwhile."));
    events.addEventListener("solving", (event) => {
      const { material, metric, ply } = JSON.parse(event.data);
      if (isHere()) line.textContent = `${material}, ${metric.toUpperCase()}: ${ply} plies so far. You can look at other positions meanwhile.`;
    });
    events.addEventListener("done", again);
    events.addEventListener("failed", (event) => {
      events.close();
      if (isHere()) line.textContent = JSON.parse(event.data).error;
    });
  }

  // Moves.

  const best = () => panel.querySelector("li[data-fen]");

  /** Plays a move of the list. */
  function play(move) {
    if (!move) return;
    if (playing) playing.moved(move);
    else show(move.dataset.fen, "push", move.dataset.uci);
  }

  board.addEventListener("drop", ({ detail: { from, to, man } }) => {
    const legal = [...panel.querySelectorAll("li[data-uci]")].filter((m) => from && to && m.dataset.uci.startsWith(from + to));
    if (legal.length) return play(legal[0]); // of promotions the best comes first
    if (playing) return board.setAttribute("fen", view.fen);
    editor.edit((men) => {
      if (from) men.delete(from);
      if (to) editor.place(men, to, man);
    });
  });
  board.addEventListener("put", ({ detail: { square, man } }) =>
    playing || editor.edit((men) => (man ? editor.place(men, square, man) : men.delete(square))));
  board.addEventListener("pick", ({ detail: { square } }) => {
    if (playing) return;
    if (editor.brush) return editor.edit((men) => editor.place(men, square, editor.brush));
    const from = [...parse(view.fen).men].find(([, man]) => man === view.free)?.[0];
    if (from && board.cell(square).querySelector(".heat")) {
      editor.edit((men) => (men.delete(from), men.set(square, view.free)));
    }
  });

  const actions = {
    undo: () => depth > 0 && history.back(),
    best: () => play(best()),
    flip: () => {
      board.toggleAttribute("flipped");
      view.flip = board.flipped ? "1" : "";
      history.replaceState({ fen: view.fen, move: last, depth }, "", `/?${parameters(view.fen)}`);
      shown();
    },
  };
  const editor = setUpEditor({ board, view, show, actions });

  document.addEventListener("click", (event) => {
    const action = event.target.closest("[data-action]");
    if (action) return actions[action.dataset.action](action);
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const move = link.closest("li[data-uci]");
    const set = (name, value) => ((view[name] = value), show(view.fen, "replace"));
    if (move) play(move);
    else if (link.dataset.fen) playing || show(link.dataset.fen);
    else if (link.dataset.order) set("order", link.dataset.order);
    else if (link.dataset.units) set("units", link.dataset.units);
    else if ("free" in link.dataset) set("free", link.dataset.free);
    else if ("play" in link.dataset) playing = setUpPlay({ board, panel, view, show, end: () => (playing = null) });
    else return;
    event.preventDefault();
  });

  // What is pointed at is drawn, with the answer to it once that is known.
  let pointed = null;
  async function point(event) {
    const move = event.target.closest?.("li[data-uci]");
    if (pointed === move || playing) return;
    pointed = move;
    board.arrow(move?.dataset.uci);
    if (!move) return;
    const html = await piece("panel", move.dataset.fen).catch(() => "");
    const answer = /data-uci="([^"]*)"/.exec(html)?.[1];
    if (pointed === move && move.isConnected && answer) board.arrow(move.dataset.uci, answer);
  }
  panel.addEventListener("pointerover", point);
  panel.addEventListener("focusin", point);
  panel.addEventListener("pointerleave", () => ((pointed = null), board.arrow()));
  panel.addEventListener("focusout", () => ((pointed = null), board.arrow()));

  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && !event.target.closest("a, button")) actions.best();
    else if (event.key === "Backspace" && !playing) actions.undo();
    else if (event.key === "f") actions.flip();
    else return;
    event.preventDefault();
  });

  document.querySelector("form.fen").addEventListener("submit", (event) => {
    event.preventDefault();
    show(fenBox.value);
  });
  window.addEventListener("popstate", ({ state }) => {
    depth = state?.depth ?? 0;
    show(state?.fen ?? view.fen, "none", state?.move ?? null);
  });
  last = history.state?.fen === view.fen ? history.state.move : null;
  history.replaceState({ fen: view.fen, move: last, depth }, "");
  shown();
  ahead();
}
