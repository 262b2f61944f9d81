import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.operators.images.spline_reads import cells_read
from dask_tapestry_kernels.cpu.blocks.spline_taps import taps
from tests.examples import examples

MODES = "reflect constant nearest mirror wrap grid-constant grid-wrap".split()
COORDINATES = st.one_of(
    st.floats(-60, 60), st.integers(-60, 60).map(float), st.integers(-60, 60).map(lambda n: n / 2)
)


@given(st.lists(COORDINATES, min_size=1), st.integers(1, 20), st.integers(0, 5), st.data())
@examples(300)
def test_cells_of_all_coordinates_between_are_in_it(numbers, n, order, data):
    mode = data.draw(st.sampled_from(MODES))
    c = np.array(numbers)
    first, end = cells_read(c.min(), c.max(), n, order, mode)
    assert 0 <= first <= end <= n
    found = taps(c, n, order, mode)
    places = found.places[:, ~found.outside]
    places = places[places >= 0]
    if places.size:
        assert first <= places.min()
        assert places.max() < end
    part = c[: data.draw(st.integers(1, len(c)))]
    low, high = cells_read(part.min(), part.max(), n, order, mode)
    assert first <= low <= high <= end


def test_no_more_is_read_than_cells_near_by():
    for mode in MODES:
        assert cells_read(30.5, 40.5, 100, 3, mode) == (29, 43)
    assert cells_read(-2.5, -1.5, 100, 1, "mirror") == (1, 4)
    assert cells_read(101.5, 103.0, 100, 1, "grid-wrap") == (1, 5)
    assert cells_read(-5.0, -2.0, 100, 1, "constant") == (0, 0)
    assert cells_read(np.inf, np.inf, 100, 1, "nearest") == (99, 100)
    assert cells_read(np.nan, 3.0, 100, 1, "constant") == (0, 100)
