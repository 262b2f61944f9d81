import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.reductions.monoids import ARG_REDUCTIONS
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.teg import apply

X = dt.ones((4, 6, 8), dims=("a", "b", "c")).node


def test_names_of_kept_axes_stay():
    assert reduce(X, "sum", (0, -1)).type.dims == ("b",)
    assert reduce(X, "sum", 1, keepdims=True).type.shape == (4, 1, 8)


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_nothing_has_no_least_cell(name):
    empty = dt.ones((0, 3)).node
    said = (
        f"get {name} of an empty" if name in ARG_REDUCTIONS else f"{name}imum which has no identity"
    )
    with pytest.raises(ShapeError, match=said):
        reduce(empty, name, 0)
    assert reduce(empty, name, 1).type.shape == (0,)


def test_no_axes_leave_every_cell():
    x = np.arange(6, dtype="i1").reshape(2, 3)
    value = dt.Array(reduce(dt.asarray(x).node, "sum", ()))
    assert value.dtype == "i8"
    assert np.array_equal(value.compute(), x)


def test_the_kinds_of_index_dimensions_say_what_a_cut_takes():
    whole = reduce(X, "sum", 1)
    kinds = [d.kind.value for d in whole.operator.signature(X.type).index]
    assert kinds == ["parallel", "reduction", "parallel"]
    partial = apply(type(whole.operator)(**{**vars_of(whole.operator), "target": 0}), X)
    kinds = [d.kind.value for d in partial.operator.signature(X.type).index]
    assert kinds == ["parallel"] * 3


def vars_of(operator):
    return {name: getattr(operator, name) for name in operator.__dataclass_fields__}


def test_the_text_says_monoid_axes_and_levels():
    whole = reduce(X, "mean", (0, 2)).operator
    part = type(whole)(**{**vars_of(whole), "source": 1, "target": 3})
    assert whole.text() == "mean, axes=(0, 2)"
    assert part.text() == "mean, axes=(0, 2), from level 1, to level 3"
