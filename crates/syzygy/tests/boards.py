"""What the comparisons with python-chess share."""

import chess


def put_men(board: chess.Board, masks: list[int], colors: list[int]) -> None:
    """Puts men on a board: their squares by role, and by colour, Black first."""
    board.pawns, board.knights, board.bishops = masks[1:4]
    board.rooks, board.queens, board.kings = masks[4:7]
    board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK] = colors[1], colors[0]
    board.occupied = colors[0] | colors[1]
