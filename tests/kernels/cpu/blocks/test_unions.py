import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu.blocks.unions import least_joined


def one_by_one(count, pairs):
    least = list(range(count))
    for a, b in pairs:
        low, high = sorted((least[a], least[b]))
        least = [low if one == high else one for one in least]
    return least


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=60))
def test_pairs_join_as_one_by_one(pairs):
    table = np.array(pairs, int).reshape(-1, 2)
    assert least_joined(20, table[:, 0], table[:, 1]).tolist() == one_by_one(20, pairs)


def test_a_long_chain_in_any_order():
    order = np.random.default_rng(0).permutation(100_000)
    assert not least_joined(100_000, order[1:], order[:-1]).any()
    assert least_joined(0, order[:0], order[:0]).tolist() == []
