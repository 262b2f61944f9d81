import pickle

import pytest

from dask_tapestry.zspace import DimensionNames

DIMS = DimensionNames(["batch", None, "channel"])


def test_names_and_places():
    assert DIMS.names == ("batch", None, "channel")
    assert [DIMS.index("batch"), DIMS.index("channel")] == [0, 2]
    assert (len(DIMS), list(DIMS), DIMS[1]) == (3, ["batch", None, "channel"], None)
    assert (str(DIMS), str(DimensionNames([]))) == ("(batch, _, channel)", "()")


def test_value():
    same = DimensionNames(("batch", None, "channel"))
    assert (DIMS, hash(DIMS)) == (same, hash(same))
    assert pickle.loads(pickle.dumps(DIMS)) == eval(repr(DIMS)) == DIMS
    assert DimensionNames((None,) * 3) != DIMS
    with pytest.raises(AttributeError):
        DIMS.names = ()


def test_changes():
    assert DIMS.permute((2, 0, 1)).names == ("channel", "batch", None)
    assert DIMS.insert(3, "x").drop(0).names == (None, "channel", "x")
    assert DIMS.insert(0).names == (None, "batch", None, "channel")


@pytest.mark.parametrize("name", ["row", None])
def test_unknown_names(name):
    with pytest.raises(ValueError, match="no dimension is named"):
        DIMS.index(name)


@pytest.mark.parametrize("names", [["a", "a"], ["a", ""], ["a", None, "b", "a"]])
def test_bad_names(names):
    with pytest.raises(ValueError, match="dimension name"):
        DimensionNames(names)


@pytest.mark.parametrize("names", ["abc", [1], [True], 3])
def test_bad_types(names):
    with pytest.raises(TypeError):
        DimensionNames(names)


@pytest.mark.parametrize(
    "change",
    [lambda: DIMS.drop(3), lambda: DIMS.insert(4), lambda: DIMS.permute((0, 1)), lambda: DIMS[-1]],
)
def test_bad_places(change):
    with pytest.raises(ValueError, match="must be"):
        change()


def test_no_name_twice_after_a_change():
    with pytest.raises(ValueError, match="'batch' is twice"):
        DIMS.insert(1, "batch")
