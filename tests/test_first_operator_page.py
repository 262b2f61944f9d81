"""The files on docs/first-operator.md work as they stand, in a copy of the library."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "first-operator.md").read_text("utf-8")
BLOCK = re.compile(r"^`([\w/.]+)`:\n\n```(python|diff)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FOUND = BLOCK.findall(PAGE)
NEW = {name: text for name, kind, text in FOUND if kind == "python"}
CHANGED = {name: text for name, kind, text in FOUND if kind == "diff"}
TESTS = sorted(name for name in NEW if name.startswith("tests/"))


def patched(text, diff):
    """The text with each line that begins with + after the line that stands before it."""
    before = None
    for line in diff.splitlines():
        if line.startswith("+"):
            assert text.count(f"\n{before}\n") == 1, before
            text = text.replace(f"\n{before}\n", f"\n{before}\n{line[1:]}\n")
        before = line[1:]
    return text


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    root = tmp_path_factory.mktemp("copy")
    for folder in ("dask_tapestry", "kernels"):
        shutil.copytree(ROOT / folder, root / folder)
    for name, text in NEW.items():
        assert not (ROOT / name).exists(), name
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    for name, diff in CHANGED.items():
        (root / name).write_text(patched((ROOT / name).read_text("utf-8"), diff), "utf-8")
    return root


def test_an_operator_is_one_file_and_one_test_and_a_kernel_another_of_each():
    operators = [name for name in NEW if name.startswith("dask_tapestry/operators/")]
    kernels = [name for name in NEW if name.startswith("kernels/")]
    assert (len(operators), len(kernels), len(TESTS)) == (2, 1, 3)
    assert list(CHANGED) == ["kernels/dask_tapestry_kernels/cpu/__init__.py"]


def test_the_tests_on_the_page_pass(copy):
    paths = os.pathsep.join([str(copy), str(copy / "kernels")])
    command = [sys.executable, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--import-mode=importlib", *TESTS],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
