"""The functions that fold, found by what their operators declare, on cells that are really cut."""

from __future__ import annotations

import operator as python
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays import public_names  # noqa: F401  (chapters register their functions)
from dask_tapestry.arrays.core.dispatch import METHODS
from dask_tapestry.operators.reductions.tree_reduction import TreeReduction
from dask_tapestry.operators.scans.scan import ScanOperator
from dask_tapestry.teg import BlockOperator, Graph, Kind, Node
from dask_tapestry.teg.operator import signature_of
from tests.comparisons import (
    COMPARISONS,
    Comparison,
    blocks,
    histograms,
    nan_reductions,
    reductions,
    scans,
)
from tests.one_value.cells import mixed

Arrays = tuple[np.ndarray, ...]
FOLDED = {Kind.REDUCTION, Kind.SEQUENTIAL}
FAMILIES = (reductions, nan_reductions, scans, histograms, blocks)  # what they do is to fold
LEAVES = 3  # of which the cells of every fold are at least
SIZES = (14_000, 280_000)  # cells of an input: some leaves of a reduction, and of a histogram
SHORT = 2  # the least extent beside a long one
FEW = ("f4", "f8")  # kinds of cells that every function is tried on if it takes them
MORE = (*FEW, "?", "i1", "f2", "c8", "c16")
ALL_TO_ALL = frozenset({"unique", "unique_all"})  # places among all: a task for each two blocks
ROUNDING = ("add", "multiply", "hypot", "logaddexp", "logaddexp2")
KINDS = ("f4", "f8", "i8", "i2", "?")  # tried in turn for methods of ufuncs


class Call(NamedTuple):
    """A function, a way to call it, and cells.

    Attributes
    ----------
    public
        The function's name.
    kind
        The cells' dtype.
    function
        Takes NumPy, or the library, and the inputs.
    rounds
        Whether it combines cells by operations that round.
    """

    public: str
    name: str
    kind: str
    function: Callable[..., Any]
    inputs: Arrays
    rounds: bool

    def on(self, inputs: Sequence[Any], library: Any = dt) -> list[Any]:
        """Results for these inputs."""
        made = self.function(library, *inputs)
        return list(made) if isinstance(made, tuple) else [made]

    def __str__(self) -> str:
        return f"{self.name} of {' '.join(f'{x.dtype}{[*x.shape]}' for x in self.inputs)}"


def folds(results: Sequence[Any]) -> Iterator[Node]:
    """Nodes of the results' graphs that fold a dimension."""
    for node in Graph([x.bound for x in results]):
        if isinstance(node.operator, BlockOperator):
            kinds = {dim.kind for dim in signature_of(node.operator, node.input_types).index}
            if kinds & FOLDED:
                yield node


def is_scan(call: Call) -> bool:
    """Whether a call computes running totals."""
    results = call.on([dt.asarray(x) for x in call.inputs])
    return any(
        isinstance(n.operator, ScanOperator) for n in Graph([x.bound for x in results]).nodes
    )


def leaves(node: Node) -> int:
    """Parts, of a fixed size, that a fold combines."""
    operator, x = node.operator, node.input_types[0]
    if isinstance(operator, TreeReduction):
        return prod(operator.tree.counts(0))
    if isinstance(operator, ScanOperator):
        return -(-x.shape[operator.axis] // operator.leaf)
    dims = signature_of(operator, node.input_types).index
    return prod(dim.extent for dim in dims if dim.kind in FOLDED)


def fewest_leaves(call: Call) -> int:
    """Leaves of that fold of a call which has fewest; 0 if nothing is folded."""
    return min(map(leaves, folds(call.on([dt.asarray(x) for x in call.inputs]))), default=0)


def enlarged(inputs: Arrays) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Larger shapes that fit together as these do: all extents alike, then each in turn long."""
    extents = sorted({n for x in inputs for n in x.shape if n > 1})
    rank = max(x.ndim for x in inputs)
    for cells in SIZES:
        side = round(cells ** (1 / max(1, rank)))
        for longest in (None, *extents):
            lengths = {n: side + 2 * k for k, n in enumerate(extents)}
            if longest is not None:
                lengths = {n: SHORT + k for k, n in enumerate(extents)}
                lengths[longest] = cells // SHORT ** (rank - 1) + 1
            shapes = tuple(tuple(lengths.get(n, n) for n in x.shape) for x in inputs)
            if max(map(prod, shapes)) <= 4 * cells:  # an extent may be that of two axes
                yield shapes


def on_many_cells(call: Call) -> Call:
    """The call on the fewest cells of which all its folds are cut, or else as many as can be."""
    most, best = fewest_leaves(call), call
    for shapes in enlarged(call.inputs):
        pairs = enumerate(zip(shapes, call.inputs, strict=True))
        cells = tuple(mixed(shape, x, "nan" in call.name, n) for n, (shape, x) in pairs)
        larger = call._replace(inputs=cells)
        try:
            parts = fewest_leaves(larger)
        except dt.ShapeError:  # extents that divide each other are as long as others now
            continue
        if parts > most:
            most, best = parts, larger
        if parts >= LEAVES:
            break
    return best


def widest(comparison: Comparison) -> dict[str, Arrays]:
    """The largest inputs of a comparison for each dtype of the first one."""
    best: dict[str, Arrays] = {}
    for inputs in comparison.inputs():
        if inputs and all(x.size for x in inputs):
            kind = inputs[0].dtype.str.lstrip("<>|=").replace("b1", "?")
            if kind not in best or _cells(inputs) > _cells(best[kind]):
                best[kind] = inputs
    return best


def _cells(inputs: Arrays) -> int:
    return sum(x.size for x in inputs)


def calls_of(comparison: Comparison, kinds: Sequence[str]) -> list[Call]:
    """A comparison, if it folds and has one value, on its own cells of these dtypes.

    Where it takes but one of them it is tried on the first and the last one of its own, too.
    """
    samples = widest(comparison) if comparison.one_value else {}
    chosen = [k for k in kinds if k in samples]
    if len(chosen) < len(FEW):
        chosen = list(dict.fromkeys([*chosen, *[*samples][:: max(1, len(samples) - 1)]]))
    names = comparison.public, comparison.name
    found = [
        Call(*names, kind, partial(_call, comparison), samples[kind], comparison.ulp is None)
        for kind in chosen
    ]
    return [call for call in found if fewest_leaves(call)]


def _call(comparison: Comparison, library: Any, *inputs: Any) -> Any:
    return comparison.numpy(*inputs) if library is np else comparison.ours(library, *inputs)


def folding_methods() -> list[tuple[str, str]]:
    """Methods of ufuncs that fold an axis; `at` and `reduceat` fold as a scatter does."""
    return [(ufunc, method) for ufunc, method in METHODS if method in ("reduce", "accumulate")]


def method_calls(known: Container[str]) -> Iterator[Call]:
    """The methods of ufuncs that no comparison tries, on two dtypes that they take."""
    for ufunc, method in folding_methods():
        name = f"{ufunc}.{method}"
        if method == "reduce" and ufunc in known:
            continue
        for kind in _taken(python.attrgetter(name)(np)):
            function = partial(_method, name)
            rounds = kind[0] == "f" and ufunc in ROUNDING
            call = on_many_cells(Call(name, name, kind, function, (np.ones((3, 4), kind),), rounds))
            if ufunc == "lcm":
                call = call._replace(inputs=(1 + call.inputs[0] % 10,))  # no multiple overflows
            yield call


def _taken(function: Callable[..., Any]) -> list[str]:
    """The first two kinds of cells that a function takes."""
    kinds = []
    for kind in KINDS:
        with suppress(TypeError):
            function(np.ones(3, kind))
            kinds.append(kind)
    return kinds[: len(FEW)]


def _method(name: str, library: Any, x: Any) -> Any:
    return python.attrgetter(name)(np)(x, axis=-1)


def monoid_calls() -> Iterator[Call]:
    """Monoids of the user's own, one of which does not commute."""
    for name, monoid in (
        ("sum of squares", dt.Monoid(0, np.add, map=np.square, finalize=np.sqrt)),
        ("logarithms", dt.Monoid(-np.inf, np.logaddexp)),
        ("the last", dt.Monoid(0, _later)),
    ):
        for kind in FEW:
            parts = "reduction", f"reduction by {name}", kind, partial(_reduction, monoid)
            cells = mixed((117, 301), np.ones((), kind), name == "the last", 0)
            yield Call(*parts, (cells,), False)


def _later(a: Any, b: Any) -> Any:
    return np.where(np.isnan(b), a, b)


def _reduction(monoid: Any, library: Any, x: Any) -> Any:
    return library.reduction(x, monoid)


@cache
def few_calls() -> tuple[Call, ...]:
    """Each function that folds, in one way for each of two dtypes, and so each monoid."""
    ways: dict[str, dict[str, list[Call]]] = {}
    folded: dict[str, list[Call]] = {}
    for call in (call for c in _comparisons() for call in calls_of(c, FEW)):
        ways.setdefault(call.public, {}).setdefault(call.kind, []).append(call)
        for monoid in monoids(call):
            folded.setdefault(monoid, []).append(call)
    chosen = []
    for kinds in ways.values():
        for number, kind in enumerate(sorted(kinds, key=lambda k: k not in FEW)[: len(FEW)]):
            calls = kinds[kind]
            at = number * len(calls) // len(FEW)  # other ways for the second dtype
            chosen.append(_first_cut([*calls[at:], *calls[:at]]))
    known = {monoid for call in chosen for monoid in monoids(call)}
    chosen += [_first_cut(calls) for monoid, calls in folded.items() if monoid not in known]
    return (
        *chosen,
        *method_calls({name for name, kinds in ways.items() if len(kinds) > 1}),
        *monoid_calls(),
    )


def monoids(call: Call) -> set[str]:
    """The library's monoids that a call folds."""
    nodes = folds(call.on([dt.asarray(x) for x in call.inputs]))
    return {getattr(node.operator, "monoid", "") for node in nodes} - {""}


def _first_cut(calls: Sequence[Call]) -> Call:
    """The first of these calls of which all folds can be cut, else the first."""
    larger = map(on_many_cells, calls)
    return next((call for call in larger if fewest_leaves(call) >= LEAVES), calls[0])


@cache
def all_calls() -> tuple[Call, ...]:
    """Every way to call each function of the families, on more dtypes and as few cells."""
    return tuple(call for c in _comparisons() for call in calls_of(c, MORE))


@cache
def other_calls() -> tuple[Call, ...]:
    """Functions that fold on their way to something else: they sort, choose or pad."""
    folding = {c.public for c in few_calls()} | ALL_TO_ALL
    found: dict[tuple[str, str], Call] = {}
    for comparison in COMPARISONS:
        if comparison.public not in folding:
            for call in calls_of(comparison, FEW):
                found.setdefault((call.public, call.kind), call)
    return tuple(found.values())


def _comparisons() -> Iterator[Comparison]:
    return (comparison for family in FAMILIES for comparison in family.COMPARISONS)
