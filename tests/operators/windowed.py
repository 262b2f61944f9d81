"""Operators of windows under every cut: one value, and no more read than windows reach."""

import numpy as np

import dask_tapestry as dt
from tests.comparisons import same_bits

KEYS = (
    np.s_[3:9],
    np.s_[:, 5:1:-1],
    np.s_[::2, 1::3],
    np.s_[7, 4],
    np.s_[2:2],
    np.s_[-1:, :3],
)


def check_cuts(make, x, shardings):
    """One value for every layout of the operand and of the result, which is the reference's."""
    node = make(dt.asarray(x).node)
    whole = dt.Array(node).compute()
    assert same_bits(whole, np.ascontiguousarray(node.operator.reference(x)))
    for chunks in ((7, 9), (1, 40), (23, 5), (40, 1)):
        cut = dt.asarray(x).rechunk(chunks)
        with shardings.tiny(900):
            plan = dt.plan(made := dt.Array(make(cut.node)))
            plan.verify()
            assert same_bits(made.compute(), whole)
        assert same_bits(dt.Array(node).rechunk(chunks).compute(), whole)
    for key in KEYS:
        assert same_bits(dt.Array(node)[key].compute(), np.array(whole[key], order="C"))


def check_reads(make, window):
    """A slice of the result reads its cells and what windows reach beyond."""
    made = dt.Array(make(dt.ones((1000, 900)).node))[400:410, ::4][:, :5]
    text = str(made.plan().teg)
    assert f"full(({10 + window[0] - 1}, {17 + window[1] - 1}), 1.0)" in text
