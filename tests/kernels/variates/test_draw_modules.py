from importlib import import_module

from dask_tapestry_kernels.parameters.variates import DRAWS, ROW_DRAWS
from dask_tapestry_kernels.variates.draw_modules import MODULES


def test_every_distribution_has_a_function():
    assert MODULES.keys() == DRAWS.keys() | ROW_DRAWS.keys()
    for name, module in MODULES.items():
        found = import_module(f"dask_tapestry_kernels.variates.child.{module}")
        assert callable(getattr(found, name))
