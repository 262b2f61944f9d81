"""Functions of groups: those of xarray and NumPy, by the reductions that they are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from xarray.core import duck_array_ops

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.grouping import groupby_reduce
from dask_tapestry.arrays.grouping.group_cells import GroupCells
from dask_tapestry.arrays.grouping.sorted_groups import running
from dask_tapestry.arrays.shape.transposing import moveaxis
from dask_tapestry.arrays.statistics.scans import cumprod, cumsum, nancumprod, nancumsum
from dask_tapestry.arrays.xarray.means_of_times import Fold, mean, mean_of_times

Function = Callable[..., Any]
Numbers = np.ndarray[Any, Any]
OF_NUMPY: Final = ("sum", "prod", "mean", "var", "std", "min", "max", "median")
OF_XARRAY: Final = (*OF_NUMPY, "count", "array_any", "array_all", "first", "last")
SCANS: Final = ("cumsum", "cumprod")
TAKEN: Final = ("count", "mean", "min", "max", "first", "last")  # that have a meaning for times
KNOW_NO_NAN: Final = ("count", "any", "all")
OPTIONS: Final = MappingProxyType(
    {"var": ("ddof",), "std": ("ddof",), "sum": ("min_count",), "prod": ("min_count",)}
)


def _functions() -> dict[Function, tuple[str, bool | None]]:
    """Functions, each with the name of what it folds and whether it leaves NaN out."""
    fold_names: dict[Function, tuple[str, bool | None]] = {
        np.any: ("any", False),
        np.all: ("all", False),
        mean: ("mean", None),
    }
    for name in OF_NUMPY:
        fold_names[getattr(np, name)] = (name, False)
        fold_names[getattr(np, f"nan{name}")] = (name, True)
    for name in (*OF_XARRAY, *SCANS):
        if hasattr(duck_array_ops, name):  # they are xarray's own, and may move
            fold_names[getattr(duck_array_ops, name)] = (name.removeprefix("array_"), None)
    return fold_names


FUNCTIONS: Final = MappingProxyType(_functions())


class GroupFunction(NamedTuple):
    """What is made of the cells of each group.

    {Attributes}
        name: As `groupby_reduce` knows it, or of a running total.
        skipna: Whether NaN is left out; None where cells are floats.
        options: Others.
    """

    name: str
    skipna: bool | None
    options: Mapping[str, Any]

    @property
    def is_scan(self) -> bool:
        """Whether it has a value for each cell."""
        return self.name in SCANS

    def takes(self, x: object) -> bool:
        """Whether it is known of the cells of an array of this library."""
        if not isinstance(x, Array):
            return False
        if x.dtype.kind in "mM":
            return self.name in TAKEN
        if self.name in ("median", "quantile"):
            return x.dtype.kind in "iuf"
        if self.options.get("min_count") is not None and self.skipna and x.dtype.kind in "biu":
            return False  # xarray makes floats of integers where cells can be too few
        return x.dtype.kind in "biufc"

    def reduced(self, x: Array, axes: tuple[int, ...], axis: int, codes: Numbers) -> Array:
        """The cells along `axes` reduced for each group along one of them, groups first."""
        labels = codes.reshape([-1 if a == axis else 1 for a in range(min(axes), x.ndim)])
        groups, options = np.arange(codes.max() + 1), self._options_of(x)

        def fold(cells: Array, func: str) -> Array:
            called: Any = {"func": func, "expected_groups": groups, "axis": axes}
            return moveaxis(groupby_reduce(cells, labels, **called, **options)[0], -1, 0)

        return self._folded(x, fold, (0,))

    def reduced_by_labels(
        self, x: Array, labels: list[Any], counts: list[int], axes: tuple[int, ...]
    ) -> Array:
        """The last cells reduced by codes that need not be known; NaN in groups without cells."""
        groups = tuple(np.arange(count) for count in counts)
        asked = {"min_count": 0, **self._options_of(x)}

        def fold(cells: Array, func: str) -> Array:
            missing: Any = np.nan if cells is x else 0  # of what a mean is made of
            if cells.dtype.kind in "mM" and func not in KNOW_NO_NAN:
                missing = np.array("NaT", x.dtype)
            called: Any = {"func": func, "axis": axes, "expected_groups": groups}
            found: Array = groupby_reduce(cells, *labels, fill_value=missing, **called, **asked)[0]
            return found

        return self._folded(x, fold, tuple(range(-len(groups), 0)))

    def running(
        self, x: Array, axes: tuple[int, ...], axis: int, codes: Numbers, at: Numbers
    ) -> Array:
        """Running totals along `axes`, in each group along one of them, at some of its cells."""
        leaves_out = x.dtype.kind in "fc" and self.skipna is not False
        pair = (cumsum, nancumsum) if self.name == "cumsum" else (cumprod, nancumprod)
        scan: Function = pair[leaves_out]
        found = running(GroupCells(x, codes, (axis,), int(codes.max()) + 1), scan, at)
        for other in axes:
            found = found if other == axis else scan(found, axis=other)
        return found

    def _folded(self, x: Array, fold: Fold, groups: tuple[int, ...]) -> Array:
        if x.dtype.kind in "mM" and self.name == "mean":
            return mean_of_times(x, fold, groups, self.skipna is not False)
        return fold(x, self._called(x))

    def _called(self, x: Array) -> str:
        if self.name in ("first", "last"):
            return self.name if self.skipna is False else f"nan{self.name}"
        if self.name in KNOW_NO_NAN:
            return self.name
        skipna = self.skipna or (self.skipna is None and x.dtype.kind in "fc")
        return f"nan{self.name}" if skipna else self.name

    def _options_of(self, x: Array) -> dict[str, Any]:
        leaves_out = self._called(x).startswith("nan")
        return {k: v for k, v in self.options.items() if k != "min_count" or leaves_out}


def group_function(func: Function, options: Mapping[str, Any]) -> GroupFunction | None:
    """The reduction that a function of arrays is, with its options; None if it is another."""
    try:
        name, skipna = FUNCTIONS.get(func, (None, None))
    except TypeError:  # it cannot be hashed
        return None
    rest = {k: v for k, v in options.items() if v is not None}
    if skipna is None:
        skipna = rest.pop("skipna", None)
    if name is None or not rest.keys() <= set(OPTIONS.get(name, ())):
        return None
    return GroupFunction(name, skipna, rest)


def reduced_axes(dims: tuple[Hashable, ...], wanted: Any) -> tuple[int, ...]:
    """The axes of a variable's dimensions that are reduced; `wanted` may be `...`."""
    return tuple(axis for axis, dim in enumerate(dims) if wanted is ... or dim in wanted)


def in_chunks_of(variable: Any, own: Any, groups: Collection[Hashable] = ()) -> Any:
    """A result in the chunks of what it was made of; all along dimensions of groups are in one."""
    if not isinstance(variable._data, Array) or not variable.ndim:
        return variable
    kept = {dim: n for dim, n in own.chunksizes.items() if dim not in groups}
    same = {dim: n for dim, n in kept.items() if sum(n) == variable.sizes.get(dim)}
    chunks = tuple(same.get(dim, (n,)) for dim, n in variable.sizes.items())
    return variable._replace(data=with_chunks(variable._data, chunks))
