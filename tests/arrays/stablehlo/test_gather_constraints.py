from dataclasses import replace

import numpy as np
import pytest

from dask_tapestry.arrays.stablehlo.gather_constraints import CONSTRAINTS, GatherCall
from dask_tapestry.teg import TensorType

LEGAL = GatherCall(
    operand=(2, 3, 4, 2),
    start_indices=(2, 2, 3, 2),
    offset_dims=(3, 4),
    collapsed_slice_dims=(1,),
    start_index_map=(2, 1),
    index_vector_dim=3,
    slice_sizes=(1, 1, 2, 2),
    operand_batching_dims=(0,),
    start_indices_batching_dims=(1,),
    dtype=np.dtype("i4"),
    result=TensorType((2, 2, 3, 2, 2), np.dtype("i4")),
)
BROKEN = [
    (1, {"offset_dims": (3,)}),
    (2, {"index_vector_dim": -1}),
    (2, {"index_vector_dim": 5}),
    (3, {"start_index_map": (2,)}),
    (3, {"index_vector_dim": 4}),
    (4, {"offset_dims": (4, 3)}),
    (4, {"offset_dims": (3, 3)}),
    (5, {"offset_dims": (3, 5)}),
    (5, {"offset_dims": (-1, 4)}),
    (6, {"collapsed_slice_dims": (0,)}),
    (7, {"collapsed_slice_dims": (3, 1)}),
    (8, {"collapsed_slice_dims": (4,)}),
    (8, {"collapsed_slice_dims": (-3,)}),
    (9, {"slice_sizes": (1, 2, 2, 2)}),
    (10, {"operand_batching_dims": (1, 0)}),
    (11, {"operand_batching_dims": (4,)}),
    (11, {"operand_batching_dims": (-4,)}),
    (12, {"slice_sizes": (2, 1, 2, 2)}),
    (13, {"start_indices_batching_dims": (1, 1)}),
    (14, {"start_indices_batching_dims": (4,)}),
    (14, {"start_indices_batching_dims": (-1,)}),
    (15, {"start_indices_batching_dims": (3,)}),
    (16, {"start_indices_batching_dims": ()}),
    (17, {"start_indices_batching_dims": (2,)}),
    (18, {"start_index_map": (0, 1)}),
    (18, {"start_index_map": (1, 1)}),
    (19, {"start_index_map": (4, 1)}),
    (19, {"start_index_map": (2, -1)}),
    (20, {"slice_sizes": (1, 1, 2)}),
    (21, {"slice_sizes": (1, 1, 5, 2)}),
    (21, {"slice_sizes": (1, 1, -1, 2)}),
    (22, {"result": TensorType((2, 2, 3, 2, 1), np.dtype("i4"))}),
    (23, {"result": TensorType((2, 2, 3, 2, 2), np.dtype("i8"))}),
]


def test_there_are_all():
    assert sorted(CONSTRAINTS) == list(range(1, 24))
    assert {number for number, _ in BROKEN} == set(CONSTRAINTS)


@pytest.mark.parametrize("number", CONSTRAINTS)
def test_a_legal_call_breaks_none(number):
    assert CONSTRAINTS[number](LEGAL) is None
    scalar = replace(LEGAL, start_indices=(2, 2, 3), index_vector_dim=3, start_index_map=(2,))
    assert CONSTRAINTS[number](scalar) is None


@pytest.mark.parametrize(("number", "change"), BROKEN)
def test_a_broken_one_says_how(number, change):
    constraint = CONSTRAINTS[number]
    assert isinstance(constraint(replace(LEGAL, **change)), str)
    assert constraint.__doc__


@pytest.mark.parametrize("number", CONSTRAINTS)
def test_each_can_be_called_whatever_else_is_broken(number):
    for _, change in BROKEN:
        found = CONSTRAINTS[number](replace(LEGAL, **change))
        assert found is None or isinstance(found, str)
