from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.teg.token import token


class Colour(Enum):
    RED = 1


class Pair(NamedTuple):
    a: int
    b: int


@dataclass(frozen=True)
class Box:
    side: object
    note: str = field(default="", compare=False)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=4)
    | st.binary(max_size=4)
    | st.sampled_from([np.dtype("f4"), np.dtype("M8[s]"), np.dtype([("a", "i4")]), Colour.RED])
)
VALUES = st.recursive(
    SCALARS, lambda v: st.tuples(v) | st.tuples(v, v) | st.builds(Box, v), max_leaves=6
)


@given(VALUES, VALUES)
def test_two_values_share_a_token_exactly_when_they_are_equal(a, b):
    assert (token(a) == token(b)) == (a == b and repr(a) == repr(b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (0.0, -0.0),
        (1, True),
        (1, 1.0),
        ("1", 1),
        ((1, (2,)), ((1, 2),)),
        ((1, 2), Pair(1, 2)),
        (np.dtype("M8[s]"), np.dtype("M8[ms]")),
        (("a,", "b"), ("a", ",b")),
    ],
)
def test_values_that_look_alike_differ(a, b):
    assert token(a) != token(b)


def test_what_is_not_compared_is_not_written():
    assert token(Box(1, "here")) == token(Box(1, "there"))


def test_not_a_number_is_itself():
    assert token(float("nan")) == token(float("nan"))


@pytest.mark.parametrize("value", [[1], {1: 2}, {1}, object(), np.ones(2), print])
def test_what_has_no_canonical_text_is_refused(value):
    with pytest.raises(TypeError, match="no canonical text"):
        token(value)
