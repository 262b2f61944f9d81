"""The pictures of the page `simulations.md`."""

import importlib.util
import re
from pathlib import Path

import numpy as np

DOCS = Path(__file__).parent.parent / "docs"


def script():
    spec = importlib.util.spec_from_file_location("simulations", DOCS / "simulations.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_program_has_its_picture():
    page = (DOCS / "simulations.md").read_text("utf-8")
    shown = re.findall(r"!\[[^]]+\]\(simulations/(\w+)\.png\)", page)
    assert shown == list(script().PICTURES)
    assert len(shown) == page.count("\n## ")
    assert {path.stem for path in (DOCS / "simulations").glob("*.png")} == set(shown)


def test_colours_run_from_the_least_value_to_the_largest():
    made = script().coloured
    colours = [(0, 0, 0), (200, 100, 0)]
    picture = made(np.array([[-1.0, 0.0], [0.0, 1.0]]), colours, 2)
    assert picture.shape == (4, 4, 3)
    assert picture[0, 0].tolist() == [0, 0, 0]
    assert picture[3, 3].tolist() == [200, 100, 0]
    assert (picture[:2, 2:] == [100, 50, 0]).all()
    assert not made(np.ones((2, 2)), colours, 1).any()
