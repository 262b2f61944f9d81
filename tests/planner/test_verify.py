"""Each check finds a plan that breaks it, and names it."""

from dataclasses import replace

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.planner import verify as module
from dask_tapestry.planner.memory.results import ResultMemory
from dask_tapestry.planner.verify import projections_tile_outputs
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import Cuts, IndexProjection
from tests.planner.graphs import FOUR, stored


def plan_of(*arrays):
    return dt.plan(*arrays, resources=FOUR).core


def broken(plan, **changes):
    """The plan with its last step changed."""
    *_, (node, step) = plan.steps.items()
    return replace(plan, steps={**plan.steps, node: replace(step, **changes)})


def refusal(plan):
    with pytest.raises(dt.PlanError) as caught:
        plan.verify()
    return str(caught.value)


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize(
    "x",
    [
        stored() + 1,
        stored().sum(axis=0),
        stored() @ stored((1000, 50), chunks=(1000, 50)),
        (stored() - stored().mean()).std(axis=1),
        dt.zeros((0, 3)) + 1,
        dt.full((), 3) * 2,
        stored()[::-3].T.reshape((-1,)),
    ],
    ids=lambda x: x.node.operator.name,
)
def test_plans_that_are_made_are_sound(x):
    plan_of(x).verify()


@pytest.mark.parametrize(
    ("cut", "text"),
    [
        (Cuts.regular(99_999, 1000), "do not tile 100000 cells"),
        (Cuts(100_000, 0, 0, (0, 40_000, 90_000)), "do not tile"),
        (Cuts(100_000, 0, 0, (10, 40_000, 100_000)), "do not tile"),
        (Cuts(100_000, 0, 0, (0, 60_000, 40_000, 100_000)), "do not ascend"),
        (Cuts(100_000, 1000, 0), "begin with 0 cells"),
        (Cuts(100_000, 0, 1000), "then 0 each"),
    ],
)
def test_outputs_are_tiled_once(cut, text):
    plan = plan_of(stored() + 1)
    message = refusal(broken(plan, cuts=(cut, Cuts.regular(1000, 1000))))
    assert message.startswith("outputs_are_tiled_once: elementwise:")
    assert text in message
    assert "axis 0" in message


class Uneven(MatMul):
    """A product that says it writes every other row only."""

    def signature(self, *inputs):
        signature = super().signature(*inputs)
        (output,) = signature.outputs
        matrix = tuple(tuple(2 * n for n in row) for row in output.matrix)
        wrong = IndexProjection(matrix, output.offset, output.shape)
        return replace(signature, outputs=(wrong,))


def test_projections_tile_outputs():
    plan = plan_of(stored() @ stored((1000, 50), chunks=(1000, 50)))
    *_, step = plan.steps.values()
    *first, last = step.program.instructions
    wrong = last._replace(operator=Uneven(np.dtype("f8")))
    message = refusal(broken(plan, program=Program(step.program.inputs, (*first, wrong))))
    assert message.startswith("projections_tile_outputs: matmul:")
    assert "matmul writes axis 0" in message


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"offset": (1, 0)}, "writes axis 0, not exactly once"),
        ({"shape": (1, 2)}, "writes axis 1, not exactly once"),
        ({"matrix": ((0, 0, 0), (0, 1, 0))}, "for every step of m, which is parallel"),
    ],
)
def test_projections_write_each_cell_for_one_step(changed, text):
    class Wrong(MatMul):
        def signature(self, *inputs):
            signature = super().signature(*inputs)
            (output,) = signature.outputs
            parts = {"matrix": output.matrix, "offset": output.offset, "shape": output.shape}
            return replace(signature, outputs=(IndexProjection(**(parts | changed)),))

    plan = plan_of(stored() @ stored((1000, 50), chunks=(1000, 50)))
    *_, step = plan.steps.values()
    *first, last = step.program.instructions
    wrong = last._replace(operator=Wrong(np.dtype("f8")))
    found = list(projections_tile_outputs(replace(step, program=Program((), (*first, wrong)))))
    assert any(text in each for each in found)


def test_inputs_are_in_bounds():
    plan = plan_of(dt.ones((8, 8)).rechunk(4) + 1)
    *_, step = plan.steps.values()
    short = Program((TensorType((8, 7), np.dtype("f8")),), step.program.instructions)
    message = refusal(broken(plan, program=short))
    assert message.startswith("inputs_are_in_bounds: elementwise:")
    assert "8] of float64[8, 7]" in message


def test_sinks_write_whole_pieces(tmp_path):
    sink = dt.to_zarr(stored(), tmp_path / "x", chunks=(3000, 1000), compute=False)
    plan = plan_of(sink)
    for step in (1000, 3500):
        cuts = Cuts.regular(100_000, step), Cuts.regular(1000, 1000)
        message = refusal(broken(plan, cuts=cuts))
        assert message.startswith("sinks_write_whole_pieces: store:")
        assert "divide stored pieces of 3000" in message
    whole = Cuts.regular(100_000, 6000), Cuts.regular(1000, 1000)
    broken(plan, cuts=whole).verify()


def test_a_cut_through_a_piece_is_found_in_explicit_edges(tmp_path):
    sink = dt.to_zarr(dt.ones(10), tmp_path / "x", chunks=4, compute=False)
    refusal(broken(plan_of(sink), cuts=(Cuts.of_lengths([4, 1, 5]),)))
    broken(plan_of(sink), cuts=(Cuts.of_lengths([4, 6]),)).verify()


def test_the_line_of_the_user_is_named():
    message = refusal(broken(plan_of(stored() + 1), cuts=(Cuts.regular(9, 9),) * 2))
    assert __file__ in message


def test_peak_memory_is_bounded():
    small = dt.Resources(workers=2, threads=1, memory="100 MB")
    plan = dt.plan(stored() + 1, resources=small)
    plan.verify()  # as it is computed: workers hold a part of the result at a time
    with pytest.raises(dt.MemoryLimitError, match="peak_memory_is_bounded") as caught:
        plan.core.verify(ResultMemory.KEPT)
    assert isinstance(caught.value, MemoryError)
    assert "57.22 MiB" in str(caught.value), (
        "six tenths: the process takes two, and four fifths pause it"
    )


def test_a_memory_limit_in_force_counts():
    plan = dt.plan(stored((1000, 1000)) + 1, resources=FOUR)
    plan.verify()
    with dt.config(memory_limit="1 MB"), pytest.raises(dt.MemoryLimitError):
        plan.verify()


def test_tasks_are_few():
    plan = dt.plan(dt.ones(100).rechunk(1), resources=FOUR)
    plan.verify()
    with dt.config(max_tasks=99), pytest.raises(dt.PlanError, match="100 tasks, more than"):
        plan.verify()


def test_every_check_is_broken_by_a_test_here():
    names = {check.__name__ for check in module.CHECKS}
    assert {f"test_{name}" for name in names} <= set(globals())


@pytest.mark.parametrize(("cells", "side"), [(10**9, 1), (10**12, 10)])
@pytest.mark.filterwarnings("ignore:this is predicted to take:RuntimeWarning")
def test_more_tasks_than_could_ever_run_are_refused_at_once(cells, side):
    with pytest.raises(dt.PlanError, match=r"tasks|memory"):
        dt.ones(cells, dtype="i1").rechunk(side).sum().compute()


def test_no_number_of_cells_is_too_large_to_plan_with():
    """Blocks have more pieces at most, then larger ones."""
    for cells in (10**12, 10**16, 2**62):
        assert dt.plan(dt.arange(cells).sum()).cost["tasks"] < 10_000


def test_a_job_that_does_not_fit_its_device_is_refused():
    x = dt.ones((2000, 1000), device="cuda")
    few = dt.Resources(workers=2, memory="8 GiB", gpu_memory="5 MiB")
    text = (
        r"peak_memory_is_bounded: the plan needs .* MiB on one cuda device of a worker, which has "
        r"4.50 MiB for it; .*; most is taken by todevice float64\[2000, 1000\] "
    )
    with pytest.raises(dt.MemoryLimitError, match=text):
        x.plan(resources=few).core.verify(ResultMemory.KEPT)
    x.plan(resources=dt.Resources(workers=2, memory="8 GiB", gpu_memory="50 MiB")).verify()
