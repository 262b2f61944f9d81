import numpy as np
import pytest

from dask_tapestry.cells import Lattice, Tree
from dask_tapestry.operators.user.user_monoid import pairs
from dask_tapestry_kernels.cpu.blocks.user_functions import (
    blockwise,
    call,
    conform,
    fold,
    guarded,
    member,
)

F8 = np.dtype("f8")
PAIR = np.dtype([("a", "i8"), ("b", "f8", (2,))])
X = np.arange(6.0)


def test_call_keeps_what_is_wanted():
    told = {"shape": (6,), "keep": (slice(1, 3),), "dtype": F8, "parts": None}
    assert call(None, X, function=np.negative, **told).tolist() == [-1, -2]


def test_call_in_parts_stacks_results():
    parts = [[(slice(0, 4),)], [(slice(4, 6),)]]
    told = {"shape": (), "keep": (slice(0, 2),), "dtype": F8, "parts": parts}
    assert call(None, X, function=np.sum, **told).tolist() == [6, 9]
    out = np.empty(2)
    assert call(out, X, function=np.sum, **told) is out


def test_no_cells_call_nothing():
    told = {"shape": (6,), "keep": (slice(2, 2),), "dtype": F8, "parts": None}
    assert call(None, X, function=None, **told).shape == (0,)


def test_blocks_are_not_written_to():
    def fill(x):
        x[:] = 0
        return x

    assert guarded(fill, [X]).tolist() == [0] * 6
    assert X[5] == 5
    assert guarded(lambda xs: [fill(x) for x in xs], [[X, X]])[0].tolist() == [0] * 6
    assert X[5] == 5


def test_other_errors_are_raised():
    def fail(x):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        guarded(fail, [X])


def test_results_are_what_was_declared():
    assert conform(3, (), F8, abs).dtype == F8
    with pytest.raises(ValueError, match=r"abs returned shape \(6,\) where .* \(5,\)"):
        conform(X, (5,), F8, abs)
    with pytest.raises(TypeError, match="abs returned dtype float64, not int64"):
        conform(X, (6,), np.dtype("i8"), abs)


def test_several_results_are_fields():
    for given in (
        (np.arange(3), np.ones((3, 2))),
        {"b": np.ones((3, 2)), "a": np.arange(3)},
    ):
        made = conform(given, (3,), PAIR, abs)
        assert made["a"].tolist() == [0, 1, 2]
        assert conform(made, (3,), PAIR, abs) is made
    with pytest.raises(ValueError, match="3 values where 2"):
        conform((1, 2, 3), (), PAIR, abs)
    with pytest.raises(ValueError, match="int where 2"):
        conform(1, (), PAIR, abs)


def test_strings_are_not_cut():
    assert conform(np.array(["ab"], "U9"), (1,), np.dtype("U2"), abs).tolist() == ["ab"]
    with pytest.raises(ValueError, match="<U3, too long for cells of <U2"):
        conform(np.array(["abc"]), (1,), np.dtype("U2"), abs)


def test_a_field_and_part_of_its_axes():
    cells = conform((np.arange(3), np.arange(6.0).reshape(3, 2)), (3,), PAIR, abs)
    assert member(None, cells, name="b", keep=(slice(1, 2),)).tolist() == [[1], [3], [5]]


@pytest.mark.parametrize(
    ("levels", "value"), [(None, 15), (0, X.tolist()), (1, [1, 5, 9]), (2, [6, 9]), (9, [15])]
)
def test_fold_stops_at_a_level(levels, value):
    told = {"function": np.add, "axis": 0, "identity": 0, "dtype": X.dtype}
    made = fold(None, X, tree=pairs(len(X)), origin=0, level=levels, **told)
    assert made.tolist() == value


@pytest.mark.parametrize(
    ("level", "value"), [(None, "((a((bc)d))(ef))"), (0, ["a", "((bc)d)", "(ef)"])]
)
def test_fold_combines_cells_of_a_lattice_by_themselves(level, value):
    letters = np.array(list("abcdef"), "U30")
    tree = Tree((6,), 1, Lattice((3,), (-2,)))

    def both(a, b):
        return np.char.add(np.char.add(np.char.add("(", a), b), ")")

    told = {"function": both, "axis": 0, "identity": "", "dtype": letters.dtype}
    made = fold(None, letters, tree=tree, origin=0, level=level, **told)
    assert made.tolist() == value


def test_fold_of_nothing_is_the_identity():
    empty = np.empty((2, 0))
    told = {"function": None, "axis": 1, "identity": 4.5, "dtype": F8}
    told |= {"tree": pairs(0), "origin": 0}
    assert fold(None, empty, level=None, **told).tolist() == [4.5, 4.5]
    assert fold(None, empty.astype(int), level=None, **told).tolist() == [4.5, 4.5]
    assert fold(None, empty, level=1, **told).shape == (0, 2)


def test_blockwise_puts_blocks_in_their_places():
    works = [
        ((slice(0, 2),), (3,), (slice(1, 3),), [(slice(0, 3),)], {"by": 1}),
        ((slice(2, 4),), (2,), (slice(0, 2),), [[(slice(3, 4),), (slice(4, 5),)]], {"by": 2}),
    ]

    def scale(x, by):
        return np.concatenate(x) * by if isinstance(x, list) else x * by

    made = blockwise(None, X, function=scale, shape=(4,), dtype=F8, works=works)
    assert made.tolist() == [1, 2, 6, 8]
    assert blockwise(None, X, function=None, shape=(0,), dtype=F8, works=[]).shape == (0,)


def test_a_forgotten_return_is_said():
    with pytest.raises(TypeError, match=r"returned None, not a block of shape \(2, 3\)"):
        conform(None, (2, 3), np.dtype("f8"), len)
    assert conform(None, (), np.dtype(object), len).item() is None
