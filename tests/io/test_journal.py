import json

import pytest

import dask_tapestry as dt
from dask_tapestry.io.journal import boxes_of, incomplete, whole, without, written

A, B = ((0, 3), (0, 2)), ((4, 9), (0, 2))


def test_boxes_survive_json():
    assert boxes_of(json.loads(json.dumps(written({B, A})))) == {A, B}
    assert written({B, A}) == written({A, B})


def test_what_is_within_a_box_that_was_written_densely_is_written():
    assert without({A, B}, ((0, 5), (0, 2)), dense=True) == {B}
    assert without({A, B}, ((0, 5), (0, 2)), dense=False) == {A, B}
    assert without({A, B}, A, dense=False) == {B}
    assert without({A, B}, ((0, 9), (0, 1)), dense=True) == {A, B}


def test_the_error_names_what_is_missing():
    assert "to [0:3, 0:2], [4:9, 0:2] failed" in str(incomplete("x", {A, B}, (9, 2)))
    error = incomplete("x", {whole((9, 2))}, (9, 2))
    assert str(error) == "x is incomplete: a write failed or is still running"
    with pytest.raises(dt.StoreError):
        raise error
