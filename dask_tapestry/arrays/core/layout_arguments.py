"""The argument ``chunks=``, which lays out arrays that a function makes in nominal chunks."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, Final, TypeVar, cast

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks, cuts_from
from dask_tapestry.arrays.core.docstrings import written_out
from dask_tapestry.arrays.core.shared_parameters import ENTRIES
from dask_tapestry.operators.layouts.nominal_chunks import with_nominal_chunks

Function = TypeVar("Function", bound=Callable[..., Any])


CHUNKS: Final = ENTRIES["chunks"][1]


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
    function_signature = signature(function)
    parameters = list(function_signature.parameters.values())
    var_keywords = [
        parameter for parameter in parameters if parameter.kind is Parameter.VAR_KEYWORD
    ]
    added = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in names]
    own = [parameter for parameter in parameters if parameter.kind is not Parameter.VAR_KEYWORD]
    taking.__signature__ = Signature(  # type: ignore[attr-defined]
        [*own, *added, *var_keywords], return_annotation=function_signature.return_annotation
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
