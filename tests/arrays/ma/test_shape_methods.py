import numpy as np
import pytest

import dask_tapestry as dt

from .masked_samples import agree, ours, sample

CALLS = {
    "reshape": lambda x: x.reshape(2, -1),
    "reshape F": lambda x: x.reshape((5, 4), order="F"),
    "ravel": lambda x: x.ravel(),
    "flatten": lambda x: x.flatten(),
    "transpose": lambda x: x.transpose(1, 0),
    "T": lambda x: x.T,
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "squeeze": lambda x: x[:1].squeeze(0),
    "repeat": lambda x: x.repeat(2, axis=1),
    "take": lambda x: x.take([3, 0, 0], axis=0),
    "copy": lambda x: x.copy(),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("mask", [0.4, None])
def test_cells_move_with_their_mask(name, mask):
    x = sample("i4", mask=mask)
    agree(CALLS[name](ours(x)), CALLS[name](x), beneath=True)


def test_chunks():
    x = ours(sample("i4"))
    assert x.rechunk((4, 1)).chunks == ((4,), (1,) * 5)
    agree(x.rechunk((4, 1)), sample("i4"))


@pytest.mark.parametrize(
    "name", ["sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "transpose", "argmin"]
)
def test_functions_of_dt_keep_masks(name):
    x = sample("i4")
    agree(getattr(dt, name)(ours(x)), getattr(np, name)(x))
    agree(getattr(dt, name)(ours(x), None), getattr(np, name)(x, None))


def test_functions_of_several_arrays_keep_masks():
    x, y = sample("i4"), sample("i4", seed=1)
    agree(dt.concatenate([y.data, ours(x)], 1), np.ma.concatenate([y.data, x], 1))
    agree(dt.where(y.data > 0, ours(x), ours(y)), np.ma.where(y.data > 0, x, y))
    agree(dt.asarray(y.data) + x, y.data + x)
    agree(dt.sum(ours(x), axis=0, split_every=4), x.sum(axis=0))
