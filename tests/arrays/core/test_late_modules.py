from importlib import import_module

import pytest

from dask_tapestry.arrays.core import late_modules
from dask_tapestry.imports import LateModule

LATE = [name for name, value in vars(late_modules).items() if isinstance(value, LateModule)]


@pytest.mark.parametrize("name", LATE)
def test_each_is_the_module_of_its_name(name):
    late = getattr(late_modules, name)
    module = import_module(late._name)
    assert module.__name__.endswith(f".{name}")
    public = next(key for key in vars(module) if not key.startswith("_"))
    assert getattr(late, public) is getattr(module, public)


def test_there_are_some():
    assert "graph" in LATE
