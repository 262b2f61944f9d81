import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower import instruction_call
from dask_tapestry.lower.instruction_call import called, memory_for
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.instruction_schedule import Work
from dask_tapestry.zspace import ZRange

from .sources import Failing

BOX = ZRange((0,), (2**20,))
X = np.arange(2.0**20)


def instruction(x):
    """The last instruction of a step that computes an array."""
    return group_of(x.node, set()).program.instructions[-1]


def test_a_kernel_fills_memory_that_it_is_given():
    one = instruction(dt.asarray(X) + 1)
    out = memory_for(one, BOX)
    assert out.shape == X.shape
    assert called(one, Work(1, BOX, ((0, BOX),)), [X], out) is out
    np.testing.assert_array_equal(out, X + 1)


def test_a_view_is_given_no_memory():
    one = instruction(dt.asarray(X)[::-1])
    assert memory_for(one, BOX) is None
    assert np.shares_memory(called(one, Work(1, BOX, ((0, BOX),)), [X], None), X)


def failing_task():
    """An array whose task fails, and the line on which it was built."""
    x = dt.from_array(Failing((4, 2)))
    return x + 1


def notes_of(x, **kwargs):
    with pytest.raises(OSError, match="on fire") as caught:
        x.compute(**kwargs)
    return str(caught.value)


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_an_error_says_where_it_happened(scheduler):
    notes = notes_of(failing_task(), scheduler=scheduler)
    line = failing_task.__code__.co_firstlineno + 2
    assert "while computing array(" in notes
    assert "block [0:4, 0:2] of float64[4, 2]" in notes
    assert f"{__file__}:{line}" in notes


def test_an_error_names_the_block_that_failed():
    x = dt.from_array(Failing((4, 2), row=2)).rechunk((2, 2))
    assert "[2:4, 0:2]" in notes_of(x, scheduler="sync")


def test_an_error_names_the_function_that_was_called():
    x = dt.choose(dt.asarray([0, 5]), [dt.ones(2), dt.zeros(2)])
    with pytest.raises(ValueError, match=r"invalid entry in choice array[\s\S]* by choose"):
        x.compute()


def test_lines_may_be_left_out():
    with dt.config(line_numbers=False):
        x = dt.from_array(Failing((3, 5)))
    notes = notes_of(x, scheduler="sync")
    assert "array()" in notes
    assert "built at" not in notes


def test_a_source_that_gives_another_shape_is_found_out():
    class Short:
        shape, dtype = (4,), np.dtype("f8")

        def __getitem__(self, key):
            return np.ones(3)

    with pytest.raises(dt.ComputeError, match="Short returned shape"):
        dt.from_array(Short()).compute()


def test_blocks_of_matrices_are_aligned():
    """BLAS takes no cells that came over a network to places between two cells."""
    one = instruction(dt.linalg.cholesky(np.eye(3)))
    work = Work(1, ZRange((0, 0), (3, 3)), ((0, ZRange((0, 0), (3, 3))),))
    shifted = np.empty(9 * 8 + 1, np.uint8)[1:].view("f8").reshape(3, 3)
    shifted[...] = [[4, 2, 0], [2, 5, 0], [0, 0, 9]]
    assert not shifted.flags.aligned
    met = []

    def kernel(_, block, **_options):
        met.append(block)
        return block

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instruction_call, "kernels_of", lambda _: {"cholesky": kernel})
        called(one, work, [shifted], None)
    (block,) = met
    assert block.flags.aligned
    np.testing.assert_array_equal(block, shifted)
