"""Cells by group, and which way their folds go: by labels that count on, by runs, or by any.

Everything here is a fold of cells by group, or a value of each group taken back to its cells.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.creation.filled import ones, zeros
from dask_tapestry.arrays.creation.ranges import arange
from dask_tapestry.arrays.elementwise.predicates import notnull
from dask_tapestry.arrays.grouping.counted_labels import counting_of, fold_counted
from dask_tapestry.arrays.grouping.label_codes import Codes
from dask_tapestry.arrays.grouping.runs_of_labels import fold_runs, runs_of
from dask_tapestry.arrays.indexing.take import take
from dask_tapestry.arrays.tuning import KNOWN_CODES_BYTES
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.reductions.group_fold import group_fold


@dataclass(frozen=True)
class GroupCells:
    """Cells of an array, of which a code numbers the groups along `axes`.

    {Attributes}
        {x}
        codes: Number of the group of each cell along `axes`; others are left out.
        axes: The axes that the codes have, ascending.
        count: Number of groups.
        skipna: Whether NaN and NaT are left out.
        whole: Further axes that are folded: all cells along them are of one group.
        rows: Those of `axes` along which no group has several cells: they are not counted in
            places.
    """

    x: Array
    codes: Codes
    axes: tuple[int, ...]
    count: int
    skipna: bool = False
    whole: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()

    @property
    def folded(self) -> tuple[int, ...]:
        """The axes that are folded."""
        return tuple(sorted((*self.axes, *self.whole)))

    @property
    def kept_axes(self) -> tuple[int, ...]:
        """The other axes."""
        return tuple(axis for axis in range(self.x.ndim) if axis not in self.folded)

    @property
    def lazy_codes(self) -> Array:
        """The codes as an array of ours; equal ones that are known are one, if they are few."""
        codes = self.codes
        return (
            Array(constant(codes, KNOWN_CODES_BYTES))
            if isinstance(codes, np.ndarray)
            else asarray(codes)
        )

    @property
    def has_null(self) -> bool:
        """Whether cells may be left out, as they are NaN or NaT."""
        return self.skipna and self.x.dtype.kind in "fcmM"

    def with_cells(self, x: Array, skipna: bool = False) -> GroupCells:
        """Other cells of the same shape."""
        return GroupCells(x, self.codes, self.axes, self.count, skipna, self.whole, self.rows)

    def fold(self, monoid: str, **how: Any) -> Array:
        """Fold the cells to the kept axes and the groups; `how` as `group_fold` takes it."""
        how = {"skipna": self.skipna, **how}
        if (found := self._fold_along(monoid, how)) is not None:
            return found
        codes = self.lazy_codes.node
        how["labelled"] = self.axes
        return Array(group_fold(self.x.node, codes, monoid, self.folded, self.count, **how))

    def _fold_along(self, monoid: str, how: dict[str, Any]) -> Array | None:
        """The fold where groups can be an axis of their own; None where they cannot."""
        if len(self.axes) != 1:
            return None
        told = monoid, self.axes[0], self.whole
        if (counting := counting_of(self.codes, self.count)) is not None:
            counted = fold_counted(self.x, counting, *told, **how)
            if counted is not None or not (counting.before or counting.after):
                return counted
        if (runs := runs_of(self.codes, self.count)) is not None:
            return fold_runs(self.x, runs, *told, **how)
        return None

    def sizes(self) -> Any:
        """Cells of each group: NumPy's numbers where the codes are known."""
        times = prod(self.x.shape[axis] for axis in self.whole)
        if isinstance(self.codes, np.ndarray):
            known = self.codes[(self.codes >= 0) & (self.codes < self.count)]
            return np.bincount(known, minlength=self.count) * times
        return self._own_sizes() * times

    def _own_sizes(self) -> Array:
        """Codes of each group, counted by a fold: it shares a pass with other folds by them."""
        every = tuple(range(self.codes.ndim))
        there = ones(self.codes.shape, np.bool_)
        return Array(group_fold(there.node, self.lazy_codes.node, "sum", every, self.count))

    def numbers(self) -> Any:
        """Cells of each group that are not left out, for each kept cell where these differ."""
        if not self.has_null:
            return self.sizes()
        return self.with_cells(notnull(self.x)).fold("sum")

    def at_cells(self, values: Array) -> Array:
        """The value of each cell's group, shaped to broadcast with the array."""
        if not self.count:  # no cell is in a group: any value does
            values = zeros((*values.shape[:-1], 1), values.dtype)
        known = self.codes.clip(0, max(0, self.count - 1))
        found = take(values, known, axis=values.ndim - 1)
        found = found.reshape((*found.shape, *[1 for _ in self.whole]))
        back = [*self.kept_axes, *self.axes, *self.whole]
        return found.transpose(np.argsort(back).tolist())

    def running_numbers(self) -> Array:
        """The number of each cell in its group's axes, in C order, to broadcast with the array."""
        own = [axis for axis in self.folded if axis not in self.rows]
        shape = [n if axis in own else 1 for axis, n in enumerate(self.x.shape)]
        return arange(prod(shape)).reshape(shape)
