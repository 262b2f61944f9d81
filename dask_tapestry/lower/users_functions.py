"""Operators that call functions of the user, of which only the user knows what they do."""

from __future__ import annotations

from dask_tapestry.teg import Operator


def is_users(operator: Operator) -> bool:
    """Whether an operator calls a function of the user."""
    named = (getattr(operator, name, None) for name in ("function", "combination"))
    return operator.calls or any(callable(one) for one in named)
