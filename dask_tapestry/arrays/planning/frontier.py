"""Frontier: the plans that a search found, of which none is better than another in everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Generic, Protocol, TypeVar, final, overload

from dask.utils import format_bytes, parse_bytes

from dask_tapestry.errors import PlanError

__all__ = ["Frontier"]

SHOWN = ("seconds", "bytes_read", "bytes_moved", "peak_worker_bytes", "tasks")


class Costed(Protocol):
    """A plan."""

    @property
    def cost(self) -> dict[str, float]:
        """What it takes of each resource."""


P = TypeVar("P", bound=Costed)


@final
class Frontier(Sequence[tuple[dict[str, float], P]], Generic[P]):
    """Plans to choose from, the fastest first, each with its cost.

    `Plan.frontier` has them. A plan that takes more of everything than another is not among them.

    Source: Tapestry whitepaper, "Stochastic Pareto Frontier Optimization".

    {Parameters} makers: What makes each plan.
    {Examples}
    >>> x = dt.placeholder((200_000, 20_000), "float64", stored_chunks=(2000, 2000))
    >>> machines = dt.Resources(workers=16, threads=4, memory="16 GiB")
    >>> p = dt.plan(x.T @ x, resources=machines)
    >>> cost, least = p.frontier.best("bytes_moved", peak_worker_bytes="11 GiB")
    >>> cost["bytes_moved"] <= p.cost["bytes_moved"], least.verify()
    (True, None)
    """

    def __init__(self, makers: Sequence[Callable[[], P]]) -> None:
        self._makers = makers

    @cached_property
    def _plans(self) -> list[tuple[dict[str, float], P]]:
        plans = [make() for make in self._makers]
        return sorted([(p.cost, p) for p in plans], key=lambda found: found[0]["seconds"])

    def __len__(self) -> int:
        return len(self._makers)

    @overload
    def __getitem__(self, index: int) -> tuple[dict[str, float], P]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[dict[str, float], P]]: ...
    def __getitem__(
        self, index: int | slice
    ) -> tuple[dict[str, float], P] | Sequence[tuple[dict[str, float], P]]:
        return self._plans[index]

    def __iter__(self) -> Iterator[tuple[dict[str, float], P]]:
        return iter(self._plans)

    def best(self, resource: str, **limits: float | str) -> tuple[dict[str, float], P]:
        """Return the plan that takes least of one resource, within limits on others.

        {Parameters}
            resource: A key of `Plan.cost`.
            **limits: The most that it may take of other resources: numbers, or texts such as ``"8
                GiB"``.
        {Returns} tuple of dict and Plan: Its cost, and the plan.
        {Raises} PlanError: If there is no such resource, or no plan within the limits.
        """
        most = {k: parse_bytes(v) if isinstance(v, str) else v for k, v in limits.items()}
        known = self._plans[0][0]
        for name in (resource, *most):
            if name not in known:
                raise PlanError(f"plans have no cost {name!r}; they have {', '.join(known)}")
        feasible = [p for p in self._plans if all(p[0][k] <= v for k, v in most.items())]
        if not feasible:
            least = {name: min(cost[name] for cost, _ in self._plans) for name in most}
            raise PlanError(
                f"no plan found is within {_text(most)}; the least that one takes: {_text(least)}"
            )
        return min(feasible, key=lambda p: p[0][resource])

    def __repr__(self) -> str:
        rows = [SHOWN, *(tuple(_figure(k, cost[k]) for k in SHOWN) for cost, _ in self._plans)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(t.rjust(w) for t, w in zip(row, widths, strict=True)).rstrip() for row in rows
        ]
        count = len(self)
        return "\n".join([f"{count} plan{'s' if count > 1 else ''}", *lines])


def _text(amounts: dict[str, float]) -> str:
    return ", ".join(f"{name} {_figure(name, value)}" for name, value in amounts.items())


def _figure(name: str, value: float) -> str:
    return format_bytes(round(value)) if "bytes" in name else f"{value:,.4g}"
