from importlib import import_module

import pytest

from dask_tapestry.arrays.core import late_modules


@pytest.mark.parametrize("name", late_modules.__all__)
def test_each_is_the_module_of_its_name(name):
    late = getattr(late_modules, name)
    module = import_module(late._name)
    assert module.__name__.endswith(f".{name}")
    public = next(key for key in vars(module) if not key.startswith("_"))
    assert getattr(late, public) is getattr(module, public)
