"""States of the groups of one leaf: its rows, each of a group, folded to a row for each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.cells import reproducible_ufuncs
from dask_tapestry_kernels.cpu.reduction.group_folds_compiled import fold_rows, update_of

Block = np.ndarray[Any, Any]
ROW: Final = 256  # columns from which a call of NumPy for each row is faster than one for all


class GroupedLeaf(NamedTuple):
    """Cells of a leaf.

    Attributes
    ----------
    values
        Rows of cells, in C order of the folded axes.
    numbers
        The group of each row.
    groups
        Number of groups.
    state
        Dtype of a state.
    identity
        State of no cells.
    skipna
        Whether NaN and NaT are left out.
    """

    values: Block
    numbers: Block
    groups: int
    state: np.dtype[Any]
    identity: Any
    skipna: bool

    @property
    def null(self) -> Block | None:
        """Where cells are left out; None where none is."""
        if not self.skipna or self.values.dtype.kind not in "fcmM":
            return None
        is_null = np.isnat if self.values.dtype.kind in "mM" else np.isnan
        null: Block = is_null(self.values)
        return null if null.any() else None

    def replaced(self, null: Block | None, filler: Any, dtype: np.dtype[Any]) -> Block:
        """The cells in a dtype, with a filler for those that are left out."""
        cells = self.values.astype(dtype, copy=False)
        return cells if null is None else np.where(null, dtype.type(filler), cells)

    def _table(self, start: Any, dtype: np.dtype[Any]) -> Block:
        """A table of one value, whose cells lie as the leaf's do."""
        columns = self.values.shape[1]
        if abs(self.values.strides[1]) <= abs(self.values.strides[0]):
            return np.full((self.groups, columns), start, dtype)
        return np.full((columns, self.groups), start, dtype).T

    def sums(self, dtype: np.dtype[Any]) -> tuple[Block, Block | None]:
        """Sums in a dtype of what is not left out, and where cells are: None where none is."""
        table = self._table(0, dtype)
        left_out = fold_rows("add", self.values, self.numbers, table, self.skipna)
        if left_out is not None:
            return table, self.null if left_out else None
        null = self.null
        return self.folded(np.add, self.replaced(null, 0, dtype), 0), null

    def compiled(self, monoid: str) -> Block | None:
        """States that are values, by a compiled loop; None where NumPy has to."""
        update = update_of(monoid, self.skipna)
        if update is None:
            return None
        table = self._table(self.identity, self.state)
        done = fold_rows(update.name, self.values, self.numbers, table, update.skipna)
        return None if done is None else table

    def squares(self, means: Block, null: Block | None) -> Block:
        """Sums of squared deviations from the means of groups."""
        table = self._table(0, means.real.dtype)
        if means.dtype == table.dtype and means.strides == table.strides:
            told = ("add squares", self.values, self.numbers, table, self.skipna, means)
            if fold_rows(*told) is not None:
                return table
        off = self.replaced(null, 0, means.dtype) - means[self.numbers]
        squares = off * off if off.dtype.kind != "c" else off.real * off.real + off.imag * off.imag
        if null is not None:
            squares[null] = 0
        return self.folded(np.add, squares, 0)

    def folded(self, function: Callable[..., Block], values: Block, start: Any) -> Block:
        """Rows of values folded by group, in their order, from `start` on: sums from zero."""
        if function is np.add:
            table = self._table(0, values.dtype)
            if fold_rows("add", values, self.numbers, table) is not None:
                return table
        table = np.full((self.groups, values.shape[1]), start, values.dtype)
        if not values.size:
            return table
        if values.shape[1] >= ROW or not isinstance(function, np.ufunc):
            for group, row in zip(self.numbers.tolist(), values, strict=True):
                function(table[group], row, out=table[group])
            return table
        width = values.shape[1]
        places = (self.numbers[:, None] * width + np.arange(width)).ravel()
        cells, flat = values.ravel(), table.reshape(-1)
        if function is np.add and values.dtype == np.float64:
            flat += np.bincount(places, cells, len(flat))  # adds in the same order, and faster
        else:
            function.at(flat, places, cells)
        return table

    def true_cells(self) -> Block:
        """How many cells of each group are true, for each column."""
        width = self.values.shape[1]
        places = self.numbers[:, None] * width + np.arange(width)
        flat = np.bincount(places[self.values], minlength=self.groups * width)
        return flat.reshape(self.groups, width).astype(self.state, copy=False)

    def sizes(self, null: Block | None) -> Block:
        """How many cells of each group are not left out, for each column."""
        if null is None:
            rows = np.bincount(self.numbers, minlength=self.groups)[:, None]
            return np.broadcast_to(rows, (self.groups, self.values.shape[1]))
        return self.folded(np.add, (~null).astype(np.intp), 0)


def group_states(monoid: str, leaf: GroupedLeaf) -> Block:
    """States of a monoid, a row for each group."""
    if leaf.state.names is None and (found := leaf.compiled(monoid)) is not None:
        return found
    return STATES[monoid](leaf)


def add_cells(monoid: str, leaf: GroupedLeaf, table: Block, shape: Sequence[int]) -> None:
    """Fold rows into what others before them have left, in order: as one leaf, to the same bits.

    Parameters
    ----------
    table
        States, shaped (groups, *shape); `shape` is that of a row.
    """
    null, count = leaf.null, len(leaf.values)
    if monoid == "nanmean":
        cells = leaf.replaced(null, 0, leaf.state["sum"])
        _add_rows(leaf, table["sum"], np.add, cells.reshape(count, *shape))
        ones = np.ones((count, *[1] * len(shape)), np.intp)
        counted = ones if null is None else (~null).reshape(count, *shape)
        _add_rows(leaf, table["count"], np.add, counted)
        return
    cells = leaf.replaced(null, leaf.identity, leaf.state)
    _add_rows(leaf, table, GROWING[monoid], cells.reshape(count, *shape))


def _add_rows(leaf: GroupedLeaf, table: Block, function: Callable[..., Block], rows: Block) -> None:
    """Fold each row into the states of its group, all by one call of NumPy where rows are short."""
    if isinstance(function, np.ufunc) and prod(table.shape[1:]) < ROW:
        function.at(table, leaf.numbers, rows)
        return
    for group, row in zip(leaf.numbers.tolist(), rows, strict=True):
        own = table[group : group + 1]
        function(own, row[None], out=own)


def _values(leaf: GroupedLeaf, function: Callable[..., Block]) -> Block:
    """States that are values."""
    filled = leaf.replaced(leaf.null, leaf.identity, leaf.state)
    return leaf.folded(function, filled, leaf.identity)


def _sum(leaf: GroupedLeaf) -> Block:
    if leaf.values.dtype == np.bool_ and leaf.state.kind in "iu":
        return leaf.true_cells()
    return leaf.sums(leaf.state)[0]


def _product(leaf: GroupedLeaf) -> Block:
    is_complex = leaf.state.kind == "c"
    return _values(leaf, reproducible_ufuncs.multiply if is_complex else np.multiply)


def _best_number(leaf: GroupedLeaf, function: Callable[..., Block], worst: float) -> Block:
    """The best cell that is not NaN; NaN, the identity, of none."""
    null = leaf.null
    dtype = leaf.state
    least = _worst(dtype, worst)
    best = leaf.folded(function, leaf.replaced(null, least, dtype), least)
    return np.where(leaf.sizes(null) > 0, best, leaf.identity)


def _worst(dtype: np.dtype[Any], worst: float) -> Any:
    """A value than which none is worse."""
    if dtype.kind in "fc":
        return dtype.type(worst)
    number = np.iinfo(np.int64)
    return np.array(number.max if worst > 0 else number.min + 1).view(dtype)[()]


def _mean(leaf: GroupedLeaf) -> Block:
    states = np.empty((leaf.groups, leaf.values.shape[1]), leaf.state)
    states["sum"], null = leaf.sums(leaf.state["sum"])
    states["count"] = leaf.sizes(null)
    return states


def _variance(leaf: GroupedLeaf) -> Block:
    """Count, mean, and sum of squared deviations from the mean of the leaf's own cells."""
    states = np.empty((leaf.groups, leaf.values.shape[1]), leaf.state)
    sums, null = leaf.sums(leaf.state["mean"])
    states["count"] = sizes = leaf.sizes(null)
    states["mean"] = means = sums / np.maximum(sizes, 1).astype(leaf.state["m2"])
    states["m2"] = leaf.squares(means, null)
    return states


STATES: Final[Mapping[str, Callable[[GroupedLeaf], Block]]] = {
    "sum": _sum,
    "prod": _product,
    "min": partial(_values, function=np.minimum),
    "max": partial(_values, function=np.maximum),
    "any": partial(_values, function=np.logical_or),
    "all": partial(_values, function=np.logical_and),
    "fmin": partial(_best_number, function=np.minimum, worst=np.inf),
    "fmax": partial(_best_number, function=np.maximum, worst=-np.inf),
    "nanmean": _mean,
    "nanvar": _variance,
    "nanstd": _variance,
}
# Of a state and a cell, the state of both
GROWING: Final[Mapping[str, Callable[..., Block]]] = {
    "sum": np.add,
    "prod": reproducible_ufuncs.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "any": np.logical_or,
    "all": np.logical_and,
}
