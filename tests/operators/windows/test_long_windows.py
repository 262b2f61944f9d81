import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.tuning import LONG_WINDOW_CELLS
from dask_tapestry.operators.windows.long_windows import fold_of_long_windows
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(3)
numpys_view = np.lib.stride_tricks.sliding_window_view
LONG = {
    "one axis": ((LONG_WINDOW_CELLS,), (0,)),
    "last axis": ((LONG_WINDOW_CELLS + 7,), (2,)),
    "box": ((9, 8), (0, 2)),
    "box, other order": ((9, 8), (2, 0)),
    "all that there is": ((150, 5, 90), (0, 1, 2)),
}


def windows_of(x, lengths, axes, chunks=None):
    cells = dt.asarray(x)
    cells = cells if chunks is None else cells.rechunk(chunks)
    return dt.overlap.sliding_window_view(cells, lengths, axes)


def drawn(dtype):
    return (RANDOM.normal(size=(150, 5, 90)) * 20).astype(dtype)


@pytest.mark.covering(together=2)
@pytest.mark.parametrize("where", LONG)
@pytest.mark.parametrize("fold", ["sum", "mean", "min", "max"])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u8", "?"])
def test_values_are_numpys(dtype, keepdims, fold, where):
    x, (lengths, axes) = drawn(dtype), LONG[where]
    folded = tuple(range(3, 3 + len(axes)))
    expected = getattr(numpys_view(x, lengths, axes), fold)(axis=folded, keepdims=keepdims)
    found = getattr(windows_of(x, lengths, axes), fold)(axis=folded, keepdims=keepdims)
    assert "windowfold" in str(found.plan().teg)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.compute(), expected, rtol=2e-5, atol=2e-4)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("fold", ["sum", "mean", "min", "max"])
def test_every_cut_has_one_value(fold, shardings):
    x = drawn("f4")
    whole = getattr(windows_of(x, (70,), (0,)), fold)(axis=-1)
    expected = whole.compute()
    for chunks in ((40, 2, 30), (150, 5, 1), (7, 5, 90)):
        made = getattr(windows_of(x, (70,), (0,), chunks), fold)(axis=-1)
        with shardings.tiny(9_000):
            plan = dt.plan(made)
            plan.verify()
            assert same_bits(plan.compute(), expected)
        part = made[3:40:2, 1, ::-3]
        assert same_bits(part.compute(), np.array(expected[3:40:2, 1, ::-3], order="C"))


@pytest.mark.parametrize("axis", [None, 0, (0, 3)])
def test_other_axes_are_folded_as_they_were(axis):
    x = drawn("i4")
    expected = numpys_view(x, (70,), (2,)).sum(axis)
    assert np.array_equal(windows_of(x, (70,), (2,)).sum(axis).compute(), expected)


def test_what_doubling_does_not_tell_is_left():
    view = windows_of(drawn("f8"), (100,), (0,)).node
    assert fold_of_long_windows(view, "sum", -1, None, False) is not None
    assert fold_of_long_windows(view, "prod", -1, None, False) is None
    assert fold_of_long_windows(view, "sum", -1, np.dtype("c16"), False) is None
    assert fold_of_long_windows(view, "sum", (0, 3), None, False) is None
    short = windows_of(drawn("f8"), (LONG_WINDOW_CELLS - 1,), (0,)).node
    assert fold_of_long_windows(short, "sum", -1, None, False) is None
    apart = windows_of(drawn("f8"), (100,), (0,))[::2].node
    assert fold_of_long_windows(apart, "sum", -1, None, False) is None
    again = dt.overlap.sliding_window_view(windows_of(drawn("f8"), (100,), (0,)), (70,), (3,)).node
    assert fold_of_long_windows(again, "sum", -1, None, False) is None
    complex_cells = windows_of(drawn("c16"), (100,), (0,)).node
    assert fold_of_long_windows(complex_cells, "sum", -1, None, False) is None


def test_blocks_that_a_user_sees_are_those_of_the_windows():
    x = dt.asarray(drawn("f4")).rechunk((40, 5, 30))
    view = dt.overlap.sliding_window_view(x, (100,), (0,))
    assert view.sum(-1).chunks == view.chunks[:3]


def test_integers_in_floats_are_cast_cell_by_cell():
    x = np.full(200, 0.75)
    assert windows_of(x, (100,), (0,)).sum(-1, dtype="i8").compute().tolist() == [0] * 101
