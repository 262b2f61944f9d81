"""Stored chunks that xarray chooses: a task writes whole ones, whatever chunks an array has."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

Function = Callable[..., Any]
Chunks = tuple[tuple[int, ...], ...]


def of_equal_lengths(determine: Function) -> Function:
    """Let the function of xarray that chooses stored chunks take an array of any chunks.

    {Parameters} determine: Called with the stored chunks that are asked for, or None, and those of
        the variable; it refuses chunks of other lengths than the first.
    {Returns} Callable: Of the same signature; it has xarray's as ``__wrapped__``.
    """

    @wraps(determine)
    def chosen(enc_chunks: Any, var_chunks: Chunks | None, *rest: Any, **options: Any) -> Any:
        regular = tuple(map(equal_lengths, var_chunks)) if var_chunks else var_chunks
        return determine(enc_chunks, regular, *rest, **options)

    return chosen


def equal_lengths(lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Return chunks as long as the longest one, the last of which may be shorter.

    Examples
    --------
    >>> equal_lengths((3, 5, 5, 3))
    (5, 5, 5, 1)
    """
    side, whole = max(lengths, default=0), sum(lengths)
    if not whole:
        return lengths
    return (side,) * (whole // side) + ((whole % side,) if whole % side else ())


def between_writes(validate: Function) -> Function:
    """Let the function of xarray that compares chunks with stored ones look at a region's edges.

    Tasks of one write share no stored chunk, which `store` sees to; two writes may.

    {Parameters} validate: Called with the chunks of a variable, among others.
    {Returns} Callable: Of the same signature; it has xarray's as ``__wrapped__``.
    """

    @wraps(validate)
    def validated(nd_v_chunks: Chunks | None, *rest: Any, **options: Any) -> Any:
        whole = nd_v_chunks and tuple((sum(lengths),) for lengths in nd_v_chunks)
        return validate(whole, *rest, **options)

    return validated
