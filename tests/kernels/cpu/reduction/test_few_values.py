"""Distinct values of spans, interpreted and compiled, beside NumPy's."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.few_values import SMALL, TOO_MANY

ROW = np.dtype([("value", "u8"), ("count", "i8"), ("first", "i8")])
RANDOM = np.random.default_rng(6)


@pytest.fixture(params=["off", "wait"], autouse=True)
def mode(request):
    with compile_service.mode(request.param):
        yield


def table(x, span, most=16, origin=0):
    return KERNELS["fewvalues"](None, x, span=span, most=most, origin=origin, table=ROW)


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "u4", "f2", "f4", "f8", "i8", "m8[s]"])
@pytest.mark.parametrize("span", [777, SMALL, 3 * SMALL + 5])
def test_values_counts_and_first_places(dtype, span):
    x = RANDOM.integers(0, 2 if dtype == "?" else 14, 2 * SMALL + 9).astype(dtype)
    found = table(x, span, origin=40)
    for row, start in zip(found, range(0, len(x), span), strict=True):
        bits = x[start : start + span].view(f"u{x.itemsize}")
        values, firsts, counts = np.unique(bits, return_index=True, return_counts=True)
        used = len(values)
        assert np.array_equal(row["value"][:used], values)
        assert np.array_equal(row["count"][:used], counts)
        assert np.array_equal(row["first"][:used], firsts + start + 40)
        assert not row["count"][used:].any()


def test_as_many_as_there_is_room_for_and_one_more():
    x = np.arange(2 * SMALL) % 16
    assert (table(x, 2 * SMALL)["count"] == 2 * SMALL // 16).all()
    x[-1] = 99
    found = table(x, SMALL)
    assert found[1, 0]["count"] == TOO_MANY
    assert not found[1]["count"][1:].any()
    assert found[0]["count"].sum() == SMALL


def test_values_whose_places_in_the_hash_table_meet():
    step = 2**40
    x = np.resize(np.arange(16, dtype=np.uint64) * step, 2 * SMALL)
    assert (table(x, 2 * SMALL)["count"] == 2 * SMALL // 16).all()
    x = np.resize(np.array([0, 2**64 - 1, 2**63, 1], np.uint64), 2 * SMALL)
    assert (table(x, 2 * SMALL)["count"][0, :4] == 2 * SMALL // 4).all()


def test_cells_that_lie_apart_or_are_none():
    x = np.resize(np.arange(5.0), (2 * SMALL, 3))[:, 1]
    assert (table(x, 2 * SMALL)["value"] == table(x.copy(), 2 * SMALL)["value"]).all()
    assert table(np.zeros(0), 8).shape == (0, 16)
