"""What the machine needs at least is really done."""

import numpy as np
import pytest
from numcodecs import Blosc

from benchmarks.unavoidable import (
    Copy,
    Files,
    Gather,
    Memory,
    Product,
    Read,
    Together,
    Write,
    total,
)


@pytest.mark.parametrize("amount", [16, 8 * 1001 * 2])
def test_as_many_bytes_as_told(amount):
    memory = Memory()
    for way in (Copy(memory, amount), Read(memory, amount), Write(memory, amount)):
        way()
        assert way.amount == amount
    assert len(memory.of(amount, 1)) == amount // 8


def test_every_cell_is_copied_and_written():
    memory = Memory()
    copy = Copy(memory, 16 * 1001)
    copy.source[:] = np.arange(1001)
    copy()
    np.testing.assert_array_equal(copy.target, np.arange(1001))
    write = Write(memory, 8 * 1001)
    write()
    assert total(write.target) == 1001


def test_named_rows_are_added_up():
    x, rows = np.random.default_rng(0).random((5, 3)), np.array([4, 0, 0, 1, 2, 3, 1])
    gather = Gather(x, rows)
    gather()
    np.testing.assert_allclose(gather.found, x[rows].sum(axis=1))
    assert gather.amount == x[rows].nbytes


def test_products_are_of_the_results_before():
    a, b, c = (np.random.default_rng(0).random(shape) for shape in ((4, 3), (3, 5), (5, 2)))
    product = Product(a, b, c)
    product()
    np.testing.assert_allclose(product.results[-1], a @ b @ c)
    assert product.amount == 2 * 4 * (3 * 5 + 5 * 2)


@pytest.mark.parametrize("codec", [None, Blosc("lz4")])
def test_files_are_read_and_decoded(tmp_path, codec):
    cells = np.arange(100.0)
    path = tmp_path / "chunk"
    path.write_bytes(codec.encode(cells) if codec else cells.tobytes())
    files = Files([path], cells.size, codec)
    files.read(path)
    encoded, decoded = files.kept.memory
    np.testing.assert_array_equal(np.frombuffer(decoded if codec else encoded), cells)


def test_parts_run_one_after_the_other():
    ran = []
    Together(lambda: ran.append(1), lambda: ran.append(2))()
    assert ran == [1, 2]
