import numpy as np

import dask_tapestry as dt
from dask_tapestry.lower.cancellation import Cancellation
from dask_tapestry.lower.input_values import given_blocks
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.zspace import Cuts
from dask_tapestry_kernels.block_format import is_on_device, on_cuda

CELLS = np.arange(12.0).reshape(3, 4)
CUTS = (Cuts.regular(3, 2), Cuts.regular(4, 4))


def values_of(given, cuts):
    """The only value that a step of one block is given."""
    (step,) = (dt.asarray(CELLS) + 1).plan().core.steps.values()
    spec = StepSpec.of(step, (cuts,), Cancellation())
    (value,) = given_blocks(spec, step.program.schedule(step.program.type.box), given)
    return value


def test_an_array_is_given_as_it_is():
    assert values_of([CELLS], None) is CELLS


def test_blocks_are_joined_where_they_lie(device_kernels):
    blocks = [CELLS[:2], CELLS[2:]]
    np.testing.assert_array_equal(values_of(blocks, CUTS), CELLS, strict=True)
    there = values_of(list(map(on_cuda().holding, blocks)), CUTS)
    assert is_on_device(there)
    np.testing.assert_array_equal(there.get(), CELLS, strict=True)
