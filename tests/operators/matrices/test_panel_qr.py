import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.matrices.panel_qr import (
    columns_by_panels,
    qr_by_panels,
    triangle_by_panels,
)
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.memory.memory import WorkerMemory, peak_worker_bytes
from tests.covering import beyond
from tests.examples import examples
from tests.operators.large import KINDS, cells, computed, near
from tests.planner.graphs import stored


def halves(both, shape):
    rows, columns = shape
    return np.split(both, [rows], axis=0 if rows >= columns else 1)


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", [(17, 12), (9, 20), (10, 10)])
@pytest.mark.parametrize("rank", [2, 30])
def test_panels_make_orthonormal_columns(dtype, shape, rank):
    """Of matrices too whose rank is lower, where orthogonalising columns would fail."""
    a = cells((shape[0], rank), dtype) @ cells((rank, shape[1]), dtype, 1)
    q, r = halves(computed(qr_by_panels, a, width=5), shape)
    near(q.conj().T @ q, np.eye(min(shape)), dtype)
    near(q @ r, a, dtype, 1000)
    assert not np.tril(r, -1).any()
    np.testing.assert_array_equal(computed(triangle_by_panels, a, width=5), r)
    np.testing.assert_array_equal(computed(columns_by_panels, a, width=5), q)


@examples(15)
@given(
    st.tuples(st.integers(1, 12), st.integers(1, 12)),
    st.integers(1, 13),
    st.sampled_from(["f8", "c16"]),
    st.integers(0, 99),
)
def test_signs_are_numpys(shape, width, dtype, seed):
    """As reflections are LAPACK's: each panel's are those of its columns."""
    a = cells(shape, dtype, seed) + 4 * np.eye(*shape, dtype=dtype)
    expected = np.linalg.qr(a)
    for ours, theirs in zip(
        halves(computed(qr_by_panels, a, width=width), shape), expected, strict=True
    ):
        near(ours, theirs, dtype, 10**5)


@pytest.mark.parametrize("parts", [8, beyond(16)])
def test_little_more_is_held_than_the_matrix(parts):
    """However many panels there are: the larger part of their reflections is in their place."""
    side, workers = 512, 4
    x = stored((side, side), "f8", (64, 64)).node
    held = side * side * 8 / workers
    memory = round(held * 1.25 + 4 * held * workers / parts + 2**18)
    resources = dt.Resources(workers, 1, round(memory / 0.6), "1 GB/s")
    for function in (triangle_by_panels, columns_by_panels):
        plan = build_plan([function(x, side // parts)], resources)
        assert peak_worker_bytes(plan) <= memory


def test_columns_take_the_place_of_a_matrix_whose_triangle_is_read_too(tmp_path):
    """Rows of R are copied as they are made: all versions of the matrix are held once."""
    side = 64
    both = dt.Array(qr_by_panels(stored((side, side), "f8", (8, 8)).node, 8))
    factors = {"q": both[:side], "r": both[side:]}
    sinks = [
        made.to_zarr(tmp_path / name, chunks=(8, 8), compute=False).node
        for name, made in factors.items()
    ]
    plan = build_plan(sinks, dt.Resources(4, 1, "16 MB", "1 GB/s"))
    lifetimes = WorkerMemory(plan).lifetimes
    assert lifetimes is not None
    strips = [n for n in plan.steps if n.operator.label in ("qrstrip", "reflectedcolumns")]
    assert len(strips) == 16
    assert all(map(lifetimes.takes_place, strips))
