"""Folds to states of several parts, and of complex cells, have the bits of the CPU's."""

import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from tests.kernels.cuda.simulated.fold_cases import GENERATOR, arguments, check, drawn, with_nan
from tests.kernels.cuda.simulated.run_kernel import run

OF_NUMBERS = "nanmean nanvar nanstd nanargmin nanargmax".split()  # of floats alone
OF_COMPLEX = "sum add mean var std prod any all xor nanmean nanvar nanstd".split()
ORDERED = "min max fmin fmax ptp argmin argmax nanargmin nanargmax".split()


@pytest.mark.parametrize("name", OF_NUMBERS)
@pytest.mark.parametrize("dtype", "efd")
def test_folds_that_leave_nan_out(gpu, name, dtype):
    check([drawn(dtype, 70)], name, (0,))
    check([with_nan(drawn(dtype, 1070), 0.3)], name, (0,))


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_columns_side_by_side(gpu, name):
    check([with_nan(drawn("f4", (40, 33)), 0.5)], name, (0,))


@pytest.mark.parametrize("name", [*OF_NUMBERS[1:4], "ptp"])
def test_a_block_in_the_middle_of_a_tree(gpu, name):
    tree, x = Tree((8000,)), with_nan(drawn("f8", (2048, 1)), 0.3)
    check([x], name, (0,), tree=tree, origin=(2048,), target=1)


@pytest.mark.parametrize("name", OF_NUMBERS[:3])
@pytest.mark.parametrize("dtype", "edD")
def test_slices_without_numbers(gpu, name, dtype):
    nothing = np.full((1100, 2), np.nan, dtype)
    nothing[1030:, 1] = drawn(dtype, 70)
    check([nothing], name, (0,), ddof=1.0)
    check([nothing[:0]], name, (0,))
    check([nothing[:, :0]], name, (0,))


@pytest.mark.parametrize("name", OF_NUMBERS[3:])
def test_places_of_no_numbers_are_an_error(gpu, name):
    x = drawn("f8", (40, 3))
    x[:, 1] = np.nan
    with pytest.raises(ValueError, match="All-NaN slice encountered"):
        run(CUDA["reduce"], None, x, **arguments("f8", x.shape, name, (0,)))


@pytest.mark.parametrize("name", OF_COMPLEX)
@pytest.mark.parametrize("dtype", "FD")
def test_folds_of_complex_cells(gpu, name, dtype):
    x = drawn(dtype, 1070) if name != "prod" else 1 + drawn(dtype, 1070) / 1e4
    check([x.astype(dtype)], name, (0,))
    check([with_nan(drawn(dtype, 40), 0.2)], name, (0,))
    if name != "add":
        check([x[:0]], name, (0,))
    infinite = drawn(dtype, 40)
    infinite[[3, 7]] = complex(np.inf, 1), complex(-0.0, -np.inf)
    check([infinite], name, (0,))
    check([np.full(40, complex(-0.0, -0.0), dtype)], name, (0,))


@pytest.mark.parametrize("name", ORDERED)
@pytest.mark.parametrize("dtype", "FD")
def test_folds_of_complex_cells_by_their_order(gpu, name, dtype):
    check([drawn(dtype, 70)], name, (0,))
    check([with_nan(drawn(dtype, (40, 5)), 0.2)], name, (0,))
    check([np.round(drawn(dtype, (2, 50)).real / 40) + 1j * drawn("?", (2, 50))], name, (1,))
    zeros = np.array([complex(a, b) for a in (0.0, -0.0) for b in (0.0, -0.0)] * 20, dtype)
    check([GENERATOR.permutation(zeros)], name, (0,))


@pytest.mark.parametrize("name", ["var", "nanvar"])
def test_complex_means_are_merged_by_their_parts(gpu, name):
    tree = Tree((8000,))
    check([drawn("c16", (2048, 1))], name, (0,), tree=tree, origin=(2048,), target=1)


@pytest.mark.parametrize("dtype", "bBhlLefd")
def test_ranges(gpu, dtype):
    check([drawn(dtype, 1070)], "ptp", (0,))
    check([drawn(dtype, (3, 40))], "ptp", (0, 1))


@pytest.mark.parametrize("dtype", "bBhHiIlL")
@pytest.mark.parametrize("name", ["gcd", "lcm"])
def test_divisors_and_multiples(gpu, name, dtype):
    check([drawn(dtype, 70)], name, (0,))
    least = np.iinfo(dtype).min
    check([np.array([[12, -18 % 256, 0, least]] * 3, np.int64).astype(dtype)], name, (1,))
    for cells in ([least], [-4 if least else 4], [0, 0], [6, 10, 15]):
        check([np.array(cells, dtype)], name, (0,))
