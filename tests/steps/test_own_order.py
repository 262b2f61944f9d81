import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.own_order import computes_again, dims_in_own_order
from tests.planner.graphs import stored

LINE = tuple(range(0, 101, 10))


def program_of(places):
    x = stored((100, 50), "f8", (100, 1))
    return group_of(dt.take(x * 2, places, axis=0).node, set()).program


def test_places_far_apart_need_what_lies_between_again():
    scattered = program_of(np.random.default_rng(0).permutation(100))
    assert computes_again(scattered, scattered.type.box, 0, LINE)
    ordered = program_of(np.arange(100) // 2 * 2)
    assert not computes_again(ordered, ordered.type.box, 0, LINE)


def test_it_is_asked_of_computed_cells_alone():
    x = stored((100, 50), "f8", (100, 1))
    stored_cells = group_of((x * 2).node, set()).program
    assert not dims_in_own_order(stored_cells)
    assert not computes_again(stored_cells, stored_cells.type.box, 0, LINE)


def test_along_other_dimensions_all_places_are_taken():
    scattered = program_of(np.random.default_rng(0).permutation(100))
    assert dims_in_own_order(scattered) == {0}
    assert not computes_again(scattered, scattered.type.box, 1, (0, 25, 50))


def test_places_inside_of_what_is_joined_are_found():
    x = stored((100, 50), "f8", (100, 1))
    places = np.random.default_rng(0).permutation(100)
    joined = dt.concatenate([x + 1, dt.take(x * 2, places, axis=0), x + 3])
    assert dims_in_own_order(group_of(joined.node, set()).program) == {0}
