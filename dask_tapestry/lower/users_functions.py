"""Operators that call functions of the user, of which only the user knows what they do."""

from __future__ import annotations

from typing import Any

from dask_tapestry.errors import ArgumentTypeError
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.teg import Operator


def is_users(operator: Operator) -> bool:
    """Whether an operator calls a function of the user."""
    return operator.calls or any(map(callable, _named(operator)))


def require_sendable(plan: PlannedGraph) -> None:
    """Refuse functions of the user that no other process can be sent, by name and line.

    Raises
    ------
    ArgumentTypeError
        With the error of what such a function holds.
    """
    for step in plan.steps.values():
        for node in step.members:
            for one in _named(node.operator):
                reason = getattr(one, "local_only", None)
                if reason:
                    raise ArgumentTypeError(f"{reason}{f' ({node.line})' if node.line else ''}")


def _named(operator: Operator) -> list[Any]:
    """What an operator has where those that call functions have them."""
    return [getattr(operator, name, None) for name in ("function", "combination")]
