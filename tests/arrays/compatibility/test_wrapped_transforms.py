import numpy as np
import pytest

import dask_tapestry as dt

X = np.random.default_rng(0).random((4, 5, 6))
KINDS = [f"{a}{b}" for a in ("fft", "ifft", "rfft", "irfft") for b in ("", "2", "n")]


def of(kind):
    """A function of blocks of another library, as it were."""

    def theirs(block, *args, **options):
        assert isinstance(block, np.ndarray)
        return -getattr(np.fft, kind)(block, *args, **options)

    return theirs


@pytest.mark.parametrize("kind", [*KINDS, "hfft", "ihfft"])
def test_functions_of_blocks_see_whole_lanes(kind):
    ours = dt.fft.fft_wrap(of(kind), kind=kind)
    x = dt.asarray(X).rechunk((1, 2, 3))
    np.testing.assert_array_equal(ours(x).compute(), -getattr(np.fft, kind)(X))
    several = kind[-1] in "2n"
    given = ((3, 4), (0, 2)) if several else (4, 1)
    expected = -getattr(np.fft, kind)(X, *given, "ortho")
    np.testing.assert_array_equal(ours(x, *given, norm="ortho").compute(), expected)
    assert ours.__name__ == kind


@pytest.mark.parametrize("kind", KINDS)
def test_numpys_functions_are_ours(kind):
    assert dt.fft.fft_wrap(getattr(np.fft, kind)) is getattr(dt.fft, kind)


def test_a_dtype_that_is_said_is_not_learnt():
    calls = []

    def theirs(block, n, axis):
        calls.append(block.shape)
        return np.fft.fft(block, n, axis)

    found = dt.fft.fft_wrap(theirs, "fft", "c16")(X)
    assert not calls
    assert found.dtype == np.complex128


def test_what_has_no_kind_is_refused():
    with pytest.raises(dt.ArgumentError, match="dct"):
        dt.fft.fft_wrap(np.fft.fft, kind="dct")
    with pytest.raises(dt.ShapeError, match="Duplicate"):
        dt.fft.fft_wrap(of("fftn"), "fftn")(X, axes=(0, 0))
