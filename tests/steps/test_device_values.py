import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.steps.device_values import host_paths, link_bytes, value_places
from dask_tapestry_kernels.block_format import on_cuda
from tests.cupy_stand_in import transfers

CELLS = np.arange(12.0).reshape(3, 4)


def program_of(x):
    (step,) = x.plan().core.steps.values()
    return step.program


def crossing(x):
    """Bytes over the link as counted and as brought, without the last result for the test."""
    program = program_of(x)
    counted = link_bytes(program, program.type.box)
    transfers.clear()
    x.compute()
    return counted, sum(size for _, size in transfers)


def test_programs_of_the_host_lie_there():
    program = program_of(dt.asarray(CELLS) + 1)
    assert value_places(program) is None
    assert link_bytes(program, program.type.box) == 0
    assert not host_paths(program)


def test_what_a_devices_kernels_read_is_brought_once(device_kernels):
    x = dt.asarray(CELLS)
    y = x.to_device("cuda")
    counted, brought = crossing(dt.concatenate([y, np.sin(y)]))
    assert counted == brought == CELLS.nbytes


def test_host_paths_are_told_and_counted(device_kernels):
    device_kernels.names = {"map"}
    y = dt.cumsum(dt.asarray(CELLS).to_device("cuda") + 1, axis=0)
    ((one, why),) = host_paths(program_of(y))
    assert (one.operator.name, why) == ("scan", "no kernel")
    counted, brought = crossing(y)
    assert counted == brought == 3 * CELLS.nbytes


def test_generators_are_computed_where_they_are_read(device_kernels):
    y = dt.asarray(CELLS).to_device("cuda") + dt.arange(4) * 2
    program = program_of(y)
    assert all(one.device == on_cuda() for one in program.instructions)
    counted, brought = crossing(y)
    assert counted == brought == CELLS.nbytes


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("name", ["var", "argmin", "std"])
def test_states_of_several_fields_lie_on_the_device_and_are_merged_there(device_kernels, name):
    x = dt.ones(4 * 10**10, device="cuda") * dt.arange(4 * 10**10, device="cuda")
    machines = dt.Resources(workers=4, memory="64 GiB", gpus=1, gpu_memory="80 GiB")
    first, *others = getattr(x, name)().plan(resources=machines).core.steps.values()
    assert first.program.type.dtype.names
    assert not host_paths(first.program)
    box = first.program.type.box
    assert link_bytes(first.program, box) == 0
    assert others
    for step in others:
        assert step.program.devices == (on_cuda(),)
        assert not host_paths(step.program)
        assert link_bytes(step.program, step.program.type.box) == 0
