"""Shuffles of rows in the simulator: buckets and rows have the bits of the CPU's."""

import numpy as np
import pytest

from dask_tapestry.operators.cells.cell_updates import cell_update
from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.fold_cases import drawn
from tests.kernels.cuda.simulated.run_kernel import run

GENERATOR = np.random.default_rng(31)
ALL = (slice(None), slice(None))
KINDS = "?bBhHilLefdFD"


def check(name, *blocks, **told):
    """Run a kernel on both; return what the CPU's yields."""
    expected = CPU[name](None, *blocks, **told)
    made = run(CUDA[name], None, *blocks, **told)
    if not isinstance(expected, BucketBlocks):
        assert same_bits(made, expected)
        return expected
    assert made.shape == expected.shape
    for at in np.ndindex(expected.shape):
        assert same_bits(made.cells[at], expected.cells[at]), (name, at)
    return expected


def numbers(count, rows, kind="l", some_out=True):
    low = -2 if some_out and kind not in "BHL" else 0
    return GENERATOR.integers(low, rows, count).astype(kind)


def divided(rows, count, owners, runs):
    side = -(-rows // owners)
    return {"length": -(-count // runs), "owners": -(-rows // side), "side": side}


CASES = [(10, 23, 3, 4), (7, 9, 7, 1), (1, 5, 1, 2), (9, 1, 2, 1), (9, 0, 2, 1), (40, 33, 5, 3)]


@pytest.mark.parametrize(("rows", "count", "owners", "runs"), CASES)
@pytest.mark.parametrize("row", [(), (3,), (2, 0), (2, 3)], ids=str)
def test_rows_are_asked_for_served_and_given_back(gpu, rows, count, owners, runs, row):
    told = divided(rows, count, owners, runs)
    places, table = numbers(count, rows, some_out=False), drawn("f8", (rows, *row))
    requests = check("route", places, count=runs, keep=ALL, **told)
    answers = check("serve", requests, table, side=told["side"], keep=ALL)
    keep = (slice(0, runs * told["length"]), *[slice(0, n) for n in row])
    back = {**told, "row": row, "dtype": table.dtype, "keep": keep}
    made = check("giveback", answers, places, **back)
    assert same_bits(made[:count], table[places])


def test_places_of_nobody_are_passed_over(gpu):
    """Their rows are zero here; the CPU leaves them as they are."""
    told, places = divided(8, 17, 3, 2), numbers(17, 8)
    places[[0, 5, 12]] = -1
    table = drawn("f8", (8, 3))
    requests = check("route", places, count=2, keep=ALL, **told)
    answers = check("serve", requests, table, side=told["side"], keep=ALL)
    keep = (slice(0, 18), slice(0, 3))
    back = {**told, "row": (3,), "dtype": table.dtype, "keep": keep}
    made = run(CUDA["giveback"], None, answers, places, **back)[:17]
    assert same_bits(made[places >= 0], table[places[places >= 0]])
    assert not made[places < 0].any()


@pytest.mark.parametrize(("rows", "count", "owners", "runs"), CASES)
@pytest.mark.parametrize("name", ["add", "update", "less"])
def test_updates_are_sent_and_folded_in_their_order(gpu, rows, count, owners, runs, name):
    told = divided(rows, count, owners, runs)
    places, table, updates = numbers(count, rows), drawn("f8", (rows, 3)), drawn("f8", (count, 3))
    requests = check("route", places, count=runs, keep=ALL, **told)
    sent = check("send", places, updates, count=runs, keep=ALL, **told)
    fold = {"side": told["side"], "expressions": (cell_update(name, table.dtype),), "keep": ALL}
    check("foldsent", table, requests, sent, **fold)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_every_dtype(gpu, kind):
    places, table, updates = numbers(17, 8), drawn(kind, (8, 2)), drawn(kind, (17, 2))
    told = divided(8, 17, 3, 2)
    requests = check("route", places, count=2, keep=ALL, **told)
    sent = check("send", places, updates, count=2, keep=ALL, **told)
    expression = (cell_update("update", table.dtype),)
    check("foldsent", table, requests, sent, side=3, expressions=expression, keep=ALL)
    inside = np.abs(places) % 8
    requests = check("route", inside, count=2, keep=ALL, **told)
    answers = check("serve", requests, table, side=3, keep=ALL)
    whole = (slice(0, 18), slice(0, 2))
    told |= {"row": (2,), "dtype": table.dtype, "keep": whole}
    check("giveback", answers, inside, **told)


@pytest.mark.parametrize("kind", "bBhHiIlL")
def test_places_of_any_integers(gpu, kind):
    places = numbers(20, 12, kind)
    told = {**divided(12, 20, 4, 3), "count": 3, "keep": ALL}
    check("route", places, **told)
    check("route", np.repeat(places, 2)[::2], **told)
    check("route", places[::-1], **told)


def test_some_runs_and_owners_are_kept(gpu):
    told = {**divided(12, 20, 4, 3), "count": 3, "keep": (slice(1, 3), slice(0, 2))}
    assert check("route", numbers(20, 12), **told).shape == (2, 2)
    rows = drawn("f4", (20, 2))[::-1]
    assert check("send", numbers(20, 12), rows, **told).shape == (2, 2)


@pytest.mark.parametrize("first", [0, 2, 3])
@pytest.mark.parametrize("row", [(), (3,)], ids=str)
def test_owners_answer_for_the_places_that_they_have(gpu, first, row):
    table = drawn("f8", (11, *row))[first * 3 :]
    told = {"first": first, "runs": 2, "length": 9, "side": 3, "keep": ALL}
    check("answer", numbers(17, 11), table, **told)
    check("answer", numbers(17, 11), table[:0], **told)
    check("answer", numbers(17, 11), np.asfortranarray(table)[..., ::-1] if row else table, **told)


def test_a_run_is_sorted_once(gpu):
    told = {**divided(12, 20, 4, 1), "count": 1, "keep": ALL}
    run(CUDA["route"], None, numbers(20, 12), **told)
    assert len(gpu.launches) == 3  # owners, where each begins, places within them
