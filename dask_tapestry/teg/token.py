"""Tokens: texts that two values share exactly when they are equal; nodes are known by them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum

import numpy as np


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
    if value is None or isinstance(value, int | str | bytes | float | complex):
        return repr(value)
    if isinstance(value, np.dtype):
        return str(value.descr) if value.names else value.str
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, tuple):
        name = "" if type(value) is tuple else type(value).__name__
        return f"{name}({''.join(token(item) + ',' for item in value)})"
    if is_dataclass(value):
        parts = (token(getattr(value, f.name)) for f in fields(value) if f.compare)
        return f"{type(value).__module__}.{type(value).__qualname__}({','.join(parts)})"
    raise TypeError(f"no canonical text for {type(value).__name__}")
