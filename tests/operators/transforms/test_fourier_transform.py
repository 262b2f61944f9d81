import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.transforms import fourier_transform as module
from dask_tapestry.operators.transforms.fourier_transform import fourier, rows_of
from tests.examples import examples

NEAR = {"f2": 4e-3, "f4": 2e-6, "c8": 2e-6}  # beside the largest cell; the others 1e-14


@pytest.fixture
def short_is_long(monkeypatch):
    monkeypatch.setattr(module, "LONG_FOURIER_CELLS", 12)
    monkeypatch.setattr(module, "NARROW_ROWS", 2)


def cells(shape, dtype):
    random = np.random.default_rng(0)
    made = random.random(shape) - 0.5
    kind = np.dtype(dtype)
    if kind.kind == "i":
        return (9 * made).astype(kind)
    return (made + 1j * random.random(shape) if kind.kind == "c" else made).astype(kind)


@pytest.mark.few(15)  # as unlike as so many can be
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in ("fft", "ifft", "rfft", "irfft")
        for dtype in ("i4", "f2", "f4", "f8", "g", "c8", "c16", "G")
        if name != "rfft" or np.dtype(dtype).kind != "c"
    ],
)
@pytest.mark.usefixtures("short_is_long")
def test_long_lanes_are_transformed_as_matrices(name, dtype):
    for n in (12, 13, 25, 30):
        for shape, axis in (((n,), 0), ((2, 20, 2), 1)):
            x = cells(shape, dtype)
            expected = getattr(np.fft, name)(x, n, axis, "ortho")
            found = dt.Array(fourier(dt.asarray(x).node, name, n, axis, "ortho"))
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            atol = NEAR.get(dtype, 1e-14) * np.abs(expected).max()
            np.testing.assert_allclose(found.compute(), expected, rtol=0, atol=float(atol))


@pytest.mark.few(12)  # each function and dtype
@examples(20)
@given(n=st.integers(1, 60), chunk=st.integers(1, 60), norm=st.sampled_from(module.NORMS))
def test_a_long_lane_has_one_value_for_every_cut(n, chunk, norm):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LONG_FOURIER_CELLS", 8)
        patch.setattr(module, "NARROW_ROWS", 2)
        x = dt.asarray(cells((2, n), "c16"))
        whole = dt.fft.fft(x, norm=norm).compute()
        with dt.config(block_bytes=128):
            cut = dt.fft.fft(x.rechunk((1, min(chunk, n))), norm=norm).rechunk((1, 3)).compute()
    assert whole.tobytes() == cut.tobytes()
    np.testing.assert_allclose(whole, np.fft.fft(cells((2, n), "c16"), norm=norm), atol=1e-13)


def test_no_worker_needs_a_long_lane_whole():
    x = dt.placeholder((2**30,), "c16", (2**22,))
    plan = dt.plan(dt.fft.fft(x), resources=dt.Resources(32, 1, "4 GiB", "1 GB/s"))
    plan.verify()
    assert plan.cost["bytes_read"] == x.nbytes
    assert plan.cost["bytes_moved"] <= 3 * x.nbytes
    assert plan.cost["peak_worker_bytes"] < 0.7 * 2**32  # the lane is 16 GiB


def test_the_matrix_is_nearly_square():
    assert [rows_of(n) for n in (1, 12, 13, 2**24, 2**23)] == [1, 3, 1, 2**12, 2**11]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: fourier(x, "fft", 0, 0, None), dt.ShapeError, r"points \(0\)"),
        (lambda x: fourier(x, "fft", None, 2, None), dt.AxisError, "axis 2"),
        (lambda x: fourier(x, "fft", None, 0, "half"), dt.ArgumentError, "half"),
        (lambda x: fourier(x, "irfft", None, 1, None), dt.ShapeError, r"points \(0\)"),
    ],
)
def test_what_is_no_transform_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(dt.ones((3, 1)).node)


@pytest.mark.parametrize(("length", "error"), [(4, dt.DTypeError), (None, dt.AxisError)])
def test_of_two_errors_numpys_comes_first(length, error):
    cells = np.ones(3, "m8[s]")
    with pytest.raises(error):
        fourier(dt.asarray(cells).node, "fft", length, 1, None)
    with pytest.raises(TypeError if error is dt.DTypeError else IndexError):
        np.fft.fft(cells, length, 1)
