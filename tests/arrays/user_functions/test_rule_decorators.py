import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.sorting.sort import Sort
from dask_tapestry.rewrite.user_rules import OwnMutator, OwnRule


@dt.rule(on=Sort)
def sorted_already(node):
    """``sort(sort(x)) -> sort(x)``."""
    (x,) = node.inputs
    return x if x.operator == node.operator else None


@dt.block_operator(index={"i": "parallel"}, inputs={"x": "i"}, outputs={"z": "i"})
def double(x):
    return 2 * x


def graph(x, *rules):
    with dt.config(rules=rules):
        return str(x.plan().teg).splitlines()


def test_a_rule_is_declared_and_used():
    assert isinstance(sorted_already, OwnRule)
    assert (sorted_already.kind, sorted_already.times) == ("optimisation", None)
    assert sorted_already.__doc__ == "``sort(sort(x)) -> sort(x)``."
    x = dt.sort(dt.sort(dt.asarray(np.array([3.0, 1.0]))))
    assert graph(x, sorted_already) == [
        "%0 = memory() : float64[2]",
        "%1 = sort(%0, axis=0) : float64[2]",
        "return %1",
    ]
    assert len(graph(x)) == 4


def test_a_rule_may_work_with_arrays():
    @dt.rule(on="sort", kind="semantic")
    def descending(node):
        """``sort(x) -> flip(-sort(-x))``, unless it was done."""
        x = dt.Array(node.inputs[0])
        return None if x.node.operator.is_formula else dt.flip(-dt.sort(-x))

    x = dt.asarray(np.array([3, 1]))
    assert "negative(%0)" in graph(dt.sort(x), descending)[1]
    with dt.config(rules=[descending]):
        assert dt.sort(x).compute().tolist() == [1, 3]


def test_a_rule_on_an_own_operator():
    @dt.rule(on=double)
    def as_sum(node):
        """``double(x) -> x + x``."""
        x = dt.Array(node.inputs[0])
        return x + x

    x = double(np.arange(3.0))
    assert "add(%0, %0)" in graph(x, as_sum)[1]
    assert "double" in graph(x)[1]


def test_rules_are_set_through_dask_too():
    x = dt.sort(dt.sort(dt.asarray(np.array([3.0, 1.0]))))
    with dask.config.set({"tapestry.rules": [sorted_already]}):
        assert len(x.plan().trace()) == 1


def test_a_plan_made_with_other_rules_is_not_found_again():
    x = dt.full(3, 7.0)

    def to(value):
        @dt.rule(on="full")
        def constant(node):
            """``full(7) -> full(value)``."""
            return dt.full(3, value) if node.operator.scalar == 7 else None

        return constant

    for value in (1.0, 2.0, 3.0):
        with dt.config(rules=[to(value)]):
            assert (x + 0).compute().tolist() == [value] * 3
    assert (x + 0).compute().tolist() == [7.0] * 3


def test_a_rule_that_changes_the_type_is_refused():
    @dt.rule(on="sort")
    def shorter(node):
        """``sort(x) -> x[1:]``."""
        return dt.Array(node.inputs[0])[1:]

    x = dt.sort(dt.asarray(np.array([3.0, 1.0])))
    message = r"rule shorter: it replaces sort\(memory.*\), of type float64\[2\], by .*float64\[1\]"
    with dt.config(rules=[shorter]), pytest.raises(dt.PlanError, match=message) as error:
        x.plan()
    assert __file__ in str(error.value)


def test_rules_that_never_end_are_named():
    @dt.rule(on="sort")
    def again(node):
        """``sort(x) -> flip(-sort(-x))``."""
        return dt.flip(-dt.sort(-dt.Array(node.inputs[0])))

    x = dt.sort(dt.asarray(np.array([3.0, 1.0])))
    with dt.config(rules=[again]), pytest.raises(dt.PlanError, match=r"come to an end .* again \("):
        x.plan()
    once = dt.rule(on="sort", times=1)(again.function)
    with dt.config(rules=[once]):
        assert x.compute().tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"on": "sort", "kind": "best"}, ValueError),
        ({"on": "sort", "times": 0}, ValueError),
        ({"on": "sort", "times": 1, "kind": "choice"}, ValueError),
        ({"on": 3}, TypeError),
        ({"on": [int]}, TypeError),
        ({"on": ["sort", None]}, TypeError),
    ],
)
def test_wrong_arguments(arguments, error):
    with pytest.raises(error):
        dt.rule(**arguments)


def test_what_is_no_function():
    with pytest.raises(TypeError, match="a function is needed, got int"):
        dt.rule(on="sort")(3)
    with pytest.raises(TypeError, match="a function is needed, got int"):
        dt.mutator(3)
    with pytest.raises(ValueError, match="prior=0"):
        dt.mutator(prior=0)


def test_mutators_are_declared():
    @dt.mutator
    def plain(state, node, rng):
        return [1]

    @dt.mutator(applies=lambda state, node: False, prior=3)
    def other(state, node, rng):
        return [1]

    node = dt.arange(3).node
    assert isinstance(plain, OwnMutator)
    assert (plain.prior, plain(None, node, None)) == (1.0, (1,))
    assert (other.prior, other(None, node, None)) == (3, ())


def test_operators_are_applied_to_arrays_and_nodes():
    x, y = dt.asarray(np.array([3, 1])), dt.asarray(np.array([5, 4]))
    operator = dt.sort(x).node.operator
    assert dt.apply(operator, y).node is dt.sort(y).node
    assert dt.apply(operator, y.node).compute().tolist() == [4, 5]
    after = dt.apply(operator, x, after=[dt.sequence_point(y).node]).node.after
    assert [point.is_sequence_point for point in after] == [True]
