"""Which cases of a large product `make test` runs; `make exhaustive` runs all of them.

Tests marked `covering` are run on so many cases of the product of their parameters that each pair
of values of two parameters is among them, the others are marked `exhaustive`. What goes wrong for
two values together is found so, whatever the values of other parameters are. Of any product of
more than `ROOM` cases that many are run, of a marked one `PAIRS_ROOM`, or one in `ONE_IN`: every
value of each parameter, and of pairs as many as there is room for. A test whose cases are a table,
each with a value of its own, is run on all; marked `whole`, so is a product. Of cases that take
seconds each, and go one way, `few` says how many are run. Lists, such as tables of operations, are
cut to a fixed share by `share_of` or `every_other`, seeds of random programs by `seeds_of`.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import combinations
from typing import Any
from zlib import crc32

import pytest

Case = tuple[Hashable, ...]
PAIRS = 2
ROOM, ONE_IN = 7, 14  # so many cases of a large product, or such a share of more
PAIRS_ROOM = 10  # of one that is marked, for its pairs of values


def share_of(values: Iterable[Any], one_in: int, name: Callable[[Any], str] = str) -> list[Any]:
    """Values as parameters: those whose name has the right checksum, others when all are run.

    Parameters
    ----------
    one_in
        About one in so many is run by `make test`.
    name
        What a value is called, whatever else is in the list.

    Examples
    --------
    >>> [value for value in share_of("abcdefgh", 4) if isinstance(value, str)]
    ['d', 'f']
    """
    return [v if crc32(name(v).encode()) % one_in == 0 else beyond(v) for v in values]


def one_of_each(values: Iterable[Any], kind: Callable[[Any], Hashable]) -> list[Any]:
    """Values as parameters: of each kind the one of the least checksum, others when all are run.

    Of two parameters the values are tuples, as `pytest.mark.parametrize` takes them.

    Examples
    --------
    >>> [v for v in one_of_each(["f8", "f4", "i8"], lambda v: v[0]) if isinstance(v, str)]
    ['f4', 'i8']
    """
    every = list(values)
    turn = sorted(every, key=lambda value: crc32(str(value).encode()), reverse=True)
    least = {kind(value): value for value in turn}
    given = [value if isinstance(value, tuple) else (value,) for value in every]
    return [v if least[kind(v)] is v else beyond(*g) for v, g in zip(every, given, strict=True)]


def every_other(values: Iterable[Any], kind: Callable[[Any], Hashable], whole: str) -> list[Any]:
    """Values as parameters: of each kind the first, third, fifth..., others when all are run.

    Parameters
    ----------
    whole
        A kind of values that are not alike: all of them are run.

    Examples
    --------
    >>> words = ["all", "any", "at", "be", "by"]
    >>> [v for v in every_other(words, lambda v: v[0], "b") if isinstance(v, str)]
    ['all', 'at', 'be', 'by']
    """
    turns: Counter[Hashable] = Counter()
    made = []
    for value in values:
        turns[kind(value)] += 1
        is_run = kind(value) == whole or turns[kind(value)] % 2 == 1
        made.append(value if is_run else beyond(value))
    return made


def seeds_of(seeds: Iterable[int], count: int) -> list[Any]:
    """Seeds as parameters: the first `count`, and others when all are run.

    Examples
    --------
    >>> [seed for seed in seeds_of(range(0, 50, 10), 2) if isinstance(seed, int)]
    [0, 10]
    """
    every = list(seeds)
    return [*every[:count], *map(beyond, every[count:])]


def beyond(*values: Any) -> Any:
    """A parameter that `make exhaustive` alone runs."""
    return pytest.param(*values, marks=pytest.mark.exhaustive)


def leave_what_is_beyond(cases: list[Any]) -> None:
    """Leave out the cases of a test that `make exhaustive` alone runs, before tests are made.

    One stays where all are such, to be deselected: a test without cases would be made without
    parameters.
    """
    kept = [case for case in cases if all(mark.name != "exhaustive" for mark in case.marks)]
    cases[:] = kept or cases[:1]


def mark_what_is_beyond(metafunc: pytest.Metafunc) -> None:
    """Mark the cases of a test that are not run, before tests are made of them."""
    test, marked = metafunc.definition, metafunc.definition.get_closest_marker("covering")
    if test.get_closest_marker("whole") or test.get_closest_marker("exhaustive"):
        return
    cases = [case for case in metafunc._calls if all(m.name != "exhaustive" for m in case.marks)]
    named = [_names(mark.args[0]) for mark in test.iter_markers("parametrize")]
    values = [_values(case.params, named) for case in cases]
    names = [f"{metafunc.function.__name__}[{case.id}]" for case in cases]
    few = test.get_closest_marker("few")
    if few:
        chosen = few_of(values, few.args[0], names)
    elif marked and marked.kwargs.get("together", PAIRS) == 1:
        chosen = covering(values, 1, names)
    else:
        room = PAIRS_ROOM if marked else ROOM
        chosen = share_of_a_product(values, names, room, every=not marked)
    for number, case in enumerate(cases):
        if number not in chosen:
            case.marks.append(pytest.mark.exhaustive.mark)


def _names(given: str | Sequence[str]) -> list[str]:
    return given.replace(",", " ").split() if isinstance(given, str) else [*given]


def _values(params: dict[str, Any], named: list[list[str]]) -> Case:
    """What stands for the values of a case; those that are named together are one."""
    of_fixtures = [[n] for n in sorted(params.keys() - {n for names in named for n in names})]
    return tuple(tuple(id(params[n]) for n in names) for names in (*named, *of_fixtures))


def share_of_a_product(
    cases: Sequence[Case], names: Sequence[str] = (), least: int = ROOM, every: bool = True
) -> set[int]:
    """Numbers of some cases that have every value of each parameter, and many pairs of values.

    One in `ONE_IN`, or `least` if these are more, or as many as there are values if these are; no
    more than it takes for all pairs. All cases where there is room for `every` one, or where one
    parameter's values tell them apart.

    Examples
    --------
    >>> cases = [(a, b, c) for a in range(4) for b in range(4) for c in range(4)]
    >>> chosen = [cases[n] for n in sorted(share_of_a_product(cases, least=6))]
    >>> len(chosen), [len(set(values)) for values in zip(*chosen)]
    (6, [4, 4, 4])
    """
    room = max(least, len(cases) // ONE_IN)
    if (every and len(cases) <= room) or len(_different(cases)) < PAIRS:
        return set(range(len(cases)))
    pairs = covering(cases, PAIRS, names)
    if len(pairs) <= room:
        return pairs
    values = covering(cases, 1, names)
    return values | covering(cases, PAIRS, names, values, max(0, room - len(values)))


def few_of(cases: Sequence[Case], most: int, names: Sequence[str] = ()) -> set[int]:
    """Numbers of so many cases, which have as many values of their parameters as so many can.

    Examples
    --------
    >>> cases = [(a, b) for a in "abc" for b in "xyz"]
    >>> [cases[n] for n in sorted(few_of(cases, 2))]
    [('a', 'x'), ('b', 'y')]
    """
    if len(cases) <= most:
        return set(range(len(cases)))
    return covering(cases, 1, names, most=most)


def covering(
    cases: Sequence[Case],
    together: int = PAIRS,
    names: Sequence[str] = (),
    known: Iterable[int] = (),
    most: int | None = None,
) -> set[int]:
    """Numbers of some cases in which all values occur together that do so in any.

    Parameters
    ----------
    cases
        The values of each case, of as many parameters in each.
    together
        How many parameters' values are looked at together.
    names
        Names of the cases: of those that bring as many new combinations, a checksum chooses, or
        else the first values of each parameter would be taken most often.
    known
        Numbers of cases that are run in any case, and are not counted.
    most
        How many to choose at most: those that bring most combinations come first.

    Examples
    --------
    >>> cases = [(a, b, c) for a in "ab" for b in "xy" for c in (0, 1)]
    >>> [cases[n] for n in sorted(covering(cases))]
    [('a', 'x', 0), ('a', 'y', 1), ('b', 'x', 1), ('b', 'y', 0)]
    """
    parameters = _different(cases)
    bring = [_combinations([case[n] for n in parameters], together) for case in cases]
    turn = [crc32(name.encode()) for name in names or [""] * len(cases)]
    left = set().union(*bring).difference(*[bring[n] for n in known])
    turns = [(-len(b), turn[n], n) for n, b in enumerate(bring)]
    heapify(turns)
    chosen: set[int] = set()
    while left and (most is None or len(chosen) < most):
        brought, _, number = turns[0]
        new = len(bring[number] & left)
        if new < -brought:  # as others were chosen since: still the most that it can bring
            heapreplace(turns, (-new, turn[number], number))
        else:
            chosen.add(number)
            left -= bring[number]
            heappop(turns)
    return chosen


def _different(cases: Sequence[Case]) -> list[int]:
    """Parameters whose values do not follow from an earlier one's, and are not always the same."""
    columns = list(zip(*cases, strict=True))
    found: list[int] = []
    for number, column in enumerate(columns):
        known = any(_follows(column, columns[other]) for other in found)
        if len(set(column)) > 1 and not known:
            found.append(number)
    return found


def _follows(column: Case, other: Case) -> bool:
    return len(set(zip(column, other, strict=True))) == len(set(other))


def _combinations(values: Sequence[Hashable], together: int) -> set[Case]:
    """Combinations of parameters with their values; of few parameters, all at once."""
    together = min(together, len(values))
    return set(combinations(enumerate(values), together))
