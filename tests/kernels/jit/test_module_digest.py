import os
import subprocess
import sys

import pytest

from dask_tapestry_kernels.cpu.cells import compiled_formulas, rows
from dask_tapestry_kernels.cpu.jit import object_keys
from dask_tapestry_kernels.cpu.reduction import fold_sources
from dask_tapestry_kernels.jit import module_digest

NAME = module_digest.NAME
SOURCES = {
    "row": rows.HEAD,
    "walk": compiled_formulas.WALK,
    "leaves": fold_sources.LEAVES,
    "fold": fold_sources.FOLD.format(monoid="sum", cell="<f8", state="<f8"),
}
IMPORTED = f"""
import sys
before = set(sys.modules)
{{}}
print(*(name for name in set(sys.modules) - before if name.startswith("{NAME}.")))
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of three modules: `a` imports `b`, and nobody imports `c`."""
    (tmp_path / "cpu" / "jit" / "child").mkdir(parents=True)
    (tmp_path / "cpu" / "jit" / "child" / "compiler.py").write_text("")
    (tmp_path / "a.py").write_text(f"from {NAME} import (\n    b,  # for its functions\n)\n")
    (tmp_path / "b.py").write_text("one = 1\n")
    (tmp_path / "c.py").write_text("")
    monkeypatch.setattr(module_digest, "PACKAGE", tmp_path)
    _forget()
    yield tmp_path
    _forget()


def _forget():
    module_digest._digest.cache_clear()
    module_digest._module.cache_clear()


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("kind", SOURCES)
def test_every_module_that_a_source_brings_is_found(kind):
    """Functions are imported and not compiled, which takes long."""
    head = SOURCES[kind].partition("\n\n\n")[0].partition("\nfold =")[0]
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED.format(head)],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    brought = {name for name in done.stdout.split() if {"child", "elementary"} & {*name.split(".")}}
    found = module_digest.imported(SOURCES[kind]) | {object_keys.COMPILER}
    assert len(brought) > 3
    assert {name for name in brought if not is_package(name)} <= module_digest.closure(found)


def is_package(name):
    return name.endswith(("child", "elementary"))


def test_a_digest_follows_what_is_imported_and_nothing_else(package):
    source = f"from {NAME}.a import kernel\n"
    digest = module_digest.digest_of(source, object_keys.COMPILER)
    (package / "c.py").write_text("three = 3\n")
    _forget()
    assert module_digest.digest_of(source, object_keys.COMPILER) == digest
    (package / "b.py").write_text("two = 2\n")
    _forget()
    changed = module_digest.digest_of(source, object_keys.COMPILER)
    assert changed != digest
    (package / "cpu" / "jit" / "child" / "compiler.py").write_text("options = 3\n")
    _forget()
    assert module_digest.digest_of(source, object_keys.COMPILER) not in (digest, changed)


def test_a_change_of_one_fold_leaves_formulas_alone():
    of_rows = module_digest.closure(module_digest.imported(rows.HEAD))
    assert not any(".reduction." in name for name in of_rows)
    assert any(".elementary." in name for name in of_rows)


def test_names_of_packages_and_of_nothing_are_read():
    assert module_digest.imported(f"from {NAME}.elementary import nothing") == {
        f"{NAME}.elementary"
    }
    assert module_digest.closure(frozenset({f"{NAME}.not_there"})) == {f"{NAME}.not_there"}
    assert module_digest.imported("import numpy") == frozenset()


def test_all_code_depends_on_how_it_is_linked():
    found = module_digest.closure(frozenset({object_keys.COMPILER}))
    assert f"{NAME}.cpu.jit.child.linked_library" in found
