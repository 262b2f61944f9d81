import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks.child import spline_ends
from dask_tapestry_kernels.cpu.blocks.spline_taps import mapped
from dask_tapestry_kernels.parameters.splines import FAR, continued

MODES = "reflect constant nearest mirror wrap grid-constant grid-wrap".split()


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("mode", MODES)
def test_coordinates_are_those_of_arrays(mode, n):
    c = np.concatenate([np.linspace(-17, 17, 545), [np.nan, np.inf, -np.inf, -1e-16, 1e300]])
    one = getattr(spline_ends, f"mapped_{mode.replace('-', '_')}")
    expected = mapped(np.clip(c, -FAR, FAR), n, mode)
    np.testing.assert_array_equal([one(float(cell), n) for cell in c], expected)


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("mode", ["reflect", "nearest", "mirror", "grid-constant", "grid-wrap"])
def test_places_are_those_of_arrays(mode, n):
    places = np.arange(-17, 18)
    one = getattr(spline_ends, f"place_{mode.replace('-', '_')}")
    assert [one(int(p), n) for p in places] == continued(places, n, mode).tolist()
