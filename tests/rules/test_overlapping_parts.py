"""Overlapping parts of a stored array are parts of the part around them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.overlapping_parts import share_overlapping_parts
from dask_tapestry.teg import Graph, Source
from tests.comparisons import same_bits
from tests.examples import examples

SHAPE = (60, 8, 10)
CELLS = np.random.default_rng(5).integers(-99, 99, SHAPE).astype("f8")


@pytest.fixture(scope="module")
def x(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "x"
    dt.to_zarr(dt.asarray(CELLS), path, chunks=(5, 8, 10))
    return dt.from_zarr(path)


def read(*arrays):
    """The shapes of the parts of stored arrays that readers take."""
    graph = simplified(Graph([a.node for a in arrays]), Trace())
    stored = [node for node in graph.nodes if isinstance(node.operator, Source)]
    return sorted(reader.type.shape for node in stored for reader in graph.consumers[node])


def medians(*parts):
    return [dt.median(part, axis=0) for part in parts]


OVERLAPS = {
    "side by side": (lambda x: (x[:30], x[20:50]), [(50, 8, 10)]),
    "within": (lambda x: (x[5:40], x[10:20]), [(35, 8, 10)]),
    "a chain": (lambda x: (x[:20], x[15:35], x[30:50]), [(50, 8, 10)]),
    "backwards": (lambda x: (x[40:10:-1], x[:20]), [(41, 8, 10)]),
    "on two axes": (lambda x: (x[:30, :6], x[10:40, 1:6]), [(40, 6, 10)]),
    "two groups": (lambda x: (x[:9], x[3:12], x[50:], x[45:59]), [(12, 8, 10), (15, 8, 10)]),
    "and one alone": (lambda x: (x[:20], x[10:30], x[40:50]), [(10, 8, 10), (30, 8, 10)]),
}
OTHERS = {
    "apart": (lambda x: (x[:20], x[40:]), 2),
    "touching": (lambda x: (x[:20], x[20:40]), 2),
    "odd and even": (lambda x: (x[:40:2], x[1:40:2]), 2),
    "at other places": (lambda x: (x[:30, :4], x[20:50, 4:]), 2),
    "all together": (lambda x: (x[:40], x[20:]), 2),
}


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize(("parts", "shapes"), OVERLAPS.values(), ids=list(OVERLAPS))
def test_parts_that_overlap_are_parts_of_one(parts, shapes, x, shardings):
    made = medians(*parts(x))
    assert read(*made) == shapes
    wanted = [np.median(part, axis=0) for part in parts(CELLS)]
    assert all(map(same_bits, dt.compute(*made), wanted))
    with shardings.tiny(20_000):
        assert all(map(same_bits, dt.compute(*medians(*parts(x))), wanted))


@pytest.mark.parametrize(("parts", "count"), OTHERS.values(), ids=list(OTHERS))
def test_other_parts_stay(parts, count, x):
    assert len(read(*medians(*parts(x)))) == count


def test_who_needs_all_reads_all(x):
    graph = Graph([a.node for a in (x[:30], x[20:50], x)])
    assert share_overlapping_parts(graph) is graph
    graph = Graph([a.node for a in (x[:30], x[20:50], x + 1)])
    assert share_overlapping_parts(graph) is graph


def test_parts_of_arrays_in_memory_stay():
    x = dt.asarray(CELLS)
    graph = Graph([a.node for a in (x[:30], x[20:50])])
    assert share_overlapping_parts(graph) is graph


SLICES = st.builds(
    lambda a, b, step: slice(*((min(a, b), max(a, b) + 1)[:: 1 if step > 0 else -1]), step),
    st.integers(1, 58),
    st.integers(1, 58),
    st.sampled_from([1, 1, 2, -1, -3]),
)
FOLDS = [
    lambda m, y: m.median(y, axis=0),
    lambda m, y: m.sort(y, axis=0)[0],
    lambda m, y: y.sum(0),
    lambda m, y: (y - y.max(0))[-1],
    lambda m, y: m.flip(y, 1).min(0),
]


@examples(30)
@given(st.lists(st.tuples(SLICES, st.sampled_from(FOLDS)), min_size=2, max_size=5))
def test_any_parts_have_numpys_values(x, shardings, parts):
    parts = [(key, fold) for key, fold in parts if CELLS[key].size]

    def work(m, x):
        return [fold(m, x[key]) for key, fold in parts]

    wanted = work(np, CELLS)
    assert all(map(same_bits, dt.compute(*work(dt, x)), wanted))
    with shardings.tiny(20_000):
        assert all(map(same_bits, dt.compute(*work(dt, x)), wanted))
