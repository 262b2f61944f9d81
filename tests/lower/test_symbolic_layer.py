import pytest

from dask_tapestry.lower.dask_private import Task, TaskRef
from dask_tapestry.lower.symbolic_layer import SymbolicLayer


class Squares(SymbolicLayer):
    grid_shape = (2, 3)

    def task(self, index):
        return Task((self.name, *index), pow, index[0], 2)


LAYER = Squares("squares")


def test_it_is_a_mapping_of_keys_to_tasks():
    assert len(LAYER) == 6
    assert list(LAYER)[:4] == [
        ("squares", 0, 0),
        ("squares", 0, 1),
        ("squares", 0, 2),
        ("squares", 1, 0),
    ]
    assert LAYER.get_output_keys() == set(LAYER)
    assert LAYER["squares", 1, 2]() == 1
    assert not LAYER.is_materialized()


@pytest.mark.parametrize("key", [("squares", 2, 0), ("squares", 0), ("other", 0, 0), "squares", 3])
def test_other_keys_are_not_in_it(key):
    assert key not in LAYER
    with pytest.raises(KeyError):
        LAYER[key]


def test_it_shows_its_name_and_grid():
    assert repr(LAYER) == "<Squares squares (2, 3)>"


class Sums(SymbolicLayer):
    """Each task adds one to the task before it, as a block that is copied from another does."""

    grid_shape = (10**12,)

    def task(self, index):
        (number,) = index
        before = (self.name, number - 1) if number % 3 else ("other", number)
        return Task((self.name, number), pow, TaskRef(before), 1)


def test_of_a_layer_what_is_asked_for_and_what_that_needs_is_written():
    keys = {("sums", 5), ("sums", 10**11), ("other", 3), "key"}
    culled, needs = Sums("sums", {"priority": 3}).cull(keys, set())
    assert set(culled) == {("sums", n) for n in (3, 4, 5, 10**11 - 1, 10**11)}
    assert needs["sums", 5] == {("sums", 4)}
    assert needs["sums", 3] == {("other", 3)}
    assert culled.annotations == {"priority": 3}
