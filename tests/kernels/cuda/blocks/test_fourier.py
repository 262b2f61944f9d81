from types import SimpleNamespace

import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks import fourier as module


@pytest.fixture
def seen(monkeypatch):
    """The blocks that the library is given."""
    blocks = []

    def irfft(block, *options):
        blocks.append(block)
        return np.fft.irfft(block, *options)

    library = SimpleNamespace(fft=SimpleNamespace(irfft=irfft))
    gpu = SimpleNamespace(library=library, empty=np.empty)
    monkeypatch.setattr(module, "runtime", lambda: gpu)
    return blocks


@pytest.mark.parametrize(("length", "real"), [(4, [0, 2]), (5, [0])])
def test_ends_of_hermitian_lanes_are_real(seen, length, real):
    x = np.full(3, 1 + 1j)
    module.fourier(None, x, function="irfft", axis=0, length=length, norm="backward")
    assert np.flatnonzero(seen[0].imag == 0).tolist() == real
    assert (x == 1 + 1j).all()


def test_transforms_without_cells_are_not_asked_for(seen):
    made = module.fourier(
        None, np.ones((0, 3), "F"), function="irfft", axis=1, length=4, norm="ortho"
    )
    assert (made.shape, made.dtype.char, seen) == ((0, 4), "f", [])
