"""What is computed within the step of its reader, and what is held between steps."""

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.planner.fusion.fuse import held_values, required
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rules.linear import LINEAR_RULES
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph
from tests.planner.graphs import steps_of, stored

ROWS = stored((1000, 1000))
TB = 10**12


def held(*arrays, memory=TB):
    """Operators of the values that are held, results aside."""
    graph = rewrite(Graph([a.node for a in arrays]), (*VIEW_RULES, *LINEAR_RULES), None)
    found = held_values(graph, memory)
    return sorted(n.operator.name for n in found if n not in graph.roots)


def test_cell_expressions_are_one_formula():
    assert steps_of(((ROWS + 1) * 2 - ROWS).astype("f4")) == [["placeholder", "elementwise"]]


def test_selectors_are_part_of_the_step_that_reads_them():
    x = (ROWS.T[::-1] + dt.ones(1000)).reshape((-1,))
    assert held(x) == []


def test_what_follows_a_reduction_cell_by_cell_is_its_epilogue():
    assert held(ROWS.sum(axis=1) + 1) == []
    assert held(-(ROWS.std(axis=0) * 2)) == []
    assert held((ROWS @ ROWS + 1).T) == []


def test_a_layer_of_a_network_is_one_step():
    x = dt.nn.relu(dt.nn.linear(stored(), stored((1000, 100), "f8", None), dt.ones(100)))
    *before, step = steps_of(x)
    assert before in ([], [["placeholder"]])  # the weights are small: read by each block or held
    assert step.count("matmul") == 1
    assert step[-1] == "elementwise"


def test_a_reduction_that_is_broadcast_is_held():
    assert held(dt.ones((5, 3)) + ROWS[:3, :3].sum(axis=0)) == ["reduce"]


def test_a_reduction_that_is_read_twice_is_held():
    total = ROWS.sum(axis=1)
    assert held(total + total[::-1]) == ["reduce"]
    assert held(total + 1, total * 2) == ["reduce"]


def test_a_reduction_of_which_a_part_is_read_is_held_whole():
    assert held(ROWS.sum(axis=0) @ stored((1000, 50))) == ["reduce"]


def test_filters_in_a_row_are_one_step():
    smooth = dt.ndimage.gaussian_filter(stored((4000, 4000)), 2)
    assert held(smooth) == []
    assert held(dt.ndimage.sobel(smooth, 0)) == []
    assert held(smooth.mean(), (smooth * 2).sum(axis=0)) == ["windowsum"]


def test_a_users_function_of_windows_is_called_once():
    called = dt.ndimage.generic_filter(ROWS, np.ptp, 3)
    assert held(dt.ndimage.sobel(called, 0)) == ["windowcall"]


def test_a_stored_source_that_several_steps_read_is_held():
    assert held(ROWS.sum(), ROWS.max(axis=0)) == ["placeholder"]
    assert held(ROWS.sum()) == []


def test_what_is_read_as_it_is_and_turned_is_held_once():
    """A least-squares fit: both products read the transpose, one the matrix beside it."""
    tall = stored((10_000, 32), "f4")
    turned = tall.T
    assert held(turned @ tall, turned @ tall.sum(axis=1)) == ["placeholder", "reduce"]


def test_but_not_where_it_would_fill_the_memory():
    """The second reader waits for the first, so all of it would wait too."""
    x = ROWS - ROWS.mean()
    assert held(x) == ["placeholder", "reduce"]
    assert held(x, memory=ROWS.nbytes) == ["reduce"]


def test_readers_that_do_not_wait_take_a_source_of_any_size():
    assert held(ROWS.sum(), ROWS.max(axis=0), memory=1) == ["placeholder"]


def test_generators_and_arrays_in_memory_are_not_held():
    x = dt.ones((100, 100))
    y = dt.asarray(np.ones((100, 100)))
    assert held(x.sum(), x.max(), y.sum(), y.max()) == []


def test_a_cheap_formula_is_computed_twice_and_a_costly_one_once():
    cheap, costly = ROWS[0] + 1, ROWS[0] + 1
    for _ in range(70):
        costly = costly * 1.5 + 1
    assert "elementwise" not in held(cheap.sum(), cheap.max())
    assert held(costly.sum(), costly.max()) == ["elementwise"]


def test_layouts_that_the_user_fixed_are_held():
    assert held(ROWS.rechunk((500, -1)) + 1) == ["rechunk"]


def test_a_sink_takes_in_what_it_writes(tmp_path):
    sink = dt.to_zarr((ROWS + 1).T, tmp_path / "x", compute=False)
    (step,) = steps_of(sink)
    assert step[0] == "placeholder"
    assert step[-1] == "store"


def test_a_sink_and_a_result_of_one_value_share_it(tmp_path):
    y = ROWS + 1
    sink = dt.to_zarr(y, tmp_path / "x", compute=False)
    assert steps_of(sink, y)[-1] == ["store"] or steps_of(sink, y)[0] == [
        "placeholder",
        "elementwise",
    ]
    assert len(steps_of(sink, y)) == 2


def test_what_must_be_held_cannot_be_fused():
    total = ROWS.sum(axis=1)
    graph = Graph([(total + total[::-1]).node, ROWS.rechunk((500, -1)).node])
    assert required(graph) == set(graph.roots)
    assert held_values(graph, TB) > required(graph)
    assert held_values(graph, TB, fused=graph.nodes) == required(graph)
    assert total.node in held_values(graph, TB, extra=[total.node])


def test_results_are_held_and_read():
    x = ROWS + 1
    assert steps_of(x, x * 2) == [["placeholder", "elementwise"], ["elementwise"]]


def test_long_formulas_are_cut():
    x = dt.arange(10.0)
    for _ in range(400):
        x = x * 1.5 + 1
    (step,) = steps_of(x)
    assert step.count("elementwise") > 1
    value = np.arange(10.0)
    for _ in range(400):
        value = value * 1.5 + 1
    np.testing.assert_array_equal(x.compute(), value)


@pytest.mark.parametrize("depth", [1, 40])
def test_shared_subexpressions_are_computed_once_a_block(depth):
    x = dt.ones(4)
    for _ in range(depth):
        x = x + x
    (step,) = dt.plan(x).core.steps.values()
    calls = sum(len(i.operator.expression.steps) for i in step.program.instructions[1:])
    assert calls <= depth + 1
    np.testing.assert_array_equal(x.compute(), np.full(4, 2.0**depth))


@pytest.mark.parametrize(("compressors", "local"), [(None, True), (None, False), ("auto", True)])
def test_files_are_read_again_where_the_system_has_them_in_memory(compressors, local, tmp_path):
    zarr.create_array(
        tmp_path, shape=(1000, 1000), chunks=(100, 1000), dtype="f8", compressors=compressors
    )
    x = dt.from_zarr(tmp_path)
    graph = Graph([((x - x.mean(axis=0)).std(axis=0)).node])
    found = {n.operator.name for n in held_values(graph, TB, local=local)}
    assert ("zarr" in found) != (local and compressors is None)
