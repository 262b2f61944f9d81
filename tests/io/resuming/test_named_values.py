import functools
import re
import subprocess
import sys
import threading
from enum import Enum
from pathlib import Path

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.resuming.named_values import Names
from dask_tapestry.teg.origin import UnnamedError

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import re
import numpy as np
import dask_tapestry as dt
from dask_tapestry.io.resuming.named_values import Names

scale = 3

class Shift:
    def __init__(self, by):
        self.by, self.names = by, {"a", "b", "c", "d"}

    def __call__(self, block):
        return block + self.by * len(self.names)

def scaled(block, much=np.arange(3)):
    return block * scale + much.sum()

x = dt.asarray(np.arange(60.0).reshape(6, 10)).rechunk(4)
y = dt.map_blocks(Shift(2), dt.map_blocks(scaled, x)) + dt.random.default_rng(1).normal(size=10)
print(Names().of([Names().graph([(y.sum(0) / dt.sort(y)).node])[0], re.compile("a+"), np.sin]))
"""


class Colour(Enum):
    RED = 1


def test_another_process_finds_the_same_names():
    texts = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={"PYTHONPATH": f"{ROOT}:{ROOT / 'kernels'}", "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert len(texts.pop()) > 1000


def closed_over(value):
    return lambda x: (x, value)


VALUES = [
    None, 1, True, 1.0, 1j, "1", b"1", (1,), [1], {1}, {1: 1}, slice(1), range(1), Colour.RED,
    np.float32(1), np.float64(1), np.ones(1), np.dtype("f4"), np.sin, len, str.join, "a".join,
    re.compile("a"), re.compile("a", re.I), functools.partial(len, [1]), Path("a"), np, Colour,
    closed_over(1), closed_over(1.0), closed_over("1"), closed_over(np.ones(1)), np.vectorize(len),
]  # fmt: skip


def test_values_that_differ_have_other_names():
    names = [Names().of(value) for value in VALUES]
    assert len(set(names)) == len(VALUES)
    assert names == [Names().of(value) for value in VALUES]


def test_functions_that_call_each_other_end():
    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 1)

    assert Names().of(even) == Names().of(even) != Names().of(odd)


def test_functions_that_others_wrap_are_known_by_their_code():
    def one(x):
        return x

    def other(x):
        return x + 1

    assert Names().of(functools.lru_cache(one)) == Names().of(functools.lru_cache(one))
    assert Names().of(functools.lru_cache(one)) != Names().of(functools.lru_cache(other))


def test_an_object_may_say_what_it_is():
    class Said:
        def __init__(self, value):
            self.value, self.lock = value, threading.Lock()

        def __dask_tokenize__(self):
            return self.value

    assert Names().of(Said(1)) == Names().of(Said(1)) != Names().of(Said(2))


def test_stored_arrays_are_known_by_their_origin(tmp_path):
    one = zarr.create_array(tmp_path / "one", shape=(3,), dtype="f8")
    known = Names().of(one)
    assert known == Names().of(zarr.open_array(tmp_path / "one"))
    dt.to_zarr(dt.ones(3), tmp_path / "one", region=(slice(3),))
    assert known != Names().of(zarr.open_array(tmp_path / "one"))


def locked(lock):
    def inner(block):
        with lock:
            return block

    return inner


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (threading.Lock(), "object of _thread.lock has no name"),
        (locked(threading.Lock()), "_thread.lock has no name .*, in function inner: give what it"),
        (closed_over(np.array([object()])), "Python objects .*, in function <lambda>"),
        (
            dt.ones(3).to_dask_array(),
            "results of other tasks cannot be identified: write it to Zarr first",
        ),
        (dt.random.normal(size=3), "seed that the system chose, in random.*default_rng"),
        (dt.random.default_rng().spawn(1)[0].normal(size=3), "seed that the system chose"),
        (dt.from_dask_array(dt.ones(3).to_dask_array()), "others compute.*: write it to Zarr"),
    ],
)
def test_what_has_no_name_is_told_with_the_way_out(value, words):
    with pytest.raises(UnnamedError, match=words):
        Names().of(value)


def test_sources_may_be_known_by_their_types_alone():
    one, other = (dt.asarray(np.full(3, n)).node for n in (1, 2))
    texts = [Names().graph([x], bare=True)[0] for x in (one, other)]
    assert texts[0] == texts[1]
    assert Names().graph([one])[0] != Names().graph([other])[0]
    assert Names().graph([one], bare=True)[1] == [one]
    assert Names().graph([one], [one])[1] == []
