"""Normal and exponential draws, by a kernel made for this test."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit.compile_service import required
from dask_tapestry_kernels.cpu.variates import variates
from tests.kernels.cpu.variates.samples import COUNT, apart


def drawn(name):
    source = variates.CELLS.format(
        module="standard_draws",
        name=name,
        arguments=", ".join(["int64"] * variates.PLACE_ARITY),
        addresses="",
        cells="",
    ).replace("page, )", "page)")
    out = np.empty(COUNT)
    required(source, variates.PLACE_ARITY, name)(out.ctypes.data, COUNT, 0, 1, 7, 8, 3, 1, 0)
    return out


@pytest.mark.parametrize(
    ("name", "numpy", "tail"),
    [("normal", "standard_normal", 3.654), ("exponential", "standard_exponential", 7.698)],
)
def test_draws_are_distributed_as_numpys(name, numpy, tail):
    found = drawn(name)
    expected = getattr(np.random.default_rng(8), numpy)(COUNT)
    assert apart(found, expected) < 1.95
    beyond = (abs(found) > tail).sum(), (abs(expected) > tail).sum()
    assert abs(beyond[0] - beyond[1]) < 5 * (sum(beyond) + 1) ** 0.5
    assert beyond[0] > 0
