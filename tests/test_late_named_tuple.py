"""Late named tuples beside the standard library's: the same class, but made when it is used."""

import builtins
import collections
import copy
import gc
import inspect
import pickle
import typing
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from dask_tapestry import late_named_tuple
from dask_tapestry.late_named_tuple import NamedTuple


class Kept(NamedTuple):
    """One of a module, so that it can be pickled."""

    first: int
    second: tuple[int, ...] = ()


def late():
    class Cell(NamedTuple):
        """A cell."""

        row: int
        column: "int" = 2
        mark: str = "x"

        WIDTH = 3

        @property
        def total(self):
            return self.row + self.column

        def __str__(self):
            return f"<{self.row}>"

    class Marked(Cell):
        def __repr__(self):
            return "marked " + super().__repr__()

    return Cell, Marked


def standard():
    class Cell(typing.NamedTuple):
        """A cell."""

        row: int
        column: "int" = 2
        mark: str = "x"

        WIDTH = 3

        @property
        def total(self):
            return self.row + self.column

        def __str__(self):
            return f"<{self.row}>"

    class Marked(Cell):
        def __repr__(self):
            return "marked " + super().__repr__()

    return Cell, Marked


def parameters(cls):
    return inspect.signature(cls).parameters.values()


USES = {
    "made": lambda cls: cls(1),
    "by position": lambda cls: cls(1, 5, "y"),
    "by name": lambda cls: cls(mark="z", row=4),
    "too few": lambda cls: cls(),
    "too many": lambda cls: cls(1, 2, "x", 4),
    "unknown": lambda cls: cls(1, colour=2),
    "make": lambda cls: cls._make([7, 8, "w"]),
    "make too few": lambda cls: cls._make([7]),
    "replace": lambda cls: cls(1)._replace(column=9),
    "replace unknown": lambda cls: cls(1)._replace(colour=9),
    "as dict": lambda cls: cls(1)._asdict(),
    "text": lambda cls: (repr(cls(1)), str(cls(2)), f"{cls(3)}"),
    "fields": lambda cls: (cls._fields, cls._field_defaults, cls.__match_args__, cls.WIDTH),
    "hints": lambda cls: typing.get_type_hints(cls),
    "doc": lambda cls: cls.__doc__,
    "signature": lambda cls: [(p.name, p.default, p.kind) for p in parameters(cls)],
    "total": lambda cls: cls(1, 6).total,
    "equal": lambda cls: (cls(1) == (1, 2, "x"), hash(cls(1)) == hash((1, 2, "x"))),
    "copied": lambda cls: (copy.copy(cls(1)), copy.deepcopy(cls(1)), cls(1).__getnewargs__()),
    "copied type": lambda cls: type(copy.copy(cls(1))) is cls,
    "assigned": lambda cls: setattr(cls(1), "row", 3),
    "new attribute": lambda cls: setattr(cls(1), "colour", 3),
    "tuple": lambda cls: (issubclass(cls, tuple), cls(1)[1:], [*cls(1)], len(cls(1))),
}


def outcome(use, cls):
    """The value of a use and its type's name, or the kind of error."""
    try:
        value = use(cls)
    except Exception as error:
        return type(error)
    return type(value).__name__, value


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("use", USES)
def test_it_does_what_the_standard_librarys_does_whichever_comes_first(use, which):
    assert outcome(USES[use], late()[which]) == outcome(USES[use], standard()[which])


@pytest.mark.parametrize("which", [0, 1])
def test_one_use_after_the_other_too(which):
    ours, theirs = late()[which], standard()[which]
    for _ in range(2):
        for use in USES.values():
            assert outcome(use, ours) == outcome(use, theirs)


def test_patterns_match():
    match Kept(1, (2,)):
        case Kept(first, second=(inner,)):
            assert (first, inner) == (1, 2)
        case _:
            pytest.fail("no match")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_is_pickled_by_its_name(protocol):
    value = pickle.loads(pickle.dumps(Kept(1, (2, 3)), protocol))
    assert value == Kept(1, (2, 3))
    assert type(value) is Kept


def test_nothing_is_made_before_it_is_used(monkeypatch):
    made = []
    usual = collections.namedtuple
    monkeypatch.setattr(collections, "namedtuple", lambda *a, **k: made.append(a) or usual(*a, **k))
    cls, derived = late()
    assert cls._fields == ("row", "column", "mark")
    assert not made
    assert derived(1).row == cls(1).row
    assert len(made) == 1


def test_a_method_of_the_class_stays():
    class Loud(NamedTuple):
        word: str

        def __repr__(self):
            return self.word.upper()

    assert repr(Loud("a")) == "A"


def test_threads_may_use_it_first_at_once():
    for _ in range(20):
        cls, barrier = late()[0], Barrier(8)

        def use(n, cls=cls, barrier=barrier):
            barrier.wait()
            return cls(n)._replace(mark="t"), repr(cls(n))

        with ThreadPoolExecutor(8) as pool:
            for n, (value, text) in enumerate(pool.map(use, range(8))):
                assert value == (n, 2, "t")
                assert text == f"Cell(row={n}, column=2, mark='x')"


def test_methods_are_there_though_garbage_is_collected_meanwhile(monkeypatch):
    class Pair(NamedTuple):
        first: int
        second: int = 2

    def collecting(*given):
        gc.collect()
        return builtins.isinstance(*given)

    monkeypatch.setattr(late_named_tuple, "isinstance", collecting, raising=False)
    assert Pair(1) == (1, 2)
    assert Pair(3)._replace(first=0) == (0, 2)
