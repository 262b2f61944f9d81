import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import refused


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "c8", "c16"])
def test_limits_of_floating_point(kind):
    for given in (kind, np.dtype(kind), dt.ones(2, kind)):
        found, expected = dt.finfo(given), np.finfo(kind)
        assert (found.bits, found.eps, found.max, found.smallest_normal, found.dtype) == (
            expected.bits, expected.eps, expected.max, expected.smallest_normal, expected.dtype,
        )  # fmt: skip


@pytest.mark.parametrize("kind", ["i1", "u8", "i4"])
def test_limits_of_integers(kind):
    for given in (kind, dt.ones(2, kind)):
        found, expected = dt.iinfo(given), np.iinfo(kind)
        assert (found.bits, found.min, found.max) == (expected.bits, expected.min, expected.max)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.finfo("i4"),
        lambda np, a: np.iinfo("f4"),
        lambda np, a: np.isdtype(np.dtype("f4"), "real"),
        lambda np, a: np.can_cast(1, "f4"),
        lambda np, a: np.promote_types("f4", "M8[s]"),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


@pytest.mark.parametrize("kind", ["bool", "integral", "numeric", ("real floating", "bool"), "f4"])
@pytest.mark.parametrize("dtype", ["?", "i4", "u1", "f4", "c8"])
def test_kinds_of_dtypes(dtype, kind):
    wanted = np.dtype(kind) if kind == "f4" else kind
    assert dt.isdtype(np.dtype(dtype), wanted) == np.isdtype(np.dtype(dtype), wanted)
    assert dt.issubdtype(dtype, dt.integer) == np.issubdtype(dtype, np.integer)


def test_casts_are_looked_at_without_computing():
    x = dt.ones(3)
    for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
        expected = np.can_cast("f8", "f4", casting)
        assert dt.can_cast(x, "f4", casting) == np.can_cast(x, "f4", casting) == expected
    assert dt.promote_types("i1", "u1") == np.promote_types("i1", "u1")
    assert np.result_type(x, np.float32(1)) == dt.result_type(x, np.float32(1)) == np.float64


def test_names_of_dtypes_are_numpy_s():
    names = "bool bool_ int8 int64 uint8 uint64 intp float16 float32 float64 complex64 complex128"
    for name in names.split():
        assert getattr(dt, name) is getattr(np, name)
        assert dt.zeros(2, getattr(dt, name)).dtype == np.dtype(name.rstrip("_"))
