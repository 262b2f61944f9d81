import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.products.linear import linear

X, W, B = dt.ones((2, 3)), dt.ones((3, 4)), dt.ones(4)


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        (((3,), (3, 4), (4,)), "linear takes x"),
        (((2, 3), (3, 4), (4, 1)), "linear takes x"),
        (((2, 3), (4, 4), (4,)), "dimension in differs"),
        (((2, 3), (3, 4), (3,)), "dimension out differs"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_by_name(shapes, text):
    with pytest.raises(ShapeError, match=text):
        linear(*[dt.ones(s).node for s in shapes])


def test_names_follow_batch_and_out():
    x = X.rename("batch", "in").node
    assert linear(x, W.rename("in", "out").node).type.dims == ("batch", "out")
    assert linear(x, W.node, B.node).type.dims == ("batch", None)
    assert linear(x, W.rename(None, "batch").node).type.dims is None


def test_the_bias_takes_part_in_promotion():
    x, w = X.astype("f2"), W.astype("f2")
    assert linear(x.node, w.node, B.astype("f4").node).type.dtype == "f4"


def test_the_signature_is_the_whitepapers():
    node = linear(X.node, W.node, B.node)
    signature = node.operator.signature(*node.input_types)
    assert [(d.name, d.extent, d.kind.value) for d in signature.index] == [
        ("batch", 2, "parallel"),
        ("out", 4, "parallel"),
        ("in", 3, "reduction"),
    ]
