import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import zarr

import dask_tapestry as dt

FIRST = np.random.default_rng(0).standard_normal((20, 30))
ROOT = Path(__file__).resolve().parents[3]
SLOW = """
import sys, time
import numpy as np
import dask_tapestry as dt

def slow(block):
    time.sleep(0.03)
    return np.sin(block) + block / 3

def step(x):
    return dt.map_blocks(slow, x, dtype=x.dtype, meta=np.empty((0, 0)))

first = np.random.default_rng(0).standard_normal((20, 30))
found = dt.iterate(step, first, int(sys.argv[2]), every=3, checkpoint=sys.argv[1])
np.save(sys.argv[1] + ".npy", found.compute())
"""


def step(x, t):
    return dt.sin(x) + dt.roll(x, 1, 0) / 3 + t


def looped(steps, store, every=2, step=step, first=FIRST):
    return dt.iterate(step, first, steps, every=every, checkpoint=store).compute()


def plain(steps):
    return dt.iterate(step, FIRST, steps).compute()


@pytest.fixture
def begun(monkeypatch):
    """Numbers of the steps at which loops begin."""
    numbers = []
    from dask_tapestry.arrays.loops import loop_runs

    time_node = loop_runs.time_node

    def noted(number):
        numbers.append(number)
        return time_node(number)

    monkeypatch.setattr(loop_runs, "time_node", noted)
    return numbers


def test_a_loop_goes_on_from_the_last_state_with_the_same_bits(tmp_path, begun):
    store = str(tmp_path / "states")
    np.testing.assert_array_equal(looped(5, store), plain(5))
    np.testing.assert_array_equal(dt.from_zarr(store, "4/0").compute(), plain(4))
    begun.clear()
    np.testing.assert_array_equal(looped(9, store), plain(9))
    assert begun == [4, 5, 6, 7, 8, *range(9)]


def test_a_state_further_than_the_last_step_is_not_taken(tmp_path, begun):
    store = str(tmp_path / "states")
    looped(8, store)
    begun.clear()
    np.testing.assert_array_equal(looped(5, store), plain(5))
    assert begun[0] == 4


def test_another_rhythm_is_the_same_loop(tmp_path):
    store = str(tmp_path / "states")
    looped(4, store)
    np.testing.assert_array_equal(looped(10, store, every=3), plain(10))
    np.testing.assert_array_equal(dt.from_zarr(store, "6/0").compute(), plain(6))


@pytest.mark.parametrize("torn", ["no mark", "half a mark", "another mark"])
def test_a_torn_state_is_never_taken(tmp_path, begun, torn):
    store = tmp_path / "states"
    looped(4, str(store))
    mark = store / "4" / "complete" / "zarr.json"
    if torn == "no mark":
        shutil.rmtree(mark.parent)
        shutil.rmtree(store / "4" / "0" / "c")
    elif torn == "half a mark":
        mark.write_bytes(mark.read_bytes()[:20])
    else:
        told = json.loads(mark.read_bytes())
        told["attributes"]["step"] = 2
        mark.write_text(json.dumps(told))
    begun.clear()
    np.testing.assert_array_equal(looped(6, str(store)), plain(6))
    assert begun[0] == 2
    np.testing.assert_array_equal(dt.from_zarr(str(store), "4/0").compute(), plain(4))


class PowerCut(BaseException):
    """Nothing more is written."""


def cut_after(store, flushes, monkeypatch):
    """Loop until the power is cut: files keep the size they had when they were flushed last."""
    sizes, real = {}, os.fsync

    def flushed(descriptor):
        if len(done) == flushes:
            raise PowerCut
        done.append(descriptor)
        real(descriptor)
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        sizes[path] = os.path.getsize(path)

    done = []
    monkeypatch.setattr(os, "fsync", flushed)
    try:
        looped(4, str(store))
    except PowerCut:
        pass
    else:
        return False
    finally:
        monkeypatch.undo()
    for path in store.rglob("*"):
        if path.is_file() and path.name != "zarr.json":  # descriptions happen to be on the disk
            os.truncate(path, sizes.get(str(path), 0))
    return True


def test_a_power_cut_leaves_no_state_that_lacks_chunks(tmp_path, monkeypatch):
    flushes, expected = 0, {step: plain(step) for step in (2, 4)}
    while cut_after(store := tmp_path / f"{flushes}", flushes, monkeypatch):
        for step, value in expected.items():
            if (store / f"{step}" / "complete").exists():
                found = dt.from_zarr(str(store), f"{step}/0").compute()
                np.testing.assert_array_equal(found, value)
        np.testing.assert_array_equal(looped(4, str(store)), expected[4])
        flushes += 2
    assert flushes > 12


def test_states_of_another_loop_are_refused(tmp_path):
    store = str(tmp_path / "states")
    looped(4, store)
    with pytest.raises(dt.StoreError, match=r"what a step computes differs.*another store"):
        looped(4, store, step=lambda x: x + 1)
    with pytest.raises(dt.StoreError, match="the first state differs"):
        looped(4, store, first=FIRST + 1)


def test_what_else_a_store_holds_is_left_alone(tmp_path):
    zarr.create_group(str(tmp_path / "group"), attributes={"mine": 1})
    with pytest.raises(dt.StoreError, match="not checkpoints"):
        looped(4, str(tmp_path / "group"))
    dt.to_zarr(dt.ones(3), str(tmp_path / "array"))
    with pytest.raises(dt.StoreError):
        looped(4, str(tmp_path / "array"))


def test_stores_of_zarr_and_states_of_several_arrays():
    store = zarr.storage.MemoryStore()
    first = FIRST[0], np.complex64(1j), np.zeros((0, 3), "u1")

    def turned(x, z, nothing):
        return x * z.real + 1, z * np.complex64(1j), nothing

    whole = dt.iterate(turned, first, 7)
    dt.iterate(turned, first, 5, every=1, checkpoint=store)
    again = dt.iterate(turned, first, 7, every=1, checkpoint=store)
    for one, other in zip(whole, again, strict=True):
        np.testing.assert_array_equal(one.compute(), other.compute())


def test_a_killed_process_is_resumed(tmp_path):
    script, store = tmp_path / "slow.py", tmp_path / "states"
    script.write_text(SLOW)
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'kernels'}"}
    command = [sys.executable, str(script), str(store), "400"]
    process = subprocess.Popen(command, env=environment)
    latest = time.monotonic() + 60
    while not (store / "6" / "complete").exists() and time.monotonic() < latest:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = [int(p.name) for p in store.iterdir() if (p / "complete").exists()]
    steps = str(max(done) + 5)
    for where in (store, tmp_path / "uninterrupted"):
        subprocess.run([*command[:2], str(where), steps], env=environment, check=True, timeout=120)
    resumed, whole = (np.load(f"{where}.npy") for where in (store, tmp_path / "uninterrupted"))
    np.testing.assert_array_equal(resumed, whole)
