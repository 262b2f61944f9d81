"""Functions of the user's own of one cell at a time: `vectorize`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import update_wrapper
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.elementwise.measured_texts import longest, text_dtype
from dask_tapestry.errors import ArgumentError, ArgumentTypeError
from dask_tapestry.imports import LateModule
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cell_function import called_on_cells
from dask_tapestry.operators.cells.field import field

GUFUNCS: Final = LateModule("dask_tapestry.arrays.user_functions.gufuncs")
OURS: Final = LateModule("dask_tapestry.arrays.user_functions.functions_of_ours")
__all__ = ["vectorize"]


@dataclass(frozen=True)
class OneByOne:
    """A function called with the cells of blocks one by one, by `numpy.vectorize`.

    {Attributes}
        function: Takes cells by place, the others are in it.
        dtype: Of the result; a record of several results.
    """

    function: Callable[..., Any]
    dtype: np.dtype[Any]

    @property
    def __name__(self) -> str:
        return str(getattr(self.function, "__name__", "vectorized"))

    def __call__(self, *blocks: Any) -> Any:
        kinds = [self.dtype[name] for name in self.dtype.names or ()] or [self.dtype]
        return np.vectorize(self.function, otypes=[kind.char for kind in kinds])(*blocks)


@dataclass(frozen=True)
class Bound:
    """A function with the arguments in place that are given whole.

    {Attributes}
        function: The user's.
        args: Arguments by place; those at `places` are taken by each call.
        names: Keywords whose arguments each call takes behind those.
        kwargs: The other keywords.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    places: tuple[int, ...]
    names: tuple[str, ...]
    kwargs: tuple[tuple[str, Any], ...]

    @property
    def __name__(self) -> str:
        return str(getattr(self.function, "__name__", "vectorized"))

    def __call__(self, *cells: Any) -> Any:
        args = list(self.args)
        for place, cell in zip(self.places, cells, strict=False):
            args[place] = cell
        named = dict(zip(self.names, cells[len(self.places) :], strict=True))
        return self.function(*args, **named, **dict(self.kwargs))


class vectorize:  # noqa: N801  (NumPy's name)
    """A function of cells as one of arrays, as `numpy.vectorize`: lazy, called cell by cell.

    It is for convenience: a function of Python's is called for each cell. What can be written with
    arrays is compiled.

    {Parameters}
        pyfunc: Takes cells, and returns one or a tuple of several; without it the result decorates
            a function.
        otypes: Dtypes of the results, as a text of NumPy's characters or a list; by default the
            first cells are computed, and the function is called with them.
        doc: The docstring; by default the function's.
        excluded: Places and names of arguments that are given whole.
        cache: As NumPy's, without meaning: no call is made twice for the dtypes alone.
        signature: Core dimensions, as ``"(n),(n)->()"``: then the function takes vectors.
    {Raises}
        ArgumentTypeError: If `pyfunc` cannot be called.
        ArgumentError: If dtypes are to be found from arrays without cells.
    {See Also} frompyfunc, apply_gufunc, map_blocks
    {Examples}
    >>> collatz = dt.vectorize(lambda n: n // 2 if n % 2 == 0 else 3 * n + 1)
    >>> collatz(dt.arange(5)).compute()
    array([ 0,  4,  1, 10,  2])
    """

    def __init__(
        self,
        pyfunc: Callable[..., Any] | None = None,
        otypes: str | Iterable[DTypeLike] | None = None,
        doc: str | None = None,
        excluded: Iterable[int | str] | None = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None:
        if pyfunc is not None and not callable(pyfunc):
            raise ArgumentTypeError("When used as a decorator, only accepts keyword arguments.")
        self.otypes = None if otypes is None else tuple(np.dtype(kind) for kind in otypes)
        self.excluded, self.cache, self.signature = set(excluded or ()), cache, signature
        self.pyfunc, self._doc = pyfunc, doc
        if pyfunc is not None:
            self._take(pyfunc)

    def _take(self, pyfunc: Callable[..., Any]) -> vectorize:
        self.pyfunc = pyfunc
        update_wrapper(self, pyfunc, updated=())
        self.__doc__ = self._doc if self._doc is not None else pyfunc.__doc__
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function for each cell of the arguments, which broadcast."""
        if self.pyfunc is None:
            return self._take(*args, **kwargs)
        if self.signature is not None:
            dtypes = self.otypes if self.otypes is None or len(self.otypes) > 1 else self.otypes[0]
            return GUFUNCS.apply_gufunc(
                self.pyfunc, self.signature, *args, vectorize=True, output_dtypes=dtypes, **kwargs
            )
        places = [place for place in range(len(args)) if place not in self.excluded]
        names = [name for name in kwargs if name not in self.excluded]
        whole = {name: value for name, value in kwargs.items() if name in self.excluded}
        kept = tuple(None if n in places else value for n, value in enumerate(args))
        bound = Bound(
            OURS.of_blocks(self.pyfunc), kept, tuple(places), tuple(names), tuple(whole.items())
        )
        given = [asarray(args[n]) for n in places] + [asarray(kwargs[name]) for name in names]
        if not given:
            return asarray(bound())
        return self._called(bound, given)

    def _called(self, bound: Bound, given: list[Array]) -> Any:
        """The function's results for the cells of arrays."""
        kinds = self.otypes or _found_dtypes(bound, given)
        single = len(kinds) == 1
        packed = (
            kinds[0] if single else np.dtype([(f"f{n}", _held(k)) for n, k in enumerate(kinds)])
        )
        nodes = [one.node for one in given]
        value = called_on_cells(OneByOne(bound, _held(packed)), _held(packed), nodes)
        results = [value] if single else [field(value, f"f{n}") for n in range(len(kinds))]
        arrays = tuple(_text_or_same(Array(r), k) for r, k in zip(results, kinds, strict=True))
        return arrays[0] if single else arrays


def _held(kind: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which results are kept; texts of any length are Python objects."""
    return np.dtype(object) if kind.kind in "SU" and not kind.itemsize else kind


def _text_or_same(result: Array, kind: np.dtype[Any]) -> Array:
    """Results, of which texts of any length are as wide as the longest of them."""
    if _held(kind) == kind:
        return result
    return result.astype(text_dtype(kind.kind, longest([result])))


def _found_dtypes(function: Callable[..., Any], given: list[Array]) -> tuple[np.dtype[Any], ...]:
    """Dtypes of what a function returns for the first cells, which are computed."""
    if not all(one.size for one in given):
        raise ArgumentError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    first = [np.asarray(one[(0,) * one.ndim])[()] for one in given]
    made = function(*first)
    return tuple(_unsized(one) for one in (made if isinstance(made, tuple) else (made,)))


def _unsized(value: ArrayLike) -> np.dtype[Any]:
    """The dtype of a result; of texts without their length."""
    kind = np.asarray(value).dtype
    return np.dtype(kind.char) if kind.kind in "SU" else kind
