"""Writers and readers of one array in any order of their steps, also killed between any two.

A run of the exhaustive profile draws twenty times the orders. Which of several records is deleted
first differs from process to process: `PYTHONHASHSEED` repeats one.
"""

from itertools import permutations, product
from random import Random

import pytest
from hypothesis import settings

from dask_tapestry.io.journals import zarr_version
from tests.examples import USUAL
from tests.io.interleaving import Killed, interleave, point, undivided
from tests.io.journal_programs import World

ORDERS = 60 * settings().max_examples // USUAL
PROGRAMS = {
    "two writes of one region": lambda w: [w.region(0, 4), w.region(0, 4)],
    "two of regions that meet": lambda w: [w.region(0, 3), w.region(1, 4)],
    "two of cells of one chunk": lambda w: [w.region(0, 1), w.region(1, 2)],
    "two of one chunk and one of both": lambda w: [w.region(*s) for s in ((0, 4), (0, 1), (1, 2))],
    "two and a read": lambda w: [w.region(0, 4), w.region(1, 3), w.read(0, 4)],
    "three and a read": lambda w: [*[w.region(*s) for s in ((0, 4), (1, 3), (0, 2))], w.read(0, 3)],
    "two overwrites": lambda w: [w.overwrite(), w.overwrite()],
    "a region, an overwrite, a read": lambda w: [w.region(0, 3), w.overwrite(), w.read(0, 4)],
    "a region and two overwrites": lambda w: [w.region(0, 3), w.overwrite(), w.overwrite()],
    "tasks again": lambda w: [w.region(0, 4), w.region(1, 3), w.again(1), w.read(0, 3)],
    "tasks again, an overwrite": lambda w: [w.region(0, 4), w.overwrite(), w.again(1)],
    "begun again": lambda w: [w.region(0, 4), w.region(0, 4), w.begin_again(1), w.region(0, 1)],
}


@pytest.fixture(autouse=True)
def listed_in_parts(monkeypatch):
    """As long listings are: those of a few names show one moment."""
    monkeypatch.setattr(zarr_version, "NAMES_LISTED_AT_ONCE", 0)


def in_turns(seed):
    """Give turns by chance, some long, and kill by chance or never."""
    chance = Random(seed)
    changes, kills = chance.choice([0.02, 0.05, 0.1, 0.3, 1]), chance.choice([0, 0, 0.01, 0.03])
    last = None

    def pick(names):
        nonlocal last
        if last not in names or chance.random() < changes:
            last = chance.choice(names)
        return last, chance.random() < kills

    return pick


def with_breaks(first, second, breaks, killed):
    """`first` until a break, then `second` until another; then all to the end, but who is killed"""
    segments = [*zip((first, second), breaks, strict=True), (first, 10_000), (second, 10_000)]
    done = 0

    def pick(names):
        nonlocal done
        while segments:
            (name, most), done = segments[0], done + 1
            if name in names and done <= most:
                return name, False
            segments.pop(0)
            done = 0
            if name in names and name == killed:
                return name, True
        return names[0], False

    return pick


def defects(name, pick, seed):
    world = World(2, seed)
    interleave({str(n): program for n, program in enumerate(PROGRAMS[name](world))}, pick)
    return world.defects()


def test_threads_take_turns():
    told = []

    def program(name, raised=None):
        for step in range(2):
            point()
            told.append((name, step))
        with undivided():
            point()
        if raised is not None:
            raise raised

    order = iter("aabbab")
    kills = iter([False] * 6)
    programs = {name: lambda name=name: program(name) for name in "ab"}
    assert interleave(programs, lambda names: (next(order), next(kills))) == 6
    assert told == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]
    turns = iter([False, False, True])
    interleave({"c": lambda: program("c")}, lambda names: ("c", next(turns)))
    assert told[4:] == [("c", 0)]
    with pytest.raises(ValueError, match="what it raises"):
        interleave(
            {"d": lambda: program("d", ValueError("what it raises"))}, lambda n: ("d", False)
        )
    with pytest.raises(KeyboardInterrupt):
        interleave({"e": lambda: program("e", KeyboardInterrupt())}, lambda n: ("e", False))
    assert issubclass(Killed, BaseException)


@pytest.mark.few(8)  # programs of the same steps
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_read_and_left_is_of_some_order_of_the_writes(name):
    for seed in range(ORDERS):
        assert not defects(name, in_turns(seed), seed), seed


@pytest.mark.parametrize("name", ["two of regions that meet", "a region, an overwrite, a read"])
def test_one_is_broken_off_for_another_at_any_point(name):
    """And that, too, at any point; either may be killed there."""
    pairs, points = permutations("01", 2), range(60)
    every = list(product(pairs, points, points, ("", "0", "1")))
    for (first, second), one, other, killed in Random(0).sample(every, min(4 * ORDERS, len(every))):
        pick = with_breaks(first, second, (one, other), killed)
        assert not defects(name, pick, one), (first, one, other, killed)
