"""Whole expressions by the kernels of a GPU alone: the bits of the CPU's kernels."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.teg import Source
from dask_tapestry.teg.node import topological
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated import run_kernel

P = dt.patterns
X, Y, COS, SIN = np.random.default_rng(0).normal(size=(4, 1, 2, 3, 4)).astype("f4")
TABLE = np.random.default_rng(1).normal(size=(6, 5))
PLACES = np.array([[4, 0, -1], [2, 2, 5]])


def diagonal_fill(x):
    def fill(attrs, x):
        row, column = (P.iteridx(dim=d, attrs=attrs, dtype=np.int32) for d in (2, 3))
        return P.select(row >= column, x, P.imm(-1e9, np.float32))

    return P.zipmapreduce(fill, [x])


def rotary_embedding(x, x_roll, y, y_roll):
    def rotated(attrs, x, x_roll, y, y_roll):
        even, odd = x * y - x_roll * y_roll, x_roll * y + x * y_roll
        one = P.imm(1, P.get_int_type(P.get_int_or_float_bit_width(x.dtype)))
        return P.select(np.bitwise_and(P.iteridx(dim=3, attrs=attrs), one), odd, even)

    return P.zipmapreduce(rotated, [x, x_roll, y, y_roll])


def row_sums(x, y):
    return P.zipmapreduce(lambda attrs, x, y: x * y + x, [x, y], "add", axis=3)


def put(x, places):
    made = x.copy()
    made[places] = 7
    return made


EXPRESSIONS = {
    "diagonal fill": lambda: diagonal_fill(dt.asarray(X)),
    "rotary embedding": lambda: rotary_embedding(*map(dt.asarray, (X, Y, COS, SIN))),
    "a row's sums": lambda: row_sums(*map(dt.asarray, (X, Y))),
    "rows by places": lambda: dt.asarray(TABLE)[dt.asarray(PLACES)],
    "cells by places": lambda: dt.asarray(TABLE)[dt.asarray(PLACES), dt.asarray(PLACES % 5)],
    "along an axis": lambda: dt.take_along_axis(
        dt.asarray(TABLE[:2]), dt.asarray(PLACES % 5), axis=1
    ),
    "put": lambda: put(dt.asarray(TABLE), dt.asarray(PLACES)),
    "histogram": lambda: dt.histogram(dt.asarray(TABLE), bins=4, range=(-1, 1))[0],
    "weighted counts": lambda: dt.bincount(
        dt.asarray(PLACES.ravel() + 1), dt.asarray(TABLE[:, 0]), minlength=8
    ),
    "places of cells": lambda: dt.searchsorted(dt.asarray(np.sort(TABLE[0])), dt.asarray(TABLE)),
    "truths": lambda: dt.isin(dt.asarray(PLACES), dt.asarray([2, 5])),
}


def computed(x, kernels):
    """What an expression yields by the kernels of a table, each for the whole of its value."""
    values = {}
    for node in topological([x.node]):
        if isinstance(node.operator, Source):
            values[node] = np.asarray(dt.Array(node).compute())
            continue
        types, box = node.input_types, node.type.box
        pieces = node.operator.pieces(types, box)
        told = node.operator.arguments(types, box, tuple(need for _, need in pieces))
        blocks = [values[node.inputs[n]][(*need.slices(), ...)] for n, need in pieces]
        kernel = kernels[node.operator.kernel]
        values[node] = (
            run_kernel.run(kernel, None, *blocks, **told)
            if kernels is CUDA
            else kernel(None, *blocks, **told)
        )
    return values[x.node]


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions_by_the_kernels_of_a_gpu_alone(gpu, name):
    x = EXPRESSIONS[name]()
    assert same_bits(computed(x, CUDA), computed(x, CPU))
    assert gpu.launches


@pytest.mark.parametrize("name", ["diagonal fill", "rotary embedding"])
def test_fused_patterns_are_a_formula_and_coordinates(gpu, name):
    computed(EXPRESSIONS[name](), CUDA)
    whats = [program.what.partition(" of")[0] for program, _ in gpu.launches]
    assert set(whats) <= {"arange", "map"}
    assert whats.count("map") >= 1
