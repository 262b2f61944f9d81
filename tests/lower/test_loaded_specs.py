import gc
import pickle

import dask_tapestry as dt
from dask_tapestry.cells.reduction_tree import leaf_sides
from dask_tapestry.lower import loaded_specs
from dask_tapestry.lower.loaded_specs import LoadedSpecs
from tests.lower.test_step_spec import spec_of


class Spec:
    """Any object."""


def alive():
    gc.collect()
    return sum(type(one) is Spec for one in gc.get_objects())


def test_what_is_there_is_kept():
    specs = LoadedSpecs()
    first = specs.keep("a", Spec(), 10)
    assert specs.keep("a", Spec(), 10) is specs.get("a") is first
    assert specs.get("b") is None
    specs.clear()
    assert specs.get("a") is None


def test_a_spec_is_the_same_object_while_a_task_holds_it(monkeypatch):
    monkeypatch.setattr(loaded_specs, "SPECS_HELD", 3)
    specs, before = LoadedSpecs(), alive()
    held = specs.keep("held", Spec(), 10)
    for number in range(20):
        specs.keep(str(number), Spec(), 10)
    assert specs.get("held") is held
    assert specs.get("0") is None
    assert alive() - before == 4


def test_specs_of_many_bytes_are_let_go(monkeypatch):
    monkeypatch.setattr(loaded_specs, "SPECS_HELD_BYTES", 100)
    specs, before = LoadedSpecs(), alive()
    for number in range(20):
        specs.keep(str(number), Spec(), 40)
    assert alive() - before == 2
    specs.keep("of more bytes than all may have", Spec(), 1000)
    assert alive() - before == 1
    assert specs.get("of more bytes than all may have") is not None  # its next task needs it


def test_a_worker_forgets_what_functions_remember_of_programs(monkeypatch):
    monkeypatch.setattr(loaded_specs, "SPECS_UNTIL_FORGOTTEN", 3)
    leaf_sides.cache_clear()
    kept = 0
    for number in range(9):
        leaf_sides((10, 10))
        pickle.loads(pickle.dumps(spec_of(dt.ones((number + 3, 61)) + 1)))
        kept += leaf_sides.cache_info().currsize
    assert kept == 6
