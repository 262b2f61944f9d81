"""Every operation of the table on a device's arrays: the host's values, and results there."""

import warnings

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry_kernels.block_format import on_cuda, with_all_cells
from dask_tapestry_kernels.devices import kernels_of
from tests.comparisons import COMPARISONS, same_bits
from tests.covering import beyond, one_of_each, share_of

pytestmark = pytest.mark.usefixtures("sync")


def each():
    """Each public operation, in one of its comparisons; programs, in all."""
    names = [c.name for c in COMPARISONS]
    chosen = one_of_each(names, lambda n: n if n.startswith("program ") else n.partition(" ")[0])
    return [c if name == c.name else beyond(c) for c, name in zip(COMPARISONS, chosen, strict=True)]


OF_NUMPY = {"map_overlap"}  # whose function takes NumPy's arrays alone
# NumPy multiplies a matrix by its own transpose by a routine of BLAS that may round otherwise than
# that for two matrices, which a transpose that comes from a device is to it.
BY_ITS_TRANSPOSE = {"cov of two"}
FEW_KERNELS = sorted(kernels_of("cpu"))[::2]  # that a device has: what it lacks, the host computes
HALF_THERE = share_of(COMPARISONS, 12, lambda c: c.name)  # the path by the host is one for all
named = {"ids": lambda c: c.name}


def flat(result):
    return list(result) if isinstance(result, tuple) else [result]


def on_device(cells):
    x = dt.asarray(cells)
    return x.to_device("cuda") if on_cuda().takes(x.ndim, x.dtype) else x


@pytest.mark.parametrize("comparison", each(), **named)
def test_a_device_computes_the_hosts_value(comparison, device_kernels):
    has_the_hosts_value(comparison)


@pytest.mark.parametrize("comparison", HALF_THERE, **named)
def test_so_does_one_that_lacks_half_of_the_kernels(comparison, device_kernels):
    device_kernels.names = set(FEW_KERNELS)
    has_the_hosts_value(comparison)


def has_the_hosts_value(comparison):
    if comparison.name in OF_NUMPY:
        return
    inputs = next(iter(comparison.inputs()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = dask.compute(*flat(comparison.ours(dt, *map(dt.asarray, inputs))))
        made = flat(comparison.ours(dt, *map(on_device, inputs)))
        found = dask.compute(*made)
    for x, value, expected in zip(made, found, wanted, strict=True):
        is_there = type(value).__module__ == "cupy"
        assert is_there == (getattr(x, "device", "cpu") == "cuda")
        cells, wanted_cells = np.asarray(with_all_cells(value)), np.asarray(expected)
        if comparison.name in BY_ITS_TRANSPOSE:
            np.testing.assert_allclose(cells, wanted_cells, rtol=1e-12)
        else:
            assert same_bits(cells, wanted_cells)
