"""The site has every page and every public name; `make docs` builds it."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import dask_tapestry as dt

DOCS = Path(__file__).parent.parent / "docs"
LISTED = re.compile(r"```\{toctree\}.*?```", re.DOTALL)


def load(name):
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_index_lists_every_page_once():
    blocks = LISTED.findall((DOCS / "index.md").read_text("utf-8"))
    lines = [line for block in blocks for line in block.splitlines()[1:-1]]
    listed = [line for line in lines if line and not line.startswith(":")]
    pages = {page.stem for page in DOCS.glob("*.md")} - {"index"}
    assert len(listed) == len(set(listed))
    assert set(listed) == pages | {"api/index", "changes/README"}


def test_the_reference_has_every_public_name_once():
    api = load("api")
    chapters = dict.fromkeys((*api.CHAPTERS, *api.BESIDE))
    shown = [name for c in chapters for names in api.sections(c).values() for name in names]
    modules = {name for name in dir(dt) if isinstance(getattr(dt, name), ModuleType)}
    assert len(shown) == len(set(shown))
    assert {name for name in shown if "." not in name} == set(dt.__all__) - modules
    assert {name.partition(".")[0] for name in shown if "." in name} == modules - {"errors"}


def test_the_configuration_says_the_version():
    assert load("conf").version == dt.__version__
