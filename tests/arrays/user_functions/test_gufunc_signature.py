import pytest

from dask_tapestry.arrays.user_functions.gufunc_signature import core_axes, parse


def test_signatures_are_read():
    assert parse(" (i, j),() -> (j) ") == ((("i", "j"), ()), (("j",),))
    assert parse("(i)->(),()").several
    with pytest.raises(TypeError, match="string"):
        parse(3)


def test_core_axes_are_the_last_ones_unless_given():
    read = parse("(i,j),(j)->(i)")
    assert core_axes(read, None, None, False) == ([(-2, -1), (-1,)], [(-1,)])
    assert core_axes(read, [(0, 1), 0, 0], None, False) == ([(0, 1), (0,)], [(0,)])
    with pytest.raises(ValueError, match="core dimensions"):
        core_axes(read, [(0,), 0, 0], None, False)
