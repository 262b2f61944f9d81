"""Dynamic shapes, which depend on data: cells are counted here, when one is first needed.

Such a value is two graphs. The *count graph* says how many cells there are; it is run once, and
what it stands on (a mask) is kept where it was computed. The *value graph* is then built for the
counts, with an exact shape, and reads what was kept: a mask computed again might differ in a bit.
Where it would compute again most of what the count graph does, cells are *picked* by the count run.
Effects of the count graph are done with it: tensors of the value graph that follow them are kept
too, as computing such a tensor would do the effects again.

Source: Tapestry whitepaper, "Graph Execution Semantics": control flow by injection of a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from dask_tapestry.arrays.core.repeatable import are_repeatable
from dask_tapestry.arrays.core.selection import Selection
from dask_tapestry.arrays.tuning import PICKED_PART
from dask_tapestry.errors import MemoryLimitError, PlanError
from dask_tapestry.memory.process_memory import free_memory, machine_memory
from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.rules.effects import effects_of, followers, replaced
from dask_tapestry.teg import Node

Counts = np.ndarray[Any, Any]
Build = Callable[[Counts, Sequence[Node]], "Node | Deferred"]


def kept_of(pick: Node) -> Node | None:
    """The node that holds what a count run kept of a pick; None where none did."""
    return _picked.get(pick)


class CountRun(NamedTuple):
    """What a count graph yielded: its value, and the nodes that hold what it stands on."""

    counts: Counts
    kept: tuple[Node, ...]


Run = Callable[[Node, Sequence[Node]], CountRun]
_runs: WeakKeyDictionary[Node, dict[str, CountRun]] = WeakKeyDictionary()  # by owner, then name
_picked: WeakKeyDictionary[Node, Node] = WeakKeyDictionary()  # what a run kept of each pick


class Deferred:
    """A node to be built once its counts are known.

    {Parameters}
        counts: The count graph: a small tensor.
        keep: What `counts` stands on, and the value graph reads: kept by the count run, or computed
            again where that is the same and workers cannot hold it.
        build: Makes the node from the counts' value and the nodes that hold what of `keep` was
            kept: all of it, or nothing. Or what is to be counted next, if these do not tell enough.
        bound: The node if the mask were true everywhere: no dimension can be longer than there.
        owner: The node with which the outcome of the count run is forgotten, and what it kept: one
            that goes with the arrays that are read of it, or that is kept itself.
        selection: What is the same cells, not counted; None where they are better counted.
        picks: What a count run makes beside `counts` of what it computes anyway, if there is room;
            `build` asks `kept_of` for it. It goes with the last node that is made so.
    """

    __slots__ = ("_effects", "_read", "bound", "build", "counts", "owner", "picks", "selection")

    def __init__(
        self,
        counts: Node,
        keep: Sequence[Node],
        build: Build,
        bound: Node,
        owner: Node,
        selection: Selection | None = None,
        picks: Sequence[Node] = (),
    ) -> None:
        self.counts, self.build, self.bound = counts, build, bound
        self.owner, self.selection, self.picks = owner, selection, tuple(picks)
        self._read = tuple(keep)
        self._effects: tuple[Node, ...] | None = None

    @property
    def keep(self) -> tuple[Node, ...]:
        """What the count run keeps: what is read, and what follows effects that the run does."""
        if self._effects is None:
            run = (self.counts, *self._read)
            self._effects = followers(self.bound, effects_of(run), self._read)
        return (*self._read, *self._effects)

    @property
    def wanted(self) -> tuple[Node, ...]:
        """What a count run keeps: `keep`, then `picks`, where it has no effects."""
        keep = self.keep
        return keep if self._effects else (*keep, *self.picks)

    def made_with(self, build: Build, bound: Node, selection: Selection | None = None) -> Deferred:
        """Another node for the same counts."""
        return Deferred(self.counts, self._read, build, bound, self.owner, selection, self.picks)

    def _built(self, run: CountRun) -> Node | Deferred:
        """The node for the outcome of a run; nothing that was kept is computed again."""
        node = self.build(run.counts, run.kept[: len(self._read)])
        if not self._effects or isinstance(node, Deferred):
            return node
        return replaced(node, dict(zip(self.keep, run.kept, strict=True)))

    @property
    def name(self) -> str:
        """What it counts and keeps: the same of all that one run serves."""
        return " ".join(node.digest for node in (self.counts, *self.keep))

    def next_count(self) -> Deferred | None:
        """What has to be counted next, this or what follows of it; None if all is known."""
        found = self.remembered()
        if found is None:
            return self
        return found.next_count() if isinstance(found, Deferred) else None

    def remembered_node(self) -> Node | None:
        """The node, if the same count graph was run before, and all that are counted next."""
        found = self.remembered()
        return found.remembered_node() if isinstance(found, Deferred) else found

    def remembered(self) -> Node | Deferred | None:
        """What the count graph yielded, if it was run before."""
        runs = _runs.get(self.owner, {})
        if self.name not in runs and self.counts.digest in runs:
            self.lets_go()  # another array of the same cells could not keep them
        run = runs.get(self.name)
        return None if run is None else self._built(run)

    def remember(self, run: CountRun) -> Node | Deferred:
        """What is built for the outcome of a run, which is reused as long as the owner lives."""
        count = len(self.keep)
        for pick, kept in zip_longest(self.picks, run.kept[count:]):
            if kept is None:
                _picked.pop(pick, None)  # of another run
            else:
                _picked[pick] = kept
        run = CountRun(run.counts, run.kept[:count])
        _runs.setdefault(self.owner, {})[self.name] = run
        return self._built(run)

    def resolve(self, run: Run) -> Node:
        """Return the node; run count graphs unless their outcome is known.

        {Raises} PlanError: If the live client has no workers, or cannot be waited for as it is
            asynchronous.
        """
        found = self.remembered()
        if found is None:
            found = self._counted(run)
        return found.resolve(run) if isinstance(found, Deferred) else found

    def _counted(self, run: Run) -> Node | Deferred:
        client = live_client()
        if client is not None and client.asynchronous:
            raise PlanError(
                "the shape depends on data and the client is asynchronous: "
                "`await dt.resolve_shapes(x)` before asking for it"
            )
        self.check_machines(None if client is None else client.scheduler_info(n_workers=-1))
        try:
            return self.remember(run(self.counts, self.wanted))
        except MemoryLimitError:
            if not self.lets_go():
                raise
            return self._counted(run)

    def check_machines(self, info: Mapping[str, Any] | None) -> None:
        """Pick nothing where memory might be short of it.

        Parameters
        ----------
        info
            What the scheduler of a live client tells of itself.

        Raises
        ------
        PlanError
            If a scheduler has no workers.
        """
        if info is None:
            memory = free_memory()
        else:
            check_workers(info)
            limits = [one.get("memory_limit") for one in info["workers"].values()]
            memory = sum([limit or machine_memory() for limit in limits])
        if sum(pick.type.nbytes for pick in self.picks) * PICKED_PART > memory:
            self.picks = ()

    def joined_with(self, others: Iterable[Deferred]) -> Deferred:
        """Itself, making what others pick too where they have the same counts."""
        alike = [one.picks for one in others if one.counts is self.counts]
        self.picks = tuple(dict.fromkeys(chain(self.picks, *alike)))
        return self

    def lets_go(self) -> bool:
        """Keep from now on less; False where no less will do.

        First nothing is picked; then only what follows effects is kept, unless all is needed.
        """
        if self.picks:
            self.picks = ()
            return True
        lets_go = bool(self._read) and are_repeatable(self._read)
        if lets_go:
            self._read, self._effects = (), None
        return lets_go


def check_workers(info: Mapping[str, Any]) -> None:
    """Raise PlanError where a count run would wait for workers that a scheduler does not have."""
    if not info.get("workers"):
        raise PlanError(
            "the shape depends on data, which has to be counted, and the live client has no workers"
        )
