import json

import pytest

import dask_tapestry as dt
from dask_tapestry.io.journals.journal import (
    boxes_from_json,
    boxes_to_json,
    incomplete_error,
    remaining_boxes,
    whole_box,
)

A, B = ((0, 3), (0, 2)), ((4, 9), (0, 2))


def test_boxes_survive_json():
    assert boxes_from_json(json.loads(json.dumps(boxes_to_json({B, A})))) == {A, B}
    assert boxes_to_json({B, A}) == boxes_to_json({A, B})


def test_what_is_within_a_box_that_was_written_densely_is_written():
    assert remaining_boxes({A, B}, ((0, 5), (0, 2)), dense=True) == {B}
    assert remaining_boxes({A, B}, ((0, 5), (0, 2)), dense=False) == {A, B}
    assert remaining_boxes({A, B}, A, dense=False) == {B}
    assert remaining_boxes({A, B}, ((0, 9), (0, 1)), dense=True) == {A, B}


def test_the_error_names_what_is_missing():
    assert "to [0:3, 0:2], [4:9, 0:2] failed" in str(incomplete_error("x", {A, B}, (9, 2)))
    error = incomplete_error("x", {whole_box((9, 2))}, (9, 2))
    assert str(error) == "x is incomplete: a write failed or is still running"
    with pytest.raises(dt.StoreError):
        raise error
