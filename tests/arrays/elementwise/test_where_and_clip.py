import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed, refused

CELLS = np.array([[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: dt.add(CELLS, 1), CELLS + 1),
        (lambda: dt.add(1, dt.asarray(CELLS)), CELLS + 1),
        (lambda: dt.add(1, 2), np.add(1, 2)),
        (lambda: dt.add([1, 2], [3, 4]), np.array([4, 6])),
        (
            lambda: dt.multiply(dt.asarray(CELLS)[0], dt.asarray(CELLS)[:, :1]),
            CELLS[0] * CELLS[:, :1],
        ),
        (lambda: dt.add(CELLS, 1, dtype="f4"), np.add(CELLS, 1, dtype="f4")),
        (lambda: dt.where(dt.asarray(CELLS) > 2, 0, CELLS), np.where(CELLS > 2, 0, CELLS)),
        (lambda: dt.where(CELLS > 2, 1.5, 0), np.where(CELLS > 2, 1.5, 0)),
        (lambda: dt.where(True, 1, 2), np.where(True, 1, 2)),
        (lambda: dt.clip(CELLS, 2, 5), np.clip(CELLS, 2, 5)),
        (lambda: dt.clip(CELLS, None, 5), np.clip(CELLS, None, 5)),
        (lambda: dt.clip(CELLS), CELLS),
        (lambda: dt.astype(CELLS, "f4"), CELLS.astype("f4")),
        (lambda: dt.real(CELLS + 1j), np.real(CELLS + 1j)),
        (lambda: dt.imag(CELLS + 1j), np.imag(CELLS + 1j)),
        (lambda: dt.imag(CELLS), np.imag(CELLS)),
    ],
)
def test_values_and_dtypes_are_those_of_numpy(call, expected):
    result = call()
    assert isinstance(result, dt.Array)
    assert result.dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(result.compute(), expected)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: dt.ones(3) + dt.ones(2),
        lambda: dt.where(dt.ones(3), dt.ones(2), 1),
        lambda: dt.ones((2, 3)) * dt.ones((3, 2)),
    ],
)
def test_shapes_must_broadcast(wrong):
    with pytest.raises(dt.ShapeError, match="broadcast"):
        wrong()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: dt.ones(3) & 1,
        lambda: dt.bitwise_and(dt.ones(3), dt.ones(3)),
        lambda: dt.sin(dt.zeros(3, "M8[s]")),
        lambda: dt.zeros(3, "M8[s]") + dt.zeros(3, "M8[s]"),
        lambda: dt.add(dt.ones(2), 1, dtype="no"),
        lambda: dt.isnan(dt.ones(2).astype(object)),
    ],
)
def test_dtypes_must_have_a_loop(wrong):
    with pytest.raises(dt.DTypeError):
        wrong()


def test_where_needs_both_values():
    with pytest.raises(ValueError, match="either both or neither"):
        dt.where(dt.ones(3), 1)


def test_constants():
    assert (dt.pi, dt.e, dt.inf, dt.newaxis) == (np.pi, np.e, np.inf, None)
    assert np.isnan(dt.nan)


@pytest.mark.parametrize("bounds", [(300, None), (None, -300), (2**64, None), (2**40, 3)])
def test_a_python_bound_that_no_cell_can_keep_is_refused(bounds):
    cells = np.array([1, 2], "int8")
    with pytest.raises(OverflowError):
        np.clip(cells, *bounds)
    with pytest.raises(OverflowError):
        dt.clip(cells, *bounds)


def test_a_python_bound_that_limits_nothing_need_not_fit():
    cells = np.array([-128, 127], "int8")
    assert np.array_equal(dt.clip(cells, -300, 2**64).compute(), np.clip(cells, -300, 2**64))
    assert dt.clip(cells, -(2**70), 5).dtype == "int8"


@pytest.mark.parametrize(
    "dtypes", [("i1", "u1", "f2"), ("h", "f", "H"), ("b", "H", "e"), ("?", "i1", "f2")]
)
def test_cells_and_bounds_promote_at_once(dtypes):
    cells, low, high = (np.arange(3).astype(kind) for kind in dtypes)
    ours, theirs = dt.clip(cells, low, high), np.clip(cells, low, high)
    assert ours.dtype == theirs.dtype
    assert np.array_equal(ours.compute(), theirs)
    wide = dt.clip(np.array([5], "u1"), 2**64, np.float64(3)).compute()  # fits what they promote to
    assert np.array_equal(wide, np.clip(np.array([5], "u1"), 2**64, np.float64(3)))


def test_a_python_integer_beyond_all_times_is_refused():
    times = dt.zeros(2, "m8[s]")
    for make in (lambda: times == 2**63, lambda: dt.maximum(times, -(2**64))):
        with pytest.raises(OverflowError):
            make()


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("digits", [3, 1, -2])
def test_parts_of_complex_cells_are_rounded_each_by_itself(dtype, digits):
    """Of 3 a complex quotient by 1000 is off by one bit, and of infinity it is no number."""
    random = np.random.default_rng(0)
    z = (random.normal(0, 300, 200_000) + 1j * random.integers(-9, 9, 200_000)).astype(dtype)
    z[:4] = np.inf, 3 - 1j, complex(-0.0, np.nan), -0.0
    expected = np.round(z, digits)
    for kernels in (z, z[:9]):  # many cells are computed by compiled code, in time
        ours = dt.round(dt.asarray(kernels), digits).compute()
        np.testing.assert_array_equal(ours, expected[: len(kernels)])
        assert (np.signbit(ours.real) == np.signbit(expected.real[: len(kernels)])).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.clip(a([1, 2]), 2),
        lambda np, a: np.clip(a([1, 2]), a_min=2),
        lambda np, a: np.clip(a([1, 2]), a_max=2),
        lambda np, a: np.clip(a([1, 2]), 1, 2, min=1),
        lambda np, a: np.clip(a([1, 2]), 1, 2, max=None),
        lambda np, a: a([1, 2]).astype("f4", casting="no"),
        lambda np, a: np.astype(a([1, 2]), "f4", device="gpu"),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.clip(a([1, 2, 3]), min=2),
        lambda np, a: np.clip(a([1, 2, 3]), max=2),
        lambda np, a: np.clip(a([1, 2, 3]), a_min=2, a_max=None),
        lambda np, a: a([1, 2, 3]).clip(2),
        lambda np, a: a([1, 2, 3]).clip(max=2),
        lambda np, a: a([1, 2, 3]).astype(dtype="f4"),
        lambda np, a: a([1.5]).astype("i4", "C", "unsafe"),
        lambda np, a: np.clip(a([1, 2, 3]), 1, 2, np.zeros(3)),
    ],
)
def test_bounds_and_dtypes_by_name(call):
    agreed(call)


def test_without_a_copy_an_array_of_the_dtype_is_itself():
    x = dt.asarray([1.0, 2.0])
    assert x.astype("f8", copy=False) is x
    same = dt.astype(x, np.float64, copy=False)
    same += 1
    assert x.compute().tolist() == [2.0, 3.0]
    assert x.astype("f4", copy=False) is not x
    assert x.astype("f8") is not x
