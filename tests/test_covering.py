"""What is run of a product has every pair of values; marks leave the rest to `make exhaustive`."""

import os
import subprocess
import sys
from functools import cache
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.covering import (
    ONE_IN,
    ROOM,
    beyond,
    covering,
    few_of,
    leave_what_is_beyond,
    share_of,
    share_of_a_product,
)

ROOT = Path(__file__).parent.parent
MARKED = """
import pytest

pytestmark = pytest.mark.covering

@pytest.fixture(params="pqr")
def letter(request):
    return request.param

@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize("c", [[0], [1]])
def test_each(a, b, c, letter):
    print(f"case {a}{b} {c[0]} {letter}")

@pytest.mark.covering(together=1)
@pytest.mark.parametrize("x", [0, 1])
@pytest.mark.parametrize("y", [0, 1, pytest.param(2, marks=pytest.mark.exhaustive)])
def test_once(x, y):
    print(f"once {x} {y}")

def test_without_parameters():
    print("alone")
"""
LARGE = """
import pytest

@pytest.mark.parametrize("a", range(6))
@pytest.mark.parametrize("b", "pqrst")
def test_a_product(a, b):
    print(f"product {a}{b}")

@pytest.mark.whole
@pytest.mark.parametrize("a", range(10))
@pytest.mark.parametrize("b", "pqrst")
def test_a_whole_product(a, b):
    print(f"whole {a}{b}")

@pytest.mark.parametrize(("a", "b"), [(n, n % 3) for n in range(40)])
def test_a_table(a, b):
    print(f"table {a} {b}")

@pytest.mark.few(3)
@pytest.mark.parametrize("a", range(5))
@pytest.mark.parametrize("b", ["p", "q", pytest.param("r", marks=pytest.mark.exhaustive)])
def test_costly_cases(a, b):
    print(f"costly {a}{b}")
"""


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 3))
def test_every_combination_is_covered(extents, together):
    cases = list(product(*map(range, extents)))
    chosen = [cases[n] for n in covering(cases, together, [*map(str, cases)])]
    axes = [n for n, extent in enumerate(extents) if extent > 1]
    for some in combinations(axes, min(together, len(axes))):
        wanted = set(product(*[range(extents[n]) for n in some]))
        assert {tuple(case[n] for n in some) for case in chosen} == wanted


def test_few_cases_are_chosen():
    cases = list(product(range(5), range(4), range(4), range(3)))
    assert len(covering(cases)) <= 24
    assert len(covering(cases, 1)) <= 6


@given(st.lists(st.integers(1, 9), min_size=2, max_size=4), st.integers(1, 30))
def test_every_value_of_a_product_is_kept(extents, least):
    cases = list(product(*map(range, extents)))
    names = [*map(str, cases)]
    chosen = share_of_a_product(cases, names, least)
    for n, extent in enumerate(extents):
        assert {cases[number][n] for number in chosen} == {*range(extent)}
    room = max(least, len(cases) // ONE_IN)
    assert len(chosen) <= max(room, len(covering(cases, 1, names)))
    if len(chosen) < room and len(cases) > least:  # then there was room for all pairs
        for some in combinations(range(len(extents)), 2):
            wanted = set(product(*[range(extents[n]) for n in some]))
            assert {tuple(cases[number][n] for n in some) for number in chosen} == wanted
    assert chosen == share_of_a_product(cases, names, least)


def test_pairs_that_there_is_room_for_are_taken():
    cases = list(product(range(6), range(8), range(2)))
    chosen = [cases[n] for n in share_of_a_product(cases, [*map(str, cases)], least=10)]
    assert len(chosen) == 10
    assert len({case[:2] for case in chosen}) > 8
    assert len({case[1:] for case in chosen}) > 8


def test_small_products_and_tables_are_run_whole():
    assert len(share_of_a_product([*product(range(2), range(3))])) == 6
    three = [*product(range(2), range(2), range(2))]
    assert len(share_of_a_product(three, least=8)) == 8
    assert len(share_of_a_product(three, least=8, every=False)) == 4
    assert len(share_of_a_product([(n, n % 3, 0) for n in range(99)])) == 99


def test_cases_that_are_beyond_are_left_out_but_one():
    every, few = beyond(1), pytest.param(2, marks=pytest.mark.slow)
    for cases, left in (([every, few, beyond(3), few], [few, few]), ([every, beyond(3)], [every])):
        leave_what_is_beyond(cases)
        assert cases == left


def test_cases_that_are_not_a_product_are_covered():
    cases = [(0, 0, 0), (0, 1, 1), (1, 0, 1)]
    assert covering(cases) == {0, 1, 2}
    assert covering([]) == set()


def test_a_share_follows_from_names():
    words = [f"word {n}" for n in range(300)]
    of_all, of_some = share_of(words, 10), share_of(words[50:], 10)
    run = [w for w in of_all if isinstance(w, str)]
    assert 15 < len(run) < 50
    assert [w for w in of_some if isinstance(w, str)] == [w for w in run if w in words[50:]]
    assert beyond(3).marks[0].name == "exhaustive"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What tests with marks print, of those that a mark expression chooses."""
    folder = tmp_path_factory.mktemp("marked")
    (folder / "conftest.py").write_text("from tests.conftest import pytest_generate_tests\n")
    (folder / "test_marked.py").write_text(MARKED)
    (folder / "test_large.py").write_text(LARGE)

    @cache
    def printed(chosen):
        options = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={folder}", "-pno:cacheprovider"]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-qs", f"-m {chosen}", *options, str(folder)],
            cwd=ROOT,
            env=os.environ | {"PYTEST_ADDOPTS": ""},  # what is printed is read
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout
        return [line.lstrip(".") for line in done.stdout.splitlines()]

    return printed


@given(st.lists(st.integers(1, 5), min_size=1, max_size=3), st.integers(1, 9))
def test_few_cases_are_as_unlike_as_they_can_be(extents, most):
    cases = list(product(*map(range, extents)))
    chosen = few_of(cases, most, [*map(str, cases)])
    assert 1 <= len(chosen) <= most
    for n, extent in enumerate(extents):
        assert len({cases[number][n] for number in chosen}) >= min(most, extent)


def test_marked_tests_run_on_pairs_and_on_all_when_asked(run):
    usual, beyond_it = run("not exhaustive"), run("exhaustive")
    each = [line for line in usual if line.startswith("case")]
    assert len(each) == 9  # three letters with three pairs, each with one of two lists
    assert len({(line[5:7], line[-1]) for line in each}) == 9
    assert {line[5:9] for line in each} == {f"{ab} {c}" for ab in ("11", "12", "21") for c in "01"}
    all_cases = [line for line in usual + beyond_it if line.startswith("case")]
    assert len(all_cases) == len(set(all_cases)) == 18
    assert sum(line.startswith("once") for line in usual) == 2
    assert sum(line.startswith("once") for line in usual + beyond_it) == 6
    assert "alone" in usual


def test_a_large_product_is_run_in_part_and_whole_when_asked(run):
    usual, beyond_it = run("not exhaustive"), run("exhaustive")
    shared = [line for line in usual if line.startswith("product")]
    assert len(shared) == ROOM
    assert {line[8] for line in shared} == {*map(str, range(6))}
    assert {line[9] for line in shared} == {*"pqrst"}
    assert len({line for line in usual + beyond_it if line.startswith("product")}) == 30
    costly = [line for line in usual if line.startswith("costly")]
    assert len({line[7] for line in costly}) == len(costly) == 3
    assert {line[8] for line in costly} == {"p", "q"}
    assert len({line for line in usual + beyond_it if line.startswith("costly")}) == 15
    for kind, count in ("whole", 50), ("table", 40):
        assert sum(line.startswith(kind) for line in usual) == count
        assert not any(line.startswith(kind) for line in beyond_it)
