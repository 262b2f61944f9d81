import pickle

import dask
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.teg.annotations import NONE, Annotations, annotations_in_force, joined

CALLED = {"priority": lambda key: len(key)}
SAID = st.fixed_dictionaries(
    {},
    optional={
        "priority": st.integers(-3, 3),
        "retries": st.integers(0, 3),
        "workers": st.lists(st.sampled_from("abc"), min_size=1, unique=True),
        "resources": st.dictionaries(st.sampled_from(["GPU", "MEM"]), st.integers(1, 3)),
        "allow_other_workers": st.booleans(),
        "purpose": st.sampled_from(["one", "two"]),
    },
)


def of(**said):
    return Annotations.of(said)


def test_nodes_have_those_of_the_blocks_they_are_made_in():
    x = dt.arange(5)
    with dask.annotate(priority=1):
        y = x + 1
        with dask.annotate(retries=2):
            z = y * 3
        w = z - 1
    assert [a.node.annotations.said for a in (x, y, z, w)] == [
        {}, {"priority": 1}, {"priority": 1, "retries": 2}, {"priority": 1}
    ]  # fmt: skip
    assert annotations_in_force() is NONE


def test_they_are_part_of_a_nodes_identity():
    x = dt.arange(5)
    with dask.annotate(priority=1):
        one = x + 1
    with dask.annotate(priority=1):
        same = x + 1
    with dask.annotate(priority=2):
        other = x + 1
    assert one.node is same.node
    assert len({one.node, other.node, (x + 1).node}) == 3


def test_they_travel():
    with dask.annotate(workers="alice", priority=1):
        x = dt.arange(5) + 1
    assert pickle.loads(pickle.dumps(x)).node is x.node
    assert pickle.loads(pickle.dumps(NONE)) is NONE


@pytest.mark.parametrize(
    ("several", "together"),
    [
        ([{"priority": 1}, {}, {"priority": 4, "retries": 1}], {"priority": 4, "retries": 1}),
        ([{"workers": ["a", "b"]}, {"workers": ["c", "b"]}], {"workers": ["b"]}),
        ([{"workers": ["a"]}, {"workers": ["b"]}], None),
        ([{"workers": ["a", "b"]}, {"workers": ["b", "c"]}, {"workers": ["c", "a"]}], None),
        ([{"resources": {"GPU": 1}}, {"resources": {"GPU": 2}}], {"resources": {"GPU": 2}}),
        ([{"resources": {"GPU": 1}}, {"resources": {"MEM": 2}}], None),
        ([{"resources": {"GPU": 1}}, {"workers": ["a"]}], None),
        ([{"resources": {"GPU": 1}}, {"priority": 1}], {"resources": {"GPU": 1}, "priority": 1}),
        (
            [{"workers": ["a"], "allow_other_workers": True}, {"workers": ["a"]}],
            {"workers": ["a"], "allow_other_workers": False},
        ),
        ([{"purpose": "one"}, {}], {"purpose": "one"}),
        ([{"purpose": "one"}, {"purpose": "two"}], None),
        ([CALLED, {"priority": 1}], None),
        ([CALLED, {}, CALLED], CALLED),
        ([], {}),
    ],
)
def test_joined(several, together):
    made = joined(map(Annotations.of, several))
    assert (made if made is None else made.said) == together


@given(st.lists(SAID, min_size=1, max_size=4))
def test_what_is_joined_is_joined_with_its_parts(several):
    parts = [Annotations.of(said) for said in several]
    made = joined(parts)
    if made is not None:
        assert all(joined((made, part)) == made for part in parts)
        assert joined((made, *parts)) == made
        for said in several:
            assert set(made.said.get("workers", ())) <= set(said.get("workers", "abc"))
            assert made.said.get("retries", 0) >= said.get("retries", 0)


def test_nothing_is_joined_where_dask_may_not():
    with dask.config.set({"optimization.annotations.fuse": False}):
        assert joined((of(priority=1), of(priority=2))) is None
        assert joined((of(priority=1), NONE)) is None
        assert joined((of(priority=1), of(priority=1))) == of(priority=1)


def test_arrays_are_what_they_are_without(tmp_path):
    cells = np.random.default_rng(0).random((60, 40))

    def work(x):
        y = (x - x.mean(axis=0)) / x.std(axis=0)
        return y[3:, ::2].T @ y[3:, ::2]

    with dask.annotate(priority=5, retries=1):
        noted = work(dt.asarray(cells))
    assert np.asarray(noted).tobytes() == np.asarray(work(dt.asarray(cells))).tobytes()
