import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.rules.repeated_steps import repeated_parts
from dask_tapestry.rules.tuning import FEWEST_STEPS
from dask_tapestry.teg import Graph

X = dt.asarray(np.arange(6.0))


def ways(*arrays):
    parts = repeated_parts(Graph([x.node for x in arrays]).nodes)
    return [way for part in parts for way in part]


def states(steps, *roots):
    """Whether some way to see the steps has exactly these states."""
    return any(way.states == tuple(steps) for way in ways(*roots))


def loop(step, count, x=X):
    values = [x]
    for _ in range(count):
        values.append(step(values[-1]))
    return values


def test_the_steps_of_a_loop():
    values = loop(lambda u: u - 0.1 * dt.roll(u, 1), 9)
    assert states([(u.node,) for u in values], values[-1])


def test_a_first_step_that_also_reads_what_later_ones_do():
    beside, other = dt.asarray(np.ones(6)), dt.asarray(np.zeros(6))
    values = loop(lambda u: (u - dt.roll(u, 1)) * beside + other, 9)
    assert states([(u.node,) for u in values], values[-1])


def test_what_comes_before_and_behind():
    values = loop(lambda u: u - 0.1 * dt.roll(u, 1), 9, dt.sqrt(X) + 1)
    assert states([(u.node,) for u in values], values[-1].sum(), values[-1].max())


def test_a_state_of_the_last_two_values():
    values = [X, X + 1]
    for _ in range(9):
        values.append(2 * values[-1] - values[-2] + dt.roll(values[-1], 1))
    found = ways(values[-1])
    last = {x.node for x in values[-2:]}
    assert any({*way.states[-1]} == last for way in found)


def test_two_fields():
    u, v = X, X + 1
    known = [{u.node, v.node}]
    for _ in range(9):
        u, v = u - dt.roll(v, 1), v + dt.roll(u, 1)
        known.append({u.node, v.node})
    found = ways(u, v)
    assert any([set(state) for state in way.states] == known for way in found)


@pytest.mark.parametrize("count", [0, 1, FEWEST_STEPS - 1])
def test_few_steps_are_none(count):
    assert not any(len(way.states) > FEWEST_STEPS for way in ways(loop(dt.sin, count)[-1]))


def test_steps_that_differ_are_none():
    x = X
    for step in range(20):
        x = x - step * dt.roll(x, 1)
    assert not ways(x)


def test_parts_lie_apart_wherever_they_are():
    def step(u):
        return u - 0.1 * dt.roll(u, 1)

    first = loop(step, 9)
    second = loop(lambda u: step(u) * 2, 7, dt.sqrt(first[-1]))
    third = loop(dt.sin, 90, second[-1] + 1)
    for values in (first, second, third):
        assert states([(u.node,) for u in values], third[-1])
