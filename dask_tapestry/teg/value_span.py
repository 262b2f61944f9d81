"""The span of a value: between which integers its cells lie, whatever the data."""

from __future__ import annotations

import numpy as np

from dask_tapestry.cells import Span
from dask_tapestry.cells.value_span import span_of_dtype
from dask_tapestry.teg.node import Node


def value_span(value: Node) -> Span | None:
    """Between which integers cells lie, as the operators tell that made them; None of no integers.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((60, 90), "f8")
    >>> value_span((x.argmax(axis=1) // 10).node)
    Span(least=0, most=8)
    """
    known: dict[Node, Span | None] = {}
    stack = [value]
    while stack:  # without recursion, as chains may be long
        top = stack[-1]
        missing = [x for x in top.inputs if x not in known]
        if missing:
            stack += missing
            continue
        stack.pop()
        spans = [known[x] for x in top.inputs]
        found = top.operator.value_span(top.input_types, spans)
        plain = isinstance(top.type.dtype, np.dtype)  # no outputs, and no buckets
        known[top] = span_of_dtype(top.type.dtype) if plain and found is None else found
    return known[value]
