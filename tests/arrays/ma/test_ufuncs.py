import warnings

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.ma.ufuncs import DIVISIONS, DOMAINS, masked_results

from .masked_samples import agree, ours, sample

UNARY = [*DOMAINS, "exp", "floor", "absolute", "logical_not"]
BINARY = [*sorted(DIVISIONS), "add", "arctan2", "power", "equal", "less", "logical_and", "hypot"]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("kind", ["i4", "f8"])
def test_functions_of_one_array(name, kind):
    x = sample(kind)
    agree(getattr(np, name)(ours(x)), getattr(np, name)(x))
    agree(getattr(dt, name)(ours(x)), getattr(np, name)(x))
    agree(ours(x)._call(name, (ours(x),)), getattr(np.ma, name)(x), beneath=True)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("kind", ["i4", "f8"])
def test_functions_of_two_arrays(name, kind):
    x, y = abs(sample(kind)), abs(sample(kind, seed=1))
    agree(getattr(np, name)(ours(x), ours(y)), getattr(np, name)(x, y))
    if name != "power":
        function = getattr(np.ma, name)
        agree(
            ours(x)._call(name, (ours(x), ours(y))), function(x, y), name not in ("equal", "less")
        )


def test_several_results_have_one_mask():
    x = sample("f8")
    for made, wanted in zip(np.modf(ours(x)), np.modf(x), strict=True):
        agree(made, wanted)


def test_scalars_promote_as_in_ufuncs():
    x = sample("f4")
    ((cells, _),) = masked_results("multiply", [ours(x), 2.0], None, plain=True)
    assert cells.dtype == np.multiply(x, 2.0).dtype == np.float32
    assert (ours(x) * 2.0).dtype == (x * 2.0).dtype == np.float64


@pytest.mark.parametrize("kind", ["f4", "i4", "c16"])
def test_beside_their_domain_functions_tell_nothing_as_in_numpy(kind):
    cells = np.array([[3, 1, -2], [2, 0, 0]]).astype(kind)
    x = np.ma.masked_array(cells, [[0, 1, 0], [0, 1, 0]])
    y = dt.ma.masked_array(x)
    pairs = [(y / y, x / x), (y.mean(axis=0), x.mean(axis=0))]
    if kind != "c16":
        pairs += [(y._call(n, (y,)), getattr(np.ma, n)(x)) for n in ("sqrt", "log", "arcsin")]
        pairs += [(y // 0, x // 0), (y.std(axis=0), x.std(axis=0))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for made, wanted in pairs:
            agree(made, wanted)
