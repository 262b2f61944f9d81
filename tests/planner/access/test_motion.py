from dask_tapestry.planner.access.motion import Moving, Parting, parting
from dask_tapestry.zspace import ZRange

ROWS = Moving(ZRange((0, 300), (100, 400)), ((100, 0), (0, 100)))
COLUMNS = Moving(ZRange((300, 0), (400, 100)), ((0, 100), (100, 0)))
WHOLE = Moving(ZRange((0, 0), (1000, 1000)), ((0, 0), (0, 0)))


def test_rows_and_columns_meet_on_the_diagonal():
    assert parting([ROWS, COLUMNS], (0, 3), (10, 10)) == Parting((0, 1), (1, -1), 0, 0)


def test_what_holds_all_others_is_read_everywhere():
    assert parting([ROWS, WHOLE], (0, 3), (10, 10)) is None


def test_boxes_that_move_along_one_way_meet_at_places():
    ahead = Moving(ZRange((0,), (100,)), ((100,),))
    back = Moving(ZRange((900,), (1000,)), ((-100,),))
    assert parting([ahead, back], (0,), (10,)) == Parting((0,), (1,), 4, 5)


def test_forms_that_differ_tell_nothing():
    skew = Moving(ZRange((0, 0), (100, 100)), ((100, 0), (100, 100)))
    found = parting([ROWS, COLUMNS, skew], (0, 3), (10, 10))
    assert found == Parting((0, 1))


def test_rows_and_columns_of_a_product_are_both_read_everywhere():
    rows = Moving(ZRange((0, 0), (100, 1000)), ((100, 0), (0, 0)))
    columns = Moving(ZRange((0, 0), (1000, 100)), ((0, 0), (0, 100)))
    assert parting([rows, columns], (0, 0), (10, 10)) is None
    wide = Moving(ZRange((0, 0), (1000, 500)), ((0, 0), (0, 500)))
    assert parting([rows._replace(box=ZRange((0, 0), (500, 1000))), wide], (0, 0), (2, 2))
