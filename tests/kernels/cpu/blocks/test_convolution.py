import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import convolution
from dask_tapestry_kernels.cpu.blocks.convolution import windows_of
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(5)
X = RANDOM.integers(-4, 5, (2, 2, 3, 9, 10)).astype(float)
K = RANDOM.integers(-4, 5, (2, 4, 3, 3, 2)).astype(float)
BOTH = pytest.mark.parametrize("name", ["convolution", "directconvolution"])


def expected(x, k, strides, dilation):
    """Sum by sum, of small integers, which are exact in any order."""
    counts = [
        (n - d * (w - 1) - 1) // s + 1
        for n, w, s, d in zip(x.shape[3:], k.shape[3:], strides, dilation, strict=True)
    ]
    made = np.zeros((*x.shape[:2], k.shape[1], *counts), x.dtype)
    for place in np.ndindex(*counts):
        spans = zip(place, k.shape[3:], strides, dilation, strict=True)
        cells = x[(..., *[slice(o * s, o * s + d * (w - 1) + 1, d) for o, w, s, d in spans])]
        made[(..., *place)] = np.einsum("ngcij,gkcij->ngk", cells, k)
    return made


def called(name, x=X, k=K, out=None, strides=(1, 1), dilation=(1, 1), part=None):
    told = {"strides": strides, "dilation": dilation, "part": part, "dtype": x.dtype}
    return KERNELS[name](out, x, k, **told)


@pytest.mark.covering
@BOTH
@pytest.mark.parametrize("strides", [(1, 1), (2, 3)])
@pytest.mark.parametrize("dilation", [(1, 1), (3, 2)])
def test_windows_are_multiplied_and_added_up(name, strides, dilation):
    made = called(name, strides=strides, dilation=dilation)
    np.testing.assert_array_equal(made, expected(X, K, strides, dilation))


@BOTH
def test_memory_that_is_given_is_filled_however_it_lies(name):
    whole = expected(X, K, (1, 1), (1, 1))
    wide = np.full((2, 2, 4, 7, 20), np.nan)[..., ::2][..., :9]
    assert called(name, out=wide) is wide
    np.testing.assert_array_equal(wide, whole)
    np.testing.assert_array_equal(called(name, np.asfortranarray(X), np.asfortranarray(K)), whole)


@BOTH
def test_strips_do_not_matter(name, monkeypatch):
    whole = expected(X, K, (1, 1), (1, 1))
    for strip, cells, tile in ((1, 1, 1), (500, 5, 800), (5000, 7, 3000)):
        monkeypatch.setattr(convolution, "STRIP_BYTES", strip)
        monkeypatch.setattr(convolution, "LEAST_CELLS", cells)
        monkeypatch.setattr(convolution, "TILE_BYTES", tile)
        np.testing.assert_array_equal(called(name), whole)


@BOTH
@pytest.mark.parametrize("part", [1, 2, 3])
def test_parts_of_the_channels_add_up(name, part):
    made = called(name, part=part)
    assert made.shape[0] == -(-3 // part)
    np.testing.assert_array_equal(made.sum(axis=0), expected(X, K, (1, 1), (1, 1)))


@BOTH
def test_windows_of_one_cell_and_no_channels(name):
    k = K[..., :1, :1]
    np.testing.assert_array_equal(called(name, k=k), expected(X, k, (1, 1), (1, 1)))
    assert not called(name, X[:, :, :0], K[:, :, :0]).any()
    assert called(name, X[:0]).shape == (0, 2, 4, 7, 9)


def test_one_after_the_other_has_the_bits_of_each_cell_by_itself():
    x, k = RANDOM.normal(size=(2, 1, 3, 9, 40)), RANDOM.normal(size=(1, 5, 3, 3, 3))
    for dtype in ("f4", "f8", "c8", "c16"):
        one, other = x.astype(dtype), k.astype(dtype)
        if dtype[0] == "c":
            one, other = one * (1 + 2j), other * (3 - 1j)
        whole = called("directconvolution", one, other)
        for at in (0, 7, 36):
            cells = one[..., at : at + 3]
            part = called("directconvolution", np.asfortranarray(cells), other)
            assert same_bits(part[..., 0].copy(), whole[..., at].copy())


def test_truth_values_are_any_of_all():
    x, k = X > 2, K > 1
    made = called("directconvolution", x, k)
    np.testing.assert_array_equal(
        made, expected(x.astype(float), k.astype(float), (1, 1), (1, 1)) > 0
    )


def test_windows_are_views():
    seen = windows_of(X, 3, (3, 2), (2, 1), (1, 4))
    assert np.shares_memory(seen, X)
    assert seen.shape == (2, 2, 3, 3, 2, 4, 6)
    assert (seen[..., 2, 1, 3, 5] == X[..., 8, 9]).all()
    assert windows_of(X, 3, (10, 1), (1, 1), (1, 1)).size == 0
