import os
import subprocess
import sys
from pathlib import Path

from dask_tapestry_kernels.cpu.jit import object_keys

ROOT = Path(__file__).parents[4]


def test_a_key_follows_the_source_and_what_code_depends_on(monkeypatch):
    key = object_keys.key_of("a")
    assert key != object_keys.key_of("b")
    assert key == object_keys.key_of("a")
    monkeypatch.setattr(object_keys, "_environment", lambda: "another processor")
    assert key != object_keys.key_of("a")


def test_keys_are_the_same_in_every_process():
    program = "from dask_tapestry_kernels.cpu.jit.object_keys import key_of; print(key_of('a'))"
    keys = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONPATH": str(ROOT / "kernels"), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in "12"
    }
    assert keys == {object_keys.key_of("a")}
