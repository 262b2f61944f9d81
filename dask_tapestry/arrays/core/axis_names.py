"""Axes by the names of dimensions: numbers take their place before a function is called.

Wherever a function takes the number of an axis of its array, it takes the dimension's name. The
function itself, and all below it, know numbers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import unwrap
from typing import Any, Final, TypeVar, cast

from dask_tapestry.errors import ArgumentTypeError, AxisError

Function = TypeVar("Function", bound=Callable[..., Any])
Dims = tuple[str | None, ...]

AXES: Final = frozenset(
    "axis axes axis1 axis2 axisa axisb source destination drop_axis gather_dims scatter_dims "
    "depth boundary pad_width".split()  # the last three may be dictionaries from axes
)
BY_AXIS: Final = frozenset("depth boundary pad_width".split())  # names are keys alone
EACH_OPERAND: Final = frozenset("tensordot matmul matvec vecdot vecmat apply_gufunc".split())
BROADCAST: Final = frozenset("cross vecdot".split())  # of which axes are counted from the last
OF_RESULT: Final = frozenset("expand_dims geomspace linspace logspace stack tensorsolve".split())
NO_OPERANDS: Final = frozenset(
    "condition dirname function name reduction signature weights".split()
)
VARARGS: Final = 4  # of a function's flags


class AxisNames:
    """Which arguments of a function are axes, by name and by place.

    Parameters
    ----------
    function
        Of which the parameters are looked at, below all that wraps it.
    """

    __slots__ = ("_each", "_from_last", "_keywords", "_names", "_places", "_several")

    def __init__(self, function: Callable[..., Any]) -> None:
        inner: Any = unwrap(function)
        code, several = (
            inner.__code__,
            inner.__code__.co_argcount + inner.__code__.co_kwonlyargcount,
        )
        self._places = code.co_varnames[: code.co_argcount]
        self._keywords = code.co_varnames[code.co_argcount : several]
        self._several = code.co_varnames[several] if code.co_flags & VARARGS else ""
        known = frozenset(code.co_varnames[: several + bool(self._several)])
        self._names = frozenset() if inner.__name__ in OF_RESULT else AXES & known
        self._each = inner.__name__ in EACH_OPERAND
        self._from_last = inner.__name__ in BROADCAST

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._names)

    def numbered(
        self, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[Sequence[Any], dict[str, Any]]:
        """Return the arguments with numbers for names of dimensions.

        Raises
        ------
        AxisError
            If a name is of no dimension of the array, or of several.
        ArgumentTypeError
            If no dimension has a name.
        """
        names = self._names
        for name, given in kwargs.items():
            if name in names and _has_names(name, given):
                kwargs = {**kwargs, name: self._number(name, given, args, kwargs)}
        for at, (name, given) in enumerate(zip(self._places, args, strict=False)):
            if name in names and _has_names(name, given):
                args = [*args[:at], self._number(name, given, args, kwargs), *args[at + 1 :]]
        at = len(self._places)
        if self._several in names and _has_names(self._several, args[at:]):
            args = [*args[:at], *self._number(self._several, tuple(args[at:]), args, kwargs)]
        return args, kwargs

    def _number(self, name: str, value: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        operands = list(map(_dims_of, self._operands(args, kwargs)))
        if not any(operands):  # the kind of error that NumPy raises for any text
            raise ArgumentTypeError(
                f"{name}={value!r} names a dimension, and those of the array have no names: give "
                "numbers, or names first, as by x.rename(...)"
            )
        if name == "axes" and self._each and isinstance(value, tuple | list):
            operands += [()] * len(value)  # for results, whose axes are numbers
            return [self._of_one(entry, dims) for entry, dims in zip(value, operands, strict=False)]
        return self._of_one(value, operands[name == "axisb"])

    def _operands(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Any]:
        """The arguments that may be arrays, in the order of the parameters."""
        count = len(self._places)
        for at, name in enumerate(self._places):
            if name in self._names or name in NO_OPERANDS or not (at < len(args) or name in kwargs):
                continue
            one = args[at] if at < len(args) else kwargs[name]
            if not callable(one) and (name != "self" or hasattr(one, "dims")):
                yield one
        if self._several not in self._names:
            yield from [one for one in args[count:] if not callable(one)]

    def _of_one(self, value: Any, dims: Dims) -> Any:
        if isinstance(value, str):
            number = axis_of(value, dims)
            return number - len(dims) if self._from_last else number
        if isinstance(value, tuple | list):
            return type(value)([self._of_one(entry, dims) for entry in value])
        if isinstance(value, Mapping):
            return {self._of_one(entry, dims): amount for entry, amount in value.items()}
        return value


def _dims_of(operand: Any) -> Dims:
    """Names of the dimensions of an array, or of the first one of several."""
    if isinstance(operand, tuple | list):
        return next(filter(None, map(_dims_of, operand)), ())
    dims = getattr(operand, "dims", None)
    return dims if isinstance(dims, tuple) else ()


def axis_of(name: str, dims: Dims) -> int:
    """Return the number of the dimension that has a name.

    {Raises} AxisError: If none has it, or several have.

    Examples
    --------
    >>> axis_of("place", ("time", "place"))
    1
    """
    if dims.count(name) == 1:
        return dims.index(name)
    what = "several dimensions are" if name in dims else "no dimension is"
    raise AxisError(f"{what} named {name!r}: the array has {dims}")


def _has_names(name: str, value: Any) -> bool:
    """Whether an argument holds a text where an axis may be."""
    if isinstance(value, Mapping):
        return any(isinstance(entry, str) for entry in value)
    if name in BY_AXIS:  # of which a text, or a list, is something else
        return False
    if isinstance(value, tuple | list):
        return any(_has_names(name, entry) for entry in value)
    return isinstance(value, str)


def names_axes(function: Function) -> Function:
    """Let a function take names of dimensions wherever it takes axes of its array.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> @names_axes
    ... def number(x, axis: "int"):
    ...     return axis
    >>> number(dt.ones((2, 3)).rename("time", "place"), "place")
    1
    """
    axes = AxisNames(function)
    if not axes:
        return function
    numbered = axes.numbered

    @wraps(function)
    def naming(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = numbered(args, kwargs)  # type: ignore[assignment]
        return function(*args, **kwargs)

    return cast(Function, naming)
