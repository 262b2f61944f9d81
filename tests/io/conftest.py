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
