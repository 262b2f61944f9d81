"""Choice of forms: how reductions, products, scans and sorts are computed, by cost.

Nodes are decided producers first. What stands before a node is settled then, so a form's cost is
that of the steps it adds; a node that its parallel dimensions keep all slots busy with is left
whole at once. Sizes are searched uphill from the coarsest that feeds all slots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from functools import partial
from math import inf
from typing import Final

from dask_tapestry.planner.cost.cost import StepCost
from dask_tapestry.planner.cost.lower_bounds import LowerBound
from dask_tapestry.planner.cost.rank import NOTHING as NOTHING_TAKEN
from dask_tapestry.planner.cost.rank import Rank, preferred, total
from dask_tapestry.planner.fusion.fuse import held_values
from dask_tapestry.planner.rewriting.rule_choices import form_named
from dask_tapestry.planner.search.alike import (
    are_near,
    extents,
    likeness,
    operator_likeness,
)
from dask_tapestry.planner.search.budget import costs_in, repays_planning
from dask_tapestry.planner.search.choices import FormChoice
from dask_tapestry.planner.search.evaluate import NO_GRIDS, is_given, place
from dask_tapestry.planner.search.form_sizes import added_nodes, coarsest, whole_chunks, yielded
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.pricing import PricedGroup, Pricing
from dask_tapestry.planner.search.ranked_sizes import RankedSizes
from dask_tapestry.planner.search.repeated_reads import reads_again
from dask_tapestry.planner.search.tuning import (
    CLOSE_TO_LEAST,
    COMPARING_SECONDS,
    FAR_WORSE,
    NEXT_TO_NOTHING,
    PARTS_A_SLOT,
    SAVES_AS_MUCH,
    SHORT_STEP_SECONDS,
    SIZES_WORTH,
)
from dask_tapestry.planner.tuning import ALIKE_SECONDS
from dask_tapestry.rewrite.driver import rebuilt
from dask_tapestry.teg import Form, Graph, Node

NOTHING: Final[Mapping[Node, PricedGroup]] = {}


def choose_forms(
    graph: Graph,
    pricing: Pricing,
    costs: int | None = None,
    held: Mapping[Node, Grid] = NO_GRIDS,
) -> tuple[Graph, dict[Node, tuple[FormChoice, ...]]]:
    """The graph with a form for each operator that is better computed in one, and these.

    Once it has taken so many `costs`, good guesses at the sizes of forms are all that is looked at.
    Sources may be told that are held, and how these are cut.
    """
    formed = [at for at, n in enumerate(graph.nodes) if n.operator.forms(n.input_types)]
    if not formed:
        return graph, {}
    last = inf if costs is None else pricing.evaluated + costs
    times = Counter(operator_likeness(graph.nodes[at]) for at in formed)
    chooser = _Chooser(graph, pricing, last, times, held)
    behind = formed[-1] + 1  # what comes after the last operator with forms decides on none
    for node in graph.nodes[:behind]:
        chooser.decide(node)
    for node in graph.nodes[behind:]:
        chooser.now[node] = rebuilt(node, chooser.now)
    if not chooser.chosen:
        return graph, {}
    return Graph([chooser.now[root] for root in graph.roots]), chooser.chosen


class _Chooser:
    """Decides nodes one after the other.

    Attributes
    ----------
    now
        What has become of the nodes that are decided.
    chosen
        The forms taken.
    last
        The number of costs computed from which on sizes are guessed.
    times
        How many operators of each kind there are.
    """

    def __init__(
        self,
        graph: Graph,
        pricing: Pricing,
        last: float,
        times: Mapping[object, int] | None = None,
        held: Mapping[Node, Grid] = NO_GRIDS,
    ) -> None:
        self.grids = held
        self.pricing, self.last, self.times = pricing, last, times or {}
        self.now: dict[Node, Node] = {}
        self.chosen: dict[Node, tuple[FormChoice, ...]] = {}
        self._held = held_values(graph, pricing.memory, held, local=pricing.machine.local)
        self._placed: dict[Node, PricedGroup] = {}
        self._decided: set[Node] = set()
        self._alike: dict[object, list[tuple[tuple[int, ...], FormChoice | None]]] = {}
        self._of_kind: dict[object, tuple[FormChoice | None, Rank, Rank]] = {}

    def decide(self, node: Node) -> None:
        """Decide how a node is computed; its producers are decided."""
        new = rebuilt(node, self.now)
        forms = new.operator.forms(new.input_types)
        steps: list[FormChoice] = []
        while more := new.operator.forms(new.input_types):
            choice = self._best_form(new, more)
            if choice is None:
                break
            steps.append(choice)
            new = self._settled(form_named(new, choice.name).make(new, choice.size))
        if steps:
            self.chosen[node] = tuple(steps)
        if forms or (node in self._held and not is_given(node)):
            self._placed |= self._steps(new)
        self.now[node] = new
        self._decided.add(new)

    def _settled(self, node: Node) -> Node:
        """A node in a form, of which all steps but the last are as they will be."""
        for x in node.inputs:
            if x not in self._decided:
                self._placed |= self._steps(x)
                self._decided.update(added_nodes(x, self._decided))
        return node

    def _best_form(self, node: Node, forms: Collection[Form]) -> FormChoice | None:
        whole = self._steps(node)
        best, priced = self._rank(whole), whole[node]
        size, programs = (
            extents(priced.group.program, priced.held),
            [likeness(one.group.program) for one in whole.values()],
        )
        decided = self._alike.setdefault((tuple(programs), node.operator.layout), [])
        for other, choice in decided:
            if are_near(size, other) and self._is_as_good(node, forms, choice, best):
                return choice
        kind = operator_likeness(node)
        known = self._of_kind.get(kind)
        if known is not None and self._saves_as_much(node, forms, best, *known):
            choice = known[0]
        else:
            choice, rank = self._compared(node, forms, whole, best)
            self._of_kind[kind] = choice, rank, best
        decided.append((size, choice))
        return choice

    def _saves_as_much(
        self,
        node: Node,
        forms: Collection[Form],
        whole: Rank,
        choice: FormChoice | None,
        then: Rank,
        whole_then: Rank,
    ) -> bool:
        """Whether the choice of a like operator, on what is computed otherwise, is one here.

        It is if it saves as many seconds as it did `then`, or leaves no larger part of them. So the
        products of a loop, each of which reads what one more step has computed, are searched once,
        and so are sums of several formulas along an axis. No form is, if whole it takes no longer.
        """
        if choice is None:
            return whole.is_allowed and whole.seconds <= SAVES_AS_MUCH * whole_then.seconds
        form = _form_of_size(forms, choice)
        if form is None:
            return False
        rank, _ = self._formed(node, form, choice.size, whole.with_seconds(ALIKE_SECONDS))
        saved, saved_then = whole.seconds - rank.seconds, whole_then.seconds - then.seconds
        part, part_then = rank.seconds / whole.seconds, then.seconds / whole_then.seconds
        is_as_much = part <= SAVES_AS_MUCH * part_then or saved_then <= SAVES_AS_MUCH * saved
        return rank < whole and is_as_much

    def _is_as_good(
        self, node: Node, forms: Collection[Form], choice: FormChoice | None, whole: Rank
    ) -> bool:
        """Whether the choice of an operator that is alike is one for this one, too."""
        if choice is None:
            return whole.is_allowed
        form = _form_of_size(forms, choice)
        if form is None:
            return False
        rank = self._rank(self._steps(form.make(node, choice.size)))
        return rank.is_allowed and rank < whole

    def _compared(
        self,
        node: Node,
        forms: Collection[Form],
        whole: Mapping[Node, PricedGroup],
        best: Rank,
    ) -> tuple[FormChoice | None, Rank]:
        """The best of the forms of a node and of the node as it is, whose steps are `whole`."""
        once = self.pricing.uncut_cost(whole[node])
        at_once = self._at_once(whole[node].group.program.multithreaded)
        floor = self._floor(once.compute / at_once, once)
        least = min(floor, self._floor(self._least_compute(whole[node]), once))
        ranked_forms: list[tuple[Rank, FormChoice | None]] = [(best, None)]
        slow = not best.is_allowed or best.seconds > CLOSE_TO_LEAST * floor
        if slow or reads_again(whole[node].cost, once):
            for form in forms:
                if not self._may_repay(node, form, best, least):
                    continue
                rank, size = self._best_size(node, form, best, least)
                if self._may_repay(node, form, rank, least) and (
                    once.carried or self._reads_again(node, form.make(node, size))
                ):
                    rank = min(rank, self._with_held_inputs(node, form, size))
                ranked_forms.append((rank, FormChoice(form.name, size)))
        rank, choice = preferred(ranked_forms, lambda one: one[0])
        return choice, rank

    def _may_repay(self, node: Node, form: Form, best: Rank, least: float) -> bool:
        """Whether a form, or another size, may save what looking at it takes.

        Of all operators of this kind, each of which takes the `least` seconds at best.
        """
        saved = self.times.get(operator_likeness(node), 1) * (best.seconds - least)
        return not best.is_allowed or repays_planning(max(COMPARING_SECONDS, form.planning), saved)

    def _reads_again(self, node: Node, in_form: Node) -> bool:
        """Whether several steps of a form may read what the node reads, or compute it each."""
        added = added_nodes(in_form, self._decided)
        return any(sum(x in one.inputs for one in added) > 1 for x in node.inputs)

    def _least_compute(self, priced: PricedGroup) -> float:
        """Seconds of a step's kernels with all slots busy, however it is cut."""
        machine = self.pricing.on(priced.group.device).machine
        return LowerBound.of(priced.group.program, machine).kernels / machine.slots

    def _at_once(self, multithreaded: bool) -> int:
        """Blocks that keep all slots busy: one a worker of those whose kernels have threads."""
        machine = self.pricing.machine
        return machine.workers if multithreaded else machine.slots

    def _floor(self, compute: float, once: StepCost) -> float:
        """Seconds below which no form can come: all slots busy, and every cell read once."""
        machine = self.pricing.machine
        way = (
            once.read / machine.store / machine.workers
        )  # each worker's connection; threads decode
        codec = machine.codec_seconds(once.read, once.written, once.codecs)
        store = max(way, max(codec, once.store) / machine.slots)
        return max(compute, store) + machine.task * (1 + machine.slots)

    def _best_size(self, node: Node, form: Form, whole: Rank, least: float) -> tuple[Rank, int]:
        """The best size of a form near good guesses, or one of these if it takes little at `least`.

        Of one that takes more than another at least, or than the node as a `whole`, that is known.

        No further size is looked at once that has taken what the step is worth, and none coarser
        than one whose first step takes more memory than there is. Sizes between those that the form
        names are tried where they are whole stored chunks.
        """
        sizes, near_whole = form.sizes, whole.with_seconds(ALIKE_SECONDS)
        ranked = RankedSizes(sizes, partial(self._formed, node, form), near_whole)
        begun = self.pricing.evaluated

        def is_enough(rank: Rank) -> bool:
            spent = self.pricing.evaluated - begun
            most = 0 if least < SHORT_STEP_SECONDS else SIZES_WORTH * costs_in(rank.seconds)
            return rank.is_allowed and spent >= min(most, self.last - begun)

        best, *guesses = self._guesses(node, form)
        ranked.rank(best)
        if ranked.takes_too_much(best):
            best = min(best, len(sizes) - 1, key=ranked.rank)
        if ranked.takes_too_much(len(sizes) - 1):
            return ranked.rank(best), sizes[best]
        for at in guesses:
            if ranked.takes_too_much(at):
                continue
            if not self._may_repay(node, form, ranked.rank(best), least):
                return ranked.rank(best), sizes[best]
            best = min(best, at, key=ranked.rank)
        for others in (range(best + 1, len(sizes)), range(best - 1, -1, -1)):
            worse = 0
            for at in others:
                if is_enough(ranked.rank(best)):
                    return ranked.rank(best), sizes[best]
                if ranked.takes_too_much(at):
                    continue
                is_better = ranked.rank(at) < ranked.rank(best)
                best, worse = (at, 0) if is_better else (best, worse + 1)
                if worse == form.patience or _is_far_worse(ranked.rank(at), ranked.rank(best)):
                    break
        found = ranked.rank(best), sizes[best]
        near = {sizes[at] for at in (best, self._one_a_slot(node, form))}
        for size in sorted({whole for one in near for whole in whole_chunks(node, one, sizes)}):
            rank, _ = self._formed(node, form, size, min(near_whole, found[0]))
            found = min(found, (rank, size))
        return found

    def _guesses(self, node: Node, form: Form) -> list[int]:
        """The coarsest sizes that yield enough cells, or enough for each cell of the value.

        Enough for each cell is a part of it a slot, or so many that cuts between them are even. A
        part a slot comes first, the best guess: others are given up as soon as they take more. The
        even ones come before it where all they yield is next to nothing, as nodes of a sum.
        """
        parts = PARTS_A_SLOT * self.pricing.machine.slots
        even = coarsest(node, form, parts * max(1, node.type.size))
        guesses = [self._one_a_slot(node, form), *sorted((even, coarsest(node, form, parts)))]
        if NEXT_TO_NOTHING * yielded(node, form, even) <= sum(x.type.size for x in node.inputs):
            guesses.insert(0, even)
        return list(dict.fromkeys(guesses))

    def _one_a_slot(self, node: Node, form: Form) -> int:
        """The coarsest size that yields a part of each cell for each slot."""
        return coarsest(node, form, self.pricing.machine.slots * max(1, node.type.size))

    def _formed(self, node: Node, form: Form, size: int, other: Rank) -> tuple[Rank, int]:
        """The rank of a node in a form, whose last step is formed again if that is better.

        And what its first step exceeds a task's memory by. Where the steps before the last alone
        take more than another way, the rank of these.
        """
        in_form = form.make(node, size)
        steps = self._steps(in_form, most=other)
        best, before = self._rank(steps), {n: p for n, p in steps.items() if n is not in_form}
        excess = next((priced.rank.excess for priced in before.values()), 0)
        if in_form not in steps or not before:
            return best, excess
        if best <= self._rank(before).with_seconds(CLOSE_TO_LEAST):
            return best, excess
        for again in in_form.operator.forms(in_form.input_types):
            for at in self._guesses(in_form, again):
                more = self._steps(again.make(in_form, again.sizes[at]), before)
                best = min(best, self._rank({**before, **more}))
        return best, excess

    def _with_held_inputs(self, node: Node, form: Form, size: int) -> Rank:
        """The rank of a node in a form, if what it reads is computed or read once and held.

        Steps of a form may read the same cells, and cut them otherwise than stored chunks lie.
        """
        before: dict[Node, PricedGroup] = {}
        for x in node.inputs:
            if not is_given(x):
                before |= self._steps(x, before)
        return self._rank({**before, **self._steps(form.make(node, size), before)})

    def _rank(self, steps: Mapping[Node, PricedGroup]) -> Rank:
        return total([(priced.cost, priced.limits) for priced in steps.values()])

    def _steps(
        self,
        node: Node,
        before: Mapping[Node, PricedGroup] = NOTHING,
        most: Rank | None = None,
    ) -> dict[Node, PricedGroup]:
        """The steps that a node adds to those that are placed, each with its best grid.

        The steps in `before` are taken for placed, too. The first ones alone if these are beyond
        the rank `most`.
        """
        added = added_nodes(node, self._decided, before)
        held = {n for n in added if not n.operator.transparent and not n.operator.is_selector}
        steps: dict[Node, PricedGroup] = {}
        boundary = held | {node} | before.keys() | self._placed.keys()
        placed, so_far = {**self._placed, **before}, NOTHING_TAKEN
        for one in added:
            if one is node or one in held:
                too_much = None if most is None else partial(so_far.is_beyond, most)
                priced = place(
                    one, boundary, placed, self.pricing, self.grids, is_too_much=too_much
                )
                steps[one] = placed[one] = priced
                so_far = so_far.plus(priced.rank)
                if most is not None and so_far > most:
                    break
        return steps


def _form_of_size(forms: Collection[Form], choice: FormChoice) -> Form | None:
    """The form that is chosen, if it is there and has such sizes."""
    form = next((form for form in forms if form.name == choice.name), None)
    has_size = form is not None and min(form.sizes) <= choice.size <= max(form.sizes)
    return form if has_size else None


def _is_far_worse(rank: Rank, best: Rank) -> bool:
    """Whether what is allowed as another one is takes so much longer that sizes beyond it do."""
    return rank.exceeded == best.exceeded and rank.seconds > FAR_WORSE * best.seconds
