"""Every test that docs/promises.md names is there."""

import re
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "promises.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "| tests |" not in line]
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def test_every_promise_names_a_test():
    assert len(ROWS) > 20
    assert not [row for row in ROWS if not NAMED.search(row)]


def test_every_named_test_exists():
    misses = [
        f"{path}::{name}"
        for path, name in NAMED.findall(PAGE)
        if not (TESTS / path).exists() or f"def {name}(" not in (TESTS / path).read_text("utf-8")
    ]
    assert not misses
