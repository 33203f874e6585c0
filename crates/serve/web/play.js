// Playing a position out against the tables.

import { address, parse } from "./fen.js";

const POINTS = { win: 2, "maybe-win": 2, "cursed-win": 1, draw: 1, "blessed-loss": 1, "maybe-loss": 0, loss: 0 };

const plural = (number, one) => `${number} ${one}${number === 1 ? "" : "s"}`;

/** What a move did, from the position before it and the move's own entry: how
 * many half points it lost, how many moves, and that in words. */
export function judge(before, entry) {
  // The entry's class is the opponent's.
  const had = POINTS[before.category];
  const halves = had - (2 - POINTS[entry.category]);
  if (halves > 0) return { halves, slower: 0, text: `That throws away ${halves === 2 ? "a full point" : "half a point"}.` };
  const behind = Math.abs(entry.dtm ?? 0) - Math.abs(before.moves[0].dtm ?? 0);
  const slower = had === 1 ? 0 : Math.ceil(Math.abs(behind) / 2);
  const text = {
    2: slower ? `You keep the win, but lose ${plural(slower, "move")}.` : "Perfect.",
    1: "You keep the draw.",
    0: slower ? `There was a longer defence, by ${plural(slower, "move")}.` : "The longest defence.",
  }[had];
  return { halves: 0, slower, text };
}

const TEMPLATE = `
  <p><strong>You play <span id="side"></span>.</strong> <span id="judgement" role="status" aria-live="polite">Make your move.</span></p>
  <p>
    <label>Defence <select id="style"><option value="longest">longest</option><option value="trickiest">trickiest</option></select></label>
    <button id="hint">hint</button> <button id="stop">stop</button>
  </p>
  <p id="score"></p>`;

export function setUpPlay({ board, panel, view, show, end }) {
  const game = document.querySelector("#game");
  const { turn, number } = parse(view.fen);
  const start = view.fen;
  const moves = []; // in SAN, from the start
  const judged = [];
  let hints = 0;
  let shownHints = 0; // of this move: first the man, then the square
  let busy = false;
  game.innerHTML = TEMPLATE;
  game.querySelector("#side").textContent = turn === "w" ? "White" : "Black";
  const said = game.querySelector("#judgement");
  const score = game.querySelector("#score");
  panel.classList.add("secret");
  game.querySelector("#hint").addEventListener("click", hint);
  game.querySelector("#stop").addEventListener("click", () => stop("Stopped."));
  game.scrollIntoView({ block: "nearest" });

  const get = (path) => fetch(path).then((answer) => answer.json());

  function hint() {
    const uci = panel.querySelector("li[data-uci]")?.dataset.uci;
    if (!uci || busy) return;
    if (shownHints++ === 0) {
      hints++;
      board.mark("hinted", [uci.slice(0, 2)]);
    } else board.arrow(uci);
  }

  /** The moves with their numbers. */
  function text() {
    let at = Number(number) || 1;
    let white = turn === "w";
    return moves.map((san, i) => {
      const before = white ? `${at}. ` : i === 0 ? `${at}... ` : "";
      if (!white) at++;
      white = !white;
      return before + san;
    }).join(" ");
  }

  function stop(how, result = "*") {
    panel.classList.remove("secret");
    board.mark("hinted");
    board.arrow();
    end();
    const halves = judged.reduce((sum, one) => sum + one.halves, 0);
    const slower = judged.reduce((sum, one) => sum + one.slower, 0);
    const perfect = judged.filter((one) => !one.halves && !one.slower).length;
    const report = [`${perfect} of ${plural(judged.length, "move")} perfect`];
    if (slower) report.push(`${plural(slower, "move")} lost`);
    if (halves) report.push(`${plural(halves, "half point")} thrown away`);
    if (hints) report.push(plural(hints, "hint"));
    game.innerHTML = `<p role="status"><strong id="end"></strong> <span id="report"></span></p><p id="score"></p><p><a id="pgn" download="game.pgn">PGN</a></p>`;
    game.querySelector("#end").textContent = how;
    game.querySelector("#report").textContent = judged.length ? `${report.join(", ")}.` : "";
    game.querySelector("#score").textContent = text();
    const tags = `[Event "Against the tables"]\n[SetUp "1"]\n[FEN "${start}"]\n[Result "${result}"]\n\n`;
    game.querySelector("#pgn").href = URL.createObjectURL(new Blob([`${tags}${text()} ${result}\n`]));
  }

  /** Ends the game if the position is the last one. */
  function over(after, winner) {
    if (after.checkmate) stop(winner === turn ? "Mate. Well played." : "You are mated.", winner === "w" ? "1-0" : "0-1");
    else if (after.stalemate) stop("Stalemate: a draw.", "1/2-1/2");
    else if (Number(parse(view.fen).clock) >= 100) stop("A draw by the 50-move rule.", "1/2-1/2");
    else return false;
    return true;
  }

  async function answer(move) {
    const { uci, fen: after } = move.dataset;
    const before = await get(`/api/v1/position?fen=${address(view.fen)}`);
    const entry = before.moves.find((one) => one.uci === uci);
    judged.push(judge(before, entry));
    moves.push(entry.san);
    shownHints = 0;
    board.mark("hinted");
    said.textContent = judged.at(-1).text;
    await show(after, "push", uci);
    if (over(entry, turn)) return;
    const style = game.querySelector("#style").value;
    const reply = await get(`/api/v1/reply?fen=${address(after)}&style=${style}`);
    moves.push(reply.san);
    score.textContent = text();
    await show(reply.fen, "replace", reply.uci);
    board.mark("last", [reply.uci.slice(0, 2), reply.uci.slice(2, 4)]);
    if (over(await get(`/api/v1/position?fen=${address(reply.fen)}`), turn === "w" ? "b" : "w")) return;
    said.textContent = `${judged.at(-1).text} The answer is ${reply.san}.`;
  }

  return {
    /** Takes a move of the reader's; the panel then shows the position after the answer. */
    moved(move) {
      if (busy) return;
      busy = true;
      answer(move)
        .catch(() => (said.textContent = "The service does not answer: try the move again."))
        .finally(() => (busy = false));
    },
  };
}
