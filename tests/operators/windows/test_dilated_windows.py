import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import dask_tapestry as dt
from dask_tapestry.operators.windows.convolution import Convolution, DirectConvolution
from dask_tapestry.operators.windows.dilated_windows import dilated_forms
from tests.comparisons import same_bits
from tests.examples import examples
from tests.operators.in_forms import form_names, formed


def cells(shape, dtype, seed):
    return dt.asarray(np.random.default_rng(seed).normal(size=shape).astype(dtype) * 9)


def convolved(space, window, strides, dilation, dtype="f8", batch=2, channels=1):
    """The convolution that `conv` makes, of two groups."""
    x = cells((batch, 2 * channels, *space), dtype, 0)
    k = cells((10 * channels, channels, *window), dtype, 1)
    graph = dt.nn.conv(x, k, strides=strides, dilation=dilation, groups=2).teg
    return [node for node in graph if isinstance(node.operator, Convolution)].pop()


axes = st.tuples(
    st.integers(1, 9), st.integers(1, 3), st.sampled_from([1, 1, 2, 3]), st.integers(1, 7)
)


@examples(60)
@given(
    st.lists(axes, min_size=1, max_size=3),
    st.sampled_from(["f8", "f4", "i2", "?", "c8"]),
    st.integers(0, 2),
)
def test_every_dilation_in_phases_has_the_same_bits(sides, dtype, batch):
    more, window, strides, dilation = zip(*sides, strict=True)
    spans = [d * (w - 1) + n for n, w, d in zip(more, window, dilation, strict=True)]
    node = convolved(spans, window, strides, dilation, dtype, batch)
    if "phases" not in form_names(node):
        pairs = zip(node.operator.strides, node.operator.dilation, strict=True)
        assert all(s > 1 or d == 1 for s, d in pairs)
        return
    made = formed(node, "phases", 1)
    assert made.type == node.type
    whole, parts = dt.plan(dt.Array(node), dt.Array(made), method="none").compute()
    assert same_bits(parts, whole)


def test_products_by_blas_are_within_rounding():
    node = convolved((20, 17), (3, 3), (1, 1), (4, 5), channels=9)
    assert not isinstance(node.operator, DirectConvolution)
    whole, parts = dt.plan(dt.Array(node), dt.Array(formed(node, "phases", 1))).compute()
    np.testing.assert_allclose(parts, whole, rtol=1e-12, atol=1e-10)


def test_what_has_no_such_form():
    assert dilated_forms((1, 1), (1, 1)) == ()
    assert dilated_forms((2,), (3,)) == ()
    assert [form.name for form in dilated_forms((2, 1), (3, 2))] == ["phases"]
    part = Convolution((1,), (3,), np.dtype("f8"), part=1)
    assert (
        part.forms((cells((1, 1, 1, 9), "f8", 0).node.type, cells((1, 1, 1, 2), "f8", 0).node.type))
        == ()
    )


@pytest.mark.parametrize(("dilation", "taken"), [(2, False), (2**24, True)])
def test_a_plan_takes_phases_where_windows_are_wider_than_blocks(dilation, taken):
    """A window of 9 cells that are 2**24 apart spans 1 GiB, four times a worker's memory."""
    x = dt.sin(dt.broadcast_to(dt.arange(2.0**30), (1, 1, 2**30)))
    y = dt.nn.conv(x, np.ones((1, 1, 9)), dilation=dilation, padding="same")
    plan = dt.plan(y.sum(), resources=dt.Resources(workers=16, threads=4, memory="256 MiB"))
    assert ("permute" in plan.explain(all=True)) is taken
