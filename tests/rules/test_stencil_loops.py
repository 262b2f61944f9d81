import dask
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.windows.stencil_steps import StencilSteps
from dask_tapestry.rules.stencil_loops import fuse_stencil_loops
from dask_tapestry.teg import Graph
from tests.examples import examples

RANDOM = np.random.default_rng(0)
X = RANDOM.random((9, 12))


def heat(u, xp):
    around = sum(xp.roll(u, by, axis) for by in (-1, 1) for axis in (0, 1))
    return u + 0.1 * (around - 4 * u)


def padded(mode):
    def step(u, xp):
        p = xp.pad(u, 1, mode=mode)
        mid = p[1:-1, 1:-1]
        return mid + 0.1 * (p[:-2, 1:-1] + p[2:, 2:] - 2 * mid)

    return step


def after(step, count, xp, x=X):
    u = xp.asarray(x)
    for _ in range(count):
        u = step(u, xp)
    return u


def steps_in(*arrays):
    """How many steps each operator of a rewritten graph computes."""
    graph = fuse_stencil_loops(Graph([x.node for x in arrays]))
    return [n.operator.steps for n in graph.nodes if isinstance(n.operator, StencilSteps)]


def check(loop, *read):
    """The loop is fused, its plan computes it, and it has NumPy's bits."""
    made, expected = loop(dt), loop(np)
    made = made if isinstance(made, tuple) else (made,)
    assert steps_in(*made)
    dt.verify(dt.plan(*made), *made)
    for x, y in zip(dt.compute(*made), expected if len(made) > 1 else [expected], strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("step", [heat, *map(padded, ["wrap", "edge", "symmetric", "constant"])])
def test_a_loop_by_hand_is_computed_several_steps_at_a_time(step):
    assert sum(steps_in(after(step, 20, dt))) == 20
    check(lambda xp: after(step, 20, xp))


def test_coefficients_and_what_comes_behind():
    beside = 0.1 * RANDOM.random(X.shape)

    def loop(xp):
        slow = xp.asarray(beside)
        u = after(lambda u, xp: u + slow * (xp.roll(u, 1, 0) - u), 11, xp)
        return u * 2, xp.max(u, axis=0)

    check(loop)


def test_several_fields_and_the_last_two_values():
    def swapped(xp):
        u, v = xp.asarray(X), xp.asarray(X[::-1])
        for _ in range(10):
            u, v = u - 0.1 * xp.roll(v, 1, 1), v + 0.1 * xp.roll(u, -1, 0)
        return u, v

    def leapfrog(xp):
        before, u = xp.asarray(X), xp.asarray(X) * 0.5
        for _ in range(10):
            before, u = u, 2 * u - before + 0.1 * (xp.roll(u, 1, 0) - u)
        return u

    check(swapped)
    check(leapfrog)


@examples(80)
@given(
    begin=st.lists(st.integers(0, 1), min_size=1, max_size=3),
    turned=st.booleans(),
    beside=st.booleans(),
    count=st.integers(4, 14),
)
def test_fields_that_begin_as_one_array_which_steps_may_read_too(begin, turned, beside, count):
    def loop(xp):
        arrays = [xp.asarray(X), xp.asarray(X[::-1].copy())]
        fields = [arrays[which] for which in begin]
        for _ in range(count):
            last = fields[-1] + 0.1 * (xp.roll(fields[-1], 1, 0) - fields[0])
            if beside:
                last = last + 0.05 * (arrays[0] - fields[-1])
            if turned:
                fields = [*fields[1:], last]
            else:
                fields = [last, *[0.9 * one + 0.1 * xp.roll(one, -1, 1) for one in fields[:-1]]]
        return tuple(fields)

    for x, y in zip(dt.compute(*loop(dt)), loop(np), strict=True):
        np.testing.assert_array_equal(x, y)


def test_two_fields_that_begin_as_one_array_are_fused():
    def waves(xp):
        before = u = xp.asarray(X)
        for _ in range(12):
            before, u = u, 2 * u - before + 0.1 * (xp.roll(u, 1, 0) - u)
        return u

    check(waves)
    assert sum(steps_in(waves(dt))) > 8


def test_values_that_are_read_on_the_way():
    def loop(xp):
        values = [xp.asarray(X)]
        for _ in range(20):
            values.append(heat(values[-1], xp))
        return values[7].sum(axis=0).max(), values[-1]

    made = loop(dt)
    assert sum(steps_in(*made)) == 20
    np.testing.assert_array_equal(made[1].compute(), loop(np)[1])
    np.testing.assert_array_equal(dt.compute(*made)[1], loop(np)[1])


def slow(u, xp):
    return u + 0.05 * (xp.roll(u, 2, 1) - u)


def loops_of_two_arrays(xp):
    return after(heat, 12, xp) + after(slow, 15, xp, X[::-1])


def loops_one_behind_the_other(xp):
    return xp.sqrt(after(slow, 14, xp, xp.sqrt(after(heat, 13, xp))) + 4)


def loops_that_read_one_on_the_way(xp):
    early = after(heat, 6, xp)
    late = after(heat, 7, xp, early)
    return late, after(slow, 12, xp, early[::2]), early.sum(axis=0).max()


def alike_loops_of_parts(xp):
    return tuple(after(heat, 8 + n, xp, X[n : n + 4]) for n in range(5))


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize(
    ("loops", "steps"),
    [
        (loops_of_two_arrays, 27),
        (loops_one_behind_the_other, 27),
        (loops_that_read_one_on_the_way, 25),
        (alike_loops_of_parts, 50),
    ],
)
def test_every_loop_of_a_graph(loops, steps):
    made = loops(dt)
    assert sum(steps_in(*(made if isinstance(made, tuple) else (made,)))) == steps
    check(loops)


@examples(30)
@given(
    st.lists(st.tuples(st.sampled_from([heat, slow]), st.integers(1, 12)), min_size=1, max_size=6)
)
def test_loops_in_any_order_have_the_bits_of_numpy(loops):
    def chained(xp):
        u, kept = xp.asarray(X), []
        for step, count in loops:
            u = after(step, count, xp, u * 0.5)
            kept.append(u)
        return tuple(kept)

    for x, y in zip(dt.compute(*chained(dt)), chained(np), strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("dtype", ["u1", "i8", "f4", "c16"])
def test_dtypes(dtype):
    x = (10 * X).astype(dtype)

    def loop(xp):
        return after(lambda u, xp: xp.roll(u, 2, 0) - u * xp.roll(u, 1, 1), 9, xp, x)

    with np.errstate(all="ignore"):
        check(loop)


@pytest.mark.parametrize(
    "step",
    [
        lambda u: dt.sin(u) + 1,
        lambda u: dt.roll(u, 1, 0),
        lambda u: u - dt.roll(u, 1, 0).mean(),
        lambda u: u[::-1] + dt.roll(u, 1, 0),
        lambda u: dt.cumsum(dt.roll(u, 1, 0), axis=0),
    ],
)
def test_steps_that_are_something_else(step):
    assert not steps_in(after(lambda u, _: step(u), 12, dt))


def test_annotated_steps_stay():
    with dask.annotate(priority=1):
        u = after(heat, 12, dt)
    assert not steps_in(u)


def test_a_trace_replays_it():
    u = after(heat, 12, dt)
    trace = u.plan().trace()
    assert "fuse_stencil_loops" in [change.rule for change in trace]
    assert str(trace.replay(u.teg)) == str(u.plan().teg)


@examples(60)
@given(st.data())
def test_random_steps_have_the_bits_of_numpy(data):
    draw = data.draw
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=3)))
    moves = st.tuples(st.integers(-3, 3), st.integers(0, len(shape) - 1))
    mode = draw(st.sampled_from([None, "wrap", "edge", "symmetric", "constant"]))
    taken = draw(st.lists(moves, min_size=1, max_size=3))
    count = draw(st.integers(4, 20))
    x = np.random.default_rng(len(taken)).random(shape)

    def moved(u, by, axis, xp):
        if mode is None:
            return xp.roll(u, by, axis)
        widths = [(0, 0)] * u.ndim
        widths[axis] = (3, 3)
        own = (slice(None),) * axis
        return xp.pad(u, widths, mode=mode)[(*own, slice(3 + by, 3 + by + shape[axis]))]

    def step(u, xp):
        made = 0.5 * u
        for by, axis in taken:
            made = made + 0.1 * moved(u, by, axis, xp)
        return made

    u = after(step, count, dt, x)
    np.testing.assert_array_equal(u.compute(), after(step, count, np, x))


def test_a_plan_of_a_long_loop_is_as_small_as_a_few_operators():
    few, many = (after(heat, n, dt).plan() for n in (32, 160))
    assert len(many.core.steps) <= 5 * len(few.core.steps) + 5
