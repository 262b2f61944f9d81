import numpy as np

import dask_tapestry as dt
from dask_tapestry.diagnostics.signature_summaries import formulas, told_signatures
from dask_tapestry.zspace import IndexProjection


def signatures(*arrays):
    steps = dt.plan(*arrays).core.steps.values()
    return [one for step in steps for one in told_signatures(step)]


def test_a_users_operator_has_the_names_of_its_index():
    @dt.block_operator(
        index={"batch": "parallel", "out": "parallel", "in": dt.reduce_over("sum")},
        inputs={"x": "batch in", "w": "in out"},
        outputs={"z": "batch out"},
    )
    def linear(x, w):
        return x @ w

    (found,) = signatures(linear(np.ones((4, 3)), np.ones((3, 5))))
    assert [dim[:2] for dim in found.dims] == [("batch", 4), ("out", 5), ("in", 3)]
    assert found.dims[2][2] == "reduction"
    cells = [axes for _, axes in found.tensors]
    assert cells == [("batch", "out"), ("batch", "in"), ("in", "out")]
    assert found.marginal[1] == ((1, 0), (0, 0), (0, 1))


def test_formulas_have_offsets_windows_and_dilations():
    assert formulas(IndexProjection([[2]], [-1], [3]), ["i"]) == ("2*i + -1 + [0:3]",)
    assert formulas(IndexProjection([[0]], [0], [1]), ["i"]) == ("0",)
    assert formulas(IndexProjection([[0]], [0], [7]), ["i"]) == ("[0:7]",)


def test_formulas_of_cells_have_no_signature():
    assert signatures(dt.ones(3) + 1) == []


def test_dimensions_have_the_names_of_the_arrays():
    x = dt.placeholder((8, 6), "f8", dims=("time", "place"))
    (found, *_) = signatures(x.mean(axis="time"))
    assert [dim[0] for dim in found.dims] == ["time", "place"]
    assert dict(found.tensors)["input 1"] == ("time", "place")
    y = dt.placeholder((6, 5), "f8", dims=("place", "kind"))
    (product,) = signatures(x @ y)
    assert {dim[0] for dim in product.dims} == {"time", "place", "kind"}


def test_a_name_is_of_one_index_dimension():
    x = dt.placeholder((8, 6), "f8", dims=("m", None))
    y = dt.placeholder((6, 8), "f8", dims=(None, "m"))
    (found,) = signatures(x @ y)
    names = [dim[0] for dim in found.dims]
    assert len(set(names)) == len(names)
