import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.sorting.compress import Compress, compress
from dask_tapestry.teg import Progression, Region, TensorType, apply
from tests.operators.indexed import SHAPES, check, numbers


@given(SHAPES, st.integers(1, 4), st.data())
def test_slices_are_picked_where_the_mask_is_true(shape, span, data):
    axis = data.draw(st.integers(0, len(shape) - 1))
    x, mask = numbers(shape), data.draw(hnp.arrays(bool, shape[axis]))
    counts = [mask[a : a + span].sum() for a in range(0, len(mask), span)]
    ends = np.cumsum(counts, dtype=np.int64).tobytes()
    node = apply(Compress(axis, span, ends), dt.asarray(x).node, dt.asarray(mask).node)
    check(node, [x, mask], data)


def test_a_block_reads_the_spans_that_hold_its_cells():
    mask = np.zeros(100, bool)
    mask[[3, 50, 51, 99]] = True
    counts = mask.reshape(10, 10).sum(1)
    node = compress(dt.zeros(100).node, dt.asarray(mask).node, 0, counts, 10)
    needs, _ = node.operator.demand(node.input_types, node.type.box.replace(0, 1, 3))
    assert (needs.lo, needs.hi) == ((50,), (60,))


def test_a_mask_of_another_length_is_refused():
    with pytest.raises(ShapeError, match="does not fit"):
        compress(dt.zeros(4).node, dt.ones(3, bool).node, 0, np.array([3]), 1024)


def test_a_known_mask_is_told_and_restricted():
    mask = np.arange(100) % 7 < 2
    counts = mask.reshape(10, 10).sum(1)
    node = compress(dt.zeros(100).node, dt.asarray(mask).node, 0, counts, 10, mask)
    assert node.operator.mask(node.input_types).tolist() == mask.tolist()
    part = node.operator.restrict(node.input_types, Region((Progression.of(8, 1, 9),)))
    (read, _) = part.inputs
    shorter = tuple([TensorType(read.shape, np.dtype(kind)) for kind in ("f8", "?")])
    kept = mask[read[0].start : read[0].stop]
    assert part.operator.mask(shorter).tolist() == kept.tolist()
    unknown = compress(dt.zeros(100).node, dt.asarray(mask).node, 0, counts, 10)
    assert unknown.operator.mask(unknown.input_types) is None
