from itertools import product
from random import Random

import pytest

from dask_tapestry.lower import block_inputs
from dask_tapestry.lower.block_inputs import HeldBlocks
from dask_tapestry.planner.tuning import SLICE_SAVES_BYTES
from dask_tapestry.zspace import Cuts, ZRange, block_box, block_range
from tests.covering import seeds_of

CUTS = (Cuts.regular(4000, 1000), Cuts.regular(1000, 1000))


def keys_block_by_block(source, cuts, box, itemsize, slices):
    """What `HeldBlocks.keys` means: a look at every block."""
    found = []
    for number in product(*block_range(cuts, box)):
        held = block_box(cuts, number)
        part = held.intersection(box)
        if slices is None or (held.size - part.size) * itemsize < SLICE_SAVES_BYTES:
            found.append((source, *number))
        else:
            found.append((slices, *number, *part.lo, *part.hi))
    return found


def test_small_savings_hand_over_whole_blocks():
    held = HeldBlocks("x", CUTS, itemsize=1, slices="p")
    assert held.keys(ZRange((900, 0), (1100, 1000))) == [("x", 0, 0), ("x", 1, 0)]


def test_large_savings_cut_slices():
    held = HeldBlocks("x", CUTS, itemsize=8, slices="p")
    found = held.keys(ZRange((900, 0), (2000, 1000)))
    assert found == [("p", 0, 0, 900, 0, 1000, 1000), ("x", 1, 0)]


def test_without_a_layer_of_slices_blocks_stay_whole():
    held = HeldBlocks("x", CUTS, 8, None)
    assert held.keys(ZRange((999, 0), (1000, 1))) == [("x", 0, 0)]


def random_cuts(random):
    extent = random.randint(0, 3000)
    if random.random() < 0.5:
        return Cuts.regular(extent, random.randint(1, 1000), random.randint(1, 1000))
    return Cuts.of_lengths([random.randint(1, 900) for _ in range(random.randint(1, 4))])


def random_bounds(random, extent):
    lo, hi = sorted(random.randint(0, extent) for _ in range(2))
    return lo, hi


@pytest.mark.parametrize("seed", seeds_of(range(200), 60))
def test_keys_are_those_of_a_look_at_every_block(seed):
    random = Random(seed)
    cuts = tuple(random_cuts(random) for _ in range(random.randint(0, 3)))
    slices, itemsize = random.choice([None, "p"]), random.choice([1, 8, 16])
    held = HeldBlocks("x", cuts, itemsize, slices)
    for _ in range(5):
        bounds = [random_bounds(random, c.extent) for c in cuts]
        box = ZRange([lo for lo, _ in bounds], [hi for _, hi in bounds])
        keys = keys_block_by_block("x", cuts, box, itemsize, slices)
        assert held.keys(box) == keys
        refs, needed = held.of(box)
        assert [ref.key for ref in refs] == keys
        assert needed == set(keys)


def test_what_holds_a_box_is_found_once():
    held = HeldBlocks("x", CUTS, 8, "p")
    box = ZRange((900, 0), (2000, 1000))
    assert held.of(box) is held.of(ZRange(box.lo, box.hi))


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(block_inputs, "BOXES_REMEMBERED", 3)
    for slices in (None, "p"):
        held = HeldBlocks("x", CUTS, 8, slices)
        for row in range(20):
            box = ZRange((row, 0), (row + 1500, 1000))
            keys = keys_block_by_block("x", CUTS, box, 8, slices)
            assert [ref.key for ref in held.of(box)[0]] == keys
            assert len(held._known) <= 3
