import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import SignatureError
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.user.block_function import call_blocks, calls
from dask_tapestry.operators.user.user_signature import write


def call(function, inputs, outputs, arrays, dtypes=None, **index):
    written = write("op", index, inputs, outputs, {})
    nodes = [dt.asarray(x).node for x in arrays]
    return [
        dt.Array(n) for n in call_blocks(UserFunction.of(function), written, nodes, dtypes or {})
    ]


def test_what_is_never_read_is_trimmed():
    windows = {"x": dt.IndexProjection([[2]], [1], [3])}
    (made,) = call(
        lambda x: x[:-2:2] + x[2::2], windows, {"z": "at"}, [np.arange(10)], at="parallel"
    )
    assert made.node.inputs[0].type.shape == (9,)
    assert made.compute().tolist() == [4, 8, 12, 16]


def test_an_output_of_several_cells_a_step():
    (made,) = call(
        lambda x: x.repeat(2),
        {"x": "i"},
        {"z": dt.IndexProjection([[2]], [0], [2])},
        [np.arange(4)],
        i="parallel",
    )
    assert made.compute().tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert made[3:6].compute().tolist() == [1, 2, 2]
    assert made.rechunk(3).compute().tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize(
    "projection",
    [
        dt.IndexProjection([[2]], [0], [1]),
        dt.IndexProjection([[1]], [1], [1]),
        dt.IndexProjection([[1]], [0], [2]),
        dt.IndexProjection([[0]], [0], [1]),
        dt.IndexProjection([[1], [1]], [0, 0], [1, 1]),
    ],
)
def test_outputs_are_written_exactly_once(projection):
    with pytest.raises(SignatureError, match="output"):
        call(
            lambda x: x,
            {"x": "i"},
            {"z": projection},
            [np.arange(4)],
            {"z": np.dtype("i8")},
            i="parallel",
        )


def test_a_result_of_another_rank_is_seen_at_once():
    with pytest.raises(SignatureError, match=r"op: output z has 1 dimensions, .* shape \(\)"):
        call(np.sum, {"x": "i"}, {"z": "i"}, [np.arange(4)], i="parallel")


def test_several_outputs_must_be_several():
    with pytest.raises(SignatureError, match="not 2 arrays"):
        call(np.abs, {"x": "i"}, {"y": "i", "z": "i"}, [np.arange(4)], i="parallel")


def test_long_atomic_dimensions_are_tried_on_few_cells():
    seen = []

    def look(x):
        seen.append(x.shape)
        return x

    x = dt.placeholder((10, 10**9), "f4")
    (made,) = call(look, {"x": "i k"}, {"z": "i k"}, [x], i="parallel", k="atomic")
    assert (made.dtype, made.shape, seen) == (np.dtype("f4"), (10, 10**9), [(1, 2)])


def test_operators_know_the_function_that_they_call():
    @dt.block_operator(index={"i": "parallel"}, inputs={"x": "i"}, outputs={"z": "i"})
    def double(x):
        return 2 * x

    operator = double(np.ones(3)).node.operator
    assert [calls(operator, name) for name in ("double", "triple")] == [True, False]
    assert not calls(dt.ones(3).node.operator, "double")
