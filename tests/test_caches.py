import ast
import pkgutil
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry import caches
from dask_tapestry.caches import cached_functions, clear_caches
from tests.test_repository import PACKAGE, listed

# Remembered by module: what a process has met, measured or registered, which no plan is made of.
OF_A_PROCESS = {
    "arrays/core/dispatch": "METHODS NUMPY_FUNCTIONS OF_OTHERS UFUNC_FUNCTIONS _WRAPPERS",
    "arrays/core/dynamic_shape": "_picked _runs",  # counts, by the node that they are of
    "arrays/core/masked": "FROM_NUMPY",
    "arrays/elementwise/ufunc_functions": "FUNCTIONS",
    "arrays/ma/masked_array": "FUNCTIONS",
    "arrays/random/seeds": "_system_seeds",
    "arrays/stablehlo/gather_constraints": "CONSTRAINTS",
    "arrays/stablehlo/scatter_constraints": "CONSTRAINTS",
    "caches": "_looked_through",
    "command/declared_machines": "_suggested",
    "diagnostics/local_jobs": "_ended",
    "io/journals/write_marks": "_waiting",
    "io/sinks/zarr_overwrite": "_failed",
    "io/sources/bytes_on_workers": "_held",
    "io/stores/retries": "_counts",
    "lower/cancellation": "_ENDED",
    "lower/aligned_blocks": "_last",  # an aligned copy
    "lower/cluster_jobs": "_sent",
    "lower/device_turns": "_running",  # blocks that devices compute now
    "lower/blocks_one_by_one": "_turns",
    "lower/fp_error_events": "_listening_clients _runs _unattended",
    "lower/input_prefetch": "_unreached _waiting",
    "lower/job_announcements": "_recorders _waiting",
    "lower/dry_run_state": "_told",
    "lower/result_layout": "_known",
    "lower/retry_events": "_listening",
    "lower/values_met_again": "_copies _kept",
    "planner/cache": "_around _around_last _known _outlines",  # plans that are found again
    "planner/long_jobs": "_ways",
    "planner/machine/adaptive": "_looks",
    "planner/machine/calibrate": "_measured",
    "planner/machine/cluster_rates": "_known",
    "planner/remembered_choices": "_known _written",  # choices of plans that are made again
    "planner/walltime": "_looks",
    "rules/effects": "_sinks",
    "scheduler/plugin_registration": "_registered",
    "teg/annotations": "_last _met",
    "teg/node": "_interned",
    "teg/nominal": "_known",
}
CONSTANT = ("NO_", "NOTHING", "__all__")  # empty ones that nothing is put into
MAKERS = ("WeakKeyDictionary", "WeakValueDictionary", "WeakSet", "OrderedDict", "defaultdict")
EMPTY = ("{}", "[]", "set()", "dict()")


@pytest.fixture(scope="module")
def all_imported():
    for module in pkgutil.walk_packages([str(PACKAGE)], "dask_tapestry."):
        if "__main__" not in module.name:
            import_module(module.name)


def test_what_functions_remember_is_bounded(all_imported):
    functions = dict(cached_functions())
    assert len(functions) > 50
    misses = [
        name
        for name, function in functions.items()
        if function.cache_parameters()["maxsize"] is None
    ]
    assert not misses, listed(misses)


def test_one_call_forgets_all():
    x = dt.from_array(np.ones((64, 64)), chunks=(8, 8))
    dt.plan((x @ x).sum(axis=0), resources=dt.Resources(workers=2, threads=2))
    sizes = [function.cache_info().currsize for _, function in cached_functions()]
    assert sum(sizes) > 20
    clear_caches()
    assert not [name for name, function in cached_functions() if function.cache_info().currsize]
    assert (x @ x).sum().compute() == 64**3


def globals_that_remember(path) -> Iterator[str]:
    for statement in ast.parse(path.read_text("utf-8")).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                pass
            case _:
                continue
        text = ast.unparse(value)
        if text in EMPTY or text.startswith((*MAKERS, "deque(")):
            yield name


def test_module_globals_hold_what_belongs_to_a_process():
    """A cache that planning fills is bounded and a function's; others are listed above."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        names = [n for n in globals_that_remember(path) if not n.startswith(CONSTANT)]
        if names:
            found[path.relative_to(PACKAGE).with_suffix("").as_posix()] = sorted(names)
    assert found == {home: sorted(names.split()) for home, names in OF_A_PROCESS.items()}


def test_a_signature_is_looked_at_of_no_function(monkeypatch):
    monkeypatch.setattr(caches.inspect, "signature", lambda one: pytest.fail(f"{one} is looked at"))
    assert len(list(cached_functions())) > 50


def test_a_module_is_looked_through_once_until_it_has_more_names(monkeypatch):
    looked, found = [], dict(cached_functions())
    look = caches._cached_in
    monkeypatch.setattr(
        caches, "_cached_in", lambda home, values: looked.append(home) or look(home, values)
    )
    assert dict(cached_functions()) == found
    assert not looked
    late = lru_cache(maxsize=4)(_late)
    late.__module__ = caches.__name__
    monkeypatch.setattr(caches, "late", late, raising=False)
    assert dict(cached_functions())["dask_tapestry.caches.late"] is late
    assert [home for home in looked if ":" not in home] == ["dask_tapestry.caches"]


def _late(one):
    return one
