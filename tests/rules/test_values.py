"""Every rule preserves values: random graphs, before and after, node by node in NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rules.broadcasts import BROADCAST_RULES
from dask_tapestry.rules.constants import CONSTANT_RULES
from dask_tapestry.rules.formula_identities import FORMULA_RULES
from dask_tapestry.rules.linear import LINEAR_RULES
from dask_tapestry.rules.slice_pushdown import push_slices
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.teg import Graph
from dask_tapestry.teg.check import check
from tests.comparisons import same_bits
from tests.examples import examples

from .graphs import graph_of, meaning

RULES = (*VIEW_RULES, *CONSTANT_RULES, *LINEAR_RULES, *FORMULA_RULES, *BROADCAST_RULES)
SOURCES = (
    lambda: dt.asarray(np.arange(12.0).reshape(3, 4)),
    lambda: dt.asarray(np.arange(4.0)),
    lambda: dt.full((3, 4), 2.5),
    lambda: dt.full((3, 1), -0.0),
    lambda: dt.arange(0.0, 4.0),
    lambda: dt.zeros((0, 4)),
)
UNARY = (
    lambda x: x.T,
    lambda x: x[::-1],
    lambda x: x[..., ::2],
    lambda x: x[1:],
    lambda x: x[None],
    lambda x: x + 1,
    lambda x: dt.broadcast_to(x, (2, *x.shape)),
    lambda x: x.reshape(-1) if x.size else x,
    lambda x: x.squeeze(),
    lambda x: dt.concatenate([x, x[:0], x]),
    lambda x: dt.roll(x, 1, 0),
    lambda x: dt.pad(x, 1),
    lambda x: dt.interleave([x, x[::-1]], -1),
    lambda x: dt.stack([x, x], -1),
    lambda x: dt.diagonal(x) if x.ndim > 1 else x,
    lambda x: x.sum(axis=-1, keepdims=True),
    lambda x: x.max(axis=0) if x.size else x,
    lambda x: dt.broadcast_to(x, (3, *x.shape)).any(axis=(0, -1)),
    lambda x: dt.broadcast_to(x, (3, *x.shape)).astype("i4").sum(axis=0),
    lambda x: dt.negative(-x) if x.dtype != bool else ~~x,
    lambda x: x.astype("c16").real.astype("f4").astype("f8"),
    lambda x: dt.where(True, x - 0, x * 2),
    lambda x: x.rechunk(2),
    lambda x: dt.nn.linear(dt.ones((2, x.shape[-1])), dt.ones((x.shape[-1], 3)), dt.arange(3.0)),
)


@st.composite
def graphs(draw):
    """One or two roots over shared values."""
    pool = [source() for source in SOURCES]
    for _ in range(draw(st.integers(1, 6))):
        x = draw(st.sampled_from(pool[-4:]))
        if draw(st.booleans()) and x.ndim:
            pool.append(draw(st.sampled_from(UNARY))(x))
        else:
            y = draw(st.sampled_from(pool))
            fits = x.ndim == y.ndim and all(
                m in (1, n) for m, n in zip(y.shape, x.shape, strict=True)
            )
            pool.append(dt.where(x > y, y, x) if fits else x * 2)
    return graph_of(*pool[-draw(st.integers(1, 2)) :])


@examples(200)
@given(graphs(), st.sampled_from([*[(r,) for r in RULES], RULES]))
def test_rules_preserve_values_and_types(graph, rules):
    after = rewrite(graph, (*VIEW_RULES[:1], *rules))
    check(after)
    for old, new in zip(graph.roots, after.roots, strict=True):
        assert (old.type.shape, old.type.dtype) == (new.type.shape, new.type.dtype)
    for old, new in zip(meaning(graph), meaning(after), strict=True):
        assert same_bits(old, new)


@examples(100)
@given(graphs())
def test_rules_come_to_an_end_where_none_applies(graph):
    once = rewrite(graph, RULES)
    assert rewrite(once, RULES) == once
    small = rewrite(push_slices(once), RULES)
    for old, new in zip(meaning(graph), meaning(small), strict=True):
        assert same_bits(old, new)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.__name__)
def test_a_rule_says_what_it_rewrites(rule):
    before, _, after = rule.__doc__.partition("->")
    assert before.count("``") >= 1
    assert after


def test_meaning_is_numpys():
    x = np.arange(12.0).reshape(3, 4)
    y = dt.asarray(x)
    (value,) = meaning(Graph([((y[::-1].T + 1).sum(axis=0)).node]))
    assert np.array_equal(value, (x[::-1].T + 1).sum(axis=0))
