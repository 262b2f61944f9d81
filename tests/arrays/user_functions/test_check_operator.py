"""Operators of users that break what they declare, and such that do not."""

import numpy as np
import pytest

import dask_tapestry as dt

RNG = np.random.default_rng(7)
X, W = RNG.normal(size=(13, 17)), RNG.normal(size=(17, 11))


def made(function, index, inputs, outputs, **options):
    return dt.block_operator(index=index, inputs=inputs, outputs=outputs, **options)(function)


def cellwise(function, columns="parallel"):
    index = {"row": "parallel", "column": columns}
    return made(function, index, {"x": "row column"}, {"z": "row column"})


def folded(function, over):
    index = {"row": "parallel", "k": dt.reduce_over(over)}
    return made(function, index, {"x": "row k"}, {"z": "row"})


PRODUCT = made(
    lambda x, w: x @ w,
    {"b": "parallel", "o": "parallel", "k": dt.reduce_over("sum")},
    {"x": "b k", "w": "k o"},
    {"z": "b o"},
)
WINDOWS = made(
    lambda x: x[:-2] + x[1:-1] + x[2:],
    {"i": "parallel"},
    {"x": dt.IndexProjection([[1]], [0], [3])},
    {"z": "i"},
)
TWO = made(
    lambda x: (x + 1, x[:, 0]),
    {"row": "parallel", "column": "atomic"},
    {"x": "row column"},
    {"z": "row column", "first": "row"},
)
MEAN = dt.Monoid(
    (0.0, 0),
    lambda a, b: (a[0] + b[0], a[1] + b[1]),
    map=lambda x: (x, np.ones(x.shape, int)),
    finalize=lambda pair: pair[0] / pair[1],
)
RIGHT = {
    "cells": (cellwise(lambda x: 2 * x), X),
    "atomic rows": (cellwise(lambda x: x - x.mean(1, keepdims=True), "atomic"), X),
    "a product": (PRODUCT, X, W),
    "windows": (WINDOWS, X[0]),
    "several outputs": (TWO, X),
    "a maximum": (folded(lambda x: x.max(1), "max"), X),
    "a monoid of blocks": (folded(lambda x: x.sum(1), dt.Monoid(0.0, np.add)), X),
    "a monoid of tuples": (MEAN, X),
    "a reduction by a monoid": (lambda x: dt.reduction(x, MEAN, axis=1), X),
    "a reduction by functions": (
        lambda x: dt.reduction(x.rechunk(4), np.sum, np.sum, axis=0),
        X,
    ),
    "map_blocks": (lambda x: dt.map_blocks(np.cumsum, x.rechunk(4), dtype=float), X[0]),
    "a gufunc": (lambda x: dt.apply_gufunc(lambda v: v.mean(-1), "(i)->()", x), X),
    "integers": (cellwise(lambda x: x + 1), np.arange(12).reshape(3, 4)),
    "no cells": (cellwise(lambda x: x + 1), np.zeros((0, 3))),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_keeps_its_promise_passes(name):
    op, *samples = RIGHT[name]
    report = dt.check_operator(op, *samples)
    assert report.shardings or report.laws or name == "no cells"


def minus(a, b):
    return a - b


WRONG = {
    "a mean of the block": (
        (cellwise(lambda x: x - x.mean()), X),
        "blocks_are_those_of_the_whole: .*cut along 'row', block .* cells differ",
    ),
    "sums that are folded by max": (
        (folded(lambda x: x.sum(1), "max"), X),
        "parts_combine_to_the_whole",
    ),
    "differences as a monoid": ((dt.Monoid(0.0, minus), X), "identity_is_neutral: minus"),
    "differences over a dimension": (
        (folded(lambda x: x.sum(1), dt.Monoid(0.0, minus)), X),
        "identity_is_neutral|parts_combine_to_the_whole",
    ),
    "differences as a reduction": (
        (lambda x: dt.reduction(x, dt.Monoid(0.0, minus), axis=1), X),
        "identity_is_neutral",
    ),
    "chance": ((cellwise(lambda x: x + np.random.random(x.shape)), X), "calls_are_repeatable"),
    "means of means": (
        (
            made(
                lambda x: x.mean(1),
                {"row": "parallel", "k": dt.reduce_over(dt.Monoid(0.0, lambda a, b: (a + b) / 2))},
                {"x": "row k"},
                {"z": "row"},
            ),
            X,
        ),
        "identity_is_neutral|parts_combine_to_the_whole",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_breaks_it_is_named(name):
    (op, *samples), text = WRONG[name]
    with pytest.raises(dt.ConstraintError, match=text):
        dt.check_operator(op, *samples)


def test_a_monoid_of_tuples_needs_as_many_values():
    pairs = dt.Monoid((0.0, 0), MEAN.combine)
    with pytest.raises(dt.SignatureError):
        dt.check_operator(pairs, X)


def test_rounding_of_products_is_no_defect_and_told():
    assert not dt.check_operator(PRODUCT, X, W).same_bits
    assert dt.check_operator(cellwise(np.sqrt), abs(X)).same_bits


def test_how_near_results_must_be_may_be_said():
    rough = cellwise(lambda x: x * (1 + 1e-3 * x.shape[0]))
    assert dt.check_operator(rough, X, rtol=0.1).shardings
    with pytest.raises(dt.ConstraintError):
        dt.check_operator(rough, X)


@pytest.mark.parametrize(
    ("op", "samples", "text"),
    [
        (3, (X,), "takes a function or a Monoid, not 3"),
        (lambda x: 5, (X,), "must return arrays of this library, not 5"),
        (lambda x: x + 1, (X,), "calls no function of the user"),
        (MEAN, (), "none are given"),
    ],
)
def test_what_cannot_be_checked_is_refused(op, samples, text):
    with pytest.raises(dt.ArgumentTypeError, match=text):
        dt.check_operator(op, *samples)
