import subprocess

import numpy as np
import pytest


@pytest.fixture
def mapped(tmp_path):
    """A memory map of 600 float64 cells in 20 rows, behind other bytes of its file."""
    cells = np.arange(600.0).reshape(20, 30)
    with open(tmp_path / "x", "wb") as file:
        file.write(b"head and title" * 1000)
        file.write(cells.tobytes())
    return np.memmap(tmp_path / "x", "f8", "r+", offset=14_000, shape=cells.shape)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1600 KiB, which root alone can have."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1600k", "tmpfs", disk]
    made = subprocess.run(mount, capture_output=True, check=False)
    if made.returncode:
        pytest.skip("only root can mount: other tests of full disks do without")
    yield disk
    subprocess.run(["umount", disk], check=True)
