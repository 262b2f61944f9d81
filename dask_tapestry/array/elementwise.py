"""Every NumPy ufunc, `where`, `clip` and `astype`, on arrays."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from dask_tapestry.array.array import Array
from dask_tapestry.array.convert import asarray
from dask_tapestry.array.dispatch import UFUNC_FUNCTIONS, implements
from dask_tapestry.array.dtypes import as_dtype
from dask_tapestry.cells import UFUNCS
from dask_tapestry.operators.elementwise import Operand, cell_call, elementwise
from dask_tapestry.operators.elementwise import astype as cast
from dask_tapestry.operators.full import full
from dask_tapestry.operators.where import where as where_operator
from dask_tapestry.teg import Tensor

DOCUMENTATION = """{summary}

    Cell by cell, as `numpy.{name}`: shapes broadcast, dtypes promote as in NumPy (NEP 50).

    Parameters
    ----------
    *operands
        {nin} array(s) or scalar(s).
    dtype
        Of the result, which chooses the loop.

    Raises
    ------
    ShapeError
        If the shapes do not broadcast.
    DTypeError
        If there is no loop for these dtypes.

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


def operand(value: object) -> Operand:
    """`value` as a tensor or a scalar that takes part in promotion."""
    if isinstance(value, Array):
        return value.node
    if isinstance(value, bool | int | float | complex | np.generic):
        return value
    if isinstance(value, str | bytes):
        return np.asarray(value).flat[0]  # type: ignore[no-any-return]
    return asarray(value).node


def _operands(values: tuple[Any, ...]) -> list[Operand]:
    found = [operand(value) for value in values]
    if not any(isinstance(o, Tensor) for o in found):
        found[0] = asarray(values[0]).node
    return found


def _function(name: str) -> Callable[..., Any]:
    ufunc = UFUNCS[name]

    def function(*operands: Any, dtype: Any = None) -> Any:
        if len(operands) != ufunc.nin:
            raise TypeError(f"{name}() takes {ufunc.nin} operands but {len(operands)} were given")
        values = _operands(operands)
        wanted = None if dtype is None else as_dtype(dtype)
        results = tuple(
            Array(elementwise(name, *values, output=place, dtype=wanted))
            for place in range(ufunc.nout)
        )
        return results[0] if ufunc.nout == 1 else results

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = _documentation(name, ufunc)
    UFUNC_FUNCTIONS[name] = function
    return function


def _documentation(name: str, ufunc: np.ufunc) -> str:
    text = (ufunc.__doc__ or name).strip().splitlines()
    summary = next((t.strip() for t in text[1:] if t.strip()), name)
    sample = "dt.asarray([1, 1])" if any(t[0] in "bl" for t in ufunc.types) else "dt.ones(2)"
    return DOCUMENTATION.format(
        summary=summary if summary.endswith(".") else summary + ".",
        name=name,
        nin=ufunc.nin,
        example=EXAMPLES.get(name, ", ".join([sample] * ufunc.nin)),
        pick="[0]" if ufunc.nout > 1 else "",
    )


FUNCTIONS: dict[str, Callable[..., Any]] = {name: _function(name) for name in UFUNCS}
ALIASES: dict[str, str] = {
    name: function.__name__
    for name, function in vars(np).items()
    if isinstance(function, np.ufunc)
    and function.__name__ in FUNCTIONS
    and name != function.__name__
}
globals().update(FUNCTIONS)
globals().update({alias: FUNCTIONS[name] for alias, name in ALIASES.items()})


def __getattr__(name: str) -> Callable[..., Any]:
    raise AttributeError(f"module {__name__} has no attribute {name}")


@implements(np.where)
def where(condition: Any, x: Any = None, y: Any = None) -> Array:
    """Choose cells of `x` where `condition` is non-zero, of `y` elsewhere, as `numpy.where`.

    Raises
    ------
    TypeError
        Without `x` and `y`: the places of true cells have no shape known beforehand.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.where(dt.arange(4) > 1, 7, 0).compute()
    array([0, 0, 7, 7])
    """
    if x is None or y is None:
        raise TypeError("where takes a condition, x and y")
    values = [operand(v) for v in (condition, x, y)]
    if not any(isinstance(v, Tensor) for v in values):
        values[0] = asarray(condition).node
    return Array(where_operator(*values))


@implements(np.clip)
def clip(
    x: Any,
    min: Any = None,
    max: Any = None,
    *,
    a_min: Any = None,
    a_max: Any = None,
) -> Array:
    """Limit cells to ``[min, max]``, as `numpy.clip`; a bound of None does not limit.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.clip(dt.arange(5), 1, 3).compute()
    array([1, 1, 2, 3, 3])
    """
    array = asarray(x)
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    result: Operand = array.node
    if low is not None:
        result = elementwise("maximum", result, _bound(low, array.dtype))
    if high is not None:
        result = elementwise("minimum", result, _bound(high, array.dtype))
    return Array(result)  # type: ignore[arg-type]


def _bound(value: object, dtype: np.dtype[Any]) -> Operand:
    """A bound; a Python integer that no cell can reach becomes the one next to it."""
    if isinstance(value, int) and not isinstance(value, bool) and dtype.kind in "iu":
        ends = np.iinfo(dtype)
        return builtins.max(int(ends.min), builtins.min(int(ends.max), value))
    return operand(value)


@implements(np.astype)
def astype(x: Any, dtype: Any, /, *, copy: bool = True) -> Array:  # noqa: ARG001
    """Convert every cell to `dtype`, as `numpy.ndarray.astype`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.astype(dt.asarray([1.7, 2.2]), "int8").compute()
    array([1, 2], dtype=int8)
    """
    return Array(cast(asarray(x).node, as_dtype(dtype)))


@implements(np.real)
def real(x: Any, /) -> Array:
    """Return the real part of each cell.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.real(dt.asarray([1 + 2j])).compute()
    array([1.])
    """
    array = asarray(x)
    return array if array.dtype.kind != "c" else _part("real", array)


@implements(np.imag)
def imag(x: Any, /) -> Array:
    """Return the imaginary part of each cell, zero for real ones.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.imag(dt.asarray([1 + 2j])).compute()
    array([2.])
    """
    array = asarray(x)
    if array.dtype.kind != "c":
        return Array(full(array.shape, np.zeros((), array.dtype).flat[0], array.dims))
    return _part("imag", array)


def _part(name: str, x: Array) -> Array:
    from_complex = np.dtype(x.dtype.char.lower())
    return Array(cell_call(name, [x.node], [x.dtype], from_complex))
