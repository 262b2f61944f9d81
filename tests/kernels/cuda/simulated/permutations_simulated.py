"""Permutations in the simulator are the CPU's."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from tests.kernels.cuda.simulated.run_kernel import run

PLACES = {
    1: [range(1), range(0)],
    2: [range(2)],
    90: [range(90), range(80, 3, -7), range(5, 5)],
    2**20 + 77: [range(2**20 + 40, 2**20 + 77), range(3, 2**20, 2**15)],
    2**63 - 1: [range(2**63 - 30, 2**63 - 1), range(0, 2**63 - 1, 2**58)],
}


TABLES = [extent for extent in PLACES if extent < 1000]


@pytest.mark.parametrize(
    ("extent", "as_table"), [*((n, False) for n in PLACES), *((n, True) for n in TABLES)]
)
def test_numbers_of_any_places(gpu, extent, as_table):
    for places in PLACES[extent]:
        told = {"key": (11, 2**64 - 5), "draw": (3, 1), "extent": extent, "places": places}
        expected = CPU["permutation"](None, as_table=as_table, **told)
        made = run(CUDA["permutation"], None, as_table=as_table, **told)
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made, expected)


def test_a_permutation_of_nothing(gpu):
    told = {"key": (1, 2), "draw": (3, 1), "extent": 0, "places": range(0), "as_table": True}
    assert run(CUDA["permutation"], None, **told).shape == (0,)
