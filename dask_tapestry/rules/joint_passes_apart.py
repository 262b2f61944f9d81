"""Joint passes apart: fewer reductions in a pass, where all at once take more than a worker has.

A block of a pass holds the nodes of all its reductions, and over neighbours what each of them
reads. It costs reading again what they share, so it is a form, which plans are compared in where
none fits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import ceil

from dask_tapestry.operators.cells.field import Field, field
from dask_tapestry.operators.reductions.joint_reductions import (
    JointReductions,
    field_name,
    number_of,
)
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.teg import Graph, Node, apply
from dask_tapestry.teg.node import reapply, written_as
from dask_tapestry.teg.users_line import said_together

Group = tuple[Node, ...]


def reductions_of_joint_passes(graph: Graph, most: int) -> tuple[Group, ...]:
    """Reductions of joint passes in groups, each pass in at most so many.

    Those of one tree, and of one input, stay together where they may.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.rules.joint_reductions import join_reductions
    >>> x = dt.placeholder((5000, 3000), "f8")
    >>> graph = join_reductions(Graph([x.sum().node, x.max().node, x.min().node]))
    >>> [[node.operator.field for node in group] for group in reductions_of_joint_passes(graph, 2)]
    [['f0', 'f1'], ['f2']]
    """
    fields: dict[Node, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        if isinstance(node.operator, Field):
            fields[node.inputs[0]].append(node)
    groups = list[Group]()
    for together, nodes in fields.items():
        if isinstance(together.operator, JointReductions) and len(nodes) > 1:
            ordered = _alike_together(together, nodes)
            each = ceil(len(nodes) / most)
            groups += [tuple(ordered[n : n + each]) for n in range(0, len(nodes), each)]
    return tuple(groups)


def numbers_of_passes(graph: Graph) -> tuple[int, ...]:
    """In how many passes reductions of joint ones may be computed, what is tried first at first.

    As many as a pass has trees, fewer, and then more; none where no pass is joint.
    """
    joint = [n.operator for n in graph.nodes if isinstance(n.operator, JointReductions)]
    most = max([len(operator.parts) for operator in joint], default=0)
    trees = max([len(operator.formulas_apart) for operator in joint], default=0)
    doubled = [2**n for n in range(1, most.bit_length())]
    fewer = [number for number in reversed(doubled) if number < trees]
    more = [number for number in doubled if trees < number < most]
    return tuple(dict.fromkeys([*[trees][: trees > 1], *fewer, *more, *[most][: most > 1]]))


def _alike_together(together: Node, fields: Sequence[Node]) -> list[Node]:
    """Fields of a joint pass, those of one tree and then of one input beside each other."""
    operator, types = together.operator, together.input_types
    assert isinstance(operator, JointReductions)
    formulas = operator.formulas(types)
    trees = {number: at for at, one in enumerate(operator.passes(types)) for number in one.numbers}

    def place(node: Node) -> tuple[int, int]:
        number = _number(node)
        return trees[number], min(formulas[number].used, default=0)

    return sorted(fields, key=place)


def _number(node: Node) -> int:
    operator = node.operator
    assert isinstance(operator, Field)
    return number_of(operator.field)


def in_a_pass_of_their_own(group: Group) -> dict[Node, Node] | None:
    """``r.f0, r.f2 -> s.f0, s.f1 with s = (f0, f2)(x), r = (f0, f1, f2)(x)``.

    What replaces each field of a group is returned, or None where it is not one of one joint pass.
    """
    if not all(isinstance(node.operator, Field) for node in group):
        return None
    together = group[0].inputs[0]
    operator = together.operator
    if not isinstance(operator, JointReductions) or any(n.inputs[0] != together for n in group):
        return None
    numbers = [_number(node) for node in group]
    types = together.input_types
    formulas = [operator.formulas(types)[number] for number in numbers]
    reads = sorted(set[int]().union(*[formula.used for formula in formulas])) or [0]
    parts = [
        operator.parts[number].with_formulas((formula.of_some(reads),))
        for number, formula in zip(numbers, formulas, strict=True)
    ]
    inputs = [together.inputs[number] for number in reads]
    fewer: Reduce | JointReductions = parts[0] if len(parts) == 1 else JointReductions(tuple(parts))
    with written_as(group[0]):
        line = said_together(node.line for node in group)
        alone = reapply(apply(fewer, *inputs, line=line), inputs, annotations=together.annotations)
    return _fields(alone, group)


def _fields(alone: Node, group: Group) -> dict[Node, Node]:
    if len(group) == 1:
        return {group[0]: alone}
    done = dict[Node, Node]()
    for number, node in enumerate(group):
        with written_as(node):
            done[node] = field(alone, field_name(number))
    return done
