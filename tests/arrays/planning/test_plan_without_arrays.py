import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.planning.plan_without_arrays import NEEDS_ARRAYS
from dask_tapestry.errors import PlanError


@pytest.fixture
def plan():
    return dt.plan(dt.placeholder((1000, 10), "f8", stored_chunks=(100, 10)).std(axis=0))


@pytest.fixture
def read(plan, tmp_path):
    plan.save(tmp_path / "plan.json")
    return dt.load_plan(tmp_path / "plan.json")


def test_it_explains_and_compares_as_the_plan(plan, read):
    assert read.explain() == repr(read) == plan.explain()
    assert read.diff(plan) == plan.diff(read) == read.diff(read) == "the plans are the same"
    assert read.cost == plan.cost
    other = dt.plan(dt.ones((5, 5)) + 1)
    assert read.diff(other) == plan.diff(other) != "the plans are the same"


@pytest.mark.parametrize("name", sorted(NEEDS_ARRAYS))
def test_what_needs_arrays_says_so(read, name):
    with pytest.raises(PlanError, match=rf"plan has no '{name}': give them, as load_plan\("):
        getattr(read, name)


def test_other_names_are_attribute_errors(read):
    with pytest.raises(AttributeError, match="did you mean 'explain'"):
        read.explian()
    assert not hasattr(read, "__array__")


def test_it_is_drawn(read, tmp_path):
    name = read.visualize(str(tmp_path / "plan.html"), measured={1: (90, 8, 2**20)})
    assert name == str(tmp_path / "plan.html")
    assert "1.5 min" in (tmp_path / "plan.html").read_text("utf-8")
