from dask_tapestry.planner.access.moving_box_overlap import (
    ProximityBand,
    ShiftedBox,
    proximity_band,
)
from dask_tapestry.zspace import ZRange

ROWS = ShiftedBox(ZRange((0, 300), (100, 400)), ((100, 0), (0, 100)))
COLUMNS = ShiftedBox(ZRange((300, 0), (400, 100)), ((0, 100), (100, 0)))
WHOLE = ShiftedBox(ZRange((0, 0), (1000, 1000)), ((0, 0), (0, 0)))


def test_rows_and_columns_meet_on_the_diagonal():
    assert proximity_band([ROWS, COLUMNS], (0, 3), (10, 10)) == ProximityBand((0, 1), (1, -1), 0, 0)


def test_what_holds_all_others_is_read_everywhere():
    assert proximity_band([ROWS, WHOLE], (0, 3), (10, 10)) is None


def test_boxes_that_move_along_one_way_meet_at_places():
    ahead = ShiftedBox(ZRange((0,), (100,)), ((100,),))
    back = ShiftedBox(ZRange((900,), (1000,)), ((-100,),))
    assert proximity_band([ahead, back], (0,), (10,)) == ProximityBand((0,), (1,), 4, 5)


def test_forms_that_differ_tell_nothing():
    skew = ShiftedBox(ZRange((0, 0), (100, 100)), ((100, 0), (100, 100)))
    found = proximity_band([ROWS, COLUMNS, skew], (0, 3), (10, 10))
    assert found == ProximityBand((0, 1))


def test_rows_and_columns_of_a_product_are_both_read_everywhere():
    rows = ShiftedBox(ZRange((0, 0), (100, 1000)), ((100, 0), (0, 0)))
    columns = ShiftedBox(ZRange((0, 0), (1000, 100)), ((0, 0), (0, 100)))
    assert proximity_band([rows, columns], (0, 0), (10, 10)) is None
    wide = ShiftedBox(ZRange((0, 0), (1000, 500)), ((0, 0), (0, 500)))
    assert proximity_band([rows._replace(box=ZRange((0, 0), (500, 1000))), wide], (0, 0), (2, 2))
