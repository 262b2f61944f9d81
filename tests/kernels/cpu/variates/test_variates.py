import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.variates import variates
from tests.kernels.cpu.variates.samples import KEY, drawn


def cells(frame, places, *blocks, given=(2.5,), out=None):
    return KERNELS["variates"](
        out, *blocks, draw_of="gamma", given=given, key=KEY, draw=(4, 0), frame=frame, places=places
    )


@pytest.mark.parametrize(
    "places",
    [(range(30), range(40)), (range(3, 9), range(40)), (range(2, 29, 3), range(5, 30)),
     (range(2), range(0, 40, 7)), (range(0), range(40)), (range(5, 6), range(39))],
)  # fmt: skip
def test_cells_of_a_box_are_those_of_the_whole(places):
    whole = drawn("gamma", 2.5, count=1200).reshape(30, 40)
    expected = whole[np.ix_(*places)]
    np.testing.assert_array_equal(cells((30, 40), places), expected)
    out = np.empty(expected.shape)
    assert cells((30, 40), places, out=out) is out or not out.size
    np.testing.assert_array_equal(cells((30, 40), places, out=out.T.copy().T), expected)


def test_parameters_are_numbers_or_blocks():
    places, shapes = (range(6), range(4)), np.arange(24.0).reshape(6, 4) / 5
    found = cells((6, 4), places, shapes, given=(None,))
    for at in np.ndindex(6, 4):
        one = cells((6, 4), (range(at[0], at[0] + 1), range(at[1], at[1] + 1)), given=(shapes[at],))
        assert one[0, 0] == found[at]
    for part in (shapes[:1], shapes[:, :1], shapes[::-1], shapes[:1, :1]):
        broad = np.broadcast_to(part, (6, 4))
        expected = cells((6, 4), places, np.ascontiguousarray(broad), given=(None,))
        np.testing.assert_array_equal(cells((6, 4), places, broad, given=(None,)), expected)


def test_cells_go_on_behind_a_page():
    frame = (2**62, 8)
    last = cells(frame, (range(2**61 - 2, 2**61 + 2), range(8)))
    apart = [cells(frame, (range(n, n + 1), range(8)))[0] for n in range(2**61 - 2, 2**61 + 2)]
    np.testing.assert_array_equal(last, apart)
    assert len(set(last.ravel())) == 32
    assert [s[1:4:2] for s in variates.stretches((2**64 + 8,), (range(2**64 - 3, 2**64 + 2),))] == [
        (3, 1),
        (2, 1),
    ]


def test_rows_of_a_part_are_those_of_the_whole():
    weights = np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1], [1, 0, 0], [0.5, 0.25, 0.25]])
    totals = np.array([[5], [9], [2], [2000]])
    told = {"draw_of": "multinomial", "key": KEY, "draw": (4, 0), "frame": (4,)}
    kernel, all_rows = KERNELS["variaterows"], {"places": (range(4),), "part": slice(0, 3)}
    whole = kernel(None, totals, weights, total=None, **all_rows, **told)
    np.testing.assert_array_equal(whole.sum(axis=1), totals[:, 0])
    for n in range(4):
        found = kernel(
            None, weights[n : n + 1], total=int(totals[n, 0]), places=(range(n, n + 1),),
            part=slice(1, 3), **told,
        )  # fmt: skip
        np.testing.assert_array_equal(found[0], whole[n, 1:])
    out = np.empty((4, 3), np.int64)
    assert kernel(out, totals, weights, total=None, **all_rows, **told) is out
    alike = np.broadcast_to(weights[0], (4, 3))
    np.testing.assert_array_equal(
        kernel(None, alike, total=5, **all_rows, **told),
        kernel(None, alike.copy(), total=5, **all_rows, **told),
    )


def test_no_other_call_has_its_numbers():
    assert not set(drawn("gamma", 2.5, count=1000)) & set(drawn("gamma", 2.5, count=1000, call=5))
