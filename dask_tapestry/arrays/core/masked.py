"""Masked: what arrays with a mask are to the rest of the library, which never loses a mask."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final, Self

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dispatch import Answering, registered
from dask_tapestry.arrays.core.name_suggestions import NameSuggestions

LOSES_MASK: Final = (
    "its mask would be lost here: call a method of it, a function of `dt.ma` or NumPy's function; "
    "`filled()` and `data` give plain cells, `mask` the mask"
)
FROM_NUMPY: dict[str, Callable[[Any, Any], Any]] = {}  # "masked": of NumPy's, and nominal chunks


def from_numpy(x: Any, chunks: Any) -> Array:
    """A masked array of ours for one of NumPy's; it does what an Array does."""
    make = registered(FROM_NUMPY, "masked")
    assert make is not None
    made: Array = make(x, chunks)
    return made


class Masked(NameSuggestions, Answering):
    """A lazy array of cells and one of truth values, or none, that says which cells are hidden.

    {Attributes}
        cells: All cells; those that the mask hides too.
        hidden: The mask, of their shape; None where no cell is hidden.
        fill: What hidden cells are filled with, if the user said.
    """

    def __init__(self, cells: Array, hidden: Array | None, fill: Any = None) -> None:
        self.cells, self.hidden, self.fill = cells, hidden, fill

    @property
    def dims(self) -> tuple[str | None, ...] | None:
        """Names of the dimensions, or None."""
        return self.cells.dims

    def _parts(self) -> tuple[Array, ...]:
        """Return what is planned and computed of it: its cells, and its mask if it has one."""
        return (self.cells,) if self.hidden is None else (self.cells, self.hidden)

    def _with_parts(self, parts: Sequence[Array]) -> Self:
        """Return the same array of other parts, as those that are kept on workers."""
        return type(self)(parts[0], parts[1] if len(parts) > 1 else None, self.fill)

    @abstractmethod
    def _value_of(self, values: Sequence[Any]) -> Any:
        """Return the value of the array, of the values of its parts."""

    @abstractmethod
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any: ...
