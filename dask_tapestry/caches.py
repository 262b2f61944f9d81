"""Caches of what functions remember: all of them bounded, and forgotten by one call.

What a function makes of its arguments alone may be remembered in a module, by `functools.lru_cache`
with a size; plans that are found again are `planner.cache`'s. A process that has planned for long
forgets all of it by `clear_caches`, as tests do that count what is computed.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Sequence
from functools import _lru_cache_wrapper
from typing import Any, Final, NamedTuple

PACKAGE: Final = "dask_tapestry"
_looked_through: dict[str, _Module] = {}  # by name


def cached_functions() -> Iterator[tuple[str, _lru_cache_wrapper[Any]]]:
    """Yield the functions and methods of imported modules that remember values, by name.

    Those without arguments are not among them: a file that is read once, a pool of threads.

    Examples
    --------
    >>> from dask_tapestry.cells.reduction_tree import leaf_sides
    >>> leaf_sides in dict(cached_functions()).values()
    True
    """
    for home, module in sorted(sys.modules.items()):
        if home.partition(".")[0] == PACKAGE:
            yield from _cached_of(home, vars(module))


def _cached_of(home: str, values: dict[str, Any]) -> Sequence[tuple[str, _lru_cache_wrapper[Any]]]:
    """Those of a module, which is looked through when it is met, and when it has more names.

    To look through all modules takes 20 ms, and a loop over numbers has caches cleared often.
    """
    known = _looked_through.get(home)
    if known is None or known.values is not values or known.size != len(values):
        known = _Module(values, len(values), tuple(_cached_in(home, values)))
        _looked_through[home] = known
    return known.cached


class _Module(NamedTuple):
    """What was found in a module, and how many names it had then."""

    values: dict[str, Any]
    size: int
    cached: tuple[tuple[str, _lru_cache_wrapper[Any]], ...]


def _cached_in(home: str, values: Any) -> Iterator[tuple[str, _lru_cache_wrapper[Any]]]:
    for name, value in list(values.items()):
        if isinstance(value, classmethod | staticmethod):
            value = value.__func__
        if isinstance(value, _lru_cache_wrapper):
            if value.__module__ == home.partition(":")[0] and _takes_arguments(value):
                yield f"{home}.{name}", value
        elif isinstance(value, type) and value.__module__ == home:
            yield from _cached_in(f"{home}:{name}", vars(value))


def _takes_arguments(function: _lru_cache_wrapper[Any]) -> bool:
    """Whether a function has parameters; of a class that is called it is asked for the signature.

    All signatures take 30 ms, which is as long as planning ten formulas.
    """
    code = getattr(function.__wrapped__, "__code__", None)
    if code is None:
        return bool(inspect.signature(function).parameters)
    several = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    return bool(code.co_argcount or code.co_kwonlyargcount or code.co_flags & several)


def clear_caches() -> None:
    """Forget all values that functions remember; they are computed again when they are needed.

    Examples
    --------
    >>> from dask_tapestry.cells.reduction_tree import leaf_sides
    >>> _ = leaf_sides((10, 10))
    >>> clear_caches()
    >>> leaf_sides.cache_info().currsize
    0
    """
    for _, function in cached_functions():
        function.cache_clear()
