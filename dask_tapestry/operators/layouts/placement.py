"""Placement: which workers the user wants to compute and hold a value."""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.layouts.held_value import HeldValue
from dask_tapestry.teg import Node, Tensor, apply


@dataclass(frozen=True)
class Placement(HeldValue):
    """The input, computed and held on the named `workers`.

    Source: Tapestry whitepaper, "Source and Sink Operators": an operation constrained to be
    scheduled where its data is.
    """

    name = "placement"
    workers: tuple[str, ...]

    def text(self) -> str:
        return ", ".join(self.workers)


def hold(x: Tensor, after: Sequence[Node] = (), line: str | None = None) -> Tensor:
    """`x`, held on any worker before it is used, and computed `after` sequence points."""
    if isinstance(x.operator, Placement) and not after:
        return x
    return apply(Placement(()), x, after=after, line=line)


def place(x: Tensor, workers: tuple[str, ...]) -> Tensor:
    """Ask that `x` be computed on `workers`, given by name or address."""
    return apply(Placement(workers), x) if workers else x
