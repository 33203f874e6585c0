"""What can go wrong. The sentences are those of the library."""


class MolienError(Exception):
    """Something went wrong; the base of all exceptions of this package."""


class MissingTable(MolienError, LookupError):
    """A table is not there, and none may be solved."""


class DamagedTable(MolienError):
    """A stored table is damaged: delete the file and solve it again."""


class IllegalPosition(MolienError, ValueError):
    """The text is no FEN, or the position breaks the rules of chess."""


class InvalidInput(MolienError, ValueError):
    """A material, metric, query or strategy that has no meaning."""


class TooLarge(MolienError, MemoryError):
    """It needs more memory than the limit allows, or than any machine has."""


class Interrupted(MolienError):
    """The work was stopped by a Ctrl-C in another thread."""
