import numpy as np

import dask_tapestry as dt
from dask_tapestry.lower.cancellation import Cancellation
from dask_tapestry.lower.simulated_device import SimulatedDevice, without_device
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry_kernels.block_format import BlockFormat, on_cuda


def spec_of(x):
    (step,) = x.plan().core.steps.values()
    return StepSpec.of(step, (None,) * len(step.inputs), Cancellation())


def test_what_stands_in_for_a_device_has_its_name_and_no_arrays_of_its_own():
    made = SimulatedDevice.like(on_cuda(1))
    assert (made.device, made.kind, made.on_device) == ("cuda:1", "cuda", True)
    block = np.ones(3)
    assert made.of_block(block) is block
    assert made.empty((2,), np.dtype("f4")).tolist() == [0, 0]
    with made.current():
        assert made.holding([1, 2]).tolist() == [1, 2]


def test_other_formats_are_left_alone():
    assert SimulatedDevice.like(None) is None
    sparse = BlockFormat("scipy.sparse", "csr_array")
    assert SimulatedDevice.like(sparse) is sparse


def test_steps_of_the_host_are_left_alone():
    spec = spec_of(dt.ones(3) + 1)
    assert without_device(spec) is spec


def test_steps_of_a_device_need_none():
    spec = without_device(spec_of(dt.asarray(np.ones(3)).to_device("cuda") + 1))
    assert spec.device is None
    assert isinstance(spec.format, SimulatedDevice)
    assert all(isinstance(one.device, SimulatedDevice) for one in spec.program.instructions)
