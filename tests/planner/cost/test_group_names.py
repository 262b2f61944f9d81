import numpy as np
import pytest
from dask.utils import key_split

import dask_tapestry as dt
from dask_tapestry.planner.cost.group_names import computed_word, group_name
from tests.planner.graphs import FOUR


def names_of(*values):
    return [step.name for step in dt.plan(*values, resources=FOUR).core.steps.values()]


@pytest.fixture
def x():
    return dt.placeholder((4000, 4000), "f8", stored_chunks=(500, 500))


def test_they_begin_with_what_the_user_called(x):
    ends, last = names_of(dt.sort(x, axis=0)[:3])
    assert (key_split(ends), key_split(last)) == ("sort", "getitem"), "few cells are held"
    (*_, last) = names_of(dt.sort(x, axis=0)[:3000])
    assert key_split(last) == "sort"
    assert {key_split(name) for name in names_of(x.max())} == {"max"}


def test_reductions_of_one_pass_are_all_named(x):
    names = [key_split(name) for name in names_of(x.mean(axis=0), x.std(axis=0))]
    assert "mean-std" in names


def test_writes_are_named_by_what_they_write(x, tmp_path):
    write = dt.to_zarr(dt.sqrt(dt.asarray(np.ones(4))), tmp_path / "y", compute=False)
    assert [key_split(name) for name in names_of(write)] == ["sqrt-store"]
    plain = dt.to_zarr(dt.asarray(np.ones(4)), tmp_path / "z", compute=False)
    assert [key_split(name) for name in names_of(plain)] == ["store"]


def test_a_users_function_is_named_as_itself():
    def smooth(block):
        return block

    names = names_of(dt.ones((40, 40)).map_blocks(smooth, dtype="f8"))
    assert key_split(names[-1]) == "smooth"


def test_what_is_only_read_is_named_by_its_source(x):
    node = x.node
    assert computed_word([node]) == ""
    assert group_name(node, [node]) == "placeholder"


def test_functions_that_are_formulas_have_the_name_that_was_called(x):
    draws = dt.random.default_rng(0).normal(size=(4000, 4000))
    assert key_split(names_of(draws.sum(axis=0), draws)[0]) == "normal"
    assert key_split(names_of(dt.nn.softmax(x, axis=1))[-1]) == "softmax"
    assert key_split(names_of(dt.sqrt(x) + 1)[-1]) == "add"
