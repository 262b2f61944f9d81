import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.fold_part import FoldPart, globalize, last_level, tells_places

PLACES = np.dtype([("value", "f8"), ("place", "i8")])


def part(state, target=None):
    return FoldPart(
        "sum", (0,), Tree((5000,)), (0,), np.dtype("f8"), np.dtype(state), 0.0, None, target
    )


def test_levels_and_places_that_parts_tell_of():
    assert last_level(part("f8")) == Tree((5000,)).depth
    assert last_level(part("f8", 1)) == 1
    assert tells_places(part(PLACES))
    assert not tells_places(part("f8"))


def test_places_become_numbers_over_the_reduced_axes():
    line = np.zeros(3, PLACES)
    line["place"] = 2
    globalize(line, (10,), (slice(5, 35),), (100,), (500,))
    assert line["place"].tolist() == [107, 117, 127]
    box = np.zeros((1, 2), PLACES)
    box["place"] = 4  # (1, 1) of a leaf of sides (2, 3)
    globalize(box, (2, 3), (slice(4, 6), slice(0, 6)), (0, 0), (10, 20))
    assert box["place"].tolist() == [[5 * 20 + 1, 5 * 20 + 4]]
