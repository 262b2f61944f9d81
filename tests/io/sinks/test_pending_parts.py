import pytest

from dask_tapestry.io.sinks.pending_parts import as_ranges, parts_of
from dask_tapestry.zspace import ZRange

BOX = ZRange((2, 0), (6, 5))


@pytest.mark.parametrize(
    ("pending", "expected"),
    [
        (None, [BOX]),
        ([], []),
        ([ZRange((0, 0), (9, 9))], [BOX]),
        ([ZRange((0, 0), (3, 2)), ZRange((7, 0), (9, 9))], [ZRange((2, 0), (3, 2))]),
    ],
)
def test_parts_are_what_is_pending_of_a_box(pending, expected):
    assert list(parts_of(BOX, pending)) == expected


def test_boxes_are_told_from_an_origin_on():
    assert as_ranges(None) is None
    assert as_ranges([((3, 9),)]) == (ZRange((3,), (9,)),)
    assert as_ranges([((3, 9),)], (3,)) == (ZRange((0,), (6,)),)
    assert as_ranges([()], ()) == (ZRange((), ()),)
