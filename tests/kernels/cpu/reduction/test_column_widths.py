from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu.reduction.column_widths import (
    AGAIN_BYTES,
    LEAST_AGAIN,
    LEAST_STRIP,
    MOST_FORMULAS,
    WIDTH,
    columns_at_a_time,
    columns_read_again,
    whole_vectors,
)

STRIPS = st.integers(LEAST_STRIP // WIDTH, 1000).map(lambda vectors: vectors * WIDTH)


@given(STRIPS, st.integers(0, MOST_FORMULAS), st.integers(1, 10**6))
def test_the_columns_of_all_formulas_fit_in_a_lane(strip, formulas, kept):
    width = columns_at_a_time(strip, formulas, kept)
    assert width > 0
    assert width % WIDTH == 0
    assert width * max(1, formulas) <= strip
    assert whole_vectors(min(width, kept)) <= width


@given(STRIPS, st.integers(0, MOST_FORMULAS), st.integers(1, 10**6))
def test_strips_are_as_even_as_vectors_allow(strip, formulas, kept):
    width = columns_at_a_time(strip, formulas, kept)
    strips = -(-kept // width)
    assert width - WIDTH < -(-kept // strips) <= width


@given(st.integers(1, 4096), st.sampled_from([1, 4, 8, 16]), st.integers(1, 10**6))
def test_columns_that_are_read_again_stay_in_a_cache_or_are_few(n, item, kept):
    columns = columns_read_again(n, item, kept)
    assert 0 < columns <= kept
    assert columns <= LEAST_AGAIN or columns * n * item <= AGAIN_BYTES
    assert columns == kept or columns % WIDTH == 0
