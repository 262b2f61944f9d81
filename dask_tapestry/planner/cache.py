"""Cache of plans: a plan for some data serves other data of their types.

A plan depends on the types of arrays in memory, on how persisted ones are cut, and on the shape,
dtype and chunks of what is stored, not on cells or places. So the graph is planned with slots
instead of sources and sinks, and the plan kept for the next graph that differs only in these: the
next batch of a loop, or the same line run again. One that was looked at before is not searched for
again either: its choices are recalled. Planning ten operators takes milliseconds; finding
the plan again takes .1 ms, from Zarr to Zarr .15 (`benchmarks/overheads.py`). A small formula that
comes with other constants again has a plan that serves all of them (`rules/open_constants.py`), and
so has one of other parts of arrays in memory (`rules/open_views.py`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from threading import Lock
from typing import Any, NamedTuple

from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.forgetting import forget_after_many
from dask_tapestry.planner.graph_form import NOTHING, GraphForm, form_of_graph
from dask_tapestry.planner.machine.calibrate import rates_in_force
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.machine.shared_workers import resources_beside
from dask_tapestry.planner.open_forms import OpenForm, Place
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.remembered_choices import settings_in_force
from dask_tapestry.planner.rewriting.exchanged_values import is_exchange
from dask_tapestry.planner.tuning import MOST_TOLD_BYTES, PLANS_REMEMBERED
from dask_tapestry.planner.walltime import walltime_in_force
from dask_tapestry.rewrite.user_rules import rules_in_force
from dask_tapestry.teg import Graph, Node, Operator, Sink, Source, apply
from dask_tapestry.teg.check import check, writes_that_meet_are_ordered
from dask_tapestry.teg.node import reapply, topological, written_as
from dask_tapestry.teg.token import token


class _CachedPlan(NamedTuple):
    """A plan, the forms of its slots in order, and where what fills them is in an open form."""

    plan: PlannedGraph
    forms: tuple[str, ...]
    places: tuple[Place, ...] = ()


_known: OrderedDict[Any, _CachedPlan] = OrderedDict()
_outlines: OrderedDict[Any, None] = OrderedDict()  # of graphs that were not known
_lock = Lock()


def plan_of(
    roots: Sequence[Node],
    given: Mapping[Node, Node] = NOTHING,
    needed: Sequence[Node] | None = None,
) -> PlannedGraph:
    """Plan the values `roots` together for the resources in force, or find the plan made before.

    Parameters
    ----------
    given
        Values that need not be computed, as sources.
    needed
        All nodes that `roots` need but those, inputs first; where that is known.

    Raises
    ------
    ConstraintError
        If two writes meet in a stored piece and neither follows the other.
    MemoryLimitError
        If no plan is found that workers can hold.
    """
    order = [*given, *(topological(roots, given) if needed is None else needed)]
    resources = resources_beside(order)
    form = form_of_graph(roots, order, given)
    if form is None or (form.stored and rules_in_force()):  # a rule may look at a place
        return build_plan(_over(roots, order, given), resources, recall=True)
    written = Graph(roots)
    if form.sinks > 1:
        check(written, (writes_that_meet_are_ordered,))
    around = _circumstances(resources)
    cached, ends = _found((form.key, around)), form.ends
    if cached is None:
        forget_after_many()
        opened = OpenForm.of(form) if resources.local else None
        cached = None if opened is None else _plan_for_all(opened, around)
        if cached is not None and opened is not None:
            ends = opened.ends(cached.places)
        else:
            cached = _kept_plan(form, around)
    if cached is None:
        return build_plan(_over(roots, order, given), resources, recall=True)
    return cached.plan.closed(written, dict(zip(cached.forms, ends, strict=True)))


class _Circumstances:
    """What a plan depends on beside its graph; it is one object for equal ones."""

    __slots__ = ("parts", "resources")

    def __init__(self, resources: Resources, *others: Any) -> None:
        self.resources, self.parts = resources, (resources, *others)


_around: OrderedDict[tuple[Any, ...], _Circumstances] = OrderedDict()
_around_last: list[_Circumstances] = []


def _circumstances(resources: Resources) -> _Circumstances:
    """Those in force: keys that hold them are compared without looking into them."""
    now = resources, rates_in_force(), settings_in_force(), walltime_in_force()
    last = _around_last[0] if _around_last else None
    if last is not None and _are_same(now, last.parts):
        return last
    with _lock:
        known = _around.get(now)
    if known is None:
        known = _Circumstances(*now)
        _keep(_around, now, known)
    _around_last[:] = [known]
    return known


def _are_same(now: tuple[Any, ...], last: tuple[Any, ...]) -> bool:
    """Whether circumstances are those of the last time: the large parts are the same objects."""
    return now[0] is last[0] and now[1] is last[1] and now[2:] == last[2:]


def _kept_plan(form: GraphForm, around: _Circumstances) -> _CachedPlan | None:
    """The plan for graphs of a form, which is kept; None if there is none for all of its data."""
    cached = _found((form.key, around))
    if cached is None:
        cached = _planned(form, around.resources)
        if cached is not None:
            _keep(_known, (form.key, around), cached)
    return cached


def _plan_for_all(opened: OpenForm, around: _Circumstances) -> _CachedPlan | None:
    """The plan for other constants and places too; None if they are met for the first time."""
    key = (opened.outline, around)
    cached = _found(key)
    if cached is not None or not _is_met_again(key):
        return cached
    form, places = opened.opened()
    found = None if form is None else _kept_plan(form, around)
    if form is None or found is None:
        return None
    cached = found._replace(places=tuple([places[end] for end in form.ends]))
    _keep(_known, key, cached)
    return cached


def _found(key: Any) -> _CachedPlan | None:
    """The plan that is kept under a key, which is the last one to go now."""
    with _lock:
        cached = _known.get(key)
        if cached is not None:
            _known.move_to_end(key)
        return cached


def _keep(known: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    """Keep a value under a key, which is the last one to go now."""
    with _lock:
        known[key] = value
        known.move_to_end(key)
        while len(known) > PLANS_REMEMBERED:
            known.popitem(last=False)


def _is_met_again(outline: Any) -> bool:
    """Whether an outline is met for the second time: constants or places change, as in a loop."""
    with _lock:
        is_known = outline in _outlines
    _keep(_outlines, outline, None)
    return is_known


def verified_plan_of(
    roots: Sequence[Node],
    given: Mapping[Node, Node] = NOTHING,
    needed: Sequence[Node] | None = None,
) -> PlannedGraph:
    """The plan of `plan_of`, verified: once, as long as it is kept.

    Raises
    ------
    PlanError
        Names the constraint, the operator and the box.
    """
    plan = plan_of(roots, given, needed)
    plan.verify_once()
    return plan


def _planned(form: GraphForm, resources: Resources) -> _CachedPlan | None:
    """The plan for slots; None if a rule changed one, so that it cannot be filled."""
    opened = _opened(form)
    plan = build_plan([opened[root] for root in form.roots], resources, recall=True)
    forms = tuple(opened[node].form for node in form.ends)
    if not _ends(plan) <= set(forms) or _told_bytes(plan) > MOST_TOLD_BYTES:
        return None
    return _CachedPlan(replace(plan, passed=set(), found={}), forms)


def _ends(plan: PlannedGraph) -> set[str]:
    """The forms of sources and sinks that are not the plan's own."""
    ends = [node for node in plan.graph.nodes if isinstance(node.operator, Source | Sink)]
    own = [node for node in ends if not (is_exchange(node) or _is_told(node))]
    return {form for node in own for form in _joined_forms(node.operator) or (node.form,)}


def _joined_forms(end: Operator) -> tuple[str, ...]:
    return end.joined_forms if isinstance(end, Source) else ()


def _is_told(node: Node) -> bool:
    """Whether a node is cells that rules tell an operation, as places: the same for all data."""
    return isinstance(node.operator, NumpySource)  # data of the graph are slots


def _told_bytes(plan: PlannedGraph) -> int:
    return sum([node.type.nbytes for node in plan.graph.nodes if _is_told(node)])


def _over(
    roots: Sequence[Node], order: Sequence[Node], given: Mapping[Node, Node]
) -> Sequence[Node]:
    """The values `roots` of graphs that have sources in place of what is given."""
    if not given:
        return roots
    made = dict(given)
    for node in order:
        if node not in made:
            after = [made[x] for x in node.after]
            made[node] = reapply(node, [made[x] for x in node.inputs], after)
    return [made[root] for root in roots]


def _opened(form: GraphForm) -> dict[Node, Node]:
    """The nodes over slots instead of data; slots of each form are its own, as lines differ."""
    identity = blake2b(token(form.key).encode(), digest_size=8).hexdigest()
    position = {node: number for number, node in enumerate(form.ends)}
    opened: dict[Node, Node] = {}
    for written in form.order:
        node = form.given.get(written, written)
        inputs, after = [opened[x] for x in node.inputs], [opened[x] for x in node.after]
        operator = node.operator
        if isinstance(operator, Source | Sink):
            slot = operator.slot(position[node], identity)
            assert slot is not None
            with written_as(node):
                opened[node] = opened[written] = apply(slot, *inputs, after=after)
        else:
            opened[written] = reapply(node, inputs, after)
    return opened
