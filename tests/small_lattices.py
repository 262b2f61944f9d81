"""Cells of lattices that are small, so that small stored arrays have many."""

import pytest

from dask_tapestry.cells import lattice


@pytest.fixture
def small_lattices(monkeypatch):
    monkeypatch.setattr(lattice, "FEW_LATTICE_CELLS", 60)
    monkeypatch.setattr(lattice, "MOST_LATTICE_CELLS", 240)
    monkeypatch.setattr(lattice, "FOLDED_CELLS", 4)
