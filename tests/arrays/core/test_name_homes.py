"""Names are where the written table says, and to find one imports its own chapter alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dask_tapestry.arrays.core.name_homes import ANSWERS, CHAPTERS
from tests.process_copies import printed_by_copies

ROOT = Path(__file__).parents[3]
SURVEY = """
import json, runpy
found = runpy.run_path("docs/name_homes.py", run_name="survey")
answers = {home: " ".join(names) for home, names in found["answers"]().items()}
print(json.dumps([answers, {h: " ".join(n) for h, n in found["chapters"]().items() if n}]))
"""
MADE = """
import sys
import numpy as np, dask_tapestry as dt
x = dt.asarray(np.ones((4, 4)))
before = set(sys.modules)
"""
IMPORTED = """
{}
arrays = [name for name in set(sys.modules) - before if name.startswith("dask_tapestry.arrays.")]
print(len(arrays), *sorted({{name.split(".")[2] for name in arrays}}))
"""
OWN = {  # what is called: its chapter, and the most modules of arrays that it may import
    "np.sort(x)": ("sorting", 60),
    "np.concatenate([x, x])": ("manipulation", 80),
    "np.fft.fft(x)": ("fft", 40),
    "np.linalg.solve(x, x)": ("linalg", 60),
    "np.quantile(x, 0.5)": ("statistics", 80),
    "np.unique(x)": ("sorting", 80),
    "dt.linalg": ("linalg", 60),
    "dt.polyfit": ("polynomials", 160),
    "dt.sort": ("sorting", 60),
    "dt.from_zarr": ("storage", 40),
}


def run(program):
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_table_is_what_chapters_have():
    answers, chapters = json.loads(run(SURVEY))
    assert answers == ANSWERS, "run `python docs/name_homes.py`"
    assert chapters == CHAPTERS, "run `python docs/name_homes.py`"


@pytest.fixture(scope="module")
def imported():
    """How many modules, and which chapters, each call imports that is a process's first."""
    told = printed_by_copies(MADE, [IMPORTED.format(called) for called in OWN])
    return dict(zip(OWN, map(str.split, told), strict=True))


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.parametrize("called", OWN)
def test_a_name_imports_its_chapter_and_few_others(imported, called):
    count, *chapters = imported[called]
    own, most = OWN[called]
    assert own in chapters
    assert int(count) <= most
    assert "public_names" not in chapters


def test_what_is_known_of_no_chapter_is_looked_for_in_all():
    program = """
import sys
import numpy as np, dask_tapestry as dt
try:
    np.real_if_close(dt.ones(3))
except TypeError as error:
    print(error)
"""
    assert "has no numpy.real_if_close" in run(program)


def test_a_write_in_this_process_does_without_distributed(tmp_path):
    program = f"""
import sys
import numpy as np, dask_tapestry as dt
dt.asarray(np.ones((4, 4))).to_zarr({str(tmp_path / "x.zarr")!r})
print("distributed" in sys.modules)
"""
    assert run(program).strip() == "False"
