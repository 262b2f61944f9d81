"""Forms: other ways to compute a value, which an operator declares and a plan decides on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Form(NamedTuple):
    """A way to compute an operator's value by other operators; a plan takes it where it costs less.

    Attributes
    ----------
    name
        What it sends on between its steps: ``"parts"``, ``"nodes"``, ``"leaves"``...
    sizes
        The sizes worth comparing, from coarse to fine: about a dozen at most, in even ratios.
    make
        Function of a node of the operator and a size, one of `sizes` or any between, that returns
        the node to compute instead: of the same type and value, after the same sequence points,
        with the same line. It depends on the two alone.
    planning
        Seconds that planning it takes, which it must be able to save; 0 where they are few.
    patience
        How many sizes in a row may be worse than the best before it.
    """

    name: str
    sizes: tuple[int, ...]
    make: Callable[[Any, int], Any]  # of nodes, whose module imports that of operators
    planning: float = 0.0
    patience: int = 2  # chunks may fit a size and not the one before it
