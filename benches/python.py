#!/usr/bin/env python3
"""How fast stored tables are read from Python.

    benches/python.py FOLDER KRPKR KRBKR ...

The folder holds these tables in DTM and DTZ50. Prints the rate of probe_many on
random positions of all of them, whether every value of a sample is that of
single probes, the memory over ten rounds, and the rate at which the first
table is read as Arrow batches.
"""

from __future__ import annotations

import random
import re
import resource
import sys
import time

import molien

POSITIONS = 1_000_000
METRICS = ["dtm", "dtz50"]


def peak_mib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def now_mib() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() >> 20


def fen(men: str, chance: random.Random) -> str:
    """Men on random squares: not always a legal position."""
    board = ["1"] * 64
    for man, square in zip(men, chance.sample(range(64), len(men))):
        board[square] = man
    ranks = ["".join(board[8 * i : 8 * i + 8]) for i in range(8)]
    ranks = [re.sub("1+", lambda empty: str(len(empty[0])), rank) for rank in ranks]
    return f"{'/'.join(ranks)} {chance.choice('wb')} - - 0 1"


def positions(materials: list[str], count: int) -> list[str]:
    """Legal positions, the materials in turn at random."""
    chance, found = random.Random(1), []
    sides = [material[1:].split("K") for material in materials]
    men = [f"K{white}k{black.lower()}" for white, black in sides]
    # Nothing is stored in an empty folder, but illegal positions are told apart.
    judge = molien.Tablebase("/nonexistent", solve=False)
    while len(found) < count:
        text = fen(chance.choice(men), chance)
        if is_legal(judge, text):
            found.append(text)
    return found


def is_legal(judge: molien.Tablebase, text: str) -> bool:
    try:
        judge.probe(text, "dtm", moves=False)
    except molien.MissingTable:
        return True
    except molien.IllegalPosition:
        return False
    return True


def main() -> None:
    folder, materials = sys.argv[1], sys.argv[2:]
    asked = positions(materials, POSITIONS)
    tables = molien.Tablebase(folder, solve=False)
    for round in range(10):
        cpu, begun = time.process_time(), time.perf_counter()
        batch = tables.probe_many(asked, METRICS)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - begun
        print(
            f"round {round}: {len(batch) / wall:,.0f} a second, "
            f"{1e6 * cpu / len(batch):.2f} CPU microseconds each, {now_mib()} MiB"
        )
    sample = random.Random(2).sample(range(len(asked)), 2000)
    plies = {metric: batch[metric] for metric in METRICS}
    for i in sample:
        answer = tables.probe(asked[i], METRICS, moves=False)
        for metric, column in plies.items():
            told = None if column.mask[i] else int(column.data[i])
            assert told == answer.plies[molien.Metric(metric)], asked[i]
    print(f"{len(sample)} of them asked one by one: all equal")
    cpu, begun, rows, largest = time.process_time(), time.perf_counter(), 0, 0
    for batch in tables.positions(materials[0], metrics=METRICS, fens=False):
        rows, largest = rows + len(batch), max(largest, batch.nbytes)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - begun
    print(
        f"{materials[0]}: {rows:,} positions as Arrow batches in {wall:.1f} s, {cpu:.1f} CPU s, "
        f"batches of at most {largest >> 20} MiB, peak {peak_mib()} MiB"
    )


if __name__ == "__main__":
    main()
