import numpy as np
import pytest

import dask_tapestry as dt

A = np.arange(24.0).reshape(2, 3, 4)
B = np.arange(40.0).reshape(2, 4, 5)
V = np.arange(4.0)
CALLS = {"matmul": (A, B), "vecdot": (A, V), "matvec": (A, V), "vecmat": (V, B)}


@pytest.mark.parametrize("name", CALLS)
def test_out_takes_what_broadcasts_to_it(name):
    expected = getattr(np, name)(*CALLS[name])
    wider = (3, *expected.shape)
    for shape in (expected.shape, wider):
        out = dt.zeros(shape, "f4")
        assert getattr(dt, name)(*CALLS[name], out=out) is out
        np.testing.assert_array_equal(out.compute(), np.broadcast_to(expected, shape))
    with pytest.raises(dt.ShapeError):
        getattr(dt, name)(*CALLS[name], dt.zeros(()))


@pytest.mark.parametrize("name", CALLS)
def test_dtype_is_computed_in(name):
    few = [x.astype("i1") for x in CALLS[name]]
    found, expected = (getattr(xp, name)(*few, dtype="i8") for xp in (dt, np))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.compute(), expected)
    with pytest.raises(TypeError, match="cast"):
        getattr(dt, name)(*CALLS[name], dtype=int)


@pytest.mark.parametrize(
    ("name", "operands", "axes"),
    [
        ("matmul", (A, B.T), [(1, 2), (1, 0), (0, 1)]),
        ("matmul", (A.transpose(1, 2, 0), B.transpose(2, 0, 1)), [(0, 1), (2, 0), (-1, 0)]),
        ("matmul", (A, V), [(-2, -1), (0,), (0,)]),
        ("vecdot", (A, A.transpose(2, 0, 1)), [2, 0]),
        ("vecdot", (A, A.transpose(2, 0, 1)), [(2,), (0,), ()]),
        ("matvec", (A.T, V), [(1, 0), (0,), (0,)]),
        ("vecmat", (V, B.T), [0, (1, 0), 0]),
    ],
)
def test_axes_say_where_matrices_lie(name, operands, axes):
    expected = getattr(np, name)(*operands, axes=axes)
    np.testing.assert_array_equal(getattr(dt, name)(*operands, axes=axes).compute(), expected)
    np.testing.assert_array_equal(
        getattr(np, name)(*map(dt.asarray, operands), axes=axes).compute(), expected
    )


def test_axes_are_of_both_operands():
    with pytest.raises(dt.ShapeError, match="axes"):
        dt.matmul(A, B, axes=[(-2, -1)])


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (IndexError, lambda xp: xp.vecdot(A, A, axes=[-1, -1, -1])),
        (IndexError, lambda xp: xp.vecdot(A, A, axes=[-1, (-2, -1), ()])),
        (IndexError, lambda xp: xp.matmul(A, V, axes=[(-2, -1), (0,), (0, 1)])),
        (TypeError, lambda xp: xp.vecdot(A, A, axis=0, axes=[0, 0])),
        (TypeError, lambda xp: xp.vecdot(A, A, axis=[0])),
    ],
)
def test_axes_that_do_not_fit(error, call):
    for xp in (np, dt):
        with pytest.raises(error):
            call(xp)


SQUARE = np.arange(27.0).reshape(3, 3, 3)
COLUMN = np.arange(10.0, 19.0).reshape(3, 1, 3)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"axis": 0},
        {"axis": 1},
        *[{"axes": a} for a in ([0, 2], [0, 2, 0], [0, 2, 1], [0, 0, 0])],
    ],
)
def test_the_axis_of_vectors_may_stay(given):
    for b in (SQUARE, COLUMN) if given.get("axis") != 1 else (SQUARE,):
        found, expected = (xp.vecdot(SQUARE, b, keepdims=True, **given) for xp in (dt, np))
        assert found.shape == expected.shape
        np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("cell", [0, 1])
@pytest.mark.parametrize("name", ["vecdot", "matmul", "matvec", "vecmat"])
def test_a_cell_is_refused_before_the_axes_of_what_is_beside_it(name, cell):
    if not hasattr(np, name):
        pytest.skip("NumPy has no such function yet")
    operands = [np.ones(3), np.ones(3)]
    operands[cell] = np.array(1.0)
    given = {"axis": 5} if name == "vecdot" else {"axes": [(5,), (5,), ()]}
    for xp in (np, dt):
        with pytest.raises(ValueError, match="dimension") as told:
            getattr(xp, name)(*operands, **given)
        assert not isinstance(told.value, IndexError)
