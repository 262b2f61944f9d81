import numpy as np

import dask_tapestry as dt
from dask_tapestry.rules.linear import expand_linear

from .graphs import after

X, W, B = np.ones((2, 3), "f4"), np.ones((3, 4), "f4"), np.ones(4, "f4")


def test_expand_linear():
    lines = after(dt.nn.linear(X, W, B), expand_linear).splitlines()
    assert lines[2:] == [
        "%2 = matmul(%0, %1) : float32[2, 4]",
        "%3 = memory() : float32[4]",
        "%4 = broadcast(%3, (2, 4)) : float32[2, 4]",
        "%5 = elementwise(%2, %4) : float32[2, 4]  # add(%2, %4)",
        "return %5",
    ]


def test_without_a_bias_it_is_the_product():
    lines = after(dt.nn.linear(X, W), expand_linear).splitlines()
    assert lines[2:] == ["%2 = matmul(%0, %1) : float32[2, 4]", "return %2"]


def test_the_type_stays():
    for kinds in ("f2 f2 f2", "f2 f4 f8", "i1 i1 i1", "c8 f4 f2"):
        x, w, b = (a.astype(k) for a, k in zip((X, W, B), kinds.split(), strict=True))
        layer = dt.nn.linear(x, w, b)
        assert expand_linear(layer.node).type == layer.node.type
