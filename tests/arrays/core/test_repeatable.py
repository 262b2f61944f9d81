import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.repeatable import are_repeatable

X = dt.placeholder((60, 60), "f8", (20, 20))


@pytest.mark.parametrize(
    "made",
    [
        lambda x: x,
        lambda x: (x - x.mean(axis=0)) / x.std() > 1,
        lambda x: dt.concatenate([x.T, x[::-1]]),
        lambda x: dt.digitize(x, [0.0, 1.0]),
        lambda x: x > dt.random.default_rng(0).normal(size=(60, 60)),
        lambda x: x + dt.from_array(np.ones(60)),
    ],
)
def test_formulas_and_folds_of_data_are(made):
    assert are_repeatable([made(X).node])


@pytest.mark.parametrize(
    "made",
    [
        lambda x: x @ x,
        lambda x: x.map_blocks(np.negative),
        lambda x: x.map_blocks(np.negative).sum(axis=0) > 1,
        lambda x: x + dt.from_dask_array(da.ones((60, 60))),
        lambda x: dt.fft.fft(x),
    ],
)
def test_what_depends_on_blocks_or_others_is_not(made):
    assert not are_repeatable([X.node, made(X).node])


def test_what_follows_an_effect_is_not():
    effect = dt.store(dt.ones(4), np.zeros(4), compute=False)

    @dt.block_operator(index={"i": "parallel"}, inputs={"x": "i"}, outputs={"z": "i"})
    def same(x):
        """Its input."""
        return x

    assert not are_repeatable([(same(dt.arange(8.0), after=[effect]) + 1).node])
