from inspect import signature

import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays.patterns import (
    get_int_or_float_bit_width,
    get_int_type,
    sn_imm,
    sn_iteridx,
    sn_reduce,
    sn_select,
    sn_zipmapreduce,
)


def test_signatures_are_those_of_the_seed():
    assert list(signature(sn_iteridx).parameters) == ["dim", "attrs", "dtype"]
    assert list(signature(sn_imm).parameters) == ["value", "dtype"]
    assert list(signature(sn_select).parameters) == ["cond", "a", "b"]
    assert sn_zipmapreduce is dt.patterns.zipmapreduce
    assert sn_reduce is dt.patterns.reduce


def test_diagonal_fill(shardings):
    x = np.random.default_rng(0).normal(size=(2, 3, 6, 6)).astype("f4")

    def diagonal_fill(attrs, x):
        dim_l = sn_iteridx(dim=2, attrs=attrs, dtype=np.int32)
        dim_r = sn_iteridx(dim=3, attrs=attrs, dtype=np.int32)
        return sn_select(np.greater_equal(dim_l, dim_r), x, sn_imm(-1e9, np.float32))

    filled = sn_zipmapreduce(diagonal_fill, [x])
    wanted = np.where(np.tril(np.ones((6, 6), bool)), x, np.float32(-1e9))
    with shardings.tiny(200):
        made = filled.compute()
    assert made.dtype == np.float32
    np.testing.assert_array_equal(made, wanted)


def test_rotary_embedding(shardings):
    x, x_roll, y, y_roll = np.random.default_rng(0).normal(size=(4, 2, 3, 5, 8)).astype("f4")

    def compute_complex(attrs, x, x_roll, y, y_roll):
        even_out = x * y - x_roll * y_roll
        odd_out = x_roll * y + x * y_roll
        i = sn_iteridx(dim=3, attrs=attrs)
        one = sn_imm(1, get_int_type(get_int_or_float_bit_width(x.dtype)))
        is_odd = np.bitwise_and(i, one)
        return sn_select(is_odd, odd_out, even_out)

    out = sn_zipmapreduce(compute_complex, [x, x_roll, y, y_roll])
    odd = np.arange(8) % 2 == 1
    wanted = np.where(odd, x_roll * y + x * y_roll, x * y - x_roll * y_roll)
    with shardings.tiny(300):
        np.testing.assert_array_equal(out.compute(), wanted)
