"""The monoids that reductions fold: dtypes, identity and NumPy meaning of each.

The arithmetic is in the kernel of the same name of each device.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.cells.ufuncs import UFUNCS, loop_dtypes
from dask_tapestry.errors import DTypeError
from dask_tapestry.late_dataclass import dataclass

DType = np.dtype[Any]
BOOL: Final = np.dtype(bool)
INDEX: Final = np.dtype(np.intp)


@dataclass(frozen=True)
class NamedMonoid:
    """A named monoid over cells.

    Attributes
    ----------
    dtypes
        Maps the input's dtype and the one asked for to (result dtype, dtype of a node's state).
    neutral
        The value of no cells; None if there is none.
    numpy
        The NumPy function it stands for.
    ufunc
        Name of the ufunc that combines two values; "" where states are not values (var, argmin).
    filler
        What a cell that is left out is replaced by, if not by `neutral`.
    """

    name: str
    dtypes: Callable[[DType, DType | None], tuple[DType, DType]]
    neutral: float | None
    numpy: Callable[..., Any]
    ufunc: str = ""
    filler: float | None = None

    @property
    def has_identity(self) -> bool:
        """Whether it has a value for no cells."""
        return self.neutral is not None

    def reference(
        self, x: np.ndarray[Any, Any], axes: tuple[int, ...], dtype: DType, ddof: float
    ) -> np.ndarray[Any, Any]:
        """NumPy's value."""
        if self.name in ARG_REDUCTIONS:
            kept = [axis for axis in range(x.ndim) if axis not in axes]
            moved = x.transpose(*kept, *axes)
            flat = moved.reshape(*moved.shape[: len(kept)], -1)
            return np.asarray(self.numpy(flat, axis=-1))
        spread = self.name in ("var", "std", "nanvar", "nanstd")
        options: dict[str, Any] = {"ddof": ddof} if spread else {}
        if spread or self.name in ("sum", "prod", "mean", "nanmean"):
            options["dtype"] = dtype
        return np.asarray(self.numpy(x, axis=axes, **options))


def accumulator(dtype: DType) -> DType:
    """Dtype in which cells of `dtype` are added: float16 is added in float32."""
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def _fold(function: str) -> Callable[[DType, DType | None], tuple[DType, DType]]:
    """Dtypes of sums and products: small integers become 64-bit ones."""

    def dtypes(x: DType, asked: DType | None) -> tuple[DType, DType]:
        if x.kind in "mM" and asked is not None and asked.kind != "m":
            asked = x  # as NumPy, which has one loop for times
        result = _in_one_unit(x, asked) or _widened(x)
        loop = _loop(function, result)
        if loop != result or (x.kind in "MUS" and function == "add"):
            raise DTypeError(f"a {function} reduction is not defined for dtype {dtype_name(x)}")
        return result, accumulator(result)

    return dtypes


def _in_one_unit(x: DType, requested: DType | None) -> DType | None:
    """The dtype asked for; NumPy takes no other unit of time than the cells'."""
    if requested is not None and requested.kind in "mM" and requested != x:
        raise DTypeError(
            f"a reduction of {dtype_name(x)} in {requested.name}: its dtype may not choose the "
            "unit of time"
        )
    return requested


def _loop(function: str, dtype: DType) -> DType:
    return loop_dtypes(function, (dtype, dtype))[2]


def _widened(x: DType) -> DType:
    """NumPy's default dtype of sums and products: small integers become 64-bit ones."""
    if x.kind == "b" or (x.kind in "iu" and x.itemsize < np.dtype(np.int_).itemsize):
        return np.dtype(np.uint if x.kind == "u" else np.int_)
    return x


def _same(function: str) -> Callable[[DType, DType | None], tuple[DType, DType]]:
    def dtypes(x: DType, asked: DType | None) -> tuple[DType, DType]:
        result = _in_one_unit(x, asked) or x
        if _loop(function, result) != result:
            raise DTypeError(
                f"a {function} reduction is not defined for dtype {dtype_name(result)}"
            )
        return result, result

    return dtypes


def _real(function: str) -> Callable[[DType, DType | None], tuple[DType, DType]]:
    """Dtypes of functions that yield floats for integers."""

    def dtypes(x: DType, asked: DType | None) -> tuple[DType, DType]:
        result = _loop(function, asked or x)
        return result, result

    return dtypes


def _truth(x: DType, asked: DType | None) -> tuple[DType, DType]:  # noqa: ARG001
    return BOOL, BOOL


def _mean(x: DType, asked: DType | None) -> tuple[DType, DType]:
    if x.kind not in "biufcmO":
        raise DTypeError(f"mean is not defined for dtype {dtype_name(x)}")
    if x.kind == "m" or (x.kind == "O" and asked in (None, x)):
        return x, x
    result = asked or (np.dtype(np.float64) if x.kind in "biu" else x)
    if result.kind not in "fc":
        raise DTypeError(f"a mean is not computed in dtype {dtype_name(result)}: floats are needed")
    return result, accumulator(result)


def _variance(x: DType, requested: DType | None) -> tuple[DType, DType]:
    if x.kind not in "biufc":
        raise DTypeError(f"variance is not defined for dtype {dtype_name(x)}")
    if requested is not None and requested.kind not in "fc":
        raise DTypeError(f"a variance is not computed in dtype {requested.name}: floats are needed")
    work = accumulator(requested or (np.dtype(np.float64) if x.kind in "biu" else x))
    real = np.dtype(work.char.lower()) if work.kind == "c" else work
    result = (requested or x) if (requested or x).kind == "f" else real
    return result, np.dtype([("mean", work), ("m2", real)])


def _of_numbers(
    dtypes: Callable[[DType, DType | None], tuple[DType, DType]], *names: str
) -> Callable[[DType, DType | None], tuple[DType, DType]]:
    """Dtypes of reductions that leave NaN out: the state also counts the numbers."""

    def of_numbers(x: DType, asked: DType | None) -> tuple[DType, DType]:
        if x.kind not in "fc":
            raise DTypeError(f"dtype {dtype_name(x)} has no NaN")
        result, state = dtypes(x, asked)
        if x.kind == "c" and result.kind == "f" and not state.names:
            raise DTypeError(
                f"a mean of {dtype_name(x)} is not computed in {dtype_name(result)}: parts are lost"
            )
        parts = [(name, state[name] if state.names else state) for name in names]
        return result, np.dtype([*parts, ("count", INDEX)])

    return of_numbers


def _range(x: DType, asked: DType | None) -> tuple[DType, DType]:
    _same("minimum")(x, asked)
    return _loop("subtract", x), np.dtype([("least", x), ("greatest", x)])


def _position(x: DType, asked: DType | None) -> tuple[DType, DType]:  # noqa: ARG001
    if x.kind not in "biufcmMUSO":
        raise DTypeError(f"no order is defined here for dtype {dtype_name(x)}")
    return INDEX, np.dtype([("value", x), ("place", INDEX)])


def _number_position(x: DType, asked: DType | None) -> tuple[DType, DType]:  # noqa: ARG001
    if x.kind not in "fc":
        raise DTypeError(f"dtype {dtype_name(x)} has no NaN")
    return INDEX, np.dtype([("value", x), ("place", INDEX), ("number", BOOL)])


def _whole(name: str) -> Callable[..., Any]:
    """A ufunc's reduction over all axes by default, not over the first."""
    return partial(UFUNCS[name].reduce, axis=None)


ARG_REDUCTIONS: Final = frozenset({"argmin", "argmax", "nanargmin", "nanargmax"})
MONOIDS: Final = MappingProxyType(
    {
        monoid.name: monoid
        for monoid in (
            # NumPy's sum starts at +0.0, `add` from the first cell, as when `initial` is given
            NamedMonoid("sum", _fold("add"), 0, np.sum, "add", -0.0),
            NamedMonoid("add", _fold("add"), None, np.sum, "add", -0.0),
            NamedMonoid("prod", _fold("multiply"), 1, np.prod, "multiply"),
            NamedMonoid("min", _same("minimum"), None, np.min, "minimum"),
            NamedMonoid("max", _same("maximum"), None, np.max, "maximum"),
            NamedMonoid("fmin", _same("fmin"), None, _whole("fmin"), "fmin"),
            NamedMonoid("fmax", _same("fmax"), None, _whole("fmax"), "fmax"),
            NamedMonoid("any", _truth, 0, np.any, "logical_or"),
            NamedMonoid("all", _truth, 1, np.all, "logical_and"),
            NamedMonoid("xor", _truth, 0, _whole("logical_xor"), "logical_xor"),
            *[
                NamedMonoid(name, _same(name), neutral, _whole(name), name)
                for name, neutral in (
                    ("bitwise_and", -1),
                    ("bitwise_or", 0),
                    ("bitwise_xor", 0),
                    ("gcd", 0),
                    ("lcm", None),
                )
            ],
            *[
                NamedMonoid(name, _real(name), neutral, _whole(name), name)
                for name, neutral in (("hypot", 0), ("logaddexp", -np.inf), ("logaddexp2", -np.inf))
            ],
            NamedMonoid("mean", _mean, 0, np.mean),
            NamedMonoid("var", _variance, 0, np.var),
            NamedMonoid("std", _variance, 0, np.std),
            NamedMonoid("nanmean", _of_numbers(_mean, "sum"), 0, np.nanmean),
            NamedMonoid("nanvar", _of_numbers(_variance, "mean", "m2"), 0, np.nanvar),
            NamedMonoid("nanstd", _of_numbers(_variance, "mean", "m2"), 0, np.nanstd),
            NamedMonoid("ptp", _range, None, np.ptp),
            NamedMonoid("argmin", _position, None, np.argmin),
            NamedMonoid("argmax", _position, None, np.argmax),
            NamedMonoid("nanargmin", _number_position, None, np.nanargmin),
            NamedMonoid("nanargmax", _number_position, None, np.nanargmax),
        )
    }
)
FOLDS_OF_UFUNCS: Final = MappingProxyType(
    {MONOIDS[name].ufunc: name for name in ("sum", "prod", "min", "max", "any", "all")}
)  # NumPy's functions that fold by these ufuncs
