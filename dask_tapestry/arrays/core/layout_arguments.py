"""Dask's arguments on how a value is laid out: taken by every function that Dask gives them.

``chunks=`` are nominal chunks; others, such as ``split_every=``, ask for what the planner chooses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from typing import Any, Final, TypeVar, cast

from dask_tapestry.amounts import bytes_of, one_of, truth
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks, cuts_from
from dask_tapestry.arrays.core.declared_arguments import Check, array_or_none, parts_merged
from dask_tapestry.arrays.core.docstrings import written_out
from dask_tapestry.arrays.core.shared_parameters import ENTRIES
from dask_tapestry.operators.layouts.nominal_chunks import with_nominal_chunks

Function = TypeVar("Function", bound=Callable[..., Any])


def _cells_held(name: str, given: Any) -> None:
    """Refuse what is neither an array nor a class of them."""
    if not isinstance(given, type):
        array_or_none(name, given)


HINTS: Final[dict[str, Check]] = {  # of which the function itself sees nothing
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
NEEDLESS: Final = "As Dask's, without effect: the plan chooses."
CHUNKS: Final = ENTRIES["chunks"][1]


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

        return cast(Function, documented(taking, function, names, NEEDLESS))

    return decorate


def takes_chunks(function: Function) -> Function:
    """Let a function that makes arrays take ``chunks=``, the nominal chunks of each.

    By its place too: after all that the function itself takes by place.

    {Examples}
    >>> dt.linspace(0, 1, 6, chunks=4).chunks
    ((4, 2),)
    """
    own = [one.kind for one in signature(function).parameters.values()]
    positional = sum(
        one in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD) for one in own
    )
    by_place = Parameter.VAR_POSITIONAL not in own

    @wraps(function)
    def taking(*args: Any, **kwargs: Any) -> Any:
        chunks = kwargs.pop("chunks", None)
        if by_place and len(args) == positional + 1:
            *args, chunks = args  # type: ignore[assignment]
        made = function(*args, **kwargs)
        if chunks is None:
            return made
        if isinstance(made, tuple):
            return tuple(with_chunks(x, chunks) if isinstance(x, Array) else x for x in made)
        return with_chunks(made, chunks)

    return cast(Function, documented(taking, function, ("chunks",), CHUNKS))


def documented(
    taking: Callable[..., Any], function: Callable[..., Any], names: tuple[str, ...], text: str
) -> Callable[..., Any]:
    """`taking` with the further arguments in its signature and its documentation."""
    known = signature(function)
    given = list(known.parameters.values())
    rest = [one for one in given if one.kind is Parameter.VAR_KEYWORD]
    added = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in names]
    own = [one for one in given if one.kind is not Parameter.VAR_KEYWORD]
    taking.__signature__ = Signature(  # type: ignore[attr-defined]
        [*own, *added, *rest], return_annotation=known.return_annotation
    )
    head, returns, tail = written_out(function.__doc__ or "").partition("\n\n    Returns\n")
    if returns:
        taking.__doc__ = f"{head}\n    {', '.join(names)}\n        {text}{returns}{tail}"
    return taking


def with_chunks(x: Array, chunks: Chunks) -> Array:
    """`x` with nominal chunks in any form that Dask takes; None leaves them as they are.

    {Examples}
    >>> with_chunks(dt.ones((4, 6)), (2, -1)).chunks
    ((2, 2), (6,))
    """
    return (
        x if chunks is None else Array(with_nominal_chunks(x.node, cuts_from(chunks, x.node.type)))
    )
