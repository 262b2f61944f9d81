"""Every test that docs/promises.md names is there."""

import re
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "promises.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "| tests |" not in line]
AT_NIGHT = {"test_fifty_kills", "test_a_processor_of_narrower_vectors_gives_the_same_bits"}
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def test_every_promise_names_a_test():
    assert len(ROWS) > 20
    assert not [row for row in ROWS if not NAMED.search(row)]


def test_every_named_test_exists():
    misses = [
        f"{path}::{name}" for path, name in NAMED.findall(PAGE) if f"def {name}(" not in _text(path)
    ]
    assert not misses


def test_no_named_test_but_two_is_left_to_the_night():
    left = [
        f"{path}::{name}"
        for path, name in NAMED.findall(PAGE)
        if re.search(rf"@pytest\.mark\.exhaustive[^\n]*\n(@[^\n]*\n)*def {name}\(", _text(path))
        and name not in AT_NIGHT
    ]
    assert not left


def _text(path):
    return (TESTS / path).read_text("utf-8") if (TESTS / path).exists() else ""
