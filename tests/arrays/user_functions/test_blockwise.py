import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(35.0).reshape(5, 7)
CHUNKS = ((2, 3), (3, 3, 1))
pytestmark = pytest.mark.usefixtures("sync")


def ours(x=X, chunks=CHUNKS):
    return dt.asarray(x).rechunk(chunks)


def theirs(x=X, chunks=CHUNKS):
    return da.from_array(x, chunks=chunks)


BLOCKED = [
    (lambda d, x: d.blockwise(np.add, "ij", x, "ij", 1, None, dtype="f8")),
    (lambda d, x: d.blockwise(np.add, "ij", x, "ij", 1, None, "i", dtype="f8")),  # `i` of nothing
    (lambda d, x: d.blockwise(np.transpose, "ji", x, "ij", dtype="f8")),
    (lambda d, x: d.blockwise(lambda bs: sum(b.sum(1) for b in bs), "i", x, "ij", dtype="f8")),
    (lambda d, x: d.blockwise(lambda b: b.sum(1), "i", x, "ij", dtype="f8", concatenate=True)),
    (
        lambda d, x: d.blockwise(
            lambda bs: sum(b.sum() for row in bs for b in row)[None],
            "k",
            x,
            "ij",
            new_axes={"k": 1},
            dtype="f8",
        )
    ),
    (
        lambda d, x: d.blockwise(
            lambda b: np.stack([b, b]), "kij", x, "ij", new_axes={"k": 2}, dtype="f8"
        )
    ),
    (
        lambda d, x: d.blockwise(
            lambda b: b.repeat(2, 0),
            "ij",
            x,
            "ij",
            adjust_chunks={"i": lambda n: 2 * n},
            dtype="f8",
        )
    ),
    (lambda d, x: d.blockwise(lambda b: b[:1], "ij", x, "ij", adjust_chunks={"i": 1}, dtype="f8")),
    (
        lambda d, x: d.blockwise(
            lambda b: b[:1], "ij", x, "ij", adjust_chunks={"i": (1, 1)}, dtype="f8"
        )
    ),
    (
        lambda d, x: d.blockwise(
            lambda a, b: a @ b,
            "ik",
            x,
            "ij",
            x.T.rechunk((3, 2)),
            "jk",
            dtype="f8",
            concatenate=True,
        )
    ),
    (lambda d, x: d.blockwise(np.add, "ij", x, "ij", x.rechunk((5, 2)), "ij", dtype="f8")),
]


@pytest.mark.parametrize("call", BLOCKED)
def test_blockwise_is_dasks(call):
    made, expected = call(dt, ours()), call(da, theirs())
    assert made.chunks == expected.chunks
    assert made.dtype == expected.dtype
    assert np.array_equal(made.compute(), expected.compute())


def test_indices_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"lengths \[5, 6\]"):
        dt.blockwise(np.add, "i", dt.arange(6), "i", dt.arange(5), "i")
    with pytest.raises(ValueError, match="does not fit the 1 dimensions"):
        dt.blockwise(np.negative, "ij", dt.arange(6), "ij")
    with pytest.raises(ValueError, match="repeats"):
        dt.blockwise(np.negative, "ii", dt.arange(6), "i")
    with pytest.raises(ValueError, match="no array has the index 'j'"):
        dt.blockwise(np.negative, "ij", dt.arange(6), "i")
    with pytest.raises(ValueError, match="by turns"):
        dt.blockwise(np.negative, "i", dt.arange(6))


def weighted(block, weights, groups):
    if block.shape[-1] != len(weights):
        raise ValueError("blocks and weights do not fit")
    return np.repeat((block * weights).sum(-1, keepdims=True), len(groups), axis=-1)


def test_a_dtype_is_learnt_where_an_array_in_memory_has_to_fit_blocks():
    x, weights = np.arange(24, dtype="f4").reshape(4, 6), np.arange(6, dtype="f4")
    y = dt.map_blocks(
        weighted,
        dt.from_array(x, chunks=(2, 6)),
        weights,
        groups=np.empty(3, "i1"),
        chunks=((2, 2), 3),
        drop_axis=1,
        new_axis=1,
    )
    assert (y.dtype, y.shape) == (np.float32, (4, 3))
    np.testing.assert_array_equal(y.compute(), np.repeat((x @ weights)[:, None], 3, axis=1))


def test_what_is_learnt_from_no_cells_fails_as_the_first_did():
    def refuse(block, weights):
        raise ValueError(f"{len(weights)} weights")

    with pytest.raises(dt.SignatureError, match="6 weights; give the dtype"):
        dt.map_blocks(refuse, dt.ones(6), np.ones(6))
