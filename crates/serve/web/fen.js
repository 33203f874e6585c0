// Positions as the board has them: a Map from square names to letters.

export const FILES = "abcdefgh";

/** The men, the side to move and the other fields of a FEN. */
export function parse(fen) {
  const [board = "", turn = "w", , passant = "-", clock = "0", number = "1"] = fen.trim().split(/[ _]+/);
  const men = new Map();
  board.split("/").forEach((text, row) => {
    let file = 0;
    for (const sign of text) {
      if (/[1-8]/.test(sign)) file += Number(sign);
      else men.set(FILES[file++] + (8 - row), sign);
    }
  });
  return { men, turn, passant, clock, number };
}

/** The FEN of men and a side to move. */
export function write(men, turn, clock = 0, number = 1) {
  const rows = [];
  for (let rank = 8; rank >= 1; rank--) {
    let text = "";
    let gap = 0;
    for (const file of FILES) {
      const man = men.get(file + rank);
      if (!man) gap++;
      else {
        text += (gap || "") + man;
        gap = 0;
      }
    }
    rows.push(text + (gap || ""));
  }
  return `${rows.join("/")} ${turn} - - ${clock} ${number}`;
}

/** A FEN in an address. */
export const address = (fen) => fen.trim().replace(/\s+/g, "_");

const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };

export const isWhite = (man) => man === man.toUpperCase();
export const manName = (man) => `${isWhite(man) ? "white" : "black"} ${NAMES[man.toLowerCase()]}`;
export const picture = (man) => `/men/${isWhite(man) ? "w" : "b"}${man.toUpperCase()}.svg`;
