"""Naming of arrays: what the keys of their blocks begin with, as the user or the operation says."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar, cast

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.layout_arguments import documented
from dask_tapestry.errors import ArgumentTypeError

Function = TypeVar("Function", bound=Callable[..., Any])

NAME: Final = "What keys of the result's blocks begin with; by default the function and a digest."


def named(x: Array, name: str | bool | None, called: str = "") -> Array:
    """`x`, an array that nobody else has yet, under a name of the user's, if that is a text.

    {Parameters}
        {x}
        name: The whole name. Dask's other values, of which True asks for a digest, change nothing.
        called: First word of the name that it has without.
    {Examples}
    >>> named(dt.arange(3) + 1, "mine").name
    'mine'
    """
    if not isinstance(name, str | bool | None):
        raise ArgumentTypeError(f"name must be a text, not {name!r}")
    if isinstance(name, str):
        x.said["name"] = name
    elif called:
        x.said["called"] = called
    return x


def takes_name(function: Function) -> Function:
    """Let a function that makes an array take ``name=``.

    {Examples}
    >>> dt.ones(3, name="mine").name, dt.ones(3).name.partition("-")[0]
    ('mine', 'ones')
    """

    @wraps(function)
    def taking(*args: Any, name: str | bool | None = None, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        return named(made, name, function.__name__) if isinstance(made, Array) else made

    return cast(Function, documented(taking, function, ("name",), NAME))
