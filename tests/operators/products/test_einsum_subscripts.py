import numpy as np
import pytest

from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.products.einsum_subscripts import label_sizes, parse

BROKEN = [
    ("ij,jk", (2,), "fewer operands"),
    ("ij", (2, 2), "more operands"),
    ("ijk", (2,), "too many subscripts for operand 0"),
    ("i", (2,), "has more dimensions than subscripts"),
    ("i..j", (2,), "not part of an ellipsis"),
    ("i...j...", (2,), "not part of an ellipsis"),
    ("i$", (2,), "subscripts must be letters"),
    ("i->-j", (1,), "subscripts must be letters"),
    ("i->i->i", (1,), "subscripts must be letters"),
    ("ij->ii", (2,), "multiple times"),
    ("ij->ik", (2,), "never appeared"),
    ("i...->i", (2,), "no '...' ellipsis"),
]


@pytest.mark.parametrize(("text", "ndims", "said"), BROKEN)
def test_broken_subscripts_are_refused_as_numpy_does(text, ndims, said):
    with pytest.raises(ShapeError, match=said):
        parse(text, ndims)
    with pytest.raises(ValueError, match=r"einstein|operand"):
        np.einsum(text, *[np.ones((2,) * n) for n in ndims])


def test_an_ellipsis_may_be_summed_where_that_is_asked():
    assert parse("i...->i", (2,), summing=True).result == ("i",)


def test_dimensions_of_an_ellipsis_are_aligned_from_the_right():
    read = parse("...i,i...->...", (3, 2))
    assert read.operands == (("...1", "...0", "i"), ("i", "...0"))
    assert read.result == ("...1", "...0")


def test_without_an_arrow_labels_that_appear_once_come_in_alphabetical_order():
    assert parse("ba,...c", (2, 2)).result == ("...0", "a", "b", "c")
    assert parse(" i j , j k ", (2, 2)).result == ("i", "k")


def test_extents_fit_or_are_one():
    read = parse("ij,jk", (2, 2))
    assert label_sizes(read, ((2, 1), (4, 5))) == {"i": 2, "j": 4, "k": 5}
    assert label_sizes(read, ((2, 0), (1, 5)))["j"] == 0
    with pytest.raises(ShapeError, match=r"label 'j' for operand 1 \(4\)"):
        label_sizes(read, ((2, 3), (4, 5)))
