"""Shared entries are used, and named for what they document."""

import importlib.resources
import re

from dask_tapestry.arrays.core.shared_parameters import ENTRIES


def test_each_shared_entry_is_named_somewhere():
    """Of a docstring that is written out nothing says so: the sources are searched."""
    folder = importlib.resources.files("dask_tapestry.arrays")
    sources = "".join(path.read_text("utf-8") for path in folder.rglob("*.py"))
    used = {key for line in re.findall(r"\{([\w., ]+)\}", sources) for key in line.split(", ")}
    assert not set(ENTRIES) - used


def test_a_key_begins_with_what_it_documents():
    for key, (name, text) in ENTRIES.items():
        assert key.partition(".")[0] == name.partition(",")[0]
        assert text.endswith(".")
