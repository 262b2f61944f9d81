import pytest

from dask_tapestry.arrays.core.user_names import names_of, worker_names
from dask_tapestry.errors import ArgumentTypeError, ShapeError


def test_names_are_texts_or_none_in_a_sequence():
    assert names_of(None) is None
    assert names_of(["time", None], 2) == ("time", None)
    for wrong in ("time", 3, [3], [["time"]]):
        with pytest.raises(ArgumentTypeError):
            names_of(wrong)
    with pytest.raises(ShapeError):
        names_of(["time"], 2)


def test_one_worker_or_several():
    assert worker_names("one") == ("one",)
    assert worker_names(["one", "two"]) == ("one", "two")
    with pytest.raises(ArgumentTypeError):
        worker_names(3)
