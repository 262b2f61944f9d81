from dataclasses import replace
from itertools import product
from math import gcd

from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.planner.access.domain import Band, Domain, StridedRun, line_of, value_span

COUNTS = st.tuples(st.integers(1, 7), st.integers(1, 7))
FACTOR = st.integers(-4, 4).filter(bool)
FORMS = st.tuples(FACTOR, FACTOR).filter(lambda f: gcd(*f) == 1)


def plane(counts):
    return Domain((0, 0), (StridedRun((1, 0), counts[0]), StridedRun((0, 1), counts[1])))


@given(COUNTS, FORMS, st.integers(-30, 30))
def test_a_line_has_the_places_of_one_value(counts, form, value):
    wanted = [
        place
        for place in product(*map(range, counts))
        if sum(c * t for c, t in zip(form, place, strict=True)) == value
    ]
    line = line_of(plane(counts), form, value)
    found = [] if line is None else [line.domain.block((t,)) for t in range(line.domain.places)]
    assert sorted(found) == wanted
    if line is not None:
        assert [line.place(place) for place in found] == [(t,) for t in range(len(found))]


@given(COUNTS, FORMS, st.integers(-9, 9), st.integers(0, 60))
def test_a_band_is_not_counted(counts, form, low, width):
    domain = replace(plane(counts), band=Band(form, low, low + width))
    assert domain.count == sum(place not in domain.band for place in product(*map(range, counts)))


def test_ways_off_the_line_stay():
    domain = Domain(
        (0, 0, 0), (StridedRun((1, 0, 0), 3), StridedRun((0, 2, 0), 5), StridedRun((0, 0, 1), 3))
    )
    line = line_of(domain, (1, 0, -1), 0)
    assert line.domain.ways == (StridedRun((1, 0, 1), 3), StridedRun((0, 2, 0), 5))
    assert line.place((2, 4, 2)) == (2, 4)


def test_values_of_a_form_lie_between_its_ends():
    assert value_span((2, -1), plane((3, 4)).ways) == (-3, 4)


def test_bands_join():
    assert Band((1, -1), 0, 1).joined(Band((1, -1), -2, 0)) == Band((1, -1), -2, 1)
