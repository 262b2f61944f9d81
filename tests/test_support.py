"""docs/support.md says what the operators declare now."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def test_the_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("support", DOCS / "support.py")
    support = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(support)
    written = (DOCS / "support.md").read_text("utf-8")
    assert support.page() == written, "run `python docs/support.py`"
