"""The public function of each ufunc, as `add`: it makes the node and has NumPy's signature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import UFUNC_FUNCTIONS
from dask_tapestry.arrays.core.dtypes import CASTINGS, Casting
from dask_tapestry.arrays.core.masked import Masked, from_numpy
from dask_tapestry.arrays.core.out_argument import Out
from dask_tapestry.arrays.core.selected_cells import of_selected
from dask_tapestry.arrays.elementwise.ufunc_options import (
    Wish,
    loop_signature,
    methods_of,
    with_options,
)
from dask_tapestry.cells import UFUNCS, Signature
from dask_tapestry.cells.references import one_cell
from dask_tapestry.errors import DTypeError
from dask_tapestry.io.sources.coerce import is_array_like
from dask_tapestry.io.sources.masked_array import is_masked
from dask_tapestry.operators.cells.elementwise import Operand, elementwise
from dask_tapestry.teg import Tensor

PLAIN = frozenset((Array, bool, int, float, complex))  # operands that have no mask
NUMBERS = (bool, int, float, complex, np.generic)  # types of scalars that stay as they are
DOCUMENTATION = """{summary}

    Cell by cell, as `numpy.{name}`: shapes broadcast, dtypes promote as in NumPy (NEP 50).

    Parameters
    ----------
    {arguments}
        {cells}
    out
        An `Array` that takes the value of the result{each}.
    where
        Booleans that broadcast to the result: where false, cells of `out` stay, or are zero.
    casting
        What conversions of operands are allowed, by a rule of NumPy's.
    dtype
        Of the loop, and so of the result; by default what the operands' dtypes promote to.
    signature
        Of the loop, instead of `dtype`: characters, as in ``types``, or a tuple of a dtype for each
        operand and result, None where NumPy chooses.

    Returns
    -------
    {result}
        Of the operands' broadcast shape.

    Raises
    ------
    ArgumentError
        If `signature` is none of the ufunc.
    ShapeError
        If the shapes do not broadcast.
    DTypeError
        If there is no loop for these dtypes.

    See Also
    --------
    numpy.{name}

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.{name}({example}){pick}.shape
    (2,)
    """

EXAMPLES = {  # of those that take neither integers nor floats throughout
    "isnat": 'dt.zeros(2, "datetime64[D]")',
    "ldexp": "dt.ones(2), dt.asarray([1, 1])",
}

FAIL_OF_ONES = frozenset(("arctanh",))  # of cells that a mask leaves out, see `Selection.harmless`

FUNCTIONS: dict[str, Callable[..., Any]] = {}

Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result", covariant=True)


class Methods(Protocol):
    """What a ufunc has beside its call."""

    @property
    def nin(self) -> int: ...
    @property
    def nout(self) -> int: ...
    @property
    def outer(self) -> Callable[..., Any]: ...
    @property
    def reduce(self) -> Callable[..., Array]: ...
    @property
    def accumulate(self) -> Callable[..., Array]: ...
    @property
    def reduceat(self) -> Callable[..., Array]: ...
    @property
    def at(self) -> Callable[..., None]: ...


class Unary(Methods, Protocol[Result]):
    """A ufunc of one operand."""

    def __call__(
        self,
        x: ArrayLike,
        /,
        out: Out = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        dtype: DTypeLike | None = None,
        signature: Wish | None = None,
    ) -> Result: ...


class Binary(Methods, Protocol[Result]):
    """A ufunc of two operands."""

    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: Out = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        dtype: DTypeLike | None = None,
        signature: Wish | None = None,
    ) -> Result: ...


def holds_objects(values: Sequence[ArrayLike | None]) -> bool:
    """Whether one of several operands is an array of Python objects."""
    return any(isinstance(one, Array) and one.dtype.kind == "O" for one in values)


def operand(value: ArrayLike | date | timedelta | None, beside_objects: bool = False) -> Operand:
    """Return `value` as a tensor, or as a scalar that takes part in promotion.

    Beside arrays of Python objects what is not an array is one of them.
    """
    if isinstance(value, Array):
        return value.node
    if isinstance(value, NUMBERS):
        return value
    if isinstance(value, str):
        return np.str_(value)
    if isinstance(value, bytes):
        return np.bytes_(value)
    if beside_objects and not is_array_like(value):
        return one_cell(value, np.dtype(object))
    if isinstance(value, date | timedelta):
        return time_of(value)
    return asarray(cast(ArrayLike, value)).node


def time_of(value: date | timedelta) -> np.datetime64 | np.timedelta64:
    """A date, time or length of time of Python's or of pandas' as NumPy's scalar.

    {Raises} DTypeError: For a time with a zone, which cells have not.

    Examples
    --------
    >>> time_of(timedelta(minutes=1)).dtype
    dtype('<m8[us]')
    """
    if getattr(value, "tzinfo", None) is not None:
        raise DTypeError(f"cells have no time zone: convert {value} to UTC, without a zone")
    for method in ("to_timedelta64", "to_datetime64"):  # of pandas, in the unit that it has
        if hasattr(value, method):
            return cast(np.datetime64, getattr(value, method)())
    return np.timedelta64(value) if isinstance(value, timedelta) else np.datetime64(value)


def unary(name: str) -> Unary[Array]:
    """Return the function of a ufunc of one operand and one result."""

    def function(
        x: ArrayLike,
        /,
        out: Out = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        dtype: DTypeLike | None = None,
        signature: Wish | None = None,
    ) -> Array:
        return _called(name, (x,), dtype, out, where, casting, signature)[0]

    return cast(Unary[Array], _registered(name, function))


def binary(name: str) -> Binary[Array]:
    """Return the function of a ufunc of two operands and one result."""

    def function(
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: Out = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        dtype: DTypeLike | None = None,
        signature: Wish | None = None,
    ) -> Array:
        return _called(name, (x1, x2), dtype, out, where, casting, signature)[0]

    return cast(Binary[Array], _registered(name, function))


def unary_pair(name: str) -> Unary[tuple[Array, Array]]:
    """Return the function of a ufunc of one operand and two results."""

    def function(
        x: ArrayLike,
        /,
        out: Out = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        dtype: DTypeLike | None = None,
        signature: Wish | None = None,
    ) -> tuple[Array, Array]:
        first, second = _called(name, (x,), dtype, out, where, casting, signature)
        return first, second

    return cast(Unary[tuple[Array, Array]], _registered(name, function))


def binary_pair(name: str) -> Binary[tuple[Array, Array]]:
    """Return the function of a ufunc of two operands and two results."""

    def function(
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: Out = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        dtype: DTypeLike | None = None,
        signature: Wish | None = None,
    ) -> tuple[Array, Array]:
        first, second = _called(name, (x1, x2), dtype, out, where, casting, signature)
        return first, second

    return cast(Binary[tuple[Array, Array]], _registered(name, function))


def _called(
    name: str,
    operands: tuple[ArrayLike, ...],
    dtype: DTypeLike | None,
    out: Out,
    where: Any,
    casting: Casting,
    signature: Wish | None,
) -> tuple[Array, ...]:
    """The results of a ufunc, with what else it takes."""
    loop = loop_signature(UFUNCS[name], dtype, signature)
    usual = isinstance(casting, str) and casting == "same_kind"
    alone = out is None and where is True and usual
    if alone and PLAIN.issuperset(map(type, operands)):
        return _results(name, operands, loop)
    one_of("casting", casting, CASTINGS)
    if any(is_masked(one) for one in operands):
        operands = tuple(from_numpy(one, None) if is_masked(one) else one for one in operands)
    masked: Any = next((one for one in operands if isinstance(one, Masked)), None)
    if masked is not None:
        plain = alone and signature is None
        found: tuple[Array, ...] = _of_masked(masked, name, operands, dtype, plain)
        return found
    if alone:
        return _results(name, operands, loop)
    call = partial(_results, name)
    return with_options(UFUNCS[name], call, operands, loop, out, where, casting)


def _of_masked(
    masked: Any, name: str, operands: tuple[ArrayLike, ...], dtype: DTypeLike | None, alone: bool
) -> Any:
    """The results of a ufunc of arrays of which one has a mask; they have masks too."""
    if not alone:
        raise DTypeError("masked arrays take no options but dtype=: choose with dt.ma.where")
    told = {} if dtype is None else {"dtype": dtype}
    made: Any = masked.__array_ufunc__(UFUNCS[name], "__call__", *operands, **told)
    return made if isinstance(made, tuple) else (made,)


def _results(
    name: str, operands: Sequence[ArrayLike], signature: Signature | None
) -> tuple[Array, ...]:
    """The results of a ufunc; of scalars alone they are arrays without dimensions."""
    outputs = range(UFUNCS[name].nout)
    arrays = [x for x in operands if isinstance(x, Array)]
    if name not in FAIL_OF_ONES and [x for x in arrays if x.selected]:
        makers = [partial(elementwise, name, output=n, signature=signature) for n in outputs]
        made = [one for make in makers if (one := of_selected(make, operands)) is not None]
        if made:
            return tuple(made)
    objects = holds_objects(arrays)
    values = [operand(value, objects) for value in operands]
    if not (arrays or any(isinstance(value, Tensor) for value in values)):
        typed = (n for n, value in enumerate(values) if isinstance(value, np.generic))
        first = next(typed, 0)  # a Python scalar takes the dtype of NumPy's beside it
        values[first] = _as_cell(UFUNCS[name], values, first).node
    made_of = [elementwise(name, *values, output=n, signature=signature) for n in outputs]
    return tuple(map(Array, made_of))


def _as_cell(ufunc: np.ufunc, values: Sequence[Any], number: int) -> Array:
    """One of a ufunc's scalars as an array; large integers among Python's in the loop's dtype.

    Raises
    ------
    DTypeError
        If there is no loop.
    OverflowError
        If the loop is of integers that cannot hold it.
    """
    array = asarray(values[number])
    if type(values[number]) is not int or array.dtype == np.int64 or ufunc.nin == 1:
        return array
    kinds = [type(v) if type(v) in (int, float, complex) else asarray(v).dtype for v in values]
    try:
        loop = ufunc.resolve_dtypes((*kinds, *[None] * ufunc.nout))
    except TypeError as error:
        raise DTypeError(str(error)) from None
    return asarray(values[number], loop[number])


def _registered(name: str, function: Function) -> Function:
    """`function` under the ufunc's name, documented, and known to NumPy's dispatch."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = _documentation(name, UFUNCS[name])
    vars(function).update(methods_of(name, UFUNCS[name], function))
    UFUNC_FUNCTIONS[name] = FUNCTIONS[name] = function
    return function


def _documentation(name: str, ufunc: np.ufunc) -> str:
    text = (ufunc.__doc__ or name).strip().splitlines()
    summary = next((t.strip() for t in text[1:] if t.strip()), name)
    sample = "dt.asarray([1, 1])" if any(t[0] in "bl" for t in ufunc.types) else "dt.ones(2)"
    return DOCUMENTATION.format(
        summary=summary if summary.endswith(".") else summary + ".",
        name=name,
        arguments="x" if ufunc.nin == 1 else "x1, x2",
        cells="An array or a scalar." if ufunc.nin == 1 else "Arrays or scalars, which broadcast.",
        each=", or one for each" if ufunc.nout > 1 else "",
        result="Array" if ufunc.nout == 1 else "tuple of two Array",
        example=EXAMPLES.get(name, ", ".join([sample] * ufunc.nin)),
        pick="[0]" if ufunc.nout > 1 else "",
    )
