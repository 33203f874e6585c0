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

METRICS = ["dtm", "dtc", "dtz", "dtz50", "wdl", "dtm50"]
LOSS, DRAW, WIN = 0, 1, 2
STEPS = {"r": [(1, 0), (-1, 0), (0, 1), (0, -1)], "b": [(1, 1), (1, -1), (-1, 1), (-1, -1)],
         "n": [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]}
STEPS["q"] = STEPS["k"] = STEPS["r"] + STEPS["b"]


def ray(square, df, dr, far):
    file, rank, found = square % 8 + df, square // 8 + dr, []
    while 0 <= file < 8 and 0 <= rank < 8 and (far or not found):
        found.append(rank * 8 + file)
        file, rank = file + df, rank + dr
    return found


RAYS = {(man, s): [ray(s, df, dr, man in "qrb") for df, dr in steps] for man, steps in STEPS.items() for s in range(64)}
PAWN = {"P": [(-1, 1), (1, 1)], "p": [(-1, -1), (1, -1)]}
RAYS.update({(man, s): [ray(s, df, dr, False) for df, dr in steps] for man, steps in PAWN.items() for s in range(64)})


def attacks(man, square, occupied):
    """The squares a man attacks."""
    for squares in RAYS[man if man in "Pp" else man.lower(), square]:
        for s in squares:
            yield s
            if s in occupied:
                break


def transform(square, flip_files, flip_ranks, diagonal):
    file, rank = square % 8, square // 8
    file, rank = (7 - file if flip_files else file), (7 - rank if flip_ranks else rank)
    return file * 8 + rank if diagonal else rank * 8 + file


SYMMETRIES = [(f, r, d) for d in (0, 1) for r in (0, 1) for f in (0, 1)]
LEFT_RIGHT, DIAGONAL = (1, 0, 0), (0, 0, 1)
SQUARES = [(s % 8, s // 8) for s in range(64)]
CLASSES = [(white, black) for white, (wf, wr) in enumerate(SQUARES) for black, (bf, br) in enumerate(SQUARES)
           if wf <= 3 and wr <= wf and (wf != wr or br <= bf) and max(abs(wf - bf), abs(wr - br)) > 1]


def image(symmetry, men):
    return [(man, transform(square, *symmetry)) for man, square in men]


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
        magic, version, zero, meta_len, raw_len, zero2, self.blocks, file_len, records_sum, date, head_sum = \
            struct.unpack("<8sHHIIIQQQQQ", data[:64])
        assert magic == b"MOLIEN\x1a\n" and version in (2, 3) and zero == zero2 == 0 and file_len == len(data)
        assert version == 2 or date == 0  # reserved since version 3
        front = 64 + meta_len + 8 * self.blocks
        if xxhash:
            assert xxhash.xxh3_64_intdigest(data[:56] + data[64:front]) == head_sum
        self.offsets = struct.unpack(f"<{self.blocks}Q", data[64 + meta_len:front]) + (file_len,)
        self.describe(Input(zstandard.ZstdDecompressor().decompress(data[64:64 + meta_len], raw_len)))
        self.tiles_seen, self.blocks_seen = {}, {}

    def describe(self, f):
        self.material, self.writer, self.men = f.text(), f.text(), f.text()
        self.base = f.number("B") == 1  # whether White is the base side
        self.king_moves, self.order, self.tiles = f.number("B"), f.number("B"), f.number("H")
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
        self.in_tile = self.men[self.outer:]
        self.rows = 64 if len(self.in_tile) > 1 else 1
        self.part_tiles = (1 if self.pawns else 462) * 64 ** self.outer
        self.part_blocks = -(-self.part_tiles // self.tiles)
        assert self.blocks == self.part_blocks * len(self.placements)

    def metric(self, f):
        metric = {"id": f.number("B"), "reference": f.number("B")}
        metric["lists"] = [dict(zip((WIN, LOSS), (f.list(lambda: f.number("i")) for _ in range(2)))) for _ in range(2)]
        self.statistics(f)
        return metric

    def statistics(self, f):
        for _ in range(2):
            f.take(32)
            for _ in range(2):
                f.list(lambda: f.take(16))
            for _ in range(2):
                if f.text():
                    f.take(2)
        f.take(48)

    def assign(self, men):
        """Squares of the placed men in file order, like men rising."""
        left = {man: sorted(s for m, s in men if m == man) for man in self.men}
        return [left[man].pop(0) for man in self.men]

    def locate(self, men):
        """Part, tile, cell of a position and the image that is stored there."""
        def sets(men, kinds):
            return tuple(sum(1 << s for m, s in men if m == kind) for kind in kinds)
        if self.pawns:
            men = min(men, image(LEFT_RIGHT, men), key=lambda men: sets(men, "Pp"))
            part, number, mirror, kinds = self.placements.index(sets(men, "Pp")), 0, LEFT_RIGHT, "Pp"
        else:
            def kings(men):
                return tuple(s for k in "Kk" for m, s in men if m == k)
            men = next(m for m in (image(s, men) for s in SYMMETRIES) if kings(m) in CLASSES)
            part, number, mirror, kinds = 0, CLASSES.index(kings(men)), DIAGONAL, "Kk"
        other = image(mirror, men)
        if sets(other, kinds) == sets(men, kinds) and self.assign(other) < self.assign(men):
            men = other
        squares, cell = self.assign(men), 0
        for square in squares[:self.outer]:
            number = number * 64 + square
        for square in squares[self.outer:]:
            cell = cell * 64 + square
        return part, number, cell, men

    def tile(self, part, tile):
        """The fixed men of a tile and the stored cells of White and Black to move; None if it has no cells."""
        if (part, tile) in self.tiles_seen:
            return self.tiles_seen[part, tile]
        fixed = [(man, tile >> 6 * (self.outer - 1 - i) & 63) for i, man in enumerate(self.men[:self.outer])]
        if self.pawns:
            rest = [(pawn, s) for pawn, squares in zip("Pp", self.placements[part]) for s in range(64) if squares >> s & 1]
        else:
            rest = list(zip("Kk", CLASSES[tile >> 6 * self.outer]))
        mirror = LEFT_RIGHT if self.pawns else DIAGONAL
        mirror = mirror if sorted(image(mirror, rest)) == sorted(rest) else None
        fixed += rest
        stored, some, like = {True: [], False: []}, False, len(set(self.men)) < len(self.men)
        for cell in range(self.rows * 64):
            men = fixed + list(zip(self.in_tile, [cell // 64, cell % 64][-len(self.in_tile):]))
            if len({s for _, s in men}) < len(men):
                continue
            if like or mirror:
                squares = [s for m, s in fixed[:self.outer] + men[len(fixed):]]
                if squares != self.assign(men) or mirror and self.assign(image(mirror, men)) < squares:
                    continue
            some = True
            for side in self.legal(men):
                stored[side].append(cell)
        self.tiles_seen[part, tile] = (fixed, stored) if some else None
        return self.tiles_seen[part, tile]

    def legal(self, men):
        """The sides to move (True for White) with which the position is legal."""
        occupied = {square for _, square in men}
        kings = {m: s for m, s in men if m in "Kk"}
        hit = {m.isupper() for m, s in men if kings["k" if m.isupper() else "K"] in attacks(m, s, occupied)}
        return [side for side in (True, False) if side not in hit]

    def captures(self, fixed):
        """The captures of the predicted side's tile men: place of the man in the tile, victim's square (None: the other man)."""
        found = []
        for i, man in enumerate(self.in_tile):
            if man.isupper() != self.base:
                def prey(v):
                    return v.isupper() == self.base and v not in "Kk"
                found += [(i, s) for v, s in fixed if prey(v)]
                found += [(i, None) for j, v in enumerate(self.in_tile) if j != i and prey(v)]
        return found

    def block(self, part, tile):
        number = part * self.part_blocks + tile // self.tiles
        if number not in self.blocks_seen:
            self.blocks_seen[number] = self.open_block(number, part, tile // self.tiles * self.tiles)
        return self.blocks_seen[number]

    def open_block(self, number, part, first):
        record = self.data[self.offsets[number]:self.offsets[number + 1]]
        if xxhash:
            assert xxhash.xxh3_64_intdigest(record[:-8], seed=number) == struct.unpack("<Q", record[-8:])[0]
        f = Input(record)
        lengths = [f.number("H") for _ in range(2 + 2 * len(self.metrics))]
        block = {"streams": [f.take(n) for n in lengths], "raw": {}, "hint": {}}
        tiles = [t for t in range(first, min(first + self.tiles, self.part_tiles)) if self.tile(part, t)]
        for side in (True, False):
            cells = [(t, cell) for t in tiles for cell in self.tile(part, t)[1][side]]
            cells.sort(key=lambda tc: (tc[1] // 64, tc[0], tc[1]) if self.order else tc)
            block[side] = {tc: rank for rank, tc in enumerate(cells)}
        for t in tiles:
            for k, _ in enumerate(self.captures(self.tile(part, t)[0])):
                for s in range(64 if len(self.in_tile) > 1 else 1):
                    block["hint"][t, k, s] = len(block["hint"])
        outcomes = self.stream(block, 0, (len(block[self.base]) + 3) // 4)
        block["base"] = [byte // 3 ** i % 3 for byte in outcomes for i in range(4)][:len(block[self.base])]
        hints = (len(block["hint"]) + 3) // 4
        data = self.stream(block, 1, hints + (len(block[not self.base]) + 3) // 4)
        block["hints"] = [byte >> 2 * i & 3 for byte in data[:hints] for i in range(4)]
        block["better"] = [byte // 3 ** i % 3 for byte in data[hints:] for i in range(4)]
        return block

    def stream(self, block, i, length):
        if i not in block["raw"]:
            data = block["streams"][i]
            if len(data) < 2:
                block["raw"][i] = data * length
            else:
                dictionary = zstandard.ZstdCompressionDict(self.dictionaries[i]) if self.dictionaries[i] else None
                block["raw"][i] = zstandard.ZstdDecompressor(dict_data=dictionary).decompress(data, max_output_size=length)
        return block["raw"][i]

    def symbol(self, block, place, side, at, count):
        lists = self.metrics[place]["lists"][0 if side else 1]
        width = 1 if max(map(len, lists.values())) < 256 else 2
        data = self.stream(block, 2 + 2 * place + (side != self.base), count * width)
        return data[at] + (256 * data[count + at] if width == 2 else 0), lists

    def base_value(self, part, tile, cell, place):
        """Outcome and depth with the base side to move; None if the cell is not stored."""
        block = self.block(part, tile)
        rank = block[self.base].get((tile, cell))
        if rank is None:
            return None
        outcomes = block["base"]
        outcome = outcomes[rank]
        if outcome == DRAW:
            return DRAW, 0
        at = outcomes[:rank].count(outcome) + (outcomes.count(WIN) if outcome == LOSS else 0)
        symbol, lists = self.symbol(block, place, self.base, at, outcomes.count(WIN) + outcomes.count(LOSS))
        depth, reference = lists[outcome][symbol], self.metrics[place]["reference"]
        if reference != 255:
            depth += self.base_value(part, tile, cell, reference)[1]
        return outcome, depth

    def predicted_value(self, part, tile, cell, men, place):
        """The same with the predicted side to move."""
        block, side = self.block(part, tile), not self.base
        rank, cells, hints = block[side][tile, cell], len(block[side]), block["hints"]
        decided = len([h for h in hints if h in (LOSS + 1, WIN + 1)])
        found = []
        occupied = {s for _, s in men}
        last = [cell // 64, cell % 64][-len(self.in_tile):]
        movers = list(zip(self.in_tile, last))
        movers += [(m, s) for m, s in men if self.king_moves and m in "Kk"]
        for man, start in movers:
            if man.isupper() == side:
                for to in attacks(man, start, occupied):
                    moved = [(m, to if s == start else s) for m, s in men]
                    if to not in occupied and self.base in self.legal(moved):
                        outcome, depth = self.base_value(*self.locate(moved)[:3], place)
                        found.append((2 - outcome, depth + 1))
        for k, (i, victim) in enumerate(self.captures(self.tile(part, tile)[0])):
            other = last[1 - i] if len(last) > 1 else 0
            hint = block["hint"][tile, k, other]
            if hints[hint] and (other if victim is None else victim) in attacks(self.in_tile[i], last[i], occupied):
                outcome, depth = hints[hint] - 1, 0
                if outcome != DRAW:
                    at = len([h for h in hints[:hint] if h in (LOSS + 1, WIN + 1)])
                    symbol, lists = self.symbol(block, place, side, at, decided + cells)
                    depth = lists[outcome][symbol]
                found.append((outcome, depth))
        best = max(found, key=lambda v: (v[0], -v[1] if v[0] == WIN else v[1]), default=(LOSS, None))
        outcome = (best[0] + block["better"][rank]) % 3
        if outcome == DRAW:
            return DRAW, 0
        symbol, lists = self.symbol(block, place, side, decided + rank, decided + cells)
        return (outcome, lists[outcome][symbol - 1]) if symbol else best

    def probe(self, fen, metric):
        board, turn = fen.split()[:2]
        men, square = [], 56
        for letter in board:
            if letter == "/":
                square -= 16
            elif letter.isdigit():
                square += int(letter)
            else:
                men.append((letter, square))
                square += 1
        white = turn == "w"
        rank = {man: i for i, man in enumerate("KQRBNP")}
        own = "v".join("".join(sorted((m.upper() for m, _ in men if m.isupper() == side), key=rank.get))
                       for side in (True, False))
        if own != self.material:
            men, white = [(m.swapcase(), s ^ 56) for m, s in men], not white
        return self.value(men, white, metric)

    def value(self, men, white, metric):
        part, tile, cell, men = self.locate(men)
        place = self.place[metric]
        if white == self.base:
            outcome, depth = self.base_value(part, tile, cell, place)
        else:
            outcome, depth = self.predicted_value(part, tile, cell, men, place)
        if outcome == DRAW or is_rule_draw(metric, depth):
            return "draw"
        return f"{'loss' if outcome == LOSS else 'win'} {depth}"


def is_rule_draw(metric, depth):
    """Whether a depth stands for a draw by the 50-move rule (section 6)."""
    return metric == "dtm50" and depth >= 2046


def open_table(path):
    with open(path, "rb") as file:
        version = file.read(10)[8]
    if version < 4:
        return Table(path)
    from read_packed import PackedTable
    return PackedTable(path)


if __name__ == "__main__":
    table = open_table(sys.argv[1])
    for line in sys.stdin:
        print(",".join(table.probe(line, metric) for metric in sys.argv[2].split(",")))
