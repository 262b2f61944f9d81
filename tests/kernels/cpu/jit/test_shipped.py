import numpy as np
import pytest

from dask_tapestry_kernels.cpu.cells import rows
from dask_tapestry_kernels.cpu.jit import module_digest, object_cache, shipped
from dask_tapestry_kernels.cpu.jit.compile_service import Service

SOURCE = rows.call_source("exp2", 1, np.dtype("f8"), np.dtype("f8"))
CODE = object_cache.Compiled("symbol", b"code")


@pytest.fixture(autouse=True)
def _forgotten():
    shipped._serves.cache_clear()
    yield
    shipped._serves.cache_clear()


def test_a_kernel_is_found_by_its_source(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "runs_here", lambda: True)
    object_cache.write_to(tmp_path, shipped.key_of(SOURCE), CODE)
    assert shipped.read(SOURCE, tmp_path) == CODE
    assert shipped.read(SOURCE + "\n", tmp_path) is None


def test_another_package_takes_no_notice(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "runs_here", lambda: True)
    object_cache.write_to(tmp_path, shipped.key_of(SOURCE), CODE)
    monkeypatch.setattr(module_digest, "digest_of", lambda source: "another")
    assert shipped.read(SOURCE, tmp_path) is None


def test_another_processor_takes_no_notice(tmp_path, monkeypatch):
    object_cache.write_to(tmp_path, shipped.key_of(SOURCE), CODE)
    monkeypatch.setattr(shipped, "FEATURES", ("none has this",))
    assert shipped.read(SOURCE, tmp_path) is None


def test_what_is_shipped_is_not_compiled(monkeypatch):
    """The code cannot be loaded, which is tried before a child is started."""
    asked = []
    monkeypatch.setattr(object_cache, "read", lambda key: None)
    monkeypatch.setattr(shipped, "read", lambda source: CODE)
    service = Service()
    monkeypatch.setattr(service, "_loads", lambda *arguments: asked.append(arguments) or True)
    service.get(SOURCE, 3, "exp2", 2**30)
    assert asked == [(SOURCE, CODE, 3)]
    assert not service._speaks
