import pytest

from dask_tapestry_kernels.cuda.jit import cubin_cache
from dask_tapestry_kernels.jit import object_cache


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    tmp_path.chmod(0o700)
    monkeypatch.setenv(object_cache.DIRECTORY, str(tmp_path))


def test_a_key_is_of_source_architecture_and_versions(monkeypatch):
    keys = {cubin_cache.key_of(source, sm) for source in ("a", "b") for sm in (80, 90)}
    monkeypatch.setattr(cubin_cache, "toolkit_version", lambda: "another")
    assert len(keys | {cubin_cache.key_of("a", 80)}) == 5
