import os
import subprocess
import sys
from contextlib import nullcontext

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry_kernels.cpu.cells import rows
from dask_tapestry_kernels.cpu.cells.compiled_formulas import apply, run_row
from dask_tapestry_kernels.cpu.jit import compile_service, shipped
from dask_tapestry_kernels.cpu.jit.compile_service import Native
from dask_tapestry_kernels.jit import object_cache
from dask_tapestry_kernels.wheel import ship
from dask_tapestry_kernels.wheel.build import TARGET

PROGRAM = """
import sys
from pathlib import Path
from dask_tapestry_kernels.wheel import ship
texts = [text for text in ship.sources() if "exp2(" in text]
ship.sources = lambda: texts
print(ship.ship(Path(sys.argv[1])))
"""


def test_every_elementary_function_ships_in_both_precisions():
    texts = list(ship.sources())
    assert len(texts) > 2 * len(ship.FUNCTIONS)
    for dtype in ship.FLOATS:
        for name, function in ship.FUNCTIONS.items():
            assert rows.call_source(name, function.arity, dtype, dtype) in texts


def test_what_deviations_from_means_ask_for_ships(monkeypatch):
    asked, service = [], compile_service._service
    monkeypatch.setattr(service, "get", lambda source, *_: asked.append(source))
    for dtype in ship.FLOATS:
        x = dt.asarray(np.ones((300, 400), dtype))
        dask.compute(x.sum(), (x - x.mean(axis=0)).std(axis=0), x.var(axis=1), scheduler="sync")
    assert len(set(asked)) > 8
    assert set(asked) <= set(ship.sources())


@pytest.mark.parametrize(
    "draw",
    [
        lambda g: g.random((300, 400)),
        lambda g: g.random((300, 400), dtype="f4"),
        lambda g: g.normal(size=(300, 400)),
        lambda g: g.standard_normal((300, 400), dtype="f4"),
        lambda g: g.exponential(size=(300, 400)),
        lambda g: g.logistic(size=(300, 400)),
        lambda g: g.integers(0, 6, (300, 400)),
        lambda g: g.laplace(size=(300, 400)),
    ],
)
def test_random_numbers_ship(monkeypatch, draw):
    asked, service = [], compile_service._service
    monkeypatch.setattr(
        service, "get", lambda source, _, what, *__: asked.append((what, source)) and None
    )
    draw(dt.random.default_rng(0)).compute(scheduler="sync")
    numbers = {source for what, source in asked if what == "random numbers"}
    assert numbers
    assert numbers <= set(ship.sources())


def test_every_variate_ships():
    texts = set(ship.sources())
    assert {ship.variates.cell_source(name) for name in ship.variates.DRAWS} < texts
    assert {ship.variates.row_source(name) for name in ship.variates.ROW_DRAWS} < texts


def test_code_for_this_processor_alone_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="NUMBA_CPU_NAME"):
        ship.ship(tmp_path)


@pytest.mark.skipif(bool(shipped.missing_features()), reason="another processor")
def test_what_ships_has_the_bits_of_what_is_compiled_here(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        env=os.environ | TARGET | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(done.stdout) >= 2
    for dtype in ("f8", "f4"):
        source = rows.call_source("exp2", 1, np.dtype(dtype), np.dtype(dtype))
        code = object_cache.read_from(tmp_path, shipped.key_of(source))
        x = np.linspace(-40, 40, 100_001).astype(dtype)
        ours, theirs = np.empty_like(x), np.empty_like(x)
        assert run_row(Native(code, rows.ARITY), theirs, [x])
        apply("exp2", ours, x)
        assert ours.tobytes() == theirs.tobytes()


@pytest.fixture
def one_text(tmp_path, monkeypatch):
    """A folder with the kernel of the one text that ships, and one of another commit."""
    monkeypatch.setenv("NUMBA_CPU_NAME", shipped.LEVEL)
    monkeypatch.setattr(ship, "sources", lambda: ["a text"])
    compiled = object_cache.Compiled("symbol", b"compiled here")
    monkeypatch.setattr(ship, "ProcessPoolExecutor", lambda *_: nullcontext(ship))
    monkeypatch.setattr(ship, "map", lambda _, texts: [compiled for _ in texts], raising=False)
    for text in ("a text", "of another commit"):
        kept = object_cache.Compiled("symbol", b"code")
        object_cache.write_to(tmp_path, shipped.key_of(text), kept)
    shipped.write_target(tmp_path)
    return tmp_path / shipped.key_of("a text")


def test_kernels_that_are_there_stay_and_others_go(tmp_path, one_text):
    assert ship.ship(tmp_path) == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == [one_text.name, shipped.TARGET]


def test_kernels_of_another_numba_are_compiled_again(tmp_path, one_text, monkeypatch):
    for module in (ship, shipped):
        monkeypatch.setattr(module, "numba_version", lambda: "0.99.0")
    assert ship.ship(tmp_path) == 1
    assert shipped.target_of(tmp_path) == (shipped.LEVEL, "0.99.0")


@pytest.mark.parametrize("length", [0, 20, -1])
def test_kernels_that_are_torn_are_compiled_again(tmp_path, one_text, length):
    one_text.write_bytes(one_text.read_bytes()[:length])
    assert ship.ship(tmp_path) == 1
    assert object_cache.read_from(tmp_path, one_text.name).code == b"compiled here"


def test_whoever_may_import_the_package_may_load_its_kernels(tmp_path, one_text):
    one_text.unlink()
    assert ship.ship(tmp_path) == 1
    assert one_text.stat().st_mode & 0o444 == 0o444


def test_variates_may_be_left_to_their_first_use(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_NAME", shipped.LEVEL)
    drawn = ship.variates.cell_source(next(iter(ship.variates.DRAWS)))
    monkeypatch.setattr(ship, "sources", lambda: [drawn])
    assert ship.ship(tmp_path, draws=False) == 0
