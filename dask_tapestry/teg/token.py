"""Tokens: texts that two values share exactly when they are equal; nodes are known by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from dask_tapestry.errors import ArgumentTypeError
from dask_tapestry.teg.stored_names import stored_name


class _Writers(dict[type, Callable[[Any], str]]):
    """How to write the values of each type; found out when the first one is met."""

    def __missing__(self, kind: type) -> Callable[[Any], str]:
        write = self[kind] = _writer(kind)
        return write


_writers = _Writers()


def token(value: object) -> str:
    """Write `value` as text; equal values of equal type give equal text.

    Dataclass fields declared with ``compare=False`` are not part of the identity.

    Raises
    ------
    TypeError
        For a kind of value that has no canonical text.

    Examples
    --------
    >>> token((1, "a", np.dtype("f4"), None))
    "(1,'a',<f4,None,)"
    """
    return _writers[type(value)](value)


class OpenToken:
    """The token of values that differ in some parts alone, which is written once for all of them.

    Parameters
    ----------
    example
        Such a value.
    holes
        What it has in place of the parts: each once, and in this order.

    Examples
    --------
    >>> OpenToken(("a", b"first", 3, b"second"), (b"first", b"second")).filled(1, "b")
    "('a',1,3,'b',)"
    """

    __slots__ = ("_texts",)

    def __init__(self, example: object, holes: Sequence[object]) -> None:
        rest, texts = token(example), []
        for hole in map(token, holes):
            assert rest.count(hole) == 1, (rest, hole)
            text, _, rest = rest.partition(hole)
            texts.append(text)
        self._texts = (*texts, rest)

    def filled(self, *parts: object) -> str:
        """The token of the value that has these parts."""
        *texts, last = self._texts
        filled = [text + token(part) for text, part in zip(texts, parts, strict=True)]
        return "".join(filled) + last


def _writer(kind: type) -> Callable[[Any], str]:
    """How values of a type are written; looked up once a type, as planning writes 10**5 values."""
    if issubclass(kind, int | str | bytes | float | complex | np.longdouble | type(None)):
        return repr
    if issubclass(kind, np.dtype):
        return _dtype
    if issubclass(kind, Enum):
        return lambda value: f"{kind.__name__}.{value.name}"
    if issubclass(kind, tuple):
        name = "" if kind is tuple else stored_name(kind).rpartition(".")[2]
        return lambda value: f"{name}({''.join([_writers[type(x)](x) + ',' for x in value])})"
    if is_dataclass(kind):
        name = stored_name(kind)
        names = [f.name for f in fields(kind) if f.compare]

        def write(value: Any) -> str:
            parts = [getattr(value, n) for n in names]
            return f"{name}({','.join([_writers[type(x)](x) for x in parts])})"

        return write
    raise ArgumentTypeError(f"no canonical text for {kind.__name__}")


def _dtype(dtype: np.dtype[Any]) -> str:
    return repr(dtype) if dtype.names else dtype.str
