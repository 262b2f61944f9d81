import numpy as np
import pytest

import dask_tapestry as dt

RECORDS = np.array(
    [(3, 0.5, "b"), (1, np.nan, "a"), (2, 1.0, ""), (1, 2.0, "c"), (2, -1.0, "b"), (3, 0.5, "a")],
    dtype=[("id", "i4"), ("x", "f8"), ("name", "U4")],
)


@pytest.mark.parametrize("order", [None, "id", "name", ["x", "id"], ["name", "x", "id"]], ids=str)
def test_records_are_sorted_as_numpys(order):
    expected, places = np.sort(RECORDS, order=order), np.argsort(RECORDS, order=order)
    x = dt.asarray(RECORDS)
    found = dt.sort(x, order=order).compute()
    assert found.dtype == expected.dtype
    assert found["id"].tolist() == expected["id"].tolist()
    assert found["name"].tolist() == expected["name"].tolist()
    assert dt.argsort(x, order=order).compute().tolist() == places.tolist()
    x.sort(order=order)
    assert x.compute()["name"].tolist() == expected["name"].tolist()


def test_axes():
    x = np.concatenate([RECORDS, RECORDS[::-1]]).reshape(3, 4)
    for axis in (0, 1, None):
        expected = np.sort(x, axis=axis, order="id")
        found = dt.sort(dt.asarray(x), axis=axis, order="id").compute()
        assert found["id"].tolist() == expected["id"].tolist()
        assert found["name"].tolist() == expected["name"].tolist()


def test_errors():
    x = dt.asarray(RECORDS)
    for wrong in ("y", ["id", "id"]):
        with pytest.raises(ValueError, match="field name"):
            np.sort(RECORDS, order=wrong)
        with pytest.raises(ValueError, match="field name"):
            dt.sort(x, order=wrong)
    with pytest.raises(TypeError, match="no order is defined"):
        dt.sort(dt.asarray(np.zeros(3, [("p", [("q", "i4")])])))
