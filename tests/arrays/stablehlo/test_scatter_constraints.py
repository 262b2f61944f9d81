from dataclasses import replace

import numpy as np
import pytest

from dask_tapestry.arrays.stablehlo.scatter_constraints import (
    CONSTRAINTS,
    ScatterCall,
    is_promotable,
)
from dask_tapestry.teg import TensorType

I4, I8 = np.dtype("i4"), np.dtype("i8")
INPUT, UPDATES = TensorType((2, 3, 4, 2), I4), TensorType((2, 2, 3, 2, 2), I4)
LEGAL = ScatterCall(
    inputs=(INPUT,),
    scatter_indices=(2, 2, 3, 2),
    updates=(UPDATES,),
    update_window_dims=(3, 4),
    inserted_window_dims=(1,),
    scatter_dims_to_operand_dims=(2, 1),
    index_vector_dim=3,
    input_batching_dims=(0,),
    scatter_indices_batching_dims=(1,),
    element_types=(I8,),
    computed=(I8,),
    results=(TensorType((2, 3, 4, 2), I8),),
)
OTHER = TensorType((2, 3, 4, 1), I4)
BROKEN = [
    (1, {"inputs": (INPUT, OTHER)}),
    (2, {"inserted_window_dims": ()}),
    (3, {"updates": (UPDATES, OTHER)}),
    (4, {"updates": (OTHER,)}),
    (4, {"updates": (TensorType((2, 2, 2, 2, 2), I4),)}),
    (4, {"updates": (TensorType((2, 2, 3, 5, 2), I4),)}),
    (5, {"updates": ()}),
    (5, {"inputs": (), "updates": ()}),
    (6, {"updates": (TensorType(UPDATES.shape, I8),)}),
    (7, {"update_window_dims": (4, 3)}),
    (7, {"update_window_dims": (3, 3)}),
    (8, {"update_window_dims": (3, 5)}),
    (8, {"update_window_dims": (-1, 4)}),
    (9, {"inserted_window_dims": (0,)}),
    (10, {"inserted_window_dims": (3, 1)}),
    (11, {"inserted_window_dims": (4,)}),
    (11, {"inserted_window_dims": (-3,)}),
    (12, {"input_batching_dims": (1, 0)}),
    (13, {"input_batching_dims": (4,)}),
    (13, {"input_batching_dims": (-4,)}),
    (14, {"scatter_indices_batching_dims": (1, 1)}),
    (15, {"scatter_indices_batching_dims": (4,)}),
    (15, {"scatter_indices_batching_dims": (-1,)}),
    (16, {"scatter_indices_batching_dims": (3,)}),
    (17, {"scatter_indices_batching_dims": ()}),
    (18, {"scatter_indices_batching_dims": (2,)}),
    (19, {"scatter_dims_to_operand_dims": (2,)}),
    (20, {"scatter_dims_to_operand_dims": (0, 1)}),
    (21, {"scatter_dims_to_operand_dims": (4, 1)}),
    (21, {"scatter_dims_to_operand_dims": (2, -1)}),
    (22, {"index_vector_dim": -1}),
    (22, {"index_vector_dim": 5}),
    (23, {"element_types": (np.dtype("i2"),)}),
    (23, {"element_types": (I8, I8)}),
    (23, {"computed": (I4,)}),
    (23, {"computed": (I8, I8)}),
    (24, {"results": (TensorType((2, 3, 4), I8),)}),
    (25, {"results": (INPUT,)}),
]


def test_there_are_all():
    assert sorted(CONSTRAINTS) == list(range(1, 26))
    assert {number for number, _ in BROKEN} == set(CONSTRAINTS)


@pytest.mark.parametrize("number", CONSTRAINTS)
def test_a_legal_call_breaks_none(number):
    assert CONSTRAINTS[number](LEGAL) is None
    assert CONSTRAINTS[number](replace(LEGAL, computed=None, results=None)) is None


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


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [("?", "?", True), ("u1", "i4", True), ("i8", "i4", False), ("f4", "c16", False)],
)
def test_promotion_keeps_the_kind(source, target, expected):
    assert is_promotable(np.dtype(source), np.dtype(target)) is expected
