#!/usr/bin/env python3
"""Reads a .mol table: an independent reader, written from FORMAT.md alone.

usage: read_mol.py FILE METRICS < FENs > values   (metrics such as dtm,dtc)

Prints for each FEN and metric "win N", "draw" or "loss N", metrics separated by commas. Needs the package zstandard; checksums are
verified if the package xxhash is there.
"""
import struct
import sys

import zstandard

try:
    import xxhash
except ImportError:
    xxhash = None

METRICS = ["dtm", "dtc", "dtz", "dtz50"]
STEPS = {"r": [(1, 0), (-1, 0), (0, 1), (0, -1)], "b": [(1, 1), (1, -1), (-1, 1), (-1, -1)],
         "n": [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]}
STEPS["q"] = STEPS["k"] = STEPS["r"] + STEPS["b"]


def attacks(man, square, occupied):
    """The squares a man attacks."""
    file, rank, found = square % 8, square // 8, []
    steps = [(-1, 1), (1, 1)] if man == "P" else [(-1, -1), (1, -1)] if man == "p" else STEPS[man.lower()]
    for df, dr in steps:
        f, r = file + df, rank + dr
        while 0 <= f < 8 and 0 <= r < 8:
            found.append(r * 8 + f)
            if man.lower() not in "qrb" or r * 8 + f in occupied:
                break
            f, r = f + df, r + dr
    return found


def is_white(man):
    return man.isupper()


def transform(square, flip_files, flip_ranks, diagonal):
    file, rank = square % 8, square // 8
    file, rank = (7 - file if flip_files else file), (7 - rank if flip_ranks else rank)
    return file * 8 + rank if diagonal else rank * 8 + file


SYMMETRIES = [(f, r, d) for d in (0, 1) for r in (0, 1) for f in (0, 1)]


def king_classes():
    pairs = []
    for white in range(64):
        for black in range(64):
            (wf, wr), (bf, br) = (white % 8, white // 8), (black % 8, black // 8)
            if wf <= 3 and wr <= wf and (wf != wr or br <= bf) and max(abs(wf - bf), abs(wr - br)) > 1:
                pairs.append((white, black))
    return pairs


CLASSES = king_classes()


class Input:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, code):
        return struct.unpack("<" + code, self.take(struct.calcsize(code)))[0]

    def text(self):
        return self.take(self.number("B")).decode()

    def list(self, entry):
        return [entry() for _ in range(self.number("I"))]


class Table:
    def __init__(self, path):
        self.data = data = open(path, "rb").read()
        magic, version, zero, meta_len, raw_len, zero2, self.blocks, file_len, records_sum, _, head_sum = \
            struct.unpack("<8sHHIIIQQQQQ", data[:64])
        assert magic == b"MOLIEN\x1a\n" and version == 1 and zero == zero2 == 0 and file_len == len(data)
        front = 64 + meta_len + 8 * self.blocks
        if xxhash:
            assert xxhash.xxh3_64_intdigest(data[:56] + data[64:front]) == head_sum
        self.offsets = struct.unpack(f"<{self.blocks}Q", data[64 + meta_len:front]) + (file_len,)
        self.describe(Input(zstandard.ZstdDecompressor().decompress(data[64:64 + meta_len], raw_len)))
        self.cache = {}

    def describe(self, f):
        self.material, self.program, self.men = f.text(), f.text(), f.text()
        self.base_white, self.order, self.tiles = f.number("B") == 1, f.number("B"), f.number("H")
        self.placements = f.list(lambda: (f.number("Q"), f.number("Q")))
        self.metrics = f.list(lambda: self.metric(f))
        aliases = f.list(lambda: (f.number("B"), f.number("B")))
        self.dictionaries = f.list(lambda: f.take(f.number("I")))
        self.place = {METRICS[m["id"]]: i for i, m in enumerate(self.metrics) if m["reference"] != 254}
        self.place.update({METRICS[metric]: stored for metric, stored in aliases})
        self.pawns = "P" in self.material
        if not self.pawns and "dtc" in self.place:
            self.place["dtz"] = self.place["dtc"]
        self.outer = max(len(self.men) - 2, 0)
        self.rows = 64 if len(self.men) > 1 else 1
        self.part_tiles = (1 if self.pawns else 462) * 64 ** self.outer
        self.part_blocks = -(-self.part_tiles // self.tiles)
        assert self.blocks == self.part_blocks * len(self.placements)

    def metric(self, f):
        metric = {"id": f.number("B"), "reference": f.number("B")}
        metric["lists"] = [[f.list(lambda: f.number("i")) for _ in range(3)] for _ in range(2)]
        for _ in range(2):
            f.take(32)
            metric["histograms"] = [f.list(lambda: f.take(16)) for _ in range(2)]
            for _ in range(2):
                if f.text():
                    f.take(2)
        f.take(48)
        return metric

    def assign(self, squares):
        """Squares of the placed men in file order, like men rising; squares: man -> sorted list."""
        left = {man: sorted(found) for man, found in squares.items()}
        return [left[man].pop(0) for man in self.men]

    def locate(self, men):
        """(part, tile, cell) of a position given as a list of (man, square)."""
        def image(symmetry, men):
            return [(man, transform(square, *symmetry)) for man, square in men]

        def by_man(men):
            found = {}
            for man, square in men:
                found.setdefault(man, []).append(square)
            return found
        if self.pawns:
            def sets(men):
                return tuple(sum(1 << s for m, s in men if m == pawn) for pawn in "Pp")
            men = min(men, image((1, 0, 0), men), key=sets)
            part, number, mirror = self.placements.index(sets(men)), 0, (1, 0, 0)
            both = sets(image(mirror, men)) == sets(men)
        else:
            def kings(men):
                return tuple(s for k in "Kk" for m, s in men if m == k)
            men = next(m for m in (image(s, men) for s in SYMMETRIES) if kings(m) in CLASSES)
            part, number, mirror = 0, CLASSES.index(kings(men)), (0, 0, 1)
            both = kings(image(mirror, men)) == kings(men)
        squares = self.assign(by_man(men))
        if both:
            squares = min(squares, self.assign(by_man(image(mirror, men))))
        for square in squares[:self.outer]:
            number = number * 64 + square
        cell = 0
        for square in squares[self.outer:]:
            cell = cell * 64 + square
        return part, number, cell

    def fixed(self, part, tile):
        """The fixed men of a tile, outer men first, then pawns or kings, and the mirror that maps it to itself."""
        digits = [tile >> 6 * (self.outer - 1 - i) & 63 for i in range(self.outer)]
        men = list(zip(self.men, digits))
        if self.pawns:
            for pawn, squares in zip("Pp", self.placements[part]):
                men += [(pawn, s) for s in range(64) if squares >> s & 1]
            mine = [(man, s) for man, s in men[self.outer:]]
            mirror = (1, 0, 0)
        else:
            mine = list(zip("Kk", CLASSES[tile >> 6 * self.outer]))
            men += mine
            mirror = (0, 0, 1)
        own = sorted(mine) == sorted((man, transform(s, *mirror)) for man, s in mine)
        return men, mirror if own else None

    def cells(self, part, tile):
        """The cells of a tile with men on different squares, like men rising, not a second image."""
        fixed, mirror = self.fixed(part, tile)
        found = []
        for cell in range(self.rows * 64):
            last = [cell // 64, cell % 64][-len(self.men):]
            men = fixed + list(zip(self.men[self.outer:], last))
            squares = [s for _, s in fixed[:self.outer]] + last
            if len({s for _, s in men}) < len(men):
                continue
            by_man = {}
            for man, square in zip(self.men, squares):
                by_man.setdefault(man, []).append(square)
            if any(found_squares != sorted(found_squares) for found_squares in by_man.values()):
                continue
            if mirror and self.assign({m: [transform(s, *mirror) for s in f] for m, f in by_man.items()}) < squares:
                continue
            found.append((cell, men))
        return found

    def legal(self, men, white_to_move):
        occupied = {square for _, square in men}
        king = next(s for m, s in men if m == ("k" if white_to_move else "K"))
        return not any(king in attacks(m, s, occupied) for m, s in men if is_white(m) == white_to_move)

    def stream(self, streams, i, length):
        data = streams[i]
        if len(data) < 2:
            return data * length if data else b""
        dictionary = zstandard.ZstdCompressionDict(self.dictionaries[i]) if self.dictionaries[i] else None
        return zstandard.ZstdDecompressor(dict_data=dictionary).decompress(data, max_output_size=length)

    def block(self, number):
        if number not in self.cache:
            self.cache[number] = self.decode(number)
        return self.cache[number]

    def decode(self, number):
        """[outcomes, depths by place of the metric], both {(white to move, tile, cell): value}."""
        record = self.data[self.offsets[number]:self.offsets[number + 1]]
        if xxhash:
            assert xxhash.xxh3_64_intdigest(record[:-8], seed=number) == struct.unpack("<Q", record[-8:])[0]
        f = Input(record)
        lengths = [f.number("H") for _ in range(2 + 2 * len(self.metrics))]
        streams = [f.take(n) for n in lengths]
        part, first = number // self.part_blocks, number % self.part_blocks * self.tiles
        tiles = range(first, min(first + self.tiles, self.part_tiles))
        base = self.base_white
        placements = {(t, cell): men for t in tiles for cell, men in self.cells(part, t)}
        scan = sorted(placements, key=lambda tc: (tc[1] // 64, tc[0], tc[1]) if self.order else tc)
        stored = {side: [tc for tc in scan if self.legal(placements[tc], side)] for side in (True, False)}

        def unpack(data):
            return [byte // 3 ** i % 3 for byte in data for i in range(4)]
        outcome = {}
        data = unpack(self.stream(streams, 0, (len(stored[base]) + 3) // 4))
        outcome.update({(base, *tc): o for tc, o in zip(stored[base], data)})
        # Moves inside the tiles.
        captures = {}  # (tile, number of the capture, s) -> cells
        quiet = {tc: [] for tc in placements}
        hint_order = []
        like = self.rows == 64 and self.men[-1] == self.men[-2]
        in_tile = self.men[self.outer:]
        for t in sorted({t for t, _ in placements}):
            fixed, _ = self.fixed(part, t)
            kinds = []
            for i, man in enumerate(in_tile):
                if is_white(man) != base:
                    prey = [(v, s) for v, s in fixed if is_white(v) == base and v not in "Kk"]
                    other = [v for j, v in enumerate(in_tile) if j != i and is_white(v) == base and v not in "Kk"]
                    kinds += [(i, s) for _, s in prey] + [(i, None) for _ in other]
            for k, (i, _) in enumerate(kinds):
                squares = 64 if len(in_tile) > 1 else 1
                hint_order += [(t, k, s) for s in range(squares)]
            for (tt, cell), men in placements.items():
                if tt != t:
                    continue
                occupied = {s for _, s in men}
                last = [cell // 64, cell % 64][-len(in_tile):]
                for i, man in enumerate(in_tile):
                    if is_white(man) == base:
                        continue
                    reach = attacks(man, last[i], occupied)
                    for to in reach:
                        if to not in occupied:
                            after = last[:i] + [to] + last[i + 1:]
                            for after in [after] + ([after[::-1]] if like else []):
                                key = after[0] * 64 + after[1] if len(after) > 1 else after[0]
                                if (base, t, key) in outcome:
                                    quiet[t, cell].append((base, t, key))
                    other = last[1 - i] if len(last) > 1 else 0
                    for k, (mover, victim) in enumerate(kinds):
                        if mover == i and (other if victim is None else victim) in reach:
                            captures.setdefault((t, k, other), []).append((t, cell))
        hint_bytes = (len(hint_order) + 7) // 8
        data = self.stream(streams, 1, hint_bytes + (len(stored[not base]) + 3) // 4)
        wins = [h for i, h in enumerate(hint_order) if data[i // 8] >> i % 8 & 1]
        known = {tc for h in wins for tc in captures.get(h, [])}
        known |= {tc for tc, moves in quiet.items() if any(outcome[m] == 0 for m in moves)}
        rest = iter(unpack(data[hint_bytes:]))
        outcome.update({(not base, *tc): 2 if tc in known else next(rest) for tc in stored[not base]})
        # Depths.
        depths = []
        for place, metric in enumerate(self.metrics):
            depth = {}
            depths.append(depth)
            if metric["reference"] == 254:
                continue
            for side in (base, not base):
                lists = metric["lists"][0 if side else 1]
                width = 1 if max(map(len, lists)) < 256 else 2
                decided = [(o, (side, *tc)) for o in (2, 0) for tc in stored[side] if outcome[(side, *tc)] == o]
                count = len(decided) + (len(wins) if side != base else 0)
                data = self.stream(streams, 2 + 2 * place + (side != base), count * width)
                symbols = list(data[:count]) if width == 1 else [a + 256 * b for a, b in zip(data[:count], data[count:])]
                predicted = {}
                if side != base:
                    for h, symbol in zip(wins, symbols):
                        for tc in captures.get(h, []):
                            predicted[tc] = min(predicted.get(tc, 9999), lists[2][symbol])
                    symbols = symbols[len(wins):]
                for (o, key), symbol in zip(decided, symbols):
                    shift = 0 if metric["reference"] == 255 else depths[metric["reference"]][key]
                    if side == base:
                        depth[key] = lists[0 if o else 1][symbol] + shift
                    elif symbol:
                        depth[key] = lists[0 if o else 1][symbol - 1] + shift
                    elif o:
                        moves = [depth[m] + 1 for m in quiet[key[1:]] if outcome[m] == 0]
                        depth[key] = min(moves + [predicted.get(key[1:], 9999)])
                    else:
                        depth[key] = max(depth[m] + 1 for m in quiet[key[1:]])
        return outcome, depths

    def get(self, fen, metric):
        board, turn = fen.split()[:2]
        men, white = [], turn == "w"
        for rank, row in enumerate(board.split("/")):
            file = 0
            for letter in row:
                if letter.isdigit():
                    file += int(letter)
                else:
                    men.append((letter, (7 - rank) * 8 + file))
                    file += 1
        own = "v".join("".join(sorted((m.upper() for m, _ in men if is_white(m) == side), key="KQRBNP".index))
                       for side in (True, False))
        if own != self.material:
            men, white = [(m.swapcase(), s ^ 56) for m, s in men], not white
        part, tile, cell = self.locate(men)
        outcome, depths = self.block(part * self.part_blocks + tile // self.tiles)
        key = (white, tile, cell)
        if outcome[key] == 1:
            return "draw"
        return ("win" if outcome[key] else "loss") + f" {depths[self.place[metric]][key]}"


if __name__ == "__main__":
    table = Table(sys.argv[1])
    for line in sys.stdin:
        print(",".join(table.get(line, metric) for metric in sys.argv[2].split(",")))
