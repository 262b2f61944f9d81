import pytest
from hypothesis import given

from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry.zspace.projection_coherence import CHECKS, incoherence
from tests.examples import examples

from .strategies import projections
from .test_projection import selected


def has_no_holes(projection):
    """Enumerate: every range inside 3 steps along each index fills its box."""
    boxes = ZRange.of_shape([3] * projection.in_ndim)
    corners = [(lo, hi) for lo in boxes.points() for hi in boxes.points() if lo.le(hi)]
    for lo, last in corners:
        box = ZRange(lo, [c + 1 for c in last])
        if len(selected(projection, box)) != projection.of_range(box).size:
            return False
    return True


@given(projections().filter(lambda p: p.in_ndim < 3))
@examples(300)
def test_the_checks_are_exactly_the_enumeration(projection):
    assert projection.is_coherent() == has_no_holes(projection)


@pytest.mark.parametrize(
    ("projection", "failed"),
    [
        (IndexProjection([[1]], [0], [3], stride=2), "windows_are_dense"),
        (IndexProjection([[3]], [0], [2]), "steps_leave_no_gap"),
        (IndexProjection([[-3]], [0], [2]), "steps_leave_no_gap"),
        (IndexProjection([[1], [1]], [0, 0], [1, 1]), "indices_move_one_dimension"),
    ],
)
def test_each_check_fails_alone(projection, failed):
    assert [check.__name__ for check in CHECKS if list(check(projection))] == [failed]
    assert [text.partition(":")[0] for text in incoherence(projection)] == [failed]


@pytest.mark.parametrize(
    "projection",
    [
        IndexProjection.identity(3),
        IndexProjection.whole((4, 5), 2),
        IndexProjection([[2, 0], [0, 1]], [0, 0], [3, 1]),
        IndexProjection([[-1]], [9], [1]),
        IndexProjection([[1]], [0], [1], stride=5),
        IndexProjection([[9]], [0], [0], stride=5),
        IndexProjection((), (), (), in_ndim=2),
    ],
)
def test_coherent_projections(projection):
    assert incoherence(projection) == ()
