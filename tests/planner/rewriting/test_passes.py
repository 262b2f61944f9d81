import os
import subprocess
import sys

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import Pass, passes, rewritten
from dask_tapestry.rewrite.rule import Rules
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rewrite.user_rules import OwnRule

X = np.arange(12.0).reshape(3, 4)


def less(node):
    """``full(n) -> full(n - 1)``, while n is above zero."""
    value = node.operator.scalar
    return dt.full(node.type.shape, value - 1).node if value > 0 else None


def own(kind, times=None, function=less, on="full"):
    return OwnRule(function, (on,), kind, times)


def rounds(x, *rules):
    """Graph and the rounds in which rules fired."""
    trace = Trace()
    graph = rewritten(x.teg, trace, rules)
    return str(graph), [r.name for r in trace.rounds if r.changes]


def test_the_passes_in_order():
    semantic, counted, best = own("semantic"), own("semantic", 2), own("optimisation")
    named = {p.name: p for p in passes((semantic, counted, best, own("choice")), fast=True)}
    assert list(named) == [
        "annotations", "as written", "less", "loops", "simplify",
        "takes along axes", "forward fills", "merged dimensions", "products",
        "inserted parts",
        "insert chains",
        "slices", "ends of lanes", "tables in any order", "cells at extremes", "joint ranks",
        "grouped lines",
        "selected folds", "alike reductions", "alike pieces",
        "spaced sources",
        "turned folds", "vector products",
        "joint reductions", "joint group folds", "joint bin counts",
        "overlapping parts",
        "chunks apart", "repeated parts", "turned formulas", "outputs",
    ]  # fmt: skip
    assert named["as written"].rules == (semantic,)
    assert (named["less"].rules, named["less"].times) == ((counted,), 2)
    assert named["simplify"].rules[0] is named["products"].rules[0] is best
    exact = {p.name: p for p in passes((), fast=False)}
    assert "less" not in exact
    assert set(exact["simplify"].rules) < set(named["simplify"].rules)


def test_own_rules_fire_to_a_fixed_point_or_so_many_times():
    x = dt.full(5, 3.0)
    for kind in ("semantic", "optimisation"):
        assert "full((5,), 0.0)" in rounds(x, own(kind))[0]
    assert "full((5,), 1.0)" in rounds(x, own("semantic", times=2))[0]
    assert "full((5,), 3.0)" in rounds(x, own("choice"))[0]


def test_semantic_rules_see_the_graph_as_it_was_written():
    seen = []

    def look(node):
        seen.append(node.operator.name)

    x = dt.asarray(X).T
    rounds(x, own("semantic", function=look, on="permute"))
    assert seen == ["permute"]
    rounds(x, own("optimisation", function=look, on="view"))
    assert seen == ["permute", "view"]


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda x: x + 1, []),
        (lambda x: x.T, ["simplify"]),
        (lambda x: (x @ x.T).sum(), ["simplify", "products"]),
        (lambda x: (x + 1)[1:], ["simplify", "slices", "after slices"]),
        (lambda x: x.sum() + x.max(), ["joint reductions"]),
    ],
)
def test_what_each_pass_does(make, names):
    assert rounds(make(dt.asarray(X)))[1] == names


def test_a_pass_that_does_not_apply_leaves_the_graph():
    graph = dt.full(5, 3.0).teg
    skipped = Pass("never", Rules((less,)), applies=lambda graph: False)
    assert skipped.run(graph, Trace()) is graph


def test_rules_in_force_are_those_of_the_settings():
    x = dt.full(4, 2.0)
    with dt.config(rules=[own("semantic")]):
        assert x.compute().tolist() == [0.0] * 4
        assert [change.rule for change in x.plan().trace()] == ["less", "less"]
    assert x.compute().tolist() == [2.0] * 4


def test_rules_of_gathers_are_there_as_soon_as_one_may_be():
    program = """
import sys
import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import GATHERS, passes

def names():
    return {rule.__name__ for p in passes((), False) if p.name == "simplify" for rule in p.rules}

(dt.asarray([1.0]) + 1).compute()
assert not set(GATHERS) & set(sys.modules) and "recover_batching" not in names()
import dask_tapestry.operators.indexing.gather
assert "recover_batching" in names()
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
