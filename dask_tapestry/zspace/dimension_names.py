"""Optional names of dimensions.

Source: Tapestry whitepaper, "Dimension Name Maps".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import SupportsIndex, final

from dask_tapestry.basic_errors import ArgumentError, ArgumentTypeError
from dask_tapestry.zspace.axes import exact_axis, exact_permutation
from dask_tapestry.zspace.integers import Ints


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class DimensionNames:
    """A name or None for each dimension; no name occurs twice.

    Parameters
    ----------
    names
        The names in the order of the dimensions; kept as a plain tuple.

    Raises
    ------
    TypeError
        If a name is neither a string nor None, or `names` is itself a string.
    ValueError
        If a name is empty or occurs twice.

    Examples
    --------
    >>> dims = DimensionNames(["batch", None, "channel"])
    >>> dims.index("channel"), dims[0], len(dims)
    (2, 'batch', 3)
    >>> print(dims)
    (batch, _, channel)
    """

    names: tuple[str | None, ...]

    def __init__(self, names: Iterable[str | None]) -> None:
        if isinstance(names, str):
            raise ArgumentTypeError(f"names must be an iterable of names, got the string {names!r}")
        object.__setattr__(self, "names", tuple(names))
        for name in self.names:
            _check_name(name, self.names)

    def index(self, name: str) -> int:
        """Return which dimension has this name.

        Raises
        ------
        ValueError
            If none has.

        Examples
        --------
        >>> DimensionNames(["row", "column"]).index("column")
        1
        """
        if name is None or name not in self.names:
            raise ArgumentError(f"no dimension is named {name!r} in {self}")
        return self.names.index(name)

    def permute(self, order: Ints) -> DimensionNames:
        """Return the names in another order: the new dimension k is the old ``order[k]``.

        Examples
        --------
        >>> print(DimensionNames(["row", "column"]).permute((1, 0)))
        (column, row)
        """
        axes = exact_permutation(order, len(self))
        return DimensionNames([self.names[axis] for axis in axes])

    def insert(self, position: SupportsIndex, name: str | None = None) -> DimensionNames:
        """Return the names with a new dimension before `position`.

        Examples
        --------
        >>> print(DimensionNames(["row", "column"]).insert(0, "batch"))
        (batch, row, column)
        """
        k = exact_axis(position, len(self) + 1, "position")
        return DimensionNames((*self.names[:k], name, *self.names[k:]))

    def drop(self, position: SupportsIndex) -> DimensionNames:
        """Return the names without one dimension.

        Examples
        --------
        >>> print(DimensionNames(["row", "column"]).drop(0))
        (column)
        """
        k = exact_axis(position, len(self), "position")
        return DimensionNames((*self.names[:k], *self.names[k + 1 :]))

    def __len__(self) -> int:
        """Return the number of dimensions."""
        return len(self.names)

    def __iter__(self) -> Iterator[str | None]:
        """Return the names in order."""
        return iter(self.names)

    def __getitem__(self, position: SupportsIndex) -> str | None:
        """Return the name of one dimension."""
        return self.names[exact_axis(position, len(self), "position")]

    def __repr__(self) -> str:
        """Return the constructor call."""
        return f"DimensionNames({self.names})"

    def __str__(self) -> str:
        """Return the names, an underscore where there is none."""
        return f"({', '.join(['_' if name is None else name for name in self.names])})"


def _check_name(name: str | None, names: tuple[str | None, ...]) -> None:
    if name is None:
        return
    if not isinstance(name, str):
        raise ArgumentTypeError(f"a dimension name must be a string or None, got {name!r}")
    if not name:
        raise ArgumentError(f"a dimension name must not be empty, got {names}")
    if names.count(name) > 1:
        raise ArgumentError(f"dimension names must be different, but {name!r} is twice in {names}")
