"""Options of NumPy's ufuncs beside operands: ``out=``, ``where=``, ``casting=``; their methods.

Examples
--------
>>> import dask_tapestry as dt
>>> total = dt.zeros(3)
>>> dt.add(dt.arange(3), 10, out=total, where=[True, False, True]) is total
True
>>> total.compute()
array([10.,  0., 12.])
>>> dt.add.reduce(dt.arange(4)).compute(), dt.multiply.outer([1, 2], [3, 4]).shape
(np.int64(6), (2, 2))
>>> dt.add(1, 2, signature="dd->d").dtype
dtype('float64')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import METHODS, registered
from dask_tapestry.arrays.core.dtypes import Casting, as_dtype
from dask_tapestry.arrays.core.out_argument import Out, assigned_to_out
from dask_tapestry.arrays.core.reduction_arguments import booleans
from dask_tapestry.cells import Signature
from dask_tapestry.cells.references import zero_cell
from dask_tapestry.cells.ufuncs import safe_operand
from dask_tapestry.errors import ArgumentError, DTypeError
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.cells.where import where as chosen
from dask_tapestry.operators.views.broadcast import broadcast

FACTS: Final = ("identity", "nargs", "nin", "nout", "ntypes", "signature", "types")
METHOD_NAMES: Final = ("accumulate", "at", "reduce", "reduceat")
NUMBERS: Final = (int, float, complex)  # Python's, which widen no dtype beside them
Wish = str | tuple[DTypeLike | type[np.dtype[Any]] | None, ...]  # of a loop, by a user
Call = Callable[[Sequence[Any], Signature | None], tuple[Array, ...]]


def loop_signature(ufunc: np.ufunc, dtype: DTypeLike | None, signature: object) -> Signature | None:
    """The signature of the loop that a user asks for by one of ``dtype=`` and ``signature=``.

    {Raises} DTypeError: If both are given, or something that is no signature.
    """
    if dtype is not None and signature is not None:
        raise DTypeError(f"{ufunc.__name__} takes one of dtype= and signature=, not both")
    if dtype is not None:
        return (*[None] * ufunc.nin, *[as_dtype(dtype)] * ufunc.nout)
    if signature is None or isinstance(signature, str):
        return signature
    if not isinstance(signature, tuple):
        kind = type(signature).__name__
        raise DTypeError(f"the signature object to ufunc must be a string or a tuple, not {kind}")
    return tuple(map(_loop_dtype, signature))


def _loop_dtype(wish: Any) -> Any:
    """A dtype, None, or a class of dtypes, as ``numpy.dtypes.DateTime64DType``, of a signature."""
    is_class = isinstance(wish, type) and issubclass(wish, np.dtype)
    return wish if wish is None or is_class else as_dtype(wish)


def with_options(
    ufunc: np.ufunc,
    call: Call,
    operands: Sequence[ArrayLike],
    signature: Signature | None,
    out: Out,
    where: ArrayLike,
    casting: Casting,
) -> tuple[Array, ...]:
    """The results of `call`, cast as `casting` allows, where `where` is true and into `out`.

    Results broadcast to the shape of `out`. Cells where `where` is false keep those of `out`;
    without `out` they are zero, where NumPy leaves what was in memory.

    {Raises}
        DTypeError: If `casting` forbids what the loop needs, `where` is not of booleans, or `out`
            is not an array of ours.
        ShapeError: If what is computed does not broadcast to the shape of `out`.
    """
    outs = out if isinstance(out, tuple) else (out, *(None,) * (ufunc.nout - 1))
    if casting != "same_kind":
        operands = _cast(ufunc, operands, signature, casting)
    if where is not True:
        mask = booleans(where)
        operands = [
            _masked_with_safe_value(mask, x, safe_operand(ufunc.__name__)) for x in operands
        ]
    results = call(operands, signature)
    if where is not True:
        results = tuple(_where(mask, *pair, casting) for pair in zip(results, outs, strict=True))
    if len(outs) != len(results):
        raise ArgumentError(f"out has {len(outs)} arrays for {len(results)} results")
    pairs = zip(outs, results, strict=True)
    return tuple(assigned_to_out(one, result, casting, broadcasts=True) for one, result in pairs)


def _masked_with_safe_value(mask: Array, operand: ArrayLike, safe: int) -> ArrayLike:
    """An operand with a number that every ufunc takes where `mask` is false, so nothing is told."""
    if type(operand) in NUMBERS:
        return operand
    x = asarray(operand)
    shape = broadcast_shape([mask.shape, x.shape])
    number = np.array(safe).astype(x.dtype)[()]
    return Array(chosen(mask.node, broadcast(x.node, shape), number))


def _where(mask: Array, result: Array, out: Any, casting: Casting) -> Array:
    """`result` where `mask` is true, else the cells of `out` or zero, in `out`'s dtype."""
    otherwise: Any = zero_cell(result.dtype)
    cells = result.node
    if isinstance(out, Array):
        otherwise, cells = (
            out.node,
            assigned_to_out(out.copy(), result, casting, broadcasts=True).node,
        )
    shape = broadcast_shape([mask.shape, cells.type.shape])
    return Array(chosen(mask.node, broadcast(cells, shape), otherwise))


def _cast(
    ufunc: np.ufunc, operands: Sequence[ArrayLike], signature: Signature | None, casting: Casting
) -> list[Any]:
    """The operands in the dtypes of the loop, if `casting` allows to bring them there."""
    kinds = [type(x) if type(x) in NUMBERS else asarray(x).dtype for x in operands]
    outputs = (None,) * ufunc.nout
    loop_options: dict[str, Any] = {"casting": casting}
    if signature is not None:
        loop_options["signature"] = signature
    trial = [x if type(x) in NUMBERS else np.zeros(0, asarray(x).dtype) for x in operands]
    try:  # NumPy 2.4's resolve_dtypes crashes where it should raise, so it is called after this
        ufunc(*trial, **loop_options)
    except (ValueError, OverflowError) as error:
        raise ArgumentError(f"{ufunc.__name__}: {error}") from None
    except TypeError as error:
        raise DTypeError(str(error)) from None
    loop = ufunc.resolve_dtypes((*kinds, *outputs), **loop_options)
    return [Array(astype(asarray(x).node, kind)) for x, kind in zip(operands, loop, strict=False)]


def methods_of(name: str, ufunc: np.ufunc, function: Callable[..., Any]) -> dict[str, Any]:
    """What a ufunc has beside its call, by name: ``nin``, ``types``, ``outer``, ``reduce``, ..."""
    facts = {key: getattr(ufunc, key) for key in FACTS}
    methods = {key: _method(name, key) for key in METHOD_NAMES}

    def outer(a: ArrayLike, b: ArrayLike, /, **kwargs: Any) -> Any:
        """Apply the ufunc to all pairs of cells, as `numpy.ufunc.outer`."""
        if ufunc.nin != 2:
            raise DTypeError(f"{name} has no outer: it takes {ufunc.nin} operand")
        x, y = asarray(a), asarray(b)
        return function(x.reshape(*x.shape, *(1,) * y.ndim), y, **kwargs)

    METHODS[name, "outer"] = outer
    return facts | methods | {"outer": outer}


def _method(name: str, method: str) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        ours = registered(METHODS, (name, method))
        if ours is None:
            raise DTypeError(f"{name} has no {method}")
        result = ours(*args, **kwargs)
        if result is NotImplemented:
            raise DTypeError(f"{name}.{method} does not take these arguments; see numpy.ufunc")
        return result

    called.__name__ = method
    called.__qualname__ = f"{name}.{method}"
    called.__doc__ = f"As ``numpy.{name}.{method}``, of our arrays."
    return called
