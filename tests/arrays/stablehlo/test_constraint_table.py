import pytest

from dask_tapestry.arrays.stablehlo.constraint_table import (
    check,
    combined,
    invalid_dims,
    is_sorted,
    is_unique,
    not_ascending,
    numbered,
    repeated,
    strange,
    unlike_extents,
    unsorted,
    vector_length,
    vectors_of,
)
from dask_tapestry.errors import ConstraintError


def test_all_broken_constraints_are_named_in_order():
    table = {}

    @numbered(table, 12)
    def is_small(call):
        return "too large" if call > 9 else None

    @numbered(table, 2)
    def is_even(call):
        return "odd" if call % 2 else None

    check("it", table, 4)
    check("it", table, 11, only=())
    with pytest.raises(ConstraintError, match=r"^it breaks\n  \(C2\) odd\n  \(C12\) too large$"):
        check("it", table, 11)
    with pytest.raises(ConstraintError, match=r"^it breaks\n  \(C12\) too large$"):
        check("it", table, 11, only=[12])


def test_dimensions():
    assert is_unique((2, 1))
    assert not is_unique((1, 1))
    assert is_sorted((1, 1, 3))
    assert not is_sorted((2, 1))
    assert invalid_dims((-1, 0, 2), 2) == [-1, 2]


def test_vectors():
    assert vectors_of((2, 3, 4), 1) == (2, 4)
    assert [vector_length((2, 3), dim) for dim in (-1, 0, 2)] == [None, 2, 1]


def test_shapes_are_combined():
    assert combined((2, 3), (7, 8), (0, 2)) == (7, 2, 8, 3)
    assert combined((2,), (7,), (2,)) is None
    assert combined((2,), (7,), ()) is None


def test_what_is_said_of_dimensions():
    for said in (repeated, unsorted, not_ascending):
        assert said("dims", (0, 2, 3)) is None
    assert repeated("dims", (1, 0, 1)) == "dims [1, 0, 1] are not unique"
    assert unsorted("dims", (1, 0)) == "dims [1, 0] are not sorted"
    assert not_ascending("dims", (0, 0)) == "dims [0, 0] are not unique and sorted"
    assert strange("dims", (0, 1), 2) is None
    assert strange("dims", (-1, 0, 2), 2) == "dims [-1, 2] are none of 2"
    assert strange("dims", (2,), 2, "the result's") == "dims [2] are none of the result's 2"


def test_batching_dimensions_have_one_extent():
    shapes = (3, 4, 5), (4, 3)
    assert unlike_extents("x and y", shapes, ((0, 1, 9), (1, 0, 0))) is None
    assert unlike_extents("x and y", shapes, ((0,), (0,))) == (
        "batching dimensions of x and y differ: [(3, 4)]"
    )
