import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import select_compiled
from dask_tapestry_kernels.cpu.jit import compile_service


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


RANDOM = np.random.default_rng(6)
DTYPES = ["i1", "?", "f2", "f4", "M8[s]", "c16", "S3"]


@pytest.fixture(autouse=True)
def _any_size(monkeypatch):
    monkeypatch.setattr(select_compiled, "SMALL", 0)


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", DTYPES)
def test_masks_pick_what_numpy_picks(dtype):
    x = RANDOM.integers(0, 100, 3000).astype(dtype)
    for share in (0.0, 0.02, 0.5, 1.0):
        mask = RANDOM.random(len(x)) < share
        picked = x[mask]
        for skip in {0, len(picked) // 3, len(picked)}:
            for length in {0, (len(picked) - skip) // 2, len(picked) - skip}:
                expected = picked[skip : skip + length]
                told = {"axis": 0, "skip": skip, "length": length}
                for cells in (x, np.repeat(x, 2)[::2]):
                    found = KERNELS["compress"](None, cells, mask, **told)
                    assert np.array_equal(found, expected)
                    out = np.empty_like(expected)
                    assert np.array_equal(KERNELS["compress"](out, cells, mask, **told), expected)
    own = select_compiled.pick(None, x, mask, 0, len(x))
    assert (own is None) == (dtype == "S3")


@pytest.mark.parametrize("n", [1, 7, 8, 9, 263, 264, 265, 5000])
@pytest.mark.parametrize("first", [0, 3])
def test_words_of_masks_begin_anywhere_and_end_with_the_cells(n, first):
    """Cells picked side by side, far apart, and first and last ones; no other cell is written."""
    x = np.arange(float(n + first))[first:]
    for places in ([0], [n - 1], range(n), range(0, n, 100), range(n // 2, n), [*range(n // 3)]):
        mask = np.zeros(n + first, bool)[first:]
        mask[list(places)] = True
        out = np.full(np.count_nonzero(mask) + 8, -1.0)
        found = select_compiled.pick(out[:-8], x, mask, 0, len(out) - 8)
        assert np.array_equal(found, x[mask])
        assert (out[-8:] == -1).all()


def test_every_byte_that_is_not_zero_is_true():
    mask = np.array([0, 2, 255, 1], np.uint8).view(bool)
    assert select_compiled.pick(None, np.arange(4), mask, 0, 3).tolist() == [1, 2, 3]


@pytest.mark.few(4)  # each shape
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "axis"), [((50,), 0), ((50, 6), 0), ((6, 50), 1), ((3, 50, 5), 1), ((0, 50), 1)]
)
def test_places_take_what_numpy_takes(dtype, shape, axis):
    x = RANDOM.integers(0, 100, shape).astype(dtype)
    for kind in ("i8", "i4", "u2", "u8"):
        places = RANDOM.integers(10, 40, (7, 3)).astype(kind)
        expected = np.take(x, places, axis)
        part = x[(*(slice(None),) * axis, slice(10, 45))]
        for cells, start in ((x, 0), (part, 10), (part.copy(), 10)):
            told = {"axes": (axis,), "at": axis, "extents": (50,), "origin": (start,)}
            assert np.array_equal(KERNELS["take"](None, cells, places, **told), expected)
            out = np.empty_like(expected)
            assert np.array_equal(KERNELS["take"](out, cells, places, **told), expected)
    told["origin"] = (0,)
    assert np.array_equal(KERNELS["take"](None, x, places.astype("i8") - 50, **told), expected)


@pytest.mark.parametrize("wrong", [50, -51, 2**62])
def test_places_out_of_bounds_raise(wrong):
    told = {"axes": (0,), "at": 0, "extents": (50,), "origin": (0,)}
    with pytest.raises(IndexError, match=f"index {wrong} is out of bounds"):
        KERNELS["take"](None, np.arange(50.0), np.array([1, wrong]), **told)
