"""NumPy's dispatch: `numpy.add(x, y)` and `numpy.sum(x)` reach ours, or raise TypeError."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import lru_cache, wraps
from inspect import signature
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np

from dask_tapestry.arrays.core.axis_names import AxisNames, names_axes
from dask_tapestry.arrays.core.declared_arguments import DeclaredArguments
from dask_tapestry.arrays.core.name_homes import NUMPY_HOMES
from dask_tapestry.arrays.tuning import PRIORITY
from dask_tapestry.imports import lazy_import
from dask_tapestry_kernels.block_format import DEVICES
from dask_tapestry_kernels.block_libraries import library_named

__all__ = ["register_chunk_type"]

_WRAPPERS: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()  # of types
Key = TypeVar("Key")
Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])
UFUNC_FUNCTIONS: dict[str, Callable[..., Any]] = {}
NUMPY_FUNCTIONS: dict[Any, Callable[..., Any]] = {}
METHODS: dict[tuple[str, str], Callable[..., Any]] = {}  # by names: ("add", "reduce")
OF_OTHERS: dict[str, Callable[..., Any]] = {}  # by method, or "gufunc": takes the ufunc first


def registered(table: dict[Key, Value], key: Key) -> Value | None:
    """What a chapter has registered in a table; one that nobody asked for yet is imported.

    What is known of none may be of any of them: then they all are.
    """
    if key not in table:
        home = NUMPY_HOMES.get(name_of(key), "public_names")
        lazy_import(f"dask_tapestry.arrays.{home}")
    return table.get(key)


def name_of(key: Any) -> str:
    """The name by which something is registered: a function of NumPy's, a ufunc, or its method.

    Examples
    --------
    >>> name_of(np.linalg.solve), name_of("add"), name_of(("add", "reduce"))
    ('numpy.linalg.solve', 'add', 'add.reduce')
    """
    if isinstance(key, str):
        return key
    return ".".join(key) if isinstance(key, tuple) else f"{key.__module__}.{key.__name__}"


class Answering(ABC):
    """A lazy array that answers NumPy's functions itself, and ours that stand for them."""

    @abstractmethod
    def answers(self, function: Callable[..., Any]) -> bool:
        """Whether it has an answer to a function of NumPy's."""

    @abstractmethod
    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any: ...


def implements(*functions: Callable[..., Any]) -> Callable[[Function], Function]:
    """Register the decorated function as ours for NumPy `functions`.

    Called with an array that answers itself, among its arguments or those of a list that comes
    first, ours asks that array, as NumPy's function would. Arguments are checked before, by what
    ours declares of them, and names of dimensions become the numbers of axes.
    """
    own = [function for function in functions if not isinstance(function, np.ufunc)]

    def register(ours: Function) -> Function:
        ours = ours if own else names_axes(ours)
        for function in functions:
            if isinstance(function, np.ufunc):
                UFUNC_FUNCTIONS[function.__name__] = ours
        if not own:
            return ours

        declared, axes = DeclaredArguments(ours, own[0]), AxisNames(ours)
        first, refuse_wrong = declared.first, declared.refuse_wrong
        numbered = axes.numbered if axes else None

        @wraps(ours)
        def asked(*args: Any, **kwargs: Any) -> Any:
            if numbered is not None:
                args, kwargs = numbered(args, kwargs)  # type: ignore[assignment]
            if kwargs or len(args) > first:
                refuse_wrong(args, kwargs)
            owner = _answering(args)
            if owner is None or not owner.answers(own[0]):
                return ours(*args, **kwargs)
            return owner.__array_function__(own[0], (), args, kwargs)

        NUMPY_FUNCTIONS.update(dict.fromkeys(own, asked))
        return cast(Function, asked)

    return register


def _answering(args: Sequence[Any]) -> Answering | None:
    """The first array that answers functions itself."""
    for one in args:
        if isinstance(one, Answering):
            return one
    if args and isinstance(args[0], list | tuple):
        return next((one for one in args[0] if isinstance(one, Answering)), None)
    return None


def is_wrapper(kind: Any) -> bool:
    """Whether operations of ours and a value of type `kind` are the other's to compute.

    So it is with what wraps arrays and says how ufuncs act on it, such as xarray's objects; not
    with NumPy's, and others that hold nothing but cells.
    """
    known = _WRAPPERS.get(kind)
    if known is None:
        known = _WRAPPERS[kind] = _wraps(kind)
    return known


def _wraps(kind: Any) -> bool:
    if issubclass(kind, date | timedelta):  # of pandas, too: cells, as NumPy's scalars are
        return False
    if issubclass(kind, np.ndarray | np.generic):
        return getattr(kind, "__array_ufunc__", 0) is None
    if not hasattr(kind, "__array_ufunc__"):
        return bool(getattr(kind, "__array_priority__", 0) > PRIORITY)
    if kind.__array_ufunc__ is None:
        return True
    module: str = kind.__module__
    library = module.partition(".")[0]
    holds_cells = library in (*DEVICES, "dask_tapestry") or library_named(library) is not None
    return not holds_cells and not module.startswith("dask.array")


def register_chunk_type(type: type) -> None:
    """Take arrays of a type as cells, although the type says how ufuncs act on it.

    Operations with arrays of other types of that kind, such as xarray's, are left to them. Blocks
    are NumPy's all the same: such arrays are converted.

    {Parameters} type: What `numpy.asarray` converts.
    {See Also} dask.array.register_chunk_type

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> class Seconds(np.lib.mixins.NDArrayOperatorsMixin):
    ...     shape, dtype = (2,), np.dtype(float)
    ...
    ...     def __array__(self, dtype=None, copy=None):
    ...         return np.ones(2)
    ...
    ...     def __array_ufunc__(self, *args, **kwargs):
    ...         return NotImplemented
    >>> dt.register_chunk_type(Seconds)
    >>> (dt.ones(2) + Seconds()).compute()
    array([2., 2.])
    """
    _WRAPPERS[type] = False


def call_ufunc(ufunc: np.ufunc, method: str, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call our function for a ufunc; where there is none, return NotImplemented: TypeError.

    The ufuncs of other libraries are called themselves, on blocks.
    """
    if any(is_wrapper(type(value)) for value in inputs):
        return NotImplemented
    name = ufunc.__name__
    another = getattr(np, name, ufunc) is not ufunc  # of the name of one of NumPy's
    if another or not (hasattr(np, name) or registered(UFUNC_FUNCTIONS, name) is not None):
        along = method == "__call__" and getattr(ufunc, "signature", None) is not None
        call = registered(OF_OTHERS, "gufunc" if along else method)
        return NotImplemented if call is None else call(ufunc, inputs, kwargs)
    if method != "__call__":
        whole = registered(METHODS, (ufunc.__name__, method))
        if "out" in kwargs:  # in a tuple, as of ufuncs with several results
            (kwargs["out"],) = kwargs["out"]
        if whole is None:
            raise TypeError(
                f"dask_tapestry has no numpy.{name}.{method}; compute() the arrays first to use "
                "NumPy's"
            )
        return whole(*inputs, **kwargs)
    ours = registered(UFUNC_FUNCTIONS, ufunc.__name__)
    if ours is None or set(kwargs) - _keywords(ours):
        return NotImplemented
    return ours(*inputs, **kwargs)


@lru_cache(maxsize=256)
def _keywords(function: Callable[..., Any]) -> frozenset[str]:
    """Keyword arguments that a function of ours takes."""
    return frozenset(signature(function).parameters)


def call_numpy_function(
    function: Callable[..., Any],
    types: Sequence[type],
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> Any:
    """Call our function for a NumPy function; NotImplemented where another type wraps ours.

    {Raises} TypeError: If there is none: a NumPy array is never made behind the user's back.
    """
    if any(map(is_wrapper, types)):
        return NotImplemented
    ours = registered(NUMPY_FUNCTIONS, function)
    if ours is None:
        name = f"{function.__module__}.{function.__name__}"
        raise TypeError(f"dask_tapestry has no {name}; compute() the arrays first to use NumPy's")
    return ours(*args, **kwargs)
