import numpy as np
import pytest

from dask_tapestry_kernels.cpu.cells import rows
from dask_tapestry_kernels.cpu.jit import shipped
from dask_tapestry_kernels.cpu.jit.compile_service import KernelService
from dask_tapestry_kernels.jit import module_digest, object_cache

SOURCE = rows.call_source("exp2", 1, np.dtype("f8"), np.dtype("f8"))
CODE = object_cache.Compiled("symbol", b"code")


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A folder with one kernel, compiled with the numba that is here for the processor that is."""
    shipped.refusal.cache_clear()
    monkeypatch.setattr(shipped, "FEATURES", ())
    object_cache.write_to(tmp_path, shipped.key_of(SOURCE), CODE)
    shipped.write_target(tmp_path)
    yield tmp_path
    shipped.refusal.cache_clear()


def test_a_kernel_is_found_by_its_source(tmp_path, kept):
    assert shipped.read(SOURCE, tmp_path) == CODE
    assert shipped.read(SOURCE + "\n", tmp_path) is None


def test_another_package_takes_no_notice(tmp_path, monkeypatch, kept):
    monkeypatch.setattr(module_digest, "digest_of", lambda source, compiler: "another")
    assert shipped.read(SOURCE, tmp_path) is None


def test_another_processor_takes_no_notice(tmp_path, monkeypatch, kept):
    monkeypatch.setattr(shipped, "FEATURES", ("none has this",))
    assert shipped.read(SOURCE, tmp_path) is None
    assert "lacks none has this" in shipped.refusal(tmp_path)


@pytest.mark.parametrize("other", ["0.5.1", "1.68.1", "0.690.1", ""])
def test_code_of_another_numba_is_not_loaded(tmp_path, monkeypatch, kept, other):
    monkeypatch.setattr(shipped, "numba_version", lambda: other)
    assert shipped.read(SOURCE, tmp_path) is None
    assert (other or "missing") in shipped.refusal(tmp_path)


def test_code_of_a_numba_that_mends_another_is_loaded(tmp_path, monkeypatch, kept):
    series = ".".join(shipped.numba_version().split(".")[:2])
    monkeypatch.setattr(shipped, "numba_version", lambda: f"{series}.99")
    assert shipped.read(SOURCE, tmp_path) == CODE


@pytest.mark.parametrize("said", [None, "", "{", "[]", "3", '{"processor": "x86-64-v3"}'])
def test_code_that_does_not_say_what_it_is_for_is_not_loaded(tmp_path, kept, said):
    file = tmp_path / shipped.TARGET
    file.unlink() if said is None else file.write_text(said)
    assert shipped.target_of(tmp_path) is None
    assert shipped.read(SOURCE, tmp_path) is None
    assert "brought no compiled kernels" in shipped.refusal(tmp_path)


def test_what_is_shipped_is_not_compiled(monkeypatch):
    """The code cannot be loaded, which is tried before a child is started."""
    asked = []
    monkeypatch.setattr(object_cache, "read", lambda key: None)
    monkeypatch.setattr(shipped, "read", lambda source: CODE)
    service = KernelService()
    monkeypatch.setattr(service, "_loads", lambda *arguments: asked.append(arguments) or True)
    service.get(SOURCE, 3, "exp2", 2**30)
    assert asked == [((SOURCE, 3), CODE)]
    assert not service._speaks
