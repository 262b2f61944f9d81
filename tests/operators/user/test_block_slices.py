import numpy as np
import pytest

from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.user.block_slices import SliceAwareFunction, takes


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ([3, 4, 5], slice(3, 6)),
        ([7], slice(7, 8)),
        ([2, 5, 8], slice(2, 9, 3)),
        ([0, 1], slice(0, 2)),
    ],
)
def test_a_part_is_a_slice(line, part):
    function = SliceAwareFunction(
        UserFunction.of(lambda x, i: (x, i)), ("i",), frozenset("i"), False
    )
    assert function("x", np.array(line)) == ("x", part)
    assert list(range(20)[part]) == line


def test_a_sink_leaves_a_cell_for_each_point():
    seen = []
    function = SliceAwareFunction(UserFunction.of(seen.append), ("i", "j"), frozenset(), True)
    made = function("x", np.arange(3), np.arange(2))
    assert (made.shape, made.all(), seen) == ((3, 2), True, ["x"])


def test_which_names_a_function_takes():
    def function(x, *rest, i, j=2):
        return x, rest, i, j

    assert takes(function, ["i", "j", "k", "rest"]) == {"i", "j"}
    assert takes(lambda **all_: all_, ["i"]) == {"i"}
    assert takes(np.add, ["i"]) <= {"i"}
