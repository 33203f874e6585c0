// Playing a position out against the tables.

const POINTS = { win: 2, "maybe-win": 2, "cursed-win": 1, draw: 1, "blessed-loss": 1, "maybe-loss": 0, loss: 0 };
const OPPOSITE = { win: "loss", loss: "win", draw: "draw", "cursed-win": "blessed-loss", "blessed-loss": "cursed-win",
  "maybe-win": "maybe-loss", "maybe-loss": "maybe-win" };

/** What a move did, from the position before it and the move's own entry. */
export function judge(before, entry) {
  const [had, has] = [POINTS[before.category], POINTS[OPPOSITE[entry.category]]];
  const lost = had - has;
  if (lost === 2) return "That throws away a full point.";
  if (lost === 1) return "That throws away half a point.";
  const best = before.moves[0];
  const behind = Math.abs(entry.dtm ?? 0) - Math.abs(best.dtm ?? 0);
  const slower = Math.ceil(Math.abs(behind) / 2);
  if (had === 2) return slower ? `The win is kept; ${slower} ${slower === 1 ? "move" : "moves"} slower than the best.` : "Perfect.";
  return had === 1 ? "The draw is kept." : slower ? "There was a longer defence." : "The longest defence.";
}

export function setUpPlay({ board, panel, view, show, address, end }) {
  const game = document.querySelector("#game");
  const moves = [];
  const start = view.fen;
  let style = "longest";
  let hints = 0;
  let busy = false;
  game.innerHTML = `
    <p><strong>You play.</strong> <span id="judgement" role="status" aria-live="polite">Make your move.</span></p>
    <p>
      <label>Defence <select id="style"><option value="longest">longest</option><option value="trickiest">trickiest</option></select></label>
      <button id="hint">hint</button> <button id="stop">stop</button>
    </p>
    <p id="score"></p>`;
  const said = game.querySelector("#judgement");
  const score = game.querySelector("#score");
  panel.classList.add("secret");
  game.querySelector("#style").addEventListener("change", (event) => (style = event.target.value));
  game.querySelector("#hint").addEventListener("click", hint);
  game.querySelector("#stop").addEventListener("click", stop);
  board.focus();

  const position = (fen) => fetch(`/api/v1/position?fen=${address(fen)}`).then((answer) => answer.json());

  /** The man first, the square second. */
  function hint() {
    const uci = panel.querySelector("li[data-uci]")?.dataset.uci;
    if (!uci) return;
    hints++;
    if (hints % 2) board.mark("hinted", [uci.slice(0, 2)]);
    else board.arrow(uci);
  }

  function stop() {
    panel.classList.remove("secret");
    board.mark("hinted");
    board.arrow();
    end();
    const tags = `[SetUp "1"]\n[FEN "${start}"]\n\n`;
    said.textContent = "";
    game.innerHTML = `<p>Played: <code id="played"></code></p><p><a id="pgn" download="game.pgn">PGN</a></p>`;
    game.querySelector("#played").textContent = moves.join(" ");
    game.querySelector("#pgn").href = URL.createObjectURL(new Blob([tags + moves.join(" ") + " *\n"]));
  }

  async function answer(uci) {
    busy = true;
    try {
      const before = await position(view.fen);
      const entry = before.moves.find((m) => m.uci === uci);
      moves.push(entry.san);
      const verdict = judge(before, entry);
      said.textContent = verdict;
      score.textContent = moves.join(" ");
      board.mark("hinted");
      hints = 0;
      if (entry.checkmate || entry.stalemate) {
        await show(panel.querySelector(`li[data-uci="${uci}"]`).dataset.fen);
        said.textContent = entry.checkmate ? "Mate. Well played." : "Stalemate: a draw.";
        stop();
        game.insertAdjacentHTML("afterbegin", `<p><strong>${entry.checkmate ? "Mate." : "Stalemate."}</strong></p>`);
        return;
      }
      const after = panel.querySelector(`li[data-uci="${uci}"]`).dataset.fen;
      const reply = await fetch(`/api/v1/reply?fen=${address(after)}&style=${style}`).then((r) => r.json());
      if (!reply.uci) return show(after);
      moves.push(reply.san);
      score.textContent = moves.join(" ");
      await show(reply.fen);
      said.textContent = `${verdict} ${reply.san} was the answer.`;
      board.mark("last", [reply.uci.slice(0, 2), reply.uci.slice(2, 4)]);
    } finally {
      busy = false;
    }
  }

  return {
    /** Takes a move of the reader's; the panel then shows the position after the answer. */
    moved(move) {
      if (!busy) answer(move.dataset.uci);
      return true;
    },
    shown() {},
  };
}
