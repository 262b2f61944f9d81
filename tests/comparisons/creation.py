"""Comparisons of arrays made from nothing, or like another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.comparisons.selectors import selector
from tests.comparisons.table import Comparison, alike


def creation(name: str, call: Callable[..., Any]) -> Comparison:
    """A call that takes no input."""
    return alike(name, call, lambda: iter([()]))


def ranges() -> Iterator[Comparison]:
    bounds = ((5,), (2, 9, 3), (9, 2, -3), (0.0, 1.0, 0.1), (3, 3), (0, -4), (1e16, 1e16 + 9, 1.5))
    for given in bounds:
        yield creation(f"arange {given}", lambda np, given=given: np.arange(*given))
    for d in ("f2", "f4", "u1", "c16"):
        yield creation(f"arange {d}", lambda np, d=d: np.arange(3, 40, 5, dtype=d))


COMPARISONS = (
    creation("zeros", lambda np: np.zeros((2, 3), "M8[s]")),
    creation("ones", lambda np: np.ones((3, 0), "f2")),
    creation("full", lambda np: np.full((2, 3), -0.0)),
    creation("full rank", lambda np: np.full((), 7, "i1")),
    creation("full row", lambda np: np.full((2, 3), [1, 2, 3], "f4")),
    *ranges(),
    selector("zeros_like", lambda np, x: np.zeros_like(x)),
    selector("ones_like", lambda np, x: np.ones_like(x)),
    selector("full_like", lambda np, x: np.full_like(x, 3)),
    selector("empty_like", lambda np, x: np.zeros_like(x)),
    selector("asarray", lambda np, x: np.asarray(x)),
)
