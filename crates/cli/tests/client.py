"""A client written for lichess' tablebase server asks ours: python3 client.py ADDRESS"""

import sys

import berserk


def main(address):
    tablebase = berserk.Client(tablebase_url=address).tablebase
    rook = tablebase.standard("8/8/8/8/8/2k5/8/K6R w - - 0 1")
    assert (rook["category"], rook["dtm"], rook["dtz"], rook["precise_dtz"]) == ("win", 27, 27, 27), rook
    assert len(rook["moves"]) == 15 and rook["moves"][0]["category"] == "loss", rook["moves"]
    assert rook["moves"][0]["dtm"] == -26, rook["moves"][0]
    mated = tablebase.look_up("R6k/8/6K1/8/8/8/8/8 b - - 0 1", "standard")
    assert mated["checkmate"] and mated["category"] == "loss" and mated["moves"] == [], mated
    drawn = tablebase.standard("8/8/8/4k3/8/4P3/8/4K3 b - - 0 1")
    assert (drawn["category"], drawn["dtz"]) == ("draw", 0), drawn
    castling = tablebase.standard("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert castling["dtz"] is None, castling
    # The win comes too late: the draw is claimed first.
    late = tablebase.standard("8/8/8/8/8/2k5/8/K6R w - - 90 100")
    assert late["category"] == "cursed-win", late
    try:
        tablebase.standard("hello")
        raise AssertionError("'hello' was answered")
    except berserk.exceptions.ResponseError as error:
        assert error.status_code == 400, error
    print("ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
