import dask.array as da
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays.core.chunks import cuts_from
from dask_tapestry.teg import TensorType

TYPE = TensorType((10, 6), np.dtype("f8"), ("y", "x"))


def lengths(chunks, type_=TYPE):
    return tuple(tuple(c.lengths()) for c in cuts_from(chunks, type_))


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        (4, ((4, 4, 2), (4, 2))),
        (-1, ((10,), (6,))),
        (None, ((10,), (6,))),
        ((4, -1), ((4, 4, 2), (6,))),
        ((None, 3), ((10,), (3, 3))),
        (((7, 3), 6), ((7, 3), (6,))),
        (((1, 2, 3, 4), (6,)), ((1, 2, 3, 4), (6,))),
        ([[5, 5], [2, 4]], ((5, 5), (2, 4))),
        ({0: 5}, ((5, 5), (6,))),
        ({-1: 2}, ((10,), (2, 2, 2))),
        ({"x": 3, "y": -1}, ((10,), (3, 3))),
        (100, ((10,), (6,))),
        ("auto", ((10,), (6,))),
        (("auto", 2), ((10,), (2, 2, 2))),
        ("96 B", ((2, 2, 2, 2, 2), (6,))),
        (("480 B", 6), ((10,), (6,))),
        (("auto", (1, 5)), ((10,), (1, 5))),
        ((np.int64(4), 6), ((4, 4, 2), (6,))),
        (4.0, ((4, 4, 2), (4, 2))),
        ((10 / 2, np.float64(-1)), ((5, 5), (6,))),
        (((7.0, 3), 3.0), ((7, 3), (3, 3))),
    ],
)
def test_every_form_that_dask_takes(chunks, expected):
    assert lengths(chunks) == expected


def test_one_dimension_may_be_written_without_nesting():
    line = TensorType((10,), np.dtype("f8"))
    assert lengths((3, 7), line) == ((3, 7),)
    assert lengths((4,), line) == ((4, 4, 2),)
    assert lengths((4.0, 6.0), line) == ((4, 6),)


def test_what_is_left_to_us_aims_at_the_block_size():
    large = TensorType((10_000, 10_000), np.dtype("f8"))
    with dt.config(block_bytes="8 MB"):
        assert max(lengths("auto", large)[0]) * 80_000 <= 8_000_000
        assert max(lengths((10, "auto"), large)[1]) == 10_000


@pytest.mark.parametrize(
    "chunks",
    [(4,), (4, 4, 4), ((4, 4), 6), ((11, -1), 6), 0, -2, (0, 6), ((5, 5), (3, 4))],
)
def test_what_does_not_fit_is_refused(chunks):
    with pytest.raises(dt.ShapeError, match="chunk"):
        cuts_from(chunks, TYPE)


@pytest.mark.parametrize("chunks", [1.5, (2.5, 3), ({"a": 1}, 2), {"z": 3}, "many"])
def test_what_is_no_chunks_is_refused(chunks):
    with pytest.raises((TypeError, ValueError)):
        cuts_from(chunks, TYPE)


@pytest.mark.parametrize("shape", [(), (0,), (0, 3)])
def test_small_shapes(shape):
    type_ = TensorType(shape, np.dtype("f8"))
    for chunks in (-1, 2, "auto"):
        assert tuple(sum(n) for n in lengths(chunks, type_)) == shape


@given(st.integers(0, 50), st.integers(1, 60))
def test_regular_chunks_are_those_of_dask(extent, length):
    found = lengths(length, TensorType((extent,), np.dtype("f8")))[0]
    assert sum(found) == extent
    assert all(n == min(length, extent) for n in found[:-1])


def test_they_are_constraints_everywhere():
    wanted = ((4, 4, 2), (3, 3))
    assert dt.ones((10, 6), chunks=(4, 3)).chunks == wanted
    assert dt.zeros((10, 6), chunks=(4, 3)).chunks == wanted
    assert dt.full((10, 6), 2, chunks=(4, 3)).chunks == wanted
    assert dt.from_array(np.ones((10, 6)), chunks=(4, 3)).chunks == wanted
    assert dt.ones((10, 6)).rechunk((4, 3)).chunks == wanted
    assert dt.rechunk(dt.ones((10, 6)), {0: 4, 1: 3}).chunks == wanted
    assert dt.arange(10, chunks=4).chunks == ((4, 4, 2),)


@pytest.mark.parametrize(
    "chunks", [{1: -1}, {0: 3}, (2, None), (None, None), {0: "auto"}, {}, (None, "auto"), {-1: 7}]
)
def test_rechunk_keeps_what_it_is_not_told(chunks):
    ours, dasks = (
        x.rechunk(chunks)
        for x in (dt.ones((12, 10), chunks=(5, 4)), da.ones((12, 10), chunks=(5, 4)))
    )
    assert ours.chunks == dasks.chunks
    assert dt.ones((12, 10), chunks=chunks).chunks == dt.ones((12, 10)).rechunk(chunks).chunks
