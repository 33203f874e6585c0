"""Files of learnt contexts, read as FORMAT.md and docs/coding.md describe them, a cell at a time: slow and short."""
import struct

import zstandard

from read_mol import METRICS, Input, Table, attacks, is_rule_draw, xxhash

GROUP, STRETCH = 1 << 14, 64
STEPS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1), (-2, 0), (0, -2), (2, 0), (0, 2)]
NEIGHBOURS = [(s, (0, 0)) for s in STEPS] + [((0, 0), s) for s in STEPS] \
    + [(s, s) for s in STEPS[:4]] + [(STEPS[i], STEPS[(i + 2) % 4]) for i in range(4)]
NEAREST = [0, 1, 2, 3, 12, 13, 14, 15]
DEEP_NEAR = list(range(8)) + list(range(12, 20))
LEVELS = [8192, 6126, 4581, 3425, 2561, 1915, 1432, 1071, 801, 599, 448, 335, 250, 187, 140, 105, 78, 59, 44, 33, 24, 18,
          14, 11, 9, 7, 6, 5, 4, 3, 2, 1]
ANSWERS = {"near": 6, "best": 6, "worst": 6, "other": 6, "other near": 6, "promise": 6, "row phase": 3, "column phase": 3,
           "attacks": 2, "file": 8, "rank": 8, "dark": 2, "loose": 2, "distance": 8, "files": 15, "ranks": 15,
           "king steps": 9, "class": 5, "step": 26, "predicted": 48, "spread": 14, "known": 9, "earlier": 48,
           "earlier step": 26, "line": 26, "worst line": 26, "middle": 26}
LINES = {"R": [(1, 0), (0, 1)], "B": [(1, 1), (-1, 1)], "Q": [(1, 0), (0, 1), (1, 1), (-1, 1)]}


def phase(square):
    file, rank = square & 1, square >> 3 & 1
    return 2 if file != rank else file


def quarter(square):
    return [0, 2, 3, 1][(square & 1) + 2 * (square >> 3 & 1)]


def moved(square, step):
    file, rank = square % 8 + step[0], square // 8 + step[1]
    return rank * 8 + file if 0 <= file < 8 and 0 <= rank < 8 else None


def questions(men, stage, earlier=False, sliders=()):
    """The questions of a stage; men is their number, sliders those among row (0) and column man (1)."""
    found = [("near", i) for i in range(32)] + [("best",), ("worst",)]
    if stage == "second":
        found += [("other",)] + [("other near", i) for i in range(12, 20)] + [("promise", m) for m in range(3)]
    if stage == "depth":
        found += [("class",), ("predicted",), ("spread",), ("known",)] + [("step", i) for i in DEEP_NEAR]
        found += [(what, m) for m in sliders for what in ("line", "worst line")] + ([("middle",)] if sliders else [])
        found += [("earlier",), ("earlier step",)] if earlier else []
    found += [("row phase",), ("column phase",)]
    found += [("attacks", a, b) for a in range(men) for b in range(men) if a != b]
    for a in range(men):
        found += [("file", a), ("rank", a), ("dark", a), ("loose", a)]
        found += [(what, a, b) for b in range(a) for what in ("distance", "files", "ranks")]
    return found + [("king steps", True), ("king steps", False)]


class BitReader:
    def __init__(self, data):
        self.data, self.at, self.range, self.code, self.contexts = data, 4, 2 ** 32 - 1, 0, {}
        for i in range(4):
            self.code = self.code << 8 | (data[i] if i < len(data) else 0)

    def bit(self, context):
        p = self.contexts.get(context, 2048)
        bound = (self.range >> 12) * p
        if self.code < bound:
            bit, self.range, self.contexts[context] = 0, bound, p + (4096 - p >> 4)
        else:
            bit, self.range, self.contexts[context] = 1, self.range - bound, p - (p >> 4)
            self.code -= bound
        while self.range < 1 << 24:
            byte = self.data[self.at] if self.at < len(self.data) else 0
            self.range, self.code, self.at = self.range << 8, self.code << 8 | byte, self.at + 1
        return bit

    def number(self, bits, context):
        value = 1
        for _ in range(bits):
            value = value << 1 | self.bit((context, value))
        return value - (1 << bits)

    def below(self, limit, context):
        value = self.number((limit - 1).bit_length(), context)
        assert value < limit
        return value


class Model:
    def __init__(self, data, asked, alphabet):
        self.asked, self.bits, self.count = asked, BitReader(data), 0
        self.tree = self.node(0)
        self.leaves = [self.leaf(alphabet) for _ in range(self.count)]

    def node(self, depth):
        if not self.bits.bit(("split", min(depth, 31))):
            self.count += 1
            return self.count - 1
        number = self.bits.below(len(self.asked), ("question", depth <= 5))
        answers = ANSWERS[self.asked[number][0]]
        threshold = self.bits.below(answers - 1, ("threshold", answers))
        yes = self.node(depth + 1)
        return self.asked[number], threshold, yes, self.node(depth + 1)

    def leaf(self, alphabet):
        """Intervals: start, size, symbol."""
        bits, found, before = self.bits, [], 0
        likeliest = bits.below(alphabet, "likeliest")
        for symbol in range(alphabet):
            if symbol != likeliest:
                before = bits.bit(("occurs", symbol, before))
                if before:
                    found.append((bits.number(5, ("level", min(len(found), 2))), symbol))
        start = 16384 - sum(LEVELS[level] for level, _ in found)
        assert start >= 1
        intervals = [(0, start, likeliest)]
        for level, symbol in sorted(found):
            intervals.append((start, LEVELS[level], symbol))
            start += LEVELS[level]
        return intervals

    def find(self, answer):
        node = self.tree
        while isinstance(node, tuple):
            question, threshold, yes, no = node
            node = yes if answer(question) <= threshold else no
        return self.leaves[node]


def rising(f, count, last):
    low = max((last // max(count, 1)).bit_length() - 1, 0)
    data = f.take((count * (low + 1) + (last >> low) + 7) // 8)
    at, high, found = count * low, 0, []
    for i in range(count):
        while not data[at // 8] >> at % 8 & 1:
            high, at = high + 1, at + 1
        at += 1
        lows = sum((data[j // 8] >> j % 8 & 1) << j - i * low for j in range(i * low, i * low + low))
        found.append(high << low | lows)
    return found


class Symbols:
    """The symbols of a stream."""
    def __init__(self, data):
        self.data, self.at, self.state = data, 0, 0
        self.fill()

    def fill(self):
        while self.state < 1 << 23 and self.at < len(self.data):
            self.state, self.at = self.state << 8 | self.data[self.at], self.at + 1

    def take(self, intervals):
        if len(intervals) == 1:
            return intervals[0][2]
        rest = self.state % 16384
        start, size, symbol = next(i for i in intervals if i[0] <= rest < i[0] + i[1])
        self.state = size * (self.state >> 14) + rest - start
        self.fill()
        return symbol

    def low_bits(self, bits):
        size = 16384 >> bits
        return self.take([(i * size, size, i) for i in range(1 << bits)])


class Section:
    """Models and index of classes or depths."""
    def __init__(self, table, front, data, metric=None):
        f, self.data, self.table = Input(front), data, table
        self.side, self.cut = f.number("B") == 0, f.number("B")
        men = len(table.all_men(0, 0))
        if metric is None:
            stages = ["base"] if table.symmetric else ["base", "second"]
            lengths = [f.number("I") for _ in stages]
            self.models = [Model(f.take(n), questions(men, stage), 5) for n, stage in zip(lengths, stages)]
        else:
            self.lists, self.first = [], []
            for _ in range(2):
                count, first = f.number("H"), f.number("H")
                depths, depth = [], 0
                for _ in range(count):
                    step = f.number("B")
                    depth += f.number("H") if step == 255 else step
                    depths.append(depth)
                self.lists.append(depths)
                self.first.append(first)
            earlier = table.metrics[metric]["reference"] != 255
            asked = questions(men, "depth", earlier, [m for m, man in table.tile_men() if man.upper() in LINES])
            self.models = [Model(f.take(f.number("I")), asked, symbols) for symbols in (32, 64)]
        count, last, length = f.number("I"), f.number("Q"), f.number("Q")
        self.starts, self.ends = rising(f, count, last), rising(f, count, length)
        assert f.at == len(front) and length == len(data)
        self.per_tile = 4 if self.cut == 0 and table.rows > 1 else 1
        self.decoded = {}

    def stream(self, segment):
        """The bytes of a segment's stream and the segments it holds."""
        number = max(i for i, start in enumerate(self.starts) if start <= segment)
        begin, end = (self.ends[number - 1] if number else 0), self.ends[number]
        if begin == end:
            return b"", [segment]
        part, stretch = self.table.part_tiles * self.per_tile, STRETCH * self.per_tile
        start = self.starts[number]
        stop = start - start % part + min((start % part // stretch + 1) * stretch, part)
        after = self.starts[number + 1] if number + 1 < len(self.starts) else stop
        return self.data[begin:end], list(range(start, min(after, stop)))

    def rows(self, segment):
        count = self.table.rows
        rows = range(count) if self.per_tile == 1 else range(segment % 4 * 16, segment % 4 * 16 + 16)
        return sorted(rows, key=lambda r: (phase(r), r))

    def batches(self, segment, side, of=phase, wanted=None):
        """Rows with the columns of their batches that are stored."""
        tile = self.table.tile(*divmod(segment // self.per_tile, self.table.part_tiles))
        stored = {divmod(cell, 64) for cell in tile[1][side]} if tile else set()
        for row in self.rows(segment):
            for p in range(4):
                columns = [c for c in range(64) if of(c) == p and (row, c) in stored]
                yield row, [c for c in columns if wanted is None or wanted((row, c))]

    def segment_of(self, tile, row):
        return tile * self.per_tile + (row // 16 if self.per_tile == 4 else 0)


class Cell:
    """Answers about a cell."""
    def __init__(self, section, segment, side, at, known, other=None, deep=None):
        self.table, self.side, self.at, self.known, self.other, self.deep = section.table, side, at, known, other, deep
        self.rows = set(section.rows(segment))
        self.men = self.table.all_men(*divmod(segment // section.per_tile, self.table.part_tiles))
        squares = ([at[0]] if self.table.rows > 1 else []) + [at[1]]
        self.men = self.men[:-len(squares)] + [(m, s) for (m, _), s in zip(self.men[-len(squares):], squares)]
        self.occupied = {s for _, s in self.men}

    def neighbour(self, number):
        row_step, column_step = NEIGHBOURS[number]
        if self.table.rows == 1 and row_step != (0, 0):
            return None
        row, column = moved(self.at[0], row_step), moved(self.at[1], column_step)
        return (row, column) if row in self.rows and column is not None else None

    def near(self):
        found = [self.known.get(self.neighbour(i)) for i in NEAREST]
        return [c for c in found if c is not None]

    def reach(self, man, occupied=None):
        return set(attacks(*self.men[man], self.occupied if occupied is None else occupied))

    def promise(self, place):
        row = self.table.rows > 1
        man = len(self.men) - (1 if place == 1 else 2)
        if place == 0 and not row or self.men[man][0].isupper() != self.side:
            return 0
        to = self.reach(man) - self.occupied
        cells = [(self.at[0], s) for s in to] if place == 1 else [(s, self.at[1]) for s in to if s in self.rows]
        return max((5 - self.other[c] for c in cells if c in self.other), default=0)

    def answer(self, question):
        kind, a, b = (*question, None, None)[:3]
        man = (lambda i: self.men[i][1])
        if kind == "near":
            return self.known.get(self.neighbour(a), 5)
        if kind in ("best", "worst"):
            return (max if kind == "best" else min)(self.near(), default=5)
        if kind in ("other", "other near"):
            return self.other.get(self.at if kind == "other" else self.neighbour(a), 5)
        if kind == "promise":
            return self.promise(a) if a < 2 else max(self.promise(0), self.promise(1))
        if kind in ("row phase", "column phase"):
            return phase(self.at[kind == "column phase"])
        if kind == "attacks":
            return int(man(b) in self.reach(a))
        if kind in ("file", "rank"):
            return man(a) % 8 if kind == "file" else man(a) // 8
        if kind == "dark":
            return int((man(a) % 8 + man(a) // 8) % 2 == 0)
        if kind == "loose":
            hit = [m.isupper() for i, (m, _) in enumerate(self.men) if i != a and man(a) in self.reach(i)]
            own = self.men[a][0].isupper()
            return int((not own) in hit and own not in hit)
        if kind in ("distance", "files", "ranks"):
            files, ranks = man(a) % 8 - man(b) % 8, man(a) // 8 - man(b) // 8
            return {"distance": max(abs(files), abs(ranks)), "files": 7 + files, "ranks": 7 + ranks}[kind]
        if kind == "king steps":
            king = next(i for i, (m, _) in enumerate(self.men) if m == ("K" if a else "k"))
            without = self.occupied - {man(king)}
            free = self.reach(king, without) - {s for m, s in self.men if m.isupper() == a}
            return len(free.difference(*(self.reach(i, without) for i, (m, _) in enumerate(self.men) if m.isupper() != a)))
        return self.deep[kind, a] if (kind, a) in self.deep else self.deep[kind]


def cut(step):
    return max(-12, min(12, step)) + 12


def rough(depth):
    return min(depth if depth < 24 else 24 + (depth - 24) // 4, 47)


class PackedTable(Table):
    def __init__(self, path):
        self.data = data = open(path, "rb").read()
        magic, version, zero, meta_len, raw_len, zero2, groups, file_len, sums_sum, zero3, head_sum = \
            struct.unpack("<8sHHIIIQQQQQ", data[:64])
        assert magic == b"MOLIEN\x1a\n" and version == 5 and zero == zero2 == zero3 == 0 and file_len == len(data)
        body = 64 + meta_len + 8 * groups
        if xxhash:
            assert xxhash.xxh3_64_intdigest(data[:56] + data[64:body]) == head_sum
            for i, expected in enumerate(struct.unpack(f"<{groups}Q", data[64 + meta_len:body])):
                group = data[body + i * GROUP:body + (i + 1) * GROUP]
                assert xxhash.xxh3_64_intdigest(group, seed=i) == expected
        self.tiles_seen, self.sections, self.body = {}, {}, body
        self.describe(Input(zstandard.ZstdDecompressor().decompress(data[64:64 + meta_len], raw_len)))

    def describe(self, f):
        self.material, self.writer, self.men = f.text(), f.text(), f.text()
        self.base, flags = f.number("B") == 0, f.number("B")
        self.fifty, self.derived = flags & 1, {0: None, 2: True, 4: False}[flags & ~1]
        self.placements = f.list(lambda: (f.number("Q"), f.number("Q")))
        self.metrics = f.list(lambda: self.metric(f))
        aliases = f.list(lambda: (f.number("B"), f.number("B")))
        self.lengths = f.list(lambda: (f.number("Q"), f.number("Q")))
        self.place = {METRICS[m["id"]]: i for i, m in enumerate(self.metrics)}
        self.place.update({METRICS[metric]: stored for metric, stored in aliases})
        self.pawns = "P" in self.material
        if not self.pawns and "dtc" in self.place:
            self.place["dtz"] = self.place["dtc"]
        white, black = self.material.split("v")
        self.symmetric = white == black
        self.outer = max(len(self.men) - 2, 0)
        self.in_tile = self.men[self.outer:]
        self.rows = 64 if len(self.in_tile) > 1 else 1
        self.part_tiles = (1 if self.pawns else 462) * 64 ** self.outer

    def metric(self, f):
        metric = {"id": f.number("B"), "reference": f.number("B")}
        self.statistics(f)
        return metric

    def all_men(self, part, tile):
        """The men of a tile in the order of questions, row and column man on a1."""
        found = self.tile(part, tile)
        fixed = found[0] if found else [(m, 0) for m in self.men[:self.outer]] + \
            [(m, 0) for m in (self.pawn_letters() if self.pawns else "Kk")]
        return fixed + [(m, 0) for m in self.in_tile]

    def tile_men(self):
        """Row man (0) and column man (1)."""
        return list(enumerate(self.in_tile, 2 - len(self.in_tile)))

    def pawn_letters(self):
        white, black = self.material.split("v")
        return "P" * white.count("P") + "p" * black.count("P")

    def section(self, number, metric=None):
        if number not in self.sections:
            start = self.body + sum(map(sum, self.lengths[:number]))
            front, data = self.lengths[number]
            self.sections[number] = Section(self, self.data[start:start + front],
                                            self.data[start + front:start + front + data], metric)
        return self.sections[number]

    def classes(self, tile, row, side):
        """The classes of a segment with a side to move."""
        section = self.section(0)
        wanted = section.segment_of(tile, row)
        if (wanted, side) not in section.decoded:
            data, segments = section.stream(wanted)
            symbols = Symbols(data)
            for number in range(len(section.models)):
                turn = self.base if number == 0 else not self.base
                for segment in segments:
                    other = section.decoded.get((segment, not turn))
                    section.decoded[segment, turn] = self.read_classes(section, number, segment, turn, symbols, other)
            if data:
                assert symbols.state == 0 and symbols.at == len(data)
        return section.decoded[wanted, side]

    def read_classes(self, section, number, segment, turn, symbols, other):
        known = {}
        for row, columns in section.batches(segment, turn):
            cells = [(row, c) for c in columns]
            leaves = [section.models[number].find(Cell(section, segment, turn, at, known, other).answer) for at in cells]
            known.update({at: symbols.take(leaf) for at, leaf in zip(cells, leaves)})
        return known

    def sides(self, metric):
        """The sides to move whose depths are stored in the metric at a place."""
        name = METRICS[self.metrics[metric]["id"]]
        both = [self.base] if self.symmetric else [self.base, not self.base]
        derived = self.derived if name != "dtm50" else None
        return [side for side in both if side != derived] if name != "wdl" else []

    def depths(self, metric, tile, row, side):
        """Depths in plies of a segment with a side to move."""
        before = sum(len(self.sides(i)) for i in range(metric))
        section = self.section(1 + before + self.sides(metric).index(side), metric)
        wanted = section.segment_of(tile, row)
        if wanted not in section.decoded:
            data, segments = section.stream(wanted)
            symbols = Symbols(data)
            for segment in segments:
                section.decoded[segment] = self.read_depths(section, metric, segment, side, symbols)
            if data:
                assert symbols.state == 0 and symbols.at == len(data)
        return section.decoded[wanted]

    def read_depths(self, section, metric, segment, side, symbols):
        tile, row = segment // section.per_tile, section.rows(segment)[0]
        classes, reference = self.classes(tile, row, side), self.metrics[metric]["reference"]
        earlier = self.depths(reference, tile, row, side) if reference != 255 else None
        places, depths = {}, {}
        for row, columns in section.batches(segment, side, quarter, lambda at: classes[at] != 2):
            found, news = [], {}
            for at in ((row, c) for c in columns):
                sign = int(classes[at] < 2)
                cell = Cell(section, segment, side, at, classes)
                cell.deep, predicted = self.about_depth(cell, sign, places, section, classes, earlier)
                found.append((at, sign, predicted, cell, section.models[0].find(cell.answer)))
            for at, sign, predicted, cell, leaf in found:
                symbol = symbols.take(leaf)
                if symbol == 31:
                    bits = max(max(len(section.lists[sign]) - 1, 0).bit_length() - 6, 0)
                    place = symbols.take(section.models[1].find(cell.answer)) << bits
                    place |= symbols.low_bits(bits)
                else:
                    place = predicted + (symbol // 2 if symbol % 2 == 0 else -(symbol + 1) // 2)
                depths[at] = section.lists[sign][place]
                news[at] = sign, place
                if len(set(self.in_tile)) < len(self.in_tile) and at[1] in cell.rows:
                    news[at[1], at[0]] = sign, place
            places.update(news)
        return depths

    def about_depth(self, cell, sign, places, section, classes, earlier):
        """The answers about depths, and the predicted place."""
        known = {i: cell.neighbour(i) for i in DEEP_NEAR}
        known = {i: at for i, at in known.items() if at in places and places[at][0] == sign}
        nearest = [at for i, at in known.items() if i in NEAREST]
        used = nearest or list(known.values())
        values = sorted(places[at][1] for at in used)
        middle = values[len(values) // 2] if values else section.first[sign]
        lines = {m: self.lines(cell, m, man, sign, places) for m, man in self.tile_men()}
        predicted = self.along_lines(lines, sign == 0, cell.side, middle) if earlier is None else middle
        deep = {"class": classes[cell.at], "predicted": rough(predicted), "known": len(nearest),
                "spread": min(values[-1] - values[0], 12) if values else 13}
        for i in DEEP_NEAR:
            deep["step", i] = cut(places[known[i]][1] - predicted) if i in known else 25
        for m, line in lines.items():
            deep["line", m] = cut(line[0] - predicted) if line else 25
            deep["worst line", m] = cut(line[1] - predicted) if line else 25
        deep["middle"] = cut(middle - predicted)
        if earlier is not None:
            here = earlier[cell.at]
            others = sorted(earlier[at if at in earlier else at[::-1]] for at in used)
            deep["earlier"] = rough(here)
            deep["earlier step"] = cut(here - others[len(others) // 2]) if others else 25
        return deep, predicted

    def lines(self, cell, m, man, sign, places):
        """The places along the best and the worst line of row or column man."""
        wins, found = (man.isupper() == cell.side) == (sign == 0), []
        fixed = {s for _, s in cell.men[:-len(self.in_tile)]}
        for step in LINES.get(man.upper(), []):
            line = []
            for way in (1, -1):
                square = moved(cell.at[m], (way * step[0], way * step[1]))
                while square is not None and square not in fixed:
                    line.append((square, cell.at[1]) if m == 0 else (cell.at[0], square))
                    square = moved(square, (way * step[0], way * step[1]))
            line = [places[at][1] for at in line if at in places and places[at][0] == sign]
            found += [max(line) if wins else min(line)] if line else []
        found.sort(reverse=not wins)
        return (found[0], found[-1]) if found else None

    def along_lines(self, lines, mover_wins, side, otherwise):
        """The predicted place."""
        best = {True: [], False: []}
        for m, man in self.tile_men():
            if lines[m]:
                best[(man.isupper() == side) == mover_wins].append(lines[m][0])
        return min(best[True]) if best[True] else max(best[False], default=otherwise)

    def value(self, men, white, metric):
        if self.symmetric and not white:
            men, white = [(m.swapcase(), s ^ 56) for m, s in men], True
        part, tile, cell, men = self.locate(men)
        at, tile = divmod(cell, 64), part * self.part_tiles + tile
        found = self.classes(tile, at[0], white)[at]
        if metric == "wdl":
            return ["loss 2", "loss 102", "draw", "win 101", "win 1"][found]
        if found == 2:
            return "draw"
        if white not in self.sides(self.place[metric]):
            return f"{'win' if found > 2 else 'loss'}, depth not stored"
        depth = self.depths(self.place[metric], tile, at[0], white)[at]
        if is_rule_draw(metric, depth):
            return "draw"
        return f"{'win' if found > 2 else 'loss'} {depth}"
