import numpy as np
import pytest

import dask_tapestry as dt
from tests.covering import seeds_of

from .oracle import scatters
from .test_gathering import INDICES, OPERAND

RFC = {
    "update_window_dims": [3, 4],
    "inserted_window_dims": [1],
    "input_batching_dims": [0],
    "scatter_indices_batching_dims": [1],
    "scatter_dims_to_operand_dims": [2, 1],
    "index_vector_dim": 3,
}
RESULT = [
    [
        [[3, 4], [6, 7], [6, 7], [7, 8]],
        [[9, 10], [11, 12], [15, 16], [17, 18]],
        [[17, 18], [19, 20], [22, 23], [24, 25]],
    ],
    [
        [[25, 26], [28, 29], [30, 31], [31, 32]],
        [[35, 36], [38, 39], [38, 39], [39, 40]],
        [[41, 42], [44, 45], [46, 47], [47, 48]],
    ],
]
ROWS = {
    "update_window_dims": [],
    "inserted_window_dims": [0],
    "scatter_dims_to_operand_dims": [0],
    "index_vector_dim": 1,
}


@pytest.mark.parametrize("block_bytes", [8, 64, 10**6])
@pytest.mark.parametrize("computation", ["add", lambda a, b: a + b])
def test_the_example_of_the_rfc(block_bytes, computation):
    updates = np.ones((2, 2, 3, 2, 2), "i8")
    with dt.config(block_bytes=block_bytes):
        found = dt.stablehlo.scatter(OPERAND, INDICES, updates, computation, **RFC)
        np.testing.assert_array_equal(found.compute(), RESULT)


@pytest.mark.parametrize("first", seeds_of(range(0, 160, 40), 2))
def test_random_dimension_numbers_agree_with_the_specification(first):
    assert [seed for seed in range(first, first + 40) if not scatters(seed)] == []


def test_cells_out_of_bounds_are_dropped_one_by_one():
    windows = {"update_window_dims": [1], "inserted_window_dims": []}
    found = dt.stablehlo.scatter(
        dt.zeros(4), [[-1], [3]], [[1.0, 2], [3, 4]], "add", **ROWS | windows
    )
    assert found.compute().tolist() == [2, 0, 0, 3]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("add", [12, 5]), ("mul", [120, 0]), ("min", [2, 0]), ("max", [6, 5]), ("update", [4, 5])],
)
def test_computations_by_name(name, expected):
    x, updates = dt.asarray([2, 0]), dt.asarray([6, 5, 10, 4])
    if name == "min":
        updates = dt.asarray([6, 5, 3, 4])
    elif name in ("max", "add", "mul", "update"):
        updates = dt.asarray({"add": [6, 5, 0, 4], "max": [6, 5, 3, 4]}.get(name, [6, 5, 10, 4]))
        if name == "mul":
            updates = dt.asarray([6, 5, 10, 1])
    found = dt.stablehlo.scatter(x, [0, 1, 0, 0], updates, name, **ROWS)
    assert found.compute().tolist() == expected


def test_several_inputs_are_computed_together():
    def larger(cell, place, update, where):
        taken = update > cell
        return dt.where(taken, update, cell), dt.where(taken, where, place)

    cells, places = (np.full(2, -1.0), np.zeros(2, "i8")), [1, 0, 1, 1]
    updates = np.array([3.0, 2, 7, 5]), np.arange(4)
    most, at = dt.stablehlo.scatter(cells, places, updates, larger, **ROWS)
    assert dt.compute(most, at)[0].tolist() == [2, 7]
    assert at.compute().tolist() == [1, 2]


def test_one_input_in_a_tuple_is_one_result_in_a_tuple():
    (found,) = dt.stablehlo.scatter((dt.zeros(2),), [1], (np.ones(1),), "add", **ROWS)
    assert found.compute().tolist() == [0, 1]


def test_results_are_of_promoted_types():
    x, updates = np.full(2, 100, "i1"), np.full(2, 100, "i1")
    found = dt.stablehlo.scatter(x, [0, 0], updates, "add", element_types=["i4"], **ROWS)
    assert found.dtype == "i4"
    assert found.compute().tolist() == [300, 100]
    with pytest.raises(dt.ConstraintError, match=r"\(C23\) inputs do not promote"):
        dt.stablehlo.scatter(x, [0, 0], updates, "add", element_types=["f4"], **ROWS)


def test_what_a_function_returns_is_checked():
    x, updates = dt.zeros(2, "f4"), dt.ones(1, "f4")
    given = (x, [0], updates)
    with pytest.raises(dt.ConstraintError, match=r"\(C23\).*\['float64'\], not \['float32'\]"):
        dt.stablehlo.scatter(*given, lambda a, b: (a + b).astype("f8"), **ROWS)
    with pytest.raises(dt.ConstraintError, match=r"\(C23\)"):
        dt.stablehlo.scatter(*given, lambda a, b: (a, b), **ROWS)
    with pytest.raises(dt.TraceError, match="no value yet"):
        dt.stablehlo.scatter(*given, lambda a, b: a if a > b else b, **ROWS)
    with pytest.raises(dt.ArgumentError, match="'sub'"):
        dt.stablehlo.scatter(*given, "sub", **ROWS)
    with pytest.raises(dt.DTypeError, match="scatter_indices must be integers"):
        dt.stablehlo.scatter(x, [0.0], updates, "add", **ROWS)


def test_every_broken_constraint_is_named_in_order():
    wrong = {"inserted_window_dims": [-1], "scatter_dims_to_operand_dims": [3]}
    with pytest.raises(dt.ConstraintError) as caught:
        dt.stablehlo.scatter(dt.zeros(2), [0], np.ones(2, "f4"), "add", **ROWS | wrong)
    lines = str(caught.value).splitlines()
    assert lines[0] == "scatter breaks"
    assert [line.split()[0] for line in lines[1:]] == ["(C4)", "(C6)", "(C11)", "(C21)"]
