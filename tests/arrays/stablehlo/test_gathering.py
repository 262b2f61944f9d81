import numpy as np
import pytest

import dask_tapestry as dt
from tests.covering import seeds_of

from .oracle import gathers

OPERAND = np.arange(1, 49).reshape(2, 3, 4, 2)
INDICES = np.array(
    [
        [[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]],
        [[[0, 0], [2, 1], [2, 2]], [[1, 2], [0, 1], [1, 0]]],
    ]
)
RFC = {
    "offset_dims": [3, 4],
    "collapsed_slice_dims": [1],
    "operand_batching_dims": [0],
    "start_indices_batching_dims": [1],
    "start_index_map": [2, 1],
    "index_vector_dim": 3,
    "slice_sizes": [1, 1, 2, 2],
}
RESULT = [
    [[[[1, 2], [3, 4]], [[3, 4], [5, 6]], [[13, 14], [15, 16]]],
     [[[33, 34], [35, 36]], [[35, 36], [37, 38]], [[41, 42], [43, 44]]]],
    [[[[1, 2], [3, 4]], [[13, 14], [15, 16]], [[21, 22], [23, 24]]],
     [[[43, 44], [45, 46]], [[33, 34], [35, 36]], [[27, 28], [29, 30]]]],
]  # fmt: skip


@pytest.mark.parametrize("block_bytes", [8, 64, 10**6])
@pytest.mark.parametrize("dtype", ["i4", "i8", "f2", "c16"])
def test_the_example_of_the_rfc(block_bytes, dtype):
    with dt.config(block_bytes=block_bytes):
        found = dt.stablehlo.gather(OPERAND.astype(dtype), INDICES, **RFC)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.compute(), RESULT)


def test_batching_dims_shard_without_communication():
    x = dt.placeholder((64, 1000, 1000), "float32", stored_chunks=(1, 1000, 1000))
    indices = dt.placeholder((64, 1000, 1), "int64", stored_chunks=(1, 1000, 1))
    found = dt.stablehlo.gather(
        x,
        indices,
        offset_dims=[2],
        collapsed_slice_dims=[1],
        operand_batching_dims=[0],
        start_indices_batching_dims=[0],
        start_index_map=[1],
        index_vector_dim=2,
        slice_sizes=[1, 1, 1000],
    )
    plan = found.plan(resources=dt.Resources(workers=8, threads=1, memory="1 GiB"))
    plan.verify()
    assert plan.cost["bytes_moved"] == 0
    assert plan.cost["bytes_read"] == x.nbytes + indices.nbytes


@pytest.mark.parametrize("first", seeds_of(range(0, 160, 40), 2))
def test_random_dimension_numbers_agree_with_the_specification(first):
    assert [seed for seed in range(first, first + 40) if not gathers(seed)] == []


def test_slices_without_cells():
    given = RFC | {"slice_sizes": [1, 1, 0, 2]}
    assert dt.stablehlo.gather(OPERAND, INDICES, **given).shape == (2, 2, 3, 0, 2)
    given = RFC | {"slice_sizes": [1, 0, 2, 2]}
    with pytest.raises(IndexError, match="slices that have none"):
        dt.stablehlo.gather(OPERAND, INDICES, **given)


@pytest.mark.parametrize("indices", [[[0.0]], [[True]], [["a"]]])
def test_indices_are_integers(indices):
    with pytest.raises(dt.DTypeError, match="gather: start_indices must be integers"):
        dt.stablehlo.gather(OPERAND, indices, **RFC)


def test_every_broken_constraint_is_named_in_order():
    given = RFC | {"slice_sizes": [2, 2, 9, 2], "collapsed_slice_dims": [-1]}
    with pytest.raises(dt.ConstraintError) as caught:
        dt.stablehlo.gather(OPERAND, INDICES, **given)
    text = str(caught.value)
    assert text.startswith("gather breaks")
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["(C8)", "(C12)", "(C21)"]
