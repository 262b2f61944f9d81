import numpy as np
import pytest

from dask_tapestry.io.sources import cells_digest as module
from dask_tapestry.io.sources.cells_digest import cells_digest
from dask_tapestry.teg.origin import UnnamedError

LAYOUTS = [np.asfortranarray, lambda x: x[::-1][::-1], lambda x: x.T.copy().T, np.copy]


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "c16", "M8[s]", "U3", "i4,f8"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (7,), (5, 6), (4, 3, 2)])
def test_it_knows_cells_and_shape_alone(monkeypatch, dtype, shape):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    for slab in (16, 1 << 20):
        monkeypatch.setattr(module, "DIGEST_SLAB_BYTES", slab)
        known = cells_digest(x)
        assert all(cells_digest(lay(x) if x.ndim else x) == known for lay in LAYOUTS)
        assert cells_digest(x.reshape(*shape, 1)) != known
        if x.size > 1:
            assert cells_digest(np.roll(x, 1)) != known


def test_signs_of_zeros_and_dtypes_are_told():
    zero = np.zeros(3)
    others = [-zero, zero.astype("f4"), zero.astype(">f8"), zero.astype("i8")]
    assert len({cells_digest(x) for x in (zero, *others)}) == 5


def test_texts_of_any_length():
    one = np.array(["a", "longer than what fits in place"], np.dtypes.StringDType())
    assert cells_digest(one) == cells_digest(one.copy()) != cells_digest(one[::-1])


def test_python_objects_have_none():
    with pytest.raises(UnnamedError, match="Python objects"):
        cells_digest(np.array([object()]))
