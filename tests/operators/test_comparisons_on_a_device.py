"""Every operation of the table on a device's arrays: the host's values, and results there."""

import warnings

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry_kernels.block_format import on_cuda, with_all_cells
from dask_tapestry_kernels.devices import kernels_of
from tests.comparisons import COMPARISONS, same_bits

pytestmark = pytest.mark.usefixtures("sync")
OF_NUMPY = {"map_overlap"}  # whose function takes NumPy's arrays alone
FEW_KERNELS = sorted(kernels_of("cpu"))[::2]  # that a device has: what it lacks, the host computes


def flat(result):
    return list(result) if isinstance(result, tuple) else [result]


def on_device(cells):
    x = dt.asarray(cells)
    return x.to_device("cuda") if on_cuda().takes(x.ndim, x.dtype) else x


@pytest.mark.parametrize("names", [None, FEW_KERNELS], ids=["all kernels", "half of them"])
@pytest.mark.parametrize("comparison", COMPARISONS, ids=lambda c: c.name)
def test_a_device_computes_the_hosts_value(comparison, names, device_kernels):
    if comparison.name in OF_NUMPY:
        return
    device_kernels.names = device_kernels.names if names is None else set(names)
    inputs = next(iter(comparison.inputs()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = dask.compute(*flat(comparison.ours(dt, *map(dt.asarray, inputs))))
        made = flat(comparison.ours(dt, *map(on_device, inputs)))
        found = dask.compute(*made)
    for x, value, expected in zip(made, found, wanted, strict=True):
        is_there = type(value).__module__ == "cupy"
        assert is_there == (getattr(x, "device", "cpu") == "cuda")
        assert same_bits(np.asarray(with_all_cells(value)), np.asarray(expected))
