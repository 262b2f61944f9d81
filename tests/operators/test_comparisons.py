"""Every operation of the table, whole and under forced shardings."""

import warnings

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import COMPARISONS, agrees, same_bits

pytestmark = pytest.mark.usefixtures("sync")
each_comparison = pytest.mark.parametrize("comparison", COMPARISONS, ids=lambda c: c.name)


def meaning(comparison, inputs):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return comparison.numpy(*inputs)


def flat(result):
    return list(result) if isinstance(result, tuple) else [result]


def ours(comparison, inputs):
    return flat(comparison.ours(dt, *[dt.asarray(x) for x in inputs]))


@each_comparison
def test_it_means_what_numpy_says(comparison):
    samples = list(comparison.inputs())
    assert samples
    results = [r for x in samples for r in ours(comparison, x)]
    expected = [e for x in samples for e in flat(meaning(comparison, x))]
    labels = [x for x in samples for _ in ours(comparison, x)]
    for made, computed, e, x in zip(results, dask.compute(*results), expected, labels, strict=True):
        assert (made.dtype, made.shape) == (np.asarray(e).dtype, np.shape(e))
        assert agrees(comparison, computed, e), (x, computed, e)


@each_comparison
def test_every_cut_of_the_inputs_gives_the_same_value(comparison, shardings):
    for inputs in widest(comparison):
        whole = dask.compute(*ours(comparison, inputs))
        made = []
        for number in range(max(len(shardings.cuts(x.shape)) for x in inputs) if inputs else 0):
            cut = [cut_input(x, number * (1 + 2 * n), shardings) for n, x in enumerate(inputs)]
            made += flat(comparison.ours(dt, *cut))
        computed = dask.compute(*made)
        for number, value in enumerate(computed):
            equal = same_bits if comparison.one_value else agrees_with(comparison)
            assert equal(value, whole[number % len(whole)]), (inputs, made[number].plan())


@each_comparison
def test_every_cut_of_the_output_gives_the_same_value(comparison, shardings):
    for inputs in widest(comparison):
        results = ours(comparison, inputs)
        whole = dask.compute(*results)
        for result, expected in zip(results, whole, strict=True):
            made = [result.rechunk(cuts) for cuts in shardings.cuts(result.shape)]
            for x, value in zip(made, dask.compute(*made), strict=True):
                equal = same_bits if comparison.one_value else agrees_with(comparison)
                assert equal(value, expected), (inputs, x.plan())


@each_comparison
def test_tiny_blocks_give_the_same_value(comparison, shardings):
    samples = list(comparison.inputs())
    with shardings.tiny(10**9):
        whole = dask.compute(*[r for x in samples for r in ours(comparison, x)])
    with shardings.tiny(8):
        results = [r for x in samples for r in ours(comparison, x)]
        for x, value, expected in zip(results, dask.compute(*results), whole, strict=True):
            equal = same_bits if comparison.one_value else agrees_with(comparison)
            assert equal(value, expected), x.plan()


def test_every_public_operation_is_in_the_table():
    names = {c.public for c in COMPARISONS}
    named = {getattr(dt, name) for name in names if hasattr(dt, name)}
    tried = named | {dt.empty, dt.compute, dt.persist, dt.plan, dt.config, dt.sequence_point}
    tried |= {dt.resolve_shapes, dt.einsum_path, dt.result_type}  # they return no array
    moves = {dt.from_array, dt.from_dask_array, dt.from_zarr, dt.to_zarr, dt.to_dask_array}
    moves |= {
        dt.store,
        dt.from_delayed,
        dt.from_npy,
        dt.from_npy_stack,
        dt.to_npy_stack,
        dt.to_hdf5,
    }
    layout = {dt.placeholder, dt.rechunk, dt.rename}
    functions = {n for n in dt.__all__ if callable(getattr(dt, n)) and n[0].islower()}
    missing = {n for n in functions if getattr(dt, n) not in tried | moves | layout}
    assert not missing
    assert {f"nn.{name}" for name in dt.nn.__all__} <= names
    assert {f"random.{name}" for name in dt.random.__all__ if name.islower()} <= names


def widest(comparison):
    """Two samples with the most ways to cut, of different dtypes."""
    best = {}
    for inputs in comparison.inputs():
        kinds = tuple(x.dtype for x in inputs)
        size = sum(x.size for x in inputs)
        if kinds not in best or size > sum(x.size for x in best[kinds]):
            best[kinds] = inputs
    chosen = list(best.values())
    return [chosen[len(chosen) // 3], chosen[-1]][: len(chosen)]


def cut_input(x, number, shardings):
    ways = shardings.cuts(x.shape)
    return dt.asarray(x).rechunk(ways[number % len(ways)])


def agrees_with(comparison):
    return lambda value, expected: agrees(comparison, value, expected)
