"""Late dataclasses beside the standard library's: the same class, but made when it is used."""

import dataclasses
import inspect
import pickle
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, field, fields, replace
from threading import Barrier
from typing import ClassVar

import pytest

from dask_tapestry.late_dataclass import dataclass

MAKERS = {"late": dataclass, "standard": dataclasses.dataclass}
OPTIONS = [
    {"frozen": frozen, "eq": eq, "repr": repr}
    for frozen in (False, True)
    for eq in (False, True)
    for repr in (False, True)
]


@dataclass(frozen=True)
class Kept:
    """One of a module, so that it can be pickled."""

    x: int
    y: tuple[int, ...] = ()


def make(decorator, **options):
    """A class and one that derives from it, with each kind of field."""

    class Base:
        name: ClassVar[str] = "base"
        first: int
        second: list[int] = field(default_factory=list)
        third: int = field(default=3, kw_only=True, compare=False)
        fourth: int = field(init=False, repr=False, hash=False, default=4)

    base = decorator(**options)(Base)

    class Derived(Base):
        second: tuple[int, ...] = (1,)
        fifth: str = "five"

    return base, decorator(**options)(Derived)


def traits(cls):
    """What a class says of itself."""
    return {
        "signature": str(inspect.signature(cls)),
        "match": cls.__match_args__,
        "params": cls.__dataclass_params__,
        "hash": None if cls.__hash__ is None else cls.__hash__ is object.__hash__,
        "eq": cls.__eq__ is object.__eq__,
        "hashable": issubclass(cls, Hashable),
        "fields": [(f.name, f.type, f.default, f.init, f.compare, f.kw_only) for f in fields(cls)],
        "own": sorted(set(vars(cls)) - {"__annotations__"}),
    }


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_class_is_as_the_standard_library_makes_it(options):
    late, standard = (make(maker, **options) for maker in MAKERS.values())
    for ours, theirs in zip(late, standard, strict=True):
        found, expected = traits(ours), traits(theirs)
        found["params"], expected["params"] = str(found["params"]), str(expected["params"])
        assert found == expected


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_instances_do_as_those_of_the_standard_library(options):
    def of(derived):
        x, y, z = derived(1, (2,), third=5), derived(1, (2,)), derived(1, (3,))
        hashed = None if derived.__hash__ is None else hash(x) == hash(y)
        return repr(x).split(" at ")[0], x == y, x == z, hashed, vars(x), vars(replace(z, third=9))

    late, standard = (make(maker, **options)[1] for maker in MAKERS.values())
    assert of(late) == of(standard)


def test_the_methods_are_not_there_before_they_are_looked_up():
    late, _ = make(dataclass, frozen=True)
    assert not inspect.isfunction(vars(late)["__init__"])
    late(1)
    assert all(inspect.isfunction(vars(late)[name]) for name in ("__init__", "__eq__", "__hash__"))


@pytest.mark.parametrize("first", [hash, repr, lambda x: x == x, fields, lambda x: replace(x, x=2)])
def test_an_instance_made_without_init_may_ask_for_any_method_first(first):
    """As one that was unpickled."""

    @dataclass(frozen=True)
    class Late:
        x: int

    made = object.__new__(Late)
    made.__dict__["x"] = 1
    first(made)
    assert made == Late(1)


def test_frozen_instances_refuse_assignment():
    late, derived = make(dataclass, frozen=True)
    for x in (late(1), derived(1)):
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'first'"):
            x.first = 2
        with pytest.raises(FrozenInstanceError, match="cannot delete field 'first'"):
            del x.first
    assert late(1).first == 1


def test_unhashable_ones_say_so():
    late, _ = make(dataclass)
    with pytest.raises(TypeError, match="unhashable type"):
        hash(late(1))


def test_what_a_class_defines_itself_stays():
    @dataclass(frozen=True)
    class Late:
        x: int

        def __post_init__(self):
            object.__setattr__(self, "x", self.x + 1)

        def __hash__(self):
            return 7

        def __repr__(self):
            return "mine"

    assert Late(1).x == 2
    assert (hash(Late(1)), repr(Late(1))) == (7, "mine")
    assert Late(1) == Late(1)


def test_a_method_of_a_derived_class_may_call_the_one_it_hides():
    @dataclass(frozen=True)
    class Late:
        x: int

    class Twice(Late):
        def __init__(self, x):
            super().__init__(2 * x)

    assert Twice(2).x == 4


def test_standard_dataclasses_derive_from_late_ones_and_late_from_standard():
    late, _ = make(dataclass, frozen=True)

    @dataclasses.dataclass(frozen=True)
    class Standard(late):
        last: int = 0

    @dataclass(frozen=True)
    class Again(Standard):
        very_last: int = 1

    assert [f.name for f in fields(Again)][-2:] == ["last", "very_last"]
    assert Again(1, last=2) == Again(1, last=2) != Again(1)


def test_patterns_match():
    match Kept(1, (2,)):
        case Kept(x, y):
            assert (x, y) == (1, (2,))


def test_instances_are_pickled():
    assert pickle.loads(pickle.dumps(Kept(1, (2,)))) == Kept(1, (2,))


def test_threads_may_look_up_a_class_at_once():
    for _ in range(50):
        late, derived = make(dataclass, frozen=True)
        ready = Barrier(4)

        def use(number, derived=derived, ready=ready):
            ready.wait()
            return derived(number, (2,)), hash(derived(number))

        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(use, range(4)))
        assert found == [(derived(number, (2,)), hash(derived(number))) for number in range(4)]
        assert issubclass(derived, late)
