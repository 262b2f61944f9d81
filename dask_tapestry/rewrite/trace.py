"""The trace of what rules did: read as text, and replayed on a graph.

Rules work in rounds: one over the whole graph after the other. A round's manner says what a change
in it means, so that doing the same again needs no rule:

- ``"fixed point"``: a node that has been changed is looked at again, as are its new inputs;
- ``"once"``: each node is changed at most once;
- ``"graph"``: results are changed, each by its place; they hold all else that the round did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from itertools import chain
from typing import NamedTuple

from dask_tapestry.errors import PlanError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.rewrite.driver import Manner, apply_once, brief, rewrite
from dask_tapestry.teg import Graph, Node, Region

FORMS = "forms"  # the name of rounds in which operators take forms that can be cut


class Change(NamedTuple):
    """One rewrite: the rule, and the nodes before and after.

    Attributes
    ----------
    region
        Which cells of the node before the node after computes; None for all.
    again
        What makes the node after of the node before.
    """

    rule: str
    before: Node
    after: Node
    region: Region | None = None
    again: Callable[..., Node | None] | None = None

    def __str__(self) -> str:
        part = f" on {self.region}" if self.region is not None else ""
        return f"{self.rule}: {brief(self.before)} -> {brief(self.after)}{part}"


@dataclass(frozen=True)
class RewriteRound:
    """The changes that one pass over a graph made, in order.

    Attributes
    ----------
    results
        What a round of the manner ``"graph"`` made of each result: before and after.
    """

    name: str
    manner: Manner
    changes: list[Change] = field(default_factory=list)
    results: list[tuple[Node, Node]] = field(default_factory=list)

    def replay(self, graph: Graph) -> Graph:
        """Make the same changes in `graph`."""
        if self.manner == "graph":
            pairs = list(zip(graph.roots, self.results, strict=False)) if self.results else []
            if any(root is not before for root, (before, _) in pairs):
                raise PlanError(f"{self.name}: the graph is not the one that was rewritten")
            return Graph([after for _, (_, after) in pairs]) if pairs else graph
        became = {change.before: change.after for change in self.changes}
        if not became:
            return graph
        again = rewrite if self.manner == "fixed point" else apply_once
        return again(graph, (lambda node: became.get(node),), carry=False)


@dataclass
class Trace:
    """Rewrites in the order in which they happened.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.arange(6)[::-1]
    >>> trace = x[::-1].plan().trace()
    >>> [change.rule for change in trace]
    ['selector_as_view', 'selector_as_view', 'compose_views', 'drop_identity_view']
    >>> print(trace.replay(x[::-1].teg))
    %0 = arange(0, 6, 1) : int64[6]
    return %0
    """

    rounds: list[RewriteRound] = field(default_factory=list)

    def begin(self, name: str, manner: Manner) -> None:
        """Begin a round; what is recorded from now on is part of it."""
        self.rounds.append(RewriteRound(name, manner))

    def record(
        self,
        rule: str,
        before: Node,
        after: Node,
        region: Region | None = None,
        again: Callable[..., Node | None] | None = None,
    ) -> None:
        """Add a rewrite to the round that began last."""
        self.rounds[-1].changes.append(Change(rule, before, after, region, again))

    def record_results(self, before: Sequence[Node], after: Sequence[Node]) -> None:
        """Add what a round has made of a graph's results."""
        self.rounds[-1].results.extend(zip(before, after, strict=True))

    @property
    def changes(self) -> list[Change]:
        """All rewrites."""
        return list(chain.from_iterable(r.changes for r in self.rounds))

    def replay(self, graph: Graph) -> Graph:
        """Rewrite `graph`, as it was before the first change, once more without any rule.

        Raises
        ------
        PlanError
            If it is another graph, and that shows.
        """
        for each in self.rounds:
            graph = each.replay(graph)
        return graph

    def __iter__(self) -> Iterator[Change]:
        return chain.from_iterable(r.changes for r in self.rounds)

    def __getitem__(self, number: int) -> Change:
        return self.changes[number]

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def __len__(self) -> int:
        return sum(len(r.changes) for r in self.rounds)
