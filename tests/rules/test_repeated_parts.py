"""Few stored cells that meet all others are a value of their own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.views.view import View
from dask_tapestry.rewrite.driver import apply_once
from dask_tapestry.rewrite.rule import Rules
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.repeated_parts import part_before_repeats
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph
from tests.planner.graphs import stored

SHAPE = 60, 40, 3
CELLS = np.random.default_rng(0).normal(size=SHAPE)
SMALL = dt.Resources(workers=2, threads=2, memory="500 MiB")


def parts(x):
    """The shapes of what views of a view are taken of, once a graph's views are composed."""
    graph = Graph([x.node])
    for _ in range(4):
        graph = apply_once(graph, Rules(VIEW_RULES), Trace(), "views")
    graph = apply_once(graph, Rules((part_before_repeats,)), Trace(), "parts")
    views = [node for node in graph if isinstance(node.operator, View)]
    return [node.inputs[0].type.shape for node in views if node.inputs[0] in views]


def test_a_part_has_each_cell_once():
    x = stored(SHAPE, "f8", (20, 20, 3))
    assert parts(x - x[0]) == [SHAPE[1:]]
    assert parts(x * x[:2, 5:6, ::-1][:, :, :, None, None, None]) == [(2, 1, 3)]
    assert parts(x / x[3, 4, 1]) == [()]
    assert parts(x[:, :1] - x) == [(60, 3)]


def test_what_is_no_part_or_in_memory_stays_one_view():
    x = stored(SHAPE, "f8", (20, 20, 3))
    assert parts(x[0] - x[1]) == []  # nothing is repeated
    assert parts(x[:30, None] - x[None, 30:]) == []  # half of the cells are not few
    y = dt.asarray(CELLS)
    assert parts(y - y[0]) == []


@st.composite
def places(draw):
    """An index along an axis, which keeps it or not."""
    extent = draw(st.sampled_from([60, 40, 3]))
    at = draw(st.integers(0, 2))
    return at, draw(st.one_of(st.integers(-3, 2), st.just(slice(extent // 8, extent // 4, 2))))


@given(places(), st.sampled_from(["-", "+last"]))
def test_values_are_numpys(tmp_path_factory, place, how):
    at, index = place
    where = (slice(None),) * at + (index,)

    def program(x):
        part = x[where]
        row = part.sum(axis=at, keepdims=True) if isinstance(index, slice) else part
        row = row if isinstance(index, slice) else row.reshape(*SHAPE[:at], 1, *SHAPE[at + 1 :])
        return (x - row).max(axis=0) if how == "-" else (x + row[-1:] + x[..., -1:]).sum(axis=1)

    folder = tmp_path_factory.mktemp("x")
    dt.to_zarr(dt.asarray(CELLS), folder / "x", chunks=(20, 20, 2))
    got = program(dt.from_zarr(folder / "x")).compute(scheduler="sync")
    np.testing.assert_allclose(got, program(CELLS), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: (x - x[0]).max(axis=0),
        lambda x: (x > x[-1]).sum(axis=(1, 2)),
        lambda x: abs(x / (x[:1] + x[-1:])).mean(axis=(1, 2)),
        lambda x: dt.stack([(x - x[0]).max(axis=0), (x - x[0]).min(axis=0)]),
    ],
)
def test_a_frame_that_all_are_compared_with_is_read_once(program):
    """One chunk in twenty has it, and each block along time would read that."""
    x = stored((2000, 500, 500), "f4", (100, 250, 250))
    plan = dt.plan(program(x), resources=SMALL)
    plan.verify()
    assert plan.cost["bytes_read"] <= 1.11 * x.nbytes


def test_rows_that_all_are_compared_with_are_held():
    x = stored((20_000_000, 4), "f8", (1_000_000, 4))
    nearest = ((x[:, None, :] - x[:5][None]) ** 2).sum(axis=-1).min(axis=1)
    plan = dt.plan(nearest.sum(), resources=SMALL)
    assert plan.cost["bytes_read"] <= 1.06 * x.nbytes
