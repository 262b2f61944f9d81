import pickle

import cloudpickle
import dask.config
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import PlanError
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.operators.sorting.sort import Sort
from dask_tapestry.operators.views.reverse import Reverse
from dask_tapestry.rewrite.rule import Rules, begins_at, takes_shared
from dask_tapestry.rewrite.user_rules import OwnMutator, OwnRule, mutators_in_force, rules_in_force


def nothing(node):
    """``x -> x``."""
    return node


RULE = OwnRule(nothing, (Full, Reverse), "optimisation")
NAMED = OwnRule(nothing, ("full", Reverse), "semantic", times=2)
MUTATOR = OwnMutator(lambda state, node, rng: [state], prior=2.0)
NODE = dt.full(3, 5.0).node


def test_a_rule_begins_at_classes_names_or_what_answers():
    assert [begins_at(RULE, op) for op in (Full, Reverse, Sort)] == [True, True, False]
    other = dt.arange(2).node
    for rule in (NAMED, OwnRule(nothing, (lambda operator: operator.name == "full",), "choice")):
        assert begins_at(rule, Full)
        assert rule(NODE) is NODE
        assert rule(other) is None
    assert not takes_shared(RULE)
    assert Rules((RULE,)).of(Full) == ((RULE, False),)
    assert (RULE.__name__, RULE.__doc__) == ("nothing", "``x -> x``.")
    assert repr(NAMED) == "<semantic rule nothing>"


def test_a_rule_returns_a_node_of_the_same_type():
    wrong = OwnRule(lambda node: 3, (Full,), "choice")
    with pytest.raises(TypeError, match="rule <lambda>: it returned int for <full float64"):
        wrong(NODE)
    for other in (dt.full(2, 5.0), dt.full(3, 5)):
        shorter = OwnRule(lambda node, other=other: other.node, (Full,), "choice")
        with pytest.raises(PlanError, match=r"rule <lambda>: it replaces full.*\[3\], by full"):
            shorter(NODE)


def test_rules_and_mutators_pickle():
    bound = 3
    local = OwnRule(lambda node: node if bound else None, ("full",), "choice")
    again = pickle.loads(pickle.dumps(local))
    assert (again.kind, again.on, again(NODE)) == ("choice", ("full",), NODE)
    assert pickle.loads(pickle.dumps(NAMED)).times == 2
    mutator = cloudpickle.loads(cloudpickle.dumps(MUTATOR))
    assert (mutator.prior, mutator("s", NODE, None)) == (2.0, ("s",))


def test_a_mutator_is_asked_whether_it_applies():
    mutator = OwnMutator(lambda state, node, rng: iter((1, 2)), lambda state, node: state > 0)
    assert mutator(1, NODE, np.random.default_rng(0)) == (1, 2)
    assert mutator(0, NODE, None) == ()
    assert repr(mutator) == "<mutator <lambda>>"


def test_settings_say_which_are_in_force():
    assert rules_in_force() == mutators_in_force() == ()
    with dt.config(rules=[RULE, NAMED], mutators=(MUTATOR,)):
        assert rules_in_force() == (RULE, NAMED)
        assert mutators_in_force() == (MUTATOR,)
        with dt.config(rules=None):
            assert rules_in_force() == ()
    with dt.config(rules=["tests.rewrite.test_user_rules:RULE"]):
        (found,) = rules_in_force()
        assert (found.__name__, found.kind) == ("nothing", "optimisation")


@pytest.mark.parametrize(
    ("listed", "error", "message"),
    [
        ([nothing], TypeError, r"rules has <function nothing.*, which dt.rule did not make"),
        ([MUTATOR], TypeError, "which dt.rule did not make"),
        ("module:name", TypeError, "rules is a list of what dt.rule makes, not 'module:name'"),
        (RULE, TypeError, "rules is a list"),
        (["nowhere.at_all:rule"], PlanError, "'nowhere.at_all:rule' leads to nothing: No module"),
        (["math:rule"], PlanError, "has no attribute 'rule'"),
        (["math"], PlanError, "leads to nothing"),
    ],
)
def test_what_is_no_rule(listed, error, message):
    with pytest.raises(error, match=message), dt.config(rules=listed):
        rules_in_force()
    with dask.config.set({"tapestry.rules": listed}), pytest.raises(error, match=message):
        rules_in_force()
