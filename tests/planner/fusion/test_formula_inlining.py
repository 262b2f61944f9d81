"""Several formulas of a step become one."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.planner.fusion import formula_inlining
from dask_tapestry.planner.fusion.formula_inlining import formula_leads, inlined
from dask_tapestry.planner.fusion.group import members_of

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
