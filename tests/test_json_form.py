import pytest

from dask_tapestry.json_form import (
    FormError,
    anything,
    listed,
    optional,
    record,
    sequence,
    text,
    whole,
)

FORM = record(
    name=text, size=optional(whole(1)), cuts=listed(sequence(whole(), whole())), more=anything
)
RIGHT = {"name": "a", "size": None, "cuts": [[0, 1], [2, 3]], "more": object}


def test_what_has_its_form_is_returned():
    assert FORM(RIGHT | {"other": 1}, "it") == RIGHT
    assert listed(text, 2)(["a", "b"], "it") == ["a", "b"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": 3}, "it.name is 3, not text"),
        ({"size": 0}, "it.size is 0, not a whole number from 1 on"),
        ({"size": True}, "it.size is True, not a whole number from 1 on"),
        ({"size": 1.0}, "it.size is 1.0, not a whole number from 1 on"),
        ({"size": 10**9999}, "it.size is a huge number, not a whole number from 1 on"),
        ({"cuts": {}}, "it.cuts is {}, not a list"),
        ({"cuts": [[0, 1], [2]]}, "it.cuts[1] is [2], not a list of 2"),
        ({"cuts": "x" * 99}, f"it.cuts is '{'x' * 59}…, not a list"),
    ],
)
def test_an_error_says_where_and_what(wrong, message):
    with pytest.raises(FormError) as error:
        FORM(RIGHT | wrong, "it")
    assert str(error.value) == message


def test_what_is_missing_is_named():
    with pytest.raises(FormError, match="it has no 'size'"):
        FORM({"name": "a"}, "it")
    with pytest.raises(FormError, match="it is None, not an object"):
        FORM(None, "it")
    with pytest.raises(FormError, match=r"it is \[1\], not a list of 2"):
        listed(whole(), 2)([1], "it")
    with pytest.raises(FormError, match="it is 5, not a whole number from 0 to 4"):
        whole(most=4)(5, "it")
