"""Hints of Dask's for what the planner chooses: taken, checked, and ignored.

The functions themselves know nothing of them. Who hands a public function out, or makes a method
of it, asks `with_hints` for the one that takes them too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial, wraps
from types import ModuleType
from typing import Any, Final, TypeVar, cast

from dask_tapestry.amounts import bytes_of, one_of, truth
from dask_tapestry.arrays.core.declared_arguments import Check, array_or_none, parts_merged
from dask_tapestry.arrays.core.layout_arguments import documented

Function = TypeVar("Function", bound=Callable[..., Any])


def _cells_held(name: str, given: Any) -> None:
    """Refuse what is neither an array nor a class of them."""
    if not isinstance(given, type):
        array_or_none(name, given)


HINTS: Final[dict[str, Check]] = {
    "allow_unknown_chunksizes": truth,
    "assume_a": partial(one_of, choices=("gen", "pos", "sym", "her")),
    "internal_method": partial(one_of, choices=("default", "dask", "tdigest")),
    "limit": bytes_of,
    "merge_chunks": truth,
    "meta": _cells_held,
    "method": partial(one_of, choices=("sequential", "blelloch")),
    "split_every": parts_merged,
    "warn": truth,
}
TAKERS: Final[dict[tuple[str, ...], str]] = {  # public functions, and methods of these names
    ("allow_unknown_chunksizes",): "block concatenate dstack hstack stack vstack",
    ("assume_a",): "linalg.solve",
    ("internal_method",): "nanpercentile percentile",
    ("merge_chunks", "limit"): "reshape",
    ("meta",): "empty full ones zeros",
    ("method",): "cumprod cumsum nancumprod nancumsum",
    ("split_every",): (
        "all any argmax argmin bincount einsum max mean min nanargmax nanargmin nanmax nanmean "
        "nanmin nanprod nanstd nansum nanvar prod std sum var"
    ),
}
NEEDLESS: Final = "As Dask's, without effect: the plan chooses."
_OF_NAME: Final = {name: hints for hints, names in TAKERS.items() for name in names.split()}


def with_hints(name: str, value: Any) -> Any:
    """The function of a public name with the hints that it takes; any other value as it is.

    It takes the place of the function in its module and chapter too, so that it is pickled by name.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.arrays.statistics.reductions import sum
    >>> with_hints("sum", sum) is dt.sum
    True
    """
    hints = _OF_NAME.get(name)
    if hints is None or getattr(value, "takes_hints", False):
        return value
    home: ModuleType = sys.modules[value.__module__]
    own: str = value.__name__
    hinted = getattr(home, own)
    if not getattr(hinted, "takes_hints", False):
        hinted = takes_hints(*hints)(value)
        for module in (home, sys.modules[home.__name__.rpartition(".")[0]]):
            if vars(module).get(own) is value:
                setattr(module, own, hinted)
    return hinted


def takes_hints(*names: str) -> Callable[[Function], Function]:
    """Let a function take arguments of Dask's that have no meaning here, by their names.

    Examples
    --------
    >>> @takes_hints("split_every")
    ... def twice(x):
    ...     return 2 * x
    >>> twice(3, split_every=8)
    6
    """

    def decorate(function: Function) -> Function:
        @wraps(function)
        def taking(*args: Any, **kwargs: Any) -> Any:
            for name in names:
                if kwargs and (given := kwargs.pop(name, None)) is not None:
                    HINTS[name](name, given)
            return function(*args, **kwargs)

        taking.takes_hints = True  # type: ignore[attr-defined]
        return cast(Function, documented(taking, function, names, NEEDLESS))

    return decorate
