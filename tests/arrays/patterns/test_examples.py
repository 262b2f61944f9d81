"""The examples of the page on patterns, against NumPy and on several shardings."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.patterns import iteridx, reduce, zipmapreduce

X = np.random.default_rng(0).normal(size=(6, 50))
IMAGE = np.random.default_rng(0).normal(100, 20, (30, 20)).astype("uint8")


def softmax(x):
    top = reduce(x, "max", axis=-1, keepdims=True)
    total = zipmapreduce(
        lambda attrs, x, top: np.exp(x - top), [x, top], "sum", axis=-1, keepdims=True
    )
    return zipmapreduce(lambda attrs, x, top, total: np.exp(x - top) / total, [x, top, total])


def layer_norm(x):
    mean, variance = zipmapreduce(
        lambda attrs, x: (x, x), [x], ("mean", "var"), axis=-1, keepdims=True
    )
    return zipmapreduce(lambda attrs, x, m, v: (x - m) / np.sqrt(v + 1e-5), [x, mean, variance])


def equalised(image):
    shares = dt.bincount(image.ravel(), minlength=256).cumsum() / image.size
    return dt.take(shares, image)


def biggest_change(x):
    return zipmapreduce(
        lambda attrs, now, before: abs(now - before), [x[:, 1:], x[:, :-1]], "max", axis=1
    )


def place_of_biggest_change(x):
    def change(attrs, now, before):
        return abs(now - before), iteridx(1, attrs) + 1

    def later(a, b):
        larger = b[0] > a[0]
        return np.where(larger, b[0], a[0]), np.where(larger, b[1], a[1])

    _, place = zipmapreduce(change, [x[:, 1:], x[:, :-1]], dt.Monoid((-1.0, 0), later), axis=1)
    return place


EXPONENTS = np.exp(X - X.max(-1, keepdims=True))
EXAMPLES = {
    "softmax": (softmax, X, EXPONENTS / EXPONENTS.sum(-1, keepdims=True)),
    "layer norm": (
        layer_norm,
        X,
        (X - X.mean(-1, keepdims=True)) / np.sqrt(X.var(-1, keepdims=True) + 1e-5),
    ),
    "histogram equalisation": (
        equalised,
        IMAGE,
        (np.bincount(IMAGE.ravel(), minlength=256).cumsum() / IMAGE.size)[IMAGE],
    ),
    "biggest change": (biggest_change, X, abs(np.diff(X, axis=1)).max(axis=1)),
    "place of it": (place_of_biggest_change, X, abs(np.diff(X, axis=1)).argmax(axis=1) + 1),
}


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_numpys_and_have_one_value(name, shardings):
    function, cells, wanted = EXAMPLES[name]
    result = function(dt.asarray(cells))
    whole = result.compute()
    np.testing.assert_allclose(whole, wanted, rtol=1e-12)
    for block_bytes in (64, 500, 2000):
        with shardings.tiny(block_bytes, workers=2):
            np.testing.assert_array_equal(result.compute(), whole)


def test_the_biggest_change_is_cut_along_what_it_folds():
    days = dt.placeholder((10**6, 4), "float32")
    change = zipmapreduce(lambda attrs, a, b: abs(a - b), [days[1:], days[:-1]], "max", axis=0)
    plan = change.plan(resources=dt.Resources(workers=8, threads=1, memory="64 MiB"))
    plan.verify()
    assert plan.cost["tasks"] > 2
    assert plan.cost["bytes_read"] < 1.1 * 10**6 * 4 * 4
