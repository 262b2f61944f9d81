import pytest

from dask_tapestry.diagnostics.grid_picture import cuts_of, grid_svg
from dask_tapestry.diagnostics.tuning import MOST_CUTS_DRAWN


@pytest.mark.parametrize("count", [2, 49, 50, 10**6, 2**200])
def test_few_lines_are_drawn_of_any_number_of_cuts(count):
    found = cuts_of((3 * count, count, 3, 3, ()))
    assert 1 <= len(found) <= MOST_CUTS_DRAWN
    assert found == sorted(found)


def test_what_is_not_cut_has_no_picture():
    assert grid_svg([]) == grid_svg([(5, 1, 5, 5, ())]) == ""
    assert grid_svg([(0, 2, 1, 1, ()), (3, 3, 1, 1, ())]) == ""
    assert grid_svg([(9, 3, 3, 3, ())]).count("M") == 2
