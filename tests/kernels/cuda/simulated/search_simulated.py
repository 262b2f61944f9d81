"""What is looked up in the simulator is what the CPU finds."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.device_error import KernelDeviceError
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.run_kernel import run

GENERATOR = np.random.default_rng(31)
KINDS = "?bBhHiIlLefd"
PAIRS = [*[kind * 2 for kind in KINDS], "df", "fd", "el", "bd", "ld", "?i", "Bh"]


def cells(kind, shape):
    """Cells that are often equal, and the ends of their dtype."""
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        found = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, 1.5, -2.0, 3.0, 7.0], dtype)
    elif kind == "?":
        found = np.array([False, True])
    else:
        found = np.array([np.iinfo(kind).min, 0, 1, 2, 3, 5, 9, np.iinfo(kind).max], dtype)
    return GENERATOR.choice(found, shape)


def check(name, *blocks, out=None, **told):
    expected = CPU[name](None, *blocks, **told)
    found = run(CUDA[name], out, *blocks, **told)
    assert same_bits(found, expected)
    return found


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("pair", PAIRS)
def test_places_in_a_sorted_table(gpu, pair, side):
    x = cells(pair[0], (6, 8))
    for size in (0, 1, 2, 30):
        table = np.sort(cells(pair[1], size))
        check("search", x, table, side=side)
        check("isin", x, table, invert=side == "left")
    check("search", x[:, ::3].T, np.repeat(table, 2)[::2], side=side)
    check("search", x[0, 0, ...], table, side=side)
    check("search", x[:0], table, side=side)


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("pair", ["dd", "fd", "ll", "bd", "ee"])
def test_bins_ascend_or_descend(gpu, pair, right):
    x, edges = cells(pair[0], (5, 7)), np.array([0, 1, 1, 3, 7], pair[1])
    for bins in (edges, edges[::-1], edges[:1], edges[1:3], edges[:0]):
        check("digitize", x, bins, right=right)
    wrong = np.array([0, 2, 1], pair[1])
    with pytest.raises(ValueError, match="monotonically"):
        run(CUDA["digitize"], None, x, wrong, right=right)


@pytest.mark.covering
@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("pair", ["dd", "fd", "ld", "bd", "ed", "ll", "Bd", "?d"])
@pytest.mark.parametrize("dtype", ["u4", "i8"])
def test_numbers_of_bins(gpu, pair, even, dtype):
    x = cells(pair[0], (5, 7))
    edges = [np.array([0, 1, 2, 3], pair[1]), np.array([-2, 5], pair[1])]
    edges += [] if even else [np.array([0, 1, 1, 3, 5], pair[1]), np.array([1], pair[1])]
    for own in edges:
        told = {"even": even, "dtype": np.dtype(dtype)}
        expected = CPU["bin"](None, x, own, **told)
        found = run(CUDA["bin"], None, x, own, **told)
        assert found.dtype == expected.dtype
        last = len(own) - 1
        np.testing.assert_array_equal(*[np.where(n > last, 0, n) for n in (found, expected)])


@pytest.mark.parametrize("edges", [[0.0, np.inf], [1.0, 1.0]])
def test_even_edges_that_are_no_bins_are_refused(gpu, edges):
    with pytest.raises(ValueError, match=r"not finite|Too many bins"):
        run(CUDA["bin"], None, np.ones(3), np.array(edges), even=True, dtype=np.dtype("i8"))


@pytest.mark.parametrize("pair", ["DD", "Ld", "lL", "iL"])
def test_what_has_no_order_on_a_gpu_is_refused(gpu, pair):
    x, table = np.zeros(3, pair[0]), np.zeros(2, pair[1])
    if pair == "Ld":
        check("search", np.array([0, 3, 2**64 - 1], "L"), np.array([1.0, 3.0]), side="left")
        return
    with pytest.raises(KernelDeviceError, match="kernel search: comparing"):
        CUDA["search"](None, x, table, side="left")


def test_memory_of_any_strides_is_filled(gpu):
    whole = np.zeros((6, 8), np.int64)
    made = check("search", cells("d", (3, 8)), np.sort(cells("d", 9)), out=whole[::2], side="left")
    assert same_bits(whole[::2], made)
    assert not whole[1::2].any()
