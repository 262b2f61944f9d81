import pytest

import dask_tapestry as dt
from dask_tapestry.first import first_of


def test_it_is_the_first():
    assert first_of(iter("abc"), "letter") == "a"
    assert first_of([None], "candidate") is None


def test_none_is_an_error_that_names_what_is_missing():
    with pytest.raises(dt.PlanError, match="no even number"):
        first_of((n for n in (1, 3) if n % 2 == 0), "even number")
    with pytest.raises(dt.PlanError):  # no loop ends early
        list(map(first_of, [[]], ["candidate"]))
