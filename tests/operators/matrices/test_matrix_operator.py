"""Large matrices that no worker holds are computed in panels, as a plan for small workers tells."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices import matrix_operator
from dask_tapestry.operators.matrices.matrix_operator import MatrixFunction
from dask_tapestry.operators.matrices.panel_step import panel_step, spread
from dask_tapestry.operators.tuning import PANELS_PLANNING
from dask_tapestry.teg.node import topological
from dask_tapestry.zspace import ZRange
from tests.operators.large import cells, definite

SIDE = 256
A = cells((SIDE, SIDE), "f8") + 16 * np.eye(SIDE)
SMALL, ROOMY = (dt.Resources(16, 1, memory, "1 GB/s") for memory in ("1.7 MiB", "8 MiB"))
CALLS = {
    "lu": (lambda x: dt.linalg.lu(x)[2], [A]),
    "qr": (lambda x: dt.linalg.qr(x)[1], [A]),
    "solve_triangular": (dt.linalg.solve_triangular, [A, A]),
}


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch):
    monkeypatch.setattr(matrix_operator, "LEAST_PANEL_CELLS", SIDE * SIDE)
    monkeypatch.setattr(matrix_operator, "PANEL_COUNTS", (4, 8))


def wholes(nodes):
    """The nodes that can be computed in panels."""
    matrices = [node for node in nodes if isinstance(node.operator, MatrixFunction)]
    return [node for node in matrices if node.operator.has_panels(node.input_types)]


def most(plan):
    """Bytes that the largest block takes."""
    return max(step.estimate.work for step in plan.core.steps.values())


def test_what_fits_no_worker_is_computed_in_panels():
    a = definite(SIDE, "f8")
    triangle = dt.linalg.cholesky(dt.asarray(a).rechunk((64, 64)))
    plan = dt.plan(triangle, resources=SMALL)
    plan.verify()
    assert not wholes(plan.core.graph.nodes)
    assert most(plan) < a.nbytes * 2
    found = plan.compute(scheduler="sync")
    np.testing.assert_allclose(found, np.linalg.cholesky(a), atol=1e-13)


def test_what_fits_a_worker_is_whole():
    plan = dt.plan(dt.linalg.solve(dt.placeholder((4000, 4000), "f8"), dt.ones(4000)))
    assert len(wholes(plan.core.graph.nodes)) == 1


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("name", CALLS)
def test_the_form_in_panels_takes_less_memory(name):
    function, arrays = CALLS[name]
    sources = [dt.asarray(a).rechunk((64, 64)) for a in arrays]
    (node,) = wholes(topological([function(*sources).node]))
    (form,) = node.operator.forms(node.input_types)
    assert (form.sizes, form.planning) == ((64, 32), PANELS_PLANNING)
    made = form.make(node, 64)
    assert made.type == node.type
    whole, panels = (dt.plan(dt.Array(n), resources=ROOMY) for n in (node, made))
    panels.verify()
    assert most(panels) < most(whole)
    expected = node.operator.reference(*[a.compute() for a in sources])
    np.testing.assert_allclose(panels.compute(scheduler="sync"), expected, atol=1e-11)


@pytest.mark.parametrize("shape", [(2, 256, 256), (256, 255), (0, 256)])
def test_stacks_and_small_matrices_have_no_other_form(shape):
    found = dt.linalg.svdvals(dt.placeholder(shape, "f8"))
    assert not wholes(topological([found.node]))


def test_factors_have_the_chunks_of_the_matrix():
    x = dt.placeholder((SIDE, SIDE), "f8", stored_chunks=(64, 32))
    for factor in (*dt.linalg.lu(x)[1:], *dt.linalg.qr(x)):
        assert factor.chunks == x.chunks


def test_a_copy_is_held_for_itself():
    """A part of a factor that is read once would else be cut of the whole factor again."""
    x = dt.asarray(A)
    made = dt.Array(spread(x[:64].node))
    plan = dt.plan(made + 1, resources=ROOMY)
    assert made.node.type in [node.type for node in plan.core.steps if node.operator.holds]
    np.testing.assert_array_equal((made + 1).compute(scheduler="sync"), A[:64] + 1)


def test_scratch_is_that_of_a_block():
    parts = [(dt.asarray(A).node, "mn"), (dt.asarray(A).node, "nk")]
    made = panel_step("product", parts, ("mk", A.dtype), ("mnk", 2.0), cut="mk", taken=1.5)
    taken = [
        made.operator.scratch_bytes(made.input_types, ZRange((0, 0), shape))
        for shape in ((SIDE, SIDE), (SIDE, 16), (8, 16))
    ]
    assert taken == [1.5 * SIDE * SIDE * 8, 1.5 * SIDE * 16 * 8, 1.5 * 8 * 16 * 8]
