"""MaskedArray: lazy cells and a lazy mask of them, as `numpy.ma.MaskedArray` has both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self, final

import numpy as np
from dask import base, threaded
from dask.base import DaskMethodsMixin, dont_optimize
from dask.core import flatten
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays import elementwise, sorting
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.declared_arguments import checked_as
from dask_tapestry.arrays.core.key_types import UserKey
from dask_tapestry.arrays.core.late_modules import array_repr, computing
from dask_tapestry.arrays.core.masked import LOSES_MASK
from dask_tapestry.arrays.core.mixed_collections import MixedCollection, MixedExpr, planned_together
from dask_tapestry.arrays.creation import zeros
from dask_tapestry.arrays.indexing import take_along_axis
from dask_tapestry.arrays.ma.parts import cells_of, checked_fill, fitting_fill, mask_of, spread
from dask_tapestry.arrays.ma.shape_methods import ShapeMethods
from dask_tapestry.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from dask_tapestry.lower.dask_private import HighLevelGraph
from dask_tapestry.lower.scheduler_choice import local_options
from dask_tapestry.planner.machine.resources import computing_with
from dask_tapestry_kernels.block_format import with_all_cells

__all__ = ["MaskedArray"]
NUMPY_METHODS = frozenset(
    "all any argmax argmin argsort clip cumprod cumsum max mean min nonzero prod ptp ravel repeat "
    "reshape round squeeze std sum swapaxes take transpose var".split()
)
ALIASES = {"amax": "max", "amin": "min", "around": "round"}
FUNCTIONS: dict[str, Callable[..., Any]] = {}  # NumPy's functions that are not methods, by name


@final
class MaskedArray(ShapeMethods, DaskMethodsMixin):
    """A lazy array some of whose cells are hidden; hidden cells take no part in what is computed.

    Its cells and its mask are arrays, which plans see as any other. What it computes to is a
    `numpy.ma.MaskedArray`, or, without dimensions, a scalar or `numpy.ma.masked`.

    {Parameters}
        cells: All cells.
        hidden: The mask, of their shape: true where a cell is hidden. None for `numpy.ma.nomask`.
        fill: What `filled` puts in place of hidden cells; None for NumPy's value for the dtype.
    {Examples}
    >>> x = dt.ma.masked_greater(dt.arange(4), 2)
    >>> x.sum().compute(), x.filled(9).compute()
    (np.int64(3), array([0, 1, 2, 9]))
    """

    __array_priority__ = 20  # above NumPy's masked arrays, whose operators then defer
    __dask_scheduler__ = staticmethod(threaded.get)
    __dask_optimize__ = staticmethod(dont_optimize)

    def __init__(self, cells: Array, hidden: Array | None = None, fill: Any = None) -> None:
        if cells.dtype.names is not None:
            raise DTypeError("structured dtypes cannot be masked: mask each field by itself")
        super().__init__(cells, hidden, fill)

    def _like(self, cells: Array, hidden: Array | None, fill: Any = None) -> Self:
        return type(self)(cells, spread(hidden, cells.shape), fill)

    def _mask_cells(self) -> Array:
        return zeros(self.cells.shape, bool) if self.hidden is None else self.hidden

    # what it is ----------------------------------------------------------------------------

    @property
    def data(self) -> Array:
        """All cells; what lies where the mask is true means nothing."""
        return self.cells

    @property
    def mask(self) -> Any:
        """The mask as an array; `numpy.ma.nomask` if there is none."""
        return np.ma.nomask if self.hidden is None else self.hidden

    @mask.setter
    def mask(self, value: ArrayLike) -> None:
        told = cells_of(value).astype(bool)
        self.hidden = spread(told, self.shape)

    @property
    def fill_value(self) -> Any:
        """What `filled` puts in place of hidden cells."""
        return checked_fill(self._declared_fill(), self.dtype)

    @fill_value.setter
    def fill_value(self, value: Any) -> None:
        self.fill = None if value is None else checked_fill(value, self.dtype)

    def _declared_fill(self) -> Any:
        """The fill value that the user gave; None if it has no value in this dtype."""
        return fitting_fill(self.fill, self.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each dimension."""
        return self.cells.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the cells."""
        return self.cells.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.cells.ndim

    @property
    def size(self) -> int:
        """Number of cells, hidden ones too."""
        return self.cells.size

    @property
    def nbytes(self) -> int:
        """Bytes of all cells, without the mask."""
        return self.cells.nbytes

    @property
    def itemsize(self) -> int:
        """Bytes of a cell."""
        return self.cells.itemsize

    @property
    def chunks(self) -> tuple[tuple[int, ...], ...]:
        """Lengths of the nominal chunks of the cells."""
        return self.cells.chunks

    @property
    def numblocks(self) -> tuple[int, ...]:
        """Number of nominal chunks along each dimension."""
        return self.cells.numblocks

    def __repr__(self) -> str:
        mask = "nomask" if self.hidden is None else repr(self.hidden)
        return f"dt.ma.MaskedArray<{self.cells!r}, mask={mask}, fill_value={self.fill_value}>"

    def _repr_html_(self) -> str:
        mask = "nomask" if self.hidden is None else self.hidden._repr_html_()
        return array_repr.masked_html(self.cells._repr_html_(), mask, self.fill_value)

    def __len__(self) -> int:
        return len(self.cells)

    # cells and mask of a part -------------------------------------------------------------

    def __getitem__(self, key: UserKey) -> Self:
        return self._both(Array.__getitem__, _plain_key(key))

    def __setitem__(self, key: UserKey, value: Any) -> None:
        """Assign cells, hidden where `value` hides them; hard masks are not supported."""
        key = _plain_key(key)
        if value is not np.ma.masked:
            cells = self.cells.copy()
            cells[key] = cells_of(value) if isinstance(value, np.ndarray | type(self)) else value
            self.cells = cells
        told = mask_of(value)
        if told is not None or self.hidden is not None:
            hidden = self._mask_cells().copy()
            hidden[key] = False if told is None else told
            self.hidden = hidden

    def astype(self, dtype: DTypeLike) -> Self:
        """Return the array with every cell converted to a dtype."""
        return self._like(self.cells.astype(dtype), self.hidden, self.fill)

    def round(self, decimals: int = 0) -> Self:
        """Return the array with its cells rounded."""
        return self._like(self.cells.round(decimals), self.hidden, self.fill)

    def clip(self, min: Any = None, max: Any = None) -> Self:
        """Return the array with its cells limited to ``[min, max]``."""
        made = elementwise.clip(self.cells, min, max)
        return self._like(made, self.hidden, self.fill)

    # without hidden cells ------------------------------------------------------------------

    def filled(self, fill_value: Any = None) -> Array:
        """Return the cells with a value in place of hidden ones.

        {Parameters} fill_value: The value; by default `fill_value` of the array.
        {Returns} Array: Of the same shape and dtype.
        """
        value = self.fill_value if fill_value is None else checked_fill(fill_value, self.dtype)
        return self._with(value)

    def compressed(self) -> Array:
        """Return the cells that are not hidden, in one dimension; they are counted when asked."""
        cells = self.cells.ravel()
        return cells if self.hidden is None else cells[~self.hidden.ravel()]

    def nonzero(self) -> tuple[Array, ...]:
        """Return the places of cells that are neither hidden nor zero."""
        return self._with(0).nonzero()

    @checked_as(np.ma.argsort)
    def argsort(
        self,
        axis: int | None = -1,
        kind: Any = None,
        order: None = None,
        endwith: bool = True,
        fill_value: Any = None,
    ) -> Array:
        """Return the places that sort along `axis`, hidden cells last (or first).

        {Parameters}
            axis, kind, order: As of `dask_tapestry.argsort`.
            endwith: Whether hidden cells come last.
            fill_value: What they count as instead.
        {Returns} Array: Of dtype intp.
        """
        if fill_value is None:
            last = self._counted_as("min" if endwith else "max", None)
            fill_value = np.nan if endwith and self.dtype.kind == "f" else last
        return sorting.argsort(self._with(fill_value), axis, kind, order)

    @names_axes
    def sort(
        self,
        axis: int = -1,
        kind: Any = None,
        order: None = None,
        endwith: bool = True,
        fill_value: Any = None,
    ) -> None:
        """Sort the array itself along `axis`; see `argsort`."""
        places = self.argsort(integer(axis), kind, order, endwith, fill_value)
        made = self._both(take_along_axis, places, axis)
        self.cells, self.hidden = made.cells, made.hidden

    def harden_mask(self) -> Self:
        """Refuse: an assignment shows what it writes, there are no hard masks here."""
        raise ArgumentError(
            "hard masks are not supported: assign with dt.ma.where(x.mask, x, value)"
        )

    def _value_of(self, values: Sequence[Any]) -> Any:
        """Return NumPy's masked array, or a scalar, of the values of cells and mask."""
        return _value(values, self._declared_fill())

    def compute(self, **kwargs: Any) -> Any:
        """Plan cells and mask together, run them with Dask and return the value.

        {Parameters} **kwargs: For `dask.compute`, such as ``scheduler``.
        {Returns} numpy.ma.MaskedArray, scalar or numpy.ma.masked: The last two without dimensions.
        """
        if self.hidden is None:
            return self._value_of((self.cells.compute(**kwargs),))
        with computing_with(kwargs.get("scheduler")):
            made = computing.computed(self.cells, self.hidden, **local_options(kwargs))
        return self._value_of(made)

    def persist(self, **kwargs: Any) -> Self:
        """Run the array and keep blocks of cells and mask where they are computed.

        {Parameters} **kwargs: For `dask.persist`, such as ``scheduler``.
        {Returns} MaskedArray: Of the same value.
        """
        with computing_with(kwargs.get("scheduler")):
            made = base.persist(*self._parts(), **local_options(kwargs))
        return self._with_parts(made)

    @property
    def expr(self) -> MixedExpr:
        """The Dask expression; all values of one compute are planned together."""
        return MixedExpr(
            MixedCollection(self, self._parts(), partial(_value, fill=self._declared_fill()))
        )

    def __dask_graph__(self) -> HighLevelGraph:
        return HighLevelGraph.merge(*[part.dask for part in planned_together(self._parts())])

    def __dask_keys__(self) -> list[Any]:
        return [part.__dask_keys__() for part in planned_together(self._parts())]

    def __dask_layers__(self) -> tuple[str, ...]:
        return tuple(name for part in self._parts() for name in part.__dask_layers__())

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return (*[part.node.digest for part in self._parts()], repr(self.fill))

    def __dask_postcompute__(self) -> tuple[Any, ...]:
        return _joined, (
            [part.__dask_postcompute__() for part in self._parts()],
            self._declared_fill(),
        )

    def __dask_postpersist__(self) -> tuple[Any, ...]:
        return _persisted, (self,)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.cells, self.hidden, self.fill)

    # NumPy's and Python's protocols --------------------------------------------------------

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        raise DTypeError(
            f"a lazy masked array is no plain array; {LOSES_MASK}. Beside masked arrays of NumPy's "
            "make those lazy first: `dt.ma.masked_array(y) + x`"
        )

    def answers(self, function: Callable[..., Any]) -> bool:
        name = ALIASES.get(function.__name__, function.__name__)
        return name in FUNCTIONS or name in NUMPY_METHODS

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        name = ALIASES.get(function.__name__, function.__name__)
        if name in FUNCTIONS:
            return FUNCTIONS[name](*args, **kwargs)
        if name in NUMPY_METHODS and args and isinstance(args[0], type(self)):
            told = {k: v for k, v in kwargs.items() if v is not np._NoValue and k != "split_every"}
            return getattr(args[0], name)(*args[1:], **told)
        raise ArgumentTypeError(f"no {function.__module__}.{name} of masked arrays; {LOSES_MASK}")

    def _scalar(self) -> Any:
        if self.size != 1:
            raise ShapeError(f"only an array of one cell is a number, not one of {self.shape}")
        return self.reshape(()).compute()

    def __bool__(self) -> bool:
        return bool(self._scalar())

    def __int__(self) -> int:
        return int(self._scalar())

    def __float__(self) -> float:
        return float(self._scalar())

    def tolist(self) -> Any:
        """Return the cells as nested lists, None for hidden ones; computes them."""
        return None if (made := self.compute()) is np.ma.masked else made.tolist()


def _plain_key(key: Any) -> Any:
    """A key; a masked array in it picks by its cells, as in NumPy."""
    if isinstance(key, tuple):
        return tuple(_plain_key(one) for one in key)
    return cells_of(key) if isinstance(key, MaskedArray | np.ma.MaskedArray) else key


def _value(parts: Sequence[Any], fill: Any) -> Any:
    """What NumPy has for cells and a mask: an array, a scalar or `numpy.ma.masked`.

    Masked arrays are NumPy's alone: what lies on a device comes to the host.
    """
    parts = [with_all_cells(part) for part in parts]
    cells, hidden = parts if len(parts) > 1 else (parts[0], np.ma.nomask)
    if np.ndim(cells):
        return np.ma.MaskedArray(cells, hidden, fill_value=fill)
    return np.ma.masked if hidden else np.asarray(cells)[()]


def _joined(blocks: Any, finishing: Sequence[tuple[Any, Any]], fill: Any) -> Any:
    """The value of the nested lists of blocks of cells and of mask."""
    pairs = zip(finishing, blocks, strict=True)
    return _value([finish(part, *args) for (finish, args), part in pairs], fill)


def _persisted(graph: Any, x: MaskedArray, rename: dict[str, str] | None = None) -> MaskedArray:
    """An array of the blocks in `graph`, which are those of `x`."""
    parts = []
    whole = rename or len(graph) > len(set(flatten(x.__dask_keys__())))  # with tasks before them
    for part in x._parts():
        rebuild, state = part.__dask_postpersist__()
        own = graph if whole else {key: graph[key] for key in set(flatten(part.__dask_keys__()))}
        parts.append(rebuild(own, *state, **({"rename": rename} if rename else {})))
    return MaskedArray(parts[0], parts[1] if len(parts) > 1 else None, x.fill)
