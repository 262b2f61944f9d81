"""Several formulas of a step become one."""

from functools import reduce

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.reductions.joint_reductions import JointReductions
from dask_tapestry.planner.fusion import formula_inlining
from dask_tapestry.planner.fusion.formula_inlining import formula_leads, inlined
from dask_tapestry.planner.fusion.group import group_of, members_of
from dask_tapestry.planner.tuning import MADE_AT_ONCE
from dask_tapestry.rules.joint_reductions import join_reductions
from dask_tapestry.steps.peak import peak_of
from dask_tapestry.teg import Graph

X = dt.asarray(np.arange(3.0))


def leads_of(result):
    return formula_leads(members_of(result.node, ()), result.node)


def test_formulas_that_one_other_reads_are_written_into_it():
    inner = X + 1
    outer = inner * 2
    assert leads_of(outer) == {inner.node: outer.node, outer.node: outer.node}


def test_a_formula_with_two_readers_that_differ_is_one_of_its_own():
    inner = X + 1
    both = dt.stack([inner * 2, dt.cumsum(inner)])
    assert leads_of(both)[inner.node] is inner.node


def test_views_between_keep_formulas_apart():
    inner = X + 1
    assert leads_of(inner[::-1] * 2)[inner.node] is inner.node


def test_formulas_stay_within_a_length(monkeypatch):
    inner = X + 1
    outer = inner * 2
    monkeypatch.setattr(formula_inlining, "LONGEST_FORMULA", 1)
    assert leads_of(outer)[inner.node] is inner.node


def test_what_is_inlined_computes_what_its_parts_do():
    inner = X + 1
    outer = inner * X
    operator, inputs = inlined([inner.node, outer.node])
    assert inputs == (X.node,)
    (formula,) = operator.formulas((X.node.type,))
    assert [one.function for one in formula.steps] == ["constant", "add", "multiply"]
    cells = np.arange(3.0)
    assert kernel_reference(operator, cells).tolist() == ((cells + 1) * cells).tolist()


def files_of(count, cells=1000):
    return [dt.placeholder((cells,), "f8", (cells,)) for _ in range(count)]


def added(files):
    return sum(x * number for number, x in enumerate(files, start=1))


def nested(files):
    return reduce(lambda total, x: dt.maximum(x, abs(total - x)), files)


def halved(files):
    while len(files) > 1:
        files = [dt.maximum(a, b) * 0.5 for a, b in zip(files[::2], files[1::2], strict=True)]
    return files[0]


def shifted(files):
    return sum(x[1:] - x[:-1] for x in files)


@pytest.mark.parametrize("combined", [added, nested, halved, shifted])
@pytest.mark.parametrize("count", [4, 8, 64, 256])
def test_files_that_are_combined_are_read_a_few_at_a_time(combined, count):
    y = combined(files_of(count))
    program = group_of(y.node, ()).program
    files = 8 * 1000
    depth = count.bit_length() if combined is halved else 1  # totals that wait
    assert peak_of(program, program.type.box).all <= (MADE_AT_ONCE + 1 + depth) * files
    formulas = [i for i in program.instructions if i.operator.is_formula]
    assert len(formulas) <= 1 + count / (MADE_AT_ONCE - 2)


def test_small_values_are_read_at_once():
    x, small = files_of(1)[0], files_of(20, 50)
    program = group_of(added([x.reshape(20, 50), *small]).node, ()).program
    large = [i for i in program.instructions if i.type.nbytes == program.type.nbytes]
    assert sum(i.operator.is_formula for i in large) == 1


def test_what_is_folded_in_several_trees_is_an_input_for_each():
    x = dt.placeholder((2**20,), "f8", (2**16,))
    ahead = dt.roll(x, -1, 0)
    folds = [(x + ahead).sum(), (x * dt.roll(ahead, -1, 0)).sum()]
    (joint,) = [
        node
        for node in join_reductions(Graph([fold.node for fold in folds])).nodes
        if isinstance(node.operator, JointReductions)
    ]
    assert joint.operator.formulas_apart == ((0,), (1,))
    operator, inputs = inlined([*joint.inputs, joint])
    assert inputs.count(x.node) == 2
    first, second = operator.formulas(tuple([one.type for one in inputs]))
    assert (first.used, second.used) == (frozenset((0, 1)), frozenset((2, 3)))
    assert [one.type.shape for one in inputs] == [x.shape] * 4
