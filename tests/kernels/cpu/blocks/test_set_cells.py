import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import set_cells
from dask_tapestry_kernels.cpu.blocks.set_cells import Side, chosen

NUMPY_S = {"both": np.intersect1d, "first": np.setdiff1d, "one": np.setxor1d}
MANY = st.lists(st.sampled_from([np.nan, np.inf, -2.0, 0.0, 1.0, 5.0]), max_size=30)


def buckets(choice, span, x, y):
    return KERNELS["setcells"](None, x, y, choice=choice, span=span, keep=())


@given(MANY, MANY, st.sampled_from(list(NUMPY_S)), st.integers(1, 9), st.integers(1, 9))
def test_all_buckets_together_are_what_numpy_chooses(x, y, choice, span, piece):
    x, y = np.array(x), np.array(y)
    usual, set_cells.PIECE = set_cells.PIECE, piece
    try:
        made = buckets(choice, span, x, y)
    finally:
        set_cells.PIECE = usual
    assert made.shape == (-(-(x.size + y.size) // span),)
    np.testing.assert_array_equal(np.concatenate([x[:0], *made.held]), NUMPY_S[choice](x, y))


def test_sizes_are_those_of_the_buckets():
    made = buckets("first", 2, np.array([2, np.nan, 1, 2, np.nan]), np.array([1.0]))
    assert [one.size for one in made.held] == [0, 1, 1]
    assert KERNELS["bucketsizes"](None, made).tolist() == [0, 1, 1]


def test_what_lies_beside_a_consumer_counts():
    none = np.array([], int)
    x = Side(np.array([3]), np.array([3, 4]), np.array([7]))
    y = Side(np.array([4]), np.array([5, 7, 7]), none)
    first, last = (part.cells.tolist() for part in chosen(x, y, "one"))
    assert (first, last) == ([], [5])
    assert chosen(x, y, "both")[0].cells.tolist() == [4]
