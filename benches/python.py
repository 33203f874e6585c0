#!/usr/bin/env python3
"""How fast stored tables are read from Python.

    benches/python.py probe FOLDER KRPKR KRBKR ...
    benches/python.py read FOLDER KRPKR

The folder holds these tables in DTM and DTZ50. `probe` asks probe_many about a
million random positions of all of them, ten times, and prints rates and the
memory after each round, and whether every value of a sample is that of single
probes, which Rust reads another way; with MOLIEN naming the program, its
answers too are compared. `read` reads a whole table as Arrow batches.
"""

from __future__ import annotations

import csv
import os
import random
import re
import resource
import subprocess
import sys
import time

import molien
import numpy

POSITIONS = 1_000_000
SAMPLE = 2000
ROUNDS = 10
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


def is_illegal(tables: molien.Tablebase, text: str) -> bool:
    try:
        tables.probe(text, "dtm", moves=False)
    except molien.IllegalPosition:
        return True
    return False


def positions(tables: molien.Tablebase, materials: list[str], count: int) -> list[str]:
    """Legal positions, the materials in turn at random."""
    chance, found = random.Random(1), []
    sides = [material[1:].split("K") for material in materials]
    men = [f"K{white}k{black.lower()}" for white, black in sides]
    while len(found) < count:
        asked = [fen(chance.choice(men), chance) for _ in range(count)]
        unknown = numpy.ma.getmaskarray(tables.probe_many(asked, METRICS, errors="null")["category"])
        found += [text for text, is_unknown in zip(asked, unknown) if not is_unknown]
        # All tables are here, so what has no answer is not legal.
        others = [text for text, is_unknown in zip(asked, unknown) if is_unknown]
        assert all(is_illegal(tables, text) for text in others[:SAMPLE])
    return found[:count]


def signed(text: str) -> int | None:
    return int(text) if text else None


def by_program(program: str, folder: str, fens: list[str]) -> list[dict[str, int | None]]:
    """Plies as the program prints them."""
    command = [program, "--tables", folder, "probe", "--fens", "-", "--format", "csv", "--metric", ",".join(METRICS)]
    done = subprocess.run(command, input="\n".join(fens), capture_output=True, text=True, check=True)
    rows = csv.DictReader(done.stdout.splitlines())
    return [{metric: signed(row[metric]) for metric in METRICS} for row in rows]


def probe(folder: str, materials: list[str]) -> None:
    tables = molien.Tablebase(folder, solve=False)
    asked = positions(tables, materials, POSITIONS)
    for round in range(ROUNDS):
        cpu, begun = time.process_time(), time.perf_counter()
        batch = tables.probe_many(asked, METRICS)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - begun
        print(
            f"round {round}: {len(batch) / wall:,.0f} a second, "
            f"{1e6 * cpu / len(batch):.2f} CPU microseconds each, {now_mib()} MiB",
            flush=True,
        )
    print(f"peak {peak_mib()} MiB")
    sample = random.Random(2).sample(range(len(asked)), SAMPLE)
    columns = {metric: batch[metric] for metric in METRICS}
    told = [
        {metric: None if column.mask[i] else int(column.data[i]) for metric, column in columns.items()}
        for i in sample
    ]
    for i, values in zip(sample, told):
        answer = tables.probe(asked[i], METRICS, moves=False)
        assert values == {metric: answer.plies[molien.Metric(metric)] for metric in METRICS}, asked[i]
    print(f"{len(sample)} of them asked one by one: all equal")
    if program := os.environ.get("MOLIEN"):
        assert told == by_program(program, folder, [asked[i] for i in sample])
        print(f"{len(sample)} of them asked of {program}: all equal")


def read(folder: str, materials: list[str]) -> None:
    tables = molien.Tablebase(folder, solve=False)
    before = peak_mib()
    cpu, begun, rows, largest = time.process_time(), time.perf_counter(), 0, 0
    for batch in tables.positions(materials[0], metrics=METRICS, fens=False):
        rows, largest = rows + len(batch), max(largest, batch.nbytes)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - begun
    print(
        f"{materials[0]}: {rows:,} positions as Arrow batches of at most {largest / 2**20:.1f} MiB in {wall:.1f} s "
        f"({rows / wall:,.0f} a second), {cpu:.1f} CPU s, peak {peak_mib()} MiB ({before} before)"
    )


if __name__ == "__main__":
    {"probe": probe, "read": read}[sys.argv[1]](sys.argv[2], sys.argv[3:])
