"""Many positions in columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import _molien


class Batch:
    """Rows in columns: ``category``, plies by metric, and perhaps ``fen``,
    ``turn`` and the squares of the men.

    Everything that speaks Arrow reads it as it is, without a copy:
    ``pyarrow.record_batch(batch)``, ``polars.DataFrame(batch)``,
    ``duckdb.sql("select * from batch")``. Plies are null for a draw.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _molien.Batch) -> None:
        self._native = native

    def __len__(self) -> int:
        return len(self._native)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.names

    @property
    def nbytes(self) -> int:
        """The memory of all columns."""
        return self._native.nbytes

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self._native.__arrow_c_array__(requested_schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __getitem__(self, name: str) -> Any:
        """A column as a NumPy array.

        Plies are a masked array over the memory of the batch: a draw has none.
        Words are an array of strings; ``codes()`` gives their numbers."""
        import numpy

        column = self._native.column(name)
        if (texts := column.texts) is not None:
            return numpy.array(texts)
        numbers = numpy.asarray(column)
        nulls = numpy.frombuffer(column.nulls, dtype=numpy.bool_)
        if (names := column.names) is not None:
            words = numpy.array(names)[numbers]
            return numpy.ma.masked_array(words, nulls) if nulls.any() else words
        return numpy.ma.masked_array(numbers, nulls)

    def codes(self, name: str) -> tuple[Any, list[str]]:
        """The words of a column as numbers, without a copy, and what they mean."""
        import numpy

        column = self._native.column(name)
        return numpy.asarray(column), column.names or []

    def to_numpy(self) -> dict[str, Any]:
        """All columns as NumPy arrays."""
        return {name: self[name] for name in self.columns}

    def to_pyarrow(self) -> Any:
        """The batch as a ``pyarrow.RecordBatch``."""
        import pyarrow

        return pyarrow.record_batch(self)

    def to_pandas(self) -> Any:
        """The batch as a ``pandas.DataFrame``."""
        return self.to_pyarrow().to_pandas()

    def __repr__(self) -> str:
        return f"<Batch of {len(self):,} rows: {', '.join(self.columns)}>"


class Positions:
    """The positions of a material, batch after batch.

    Iterate over it, or hand it to anything that reads Arrow streams:
    ``pyarrow.RecordBatchReader.from_stream(positions)``,
    ``polars.from_arrow(positions)``, DuckDB. Memory holds a few batches at a
    time, however large the table. Every use starts from the beginning.
    """

    __slots__ = ("_native", "_what")

    def __init__(self, native: _molien.Stream, what: str) -> None:
        self._native = native
        self._what = what

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.names

    def __iter__(self) -> Iterator[Batch]:
        stream = self._native.restarted()
        while (batch := stream.next_batch()) is not None:
            yield Batch(batch)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def count(self) -> int:
        """How many there are; quicker than reading them."""
        return self._native.count()

    def to_pyarrow(self) -> Any:
        """All of them as a ``pyarrow.Table``."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def to_pandas(self) -> Any:
        """All of them as a ``pandas.DataFrame``."""
        return self.to_pyarrow().to_pandas()

    def __repr__(self) -> str:
        return f"<Positions of {self._what}: {', '.join(self.columns)}>"
