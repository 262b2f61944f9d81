"""JointReductions: several reductions in one pass over the cells that they share.

Most fold the same cells: of inputs of one shape, hence in one tree. Those of a field and of the
same field shifted (lag products, differences of neighbours) fold inputs that have other extents or
begin elsewhere in stored chunks, but their trees have as many nodes of the same sides. A node of
one then lies where that of another lies, or beside it, so that a block which computes some nodes of
all of them reads what they share once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache, partial, reduce
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.cells import CellExpression, Tree
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.reductions.tree_reduction import TreeReduction
from dask_tapestry.teg import IndexDim, Signature, TensorType
from dask_tapestry.teg.contract.access import Demanding
from dask_tapestry.teg.operator import Types, by_signature, clipped
from dask_tapestry.teg.regularity import Regularity
from dask_tapestry.zspace import ZRange


class JointPass(NamedTuple):
    """Reductions of one tree, and the inputs that they fold.

    Attributes
    ----------
    numbers
        Of the reductions.
    reads
        Numbers of the inputs.
    folds
        The reductions, whose formulas are of these inputs alone.
    kinds
        One of each kind of these that take scratch memory alike, with how many do.
    """

    numbers: tuple[int, ...]
    reads: tuple[int, ...]
    folds: tuple[Reduce, ...]
    kinds: tuple[tuple[Reduce, int], ...]

    def types(self, inputs: Types) -> Types:
        """The types of the inputs that it folds."""
        return tuple([inputs[number] for number in self.reads])


@dataclass(frozen=True)
class JointReductions(TreeReduction):
    """Structured cells whose field ``f<i>`` is reduction i, of its own formula of the inputs.

    All reductions fold the same axes. Their trees have the same number of nodes of the same sides,
    and no input is folded in two trees: what is has a place among them for each.

    Source: Tapestry whitepaper, "Dimension Reduction Operations".
    """

    name = "jointreductions"
    kernel = "reductions"
    any_cells = True
    reads_cells = True
    parts: tuple[Reduce, ...]

    @cached_property
    def _hash(self) -> int:
        return hash(self.parts)  # once: two dozen formulas are hashed as long as a block is priced

    def __hash__(self) -> int:
        return self._hash

    @property
    def called(self) -> str:
        return "-".join(dict.fromkeys(part.monoid for part in self.parts))

    @property
    def axes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The folded axes."""
        return self.parts[0].axes

    @property
    def tree(self) -> Tree:  # type: ignore[override]
        """The canonical tree of the first one."""
        return self.parts[0].tree

    @property
    def source(self) -> int | None:  # type: ignore[override]
        """Level of the nodes that it takes."""
        return self.parts[0].source

    @property
    def target(self) -> int | None:  # type: ignore[override]
        """Level of the nodes that it yields."""
        return self.parts[0].target

    def part(self, source: int | None, target: int | None) -> JointReductions:
        return JointReductions(tuple(p.part(source, target) for p in self.parts))

    @property
    def merges_freely(self) -> bool:
        """Whether all parts may be."""
        return all(part.merges_freely for part in self.parts)

    def passes(self, inputs: Types) -> tuple[JointPass, ...]:
        """The reductions of each tree, with what they fold; of nodes, which lie alike, all."""
        known = self._known_passes.get(inputs)
        if known is None:
            known = self._known_passes[inputs] = _passes(self, inputs)
        return known

    @cached_property
    def _known_passes(self) -> dict[Types, tuple[JointPass, ...]]:
        """Those asked for: to see that another one is equal took a twentieth of a plan."""
        return {}

    def infer(self, *inputs: TensorType) -> TensorType:
        types = [part.infer(inputs[0]) for part in self.parts]
        for one in self.passes(inputs):
            for number, fold in zip(one.numbers, one.folds, strict=True):
                types[number] = fold.infer(*one.types(inputs))
        fields = [(field_name(number), type_.dtype) for number, type_ in enumerate(types)]
        return TensorType(types[0].shape, np.dtype(fields), types[0].dims)

    def signature(self, *inputs: TensorType) -> Signature:
        """The signatures of all passes as one; a completely folded dimension is the longest."""
        each = [
            (fold_pass, fold_pass.folds[0].signature(*fold_pass.types(inputs)))
            for fold_pass in self.passes(inputs)
        ]
        first = each[0][1]
        index = [
            IndexDim(dim.name, max(own.index[number].extent for _, own in each), dim.kind)
            for number, dim in enumerate(first.index)
        ]
        reads = [first.inputs[0]] * len(inputs)
        for fold_pass, own in each:
            for number in fold_pass.reads:
                reads[number] = own.inputs[0]
        return Signature(tuple(index), tuple(reads), first.outputs)

    def regularity(self, inputs: Types) -> Regularity | None:
        """By its signature; selected cells may lie anywhere along their axis."""
        rules = by_signature(self, inputs)
        for part in self.parts if self.selects else ():
            own = part.regularity(inputs)
            if rules is None or own is None:
                return None
            rules = tuple([a if b is not None else None for a, b in zip(rules, own, strict=True)])
        return rules

    @property
    def selects(self) -> bool:
        """Whether all parts fold selected cells."""
        return self.source is None and all(part.tree.selected for part in self.parts)

    def demanding(self, inputs: Types) -> Demanding:
        return partial(self.demand, inputs) if self.selects else clipped(self, inputs)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return _demand(self, inputs, box)

    def formulas(self, inputs: Types) -> tuple[CellExpression, ...]:
        given = [part.formulas(inputs) for part in self.parts]
        return tuple(formula for formulas in given for formula in formulas)

    def with_formulas(self, formulas: tuple[CellExpression, ...]) -> JointReductions:
        parts = zip(self.parts, formulas, strict=True)
        return JointReductions(tuple(part.with_formulas((formula,)) for part, formula in parts))

    @property
    def formulas_apart(self) -> tuple[tuple[int, ...], ...]:
        by_tree: dict[Tree, list[int]] = {}
        for number, part in enumerate(self.parts):
            by_tree.setdefault(part.tree.of_all, []).append(number)
        return tuple(map(tuple, by_tree.values())) if len(by_tree) > 1 else ()

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        options: list[Mapping[str, Any]] = [{}] * len(self.parts)
        passes = self.passes(inputs)
        for one in passes:
            own = tuple([boxes[number] for number in one.reads])
            for number, fold in zip(one.numbers, one.folds, strict=True):
                options[number] = fold.arguments(one.types(inputs), box, own)
        apart = [(one.numbers, one.reads) for one in passes] if len(passes) > 1 else None
        return {"parts": tuple(options), **({"passes": tuple(apart)} if apart else {})}

    def flops(self, inputs: Types, box: ZRange) -> int:
        read = self.demand(inputs, box)
        return sum(f.flops_of(read[p.reads[0]]) for p in self.passes(inputs) for f in p.folds)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        read = self.demand(inputs, box)
        gathered = nodes = 0
        for one in self.passes(inputs):
            own, types = read[one.reads[0]], one.types(inputs)
            gathered = max(gathered, *[fold.gathered_bytes(types, own) for fold, _ in one.kinds])
            nodes += sum([count * fold.scratch_of(own) for fold, count in one.kinds])
        return gathered + nodes

    def text(self) -> str:
        return "; ".join(part.text() for part in self.parts)


@lru_cache(maxsize=1024)
def _passes(operator: JointReductions, inputs: Types) -> tuple[JointPass, ...]:
    parts = operator.parts
    trees = dict.fromkeys(part.tree.of_all for part in parts)
    if operator.source is not None or len(trees) == 1:
        every = tuple(range(len(parts))), tuple(range(len(inputs)))
        return (JointPass(*every, parts, _kinds(parts)),)
    return tuple([_pass_over(operator, inputs, one) for one in trees])


def _pass_over(operator: JointReductions, inputs: Types, tree: Tree) -> JointPass:
    """The reductions that fold in a tree, of the inputs that their formulas use."""
    numbers = tuple(n for n, part in enumerate(operator.parts) if part.tree.of_all == tree)
    parts = [operator.parts[number] for number in numbers]
    formulas = [formula for part in parts for formula in part.formulas(inputs)]
    reads = tuple(sorted(frozenset[int]().union(*[formula.used for formula in formulas])))
    pairs = zip(parts, formulas, strict=True)
    folds = [part.with_formulas((formula.of_some(reads),)) for part, formula in pairs]
    return JointPass(numbers, reads, tuple(folds), _kinds(folds))


def _kinds(folds: Sequence[Reduce]) -> tuple[tuple[Reduce, int], ...]:
    """One of those whose trees and states are alike, whatever they select, with their number."""
    alike: dict[object, list[Reduce]] = {}
    for fold in folds:
        tree = fold.tree
        kind = tree.extents, tree.leaf, tree.lattice, tree.selected is None, fold.state
        alike.setdefault(kind, []).append(fold)
    return tuple([(some[0], len(some)) for some in alike.values()])


@lru_cache(maxsize=4096)
def _demand(operator: JointReductions, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
    """What a box is made of, remembered: boxes, operations and memory all ask for it."""
    if not operator.selects:
        return operator.demanding(inputs)(box)
    every = list(clipped(operator, inputs)(box))
    for one in operator.passes(inputs):
        for number in one.reads:
            every[number] = _hull_of_selected(one.folds, every[number])
    return tuple(every)


def _hull_of_selected(folds: tuple[Reduce, ...], read: ZRange) -> ZRange:
    """The part of a box from the first to the last cell that one of the reductions selects."""
    axes = {fold.sought for fold in folds}
    axis = folds[0].sought
    if len(axes) > 1 or axis is None:
        return reduce(ZRange.hull, [fold.narrowed(read) for fold in folds])
    low, high = read.lo[axis], read.hi[axis]
    chosen = [fold.tree.selected for fold in folds]
    spans = [one.hull(low, high) for one in chosen if one is not None]
    there = [(first, end) for first, end in spans if first < end]
    if not there:
        return read.replace(axis, low, low)
    return read.replace(axis, min([first for first, _ in there]), max([end for _, end in there]))


def field_name(number: int) -> str:
    """Name of the field that holds reduction `number`."""
    return f"f{number}"


def number_of(name: str) -> int:
    """The reduction whose field has that name."""
    return int(name.removeprefix("f"))
