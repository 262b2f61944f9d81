import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.io.journals.write_record import (
    Record,
    WriteKey,
    boxes_meet,
    boxes_without,
    digest,
)
from tests.examples import examples

TOLD = b'{"boxes": %s, "dense": true, "over": []}'
HOSTILE = [
    b"[" * 10**5,
    TOLD % (b"[" * 10**5),
    TOLD % b"[[[0, 1e400]]]",
    TOLD % b"[[[0, -3]]]",
    TOLD % (b"[[[0, 1" + b"0" * 30 + b"]]]"),
    TOLD % b"[[[0, 3]], [[0, 3], [0, 3]]]",
    TOLD % b"[[[0, 1, 2]]]",
    TOLD % b'{"a": 1}',
    TOLD % b'[[["0", "1"]]]',
    b'{"boxes": [], "dense": true, "over": 5}',
]
SIDE = st.tuples(st.integers(0, 6), st.integers(0, 6)).map(sorted).map(tuple)
BOX = st.tuples(SIDE, SIDE)


def cells(boxes):
    found = np.zeros((6, 6), int)
    for box in boxes:
        found[tuple(slice(lo, hi) for lo, hi in box)] += 1
    return found


@examples(300)
@given(st.lists(BOX, max_size=3), st.lists(BOX, max_size=3))
def test_what_is_left_is_what_was_not_written(boxes, written):
    left = cells(boxes_without(boxes, written))
    np.testing.assert_array_equal(left > 0, (cells(boxes) > 0) & (cells(written) == 0))
    assert boxes_without(boxes[:1], written) == frozenset() or left.max() <= len(boxes)


@examples(300)
@given(BOX, BOX)
def test_boxes_meet_where_they_have_cells_in_common(one, other):
    common = (cells([one]) * cells([other])).any()
    assert boxes_meet(one, other) == boxes_meet(other, one)
    assert boxes_meet(one, other) == (bool(common) or one == other)


def test_no_dimensions():
    assert boxes_meet((), ())
    assert boxes_without([()], [()]) == frozenset()


def test_records_there_and_back():
    held = Record(frozenset([((0, 3), (2, 4))]), False, ("begin.a", "begin.b"))
    assert Record.of(held.to_json(write="x", run="y")) == held
    for torn in (b"", b"{", b"[]", b'{"boxes": 3}', b"null", b"\xff", *HOSTILE):
        assert Record.of(torn) == Record(None, dense=False)


def test_names_tell_the_write():
    key = WriteKey(digest("a"), digest("b"), digest("c"))
    names = [key.name("begin"), key.name("mark", "1f"), key.name("done", "ff"), key.name("over")]
    assert {WriteKey.in_name(name) for name in names} == {key}
    assert len(set(names)) == 4
    assert all(len(name) < 100 for name in names), "for any file system"
