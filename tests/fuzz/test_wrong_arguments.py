"""Whatever is wrong with an argument, it is refused where NumPy refuses it, and by our errors."""

from random import Random

import numpy as np
import pytest

import dask_tapestry as dt
from tests.covering import seeds_of
from tests.fuzz.surface import PHRASES
from tests.fuzz.values import DTYPES, cells, shape
from tests.fuzz.wrong_arguments import outcome, wrong_call

NAMES = sorted(PHRASES)
PARTS = 6
CALLS = 4  # of each name, in a round
ROUNDS = 2  # of which `make test` runs the first


def _missed(name, number):
    """What is wrong with how a wrong call of a name ends; None where nothing is.

    A call is drawn by its name and number, so that a new name leaves those of others as they are.
    """
    random = Random(f"{name} {number}")
    sides, kind = shape(random, most=3), random.choice(DTYPES)
    xs = [cells(random, sides, kind) for _ in range(2)]
    phrase = random.choice(PHRASES[name])
    call = wrong_call(random, phrase, xs)
    missed = None if call is None else outcome(call, not phrase.theirs)
    return missed and f"{name} {number}: {missed}"


@pytest.mark.few(3)  # a fixed half of the names
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("turn", seeds_of(range(ROUNDS), 1))
def test_a_wrong_argument_of_any_public_name_is_an_error_of_the_library(part, turn):
    numbers = range(CALLS * turn, CALLS * (turn + 1))
    missed = [_missed(name, number) for name in NAMES[part::PARTS] for number in numbers]
    assert not any(missed), "\n".join(filter(None, missed))


def test_most_names_are_called_wrongly():
    random, made = Random(0), 0
    for name in NAMES:
        xs = [cells(random, (3, 4), "f8") for _ in range(2)]
        made += wrong_call(random, random.choice(PHRASES[name]), xs) is not None
    assert made > 0.7 * len(NAMES)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: dt.Resources(workers=0), ValueError),
        (lambda: dt.Resources(workers=1.5), TypeError),
        (lambda: dt.ones((4, 4)).rechunk(1.5), TypeError),
        (lambda: dt.random.default_rng(0).integers(5, 2), ValueError),
        (lambda: dt.random.default_rng(0).normal(0, -1), ValueError),
        (lambda: dt.random.default_rng("x"), TypeError),
        (lambda: dt.ones(3).transpose(1.5), TypeError),
        (lambda: dt.sum([1, 2], initial=np.nan), ValueError),
        (lambda: dt.min(np.ones(2, "m8[s]"), initial=1.5), ValueError),
        (lambda: dt.sum(np.ones(2), where=np.array([1, 0])), TypeError),
        (lambda: dt.fft.irfft(dt.ones(3), 2**70), ValueError),
        (lambda: dt.zeros(2**70), ValueError),
        (lambda: dt.lexsort([np.array(1)], axis=1), ValueError),
        (lambda: dt.quantile(dt.ones(0), 0.5, weights=dt.ones(0)), ValueError),
        (lambda: dt.ones((2, 3)).transpose(()), ValueError),
        (lambda: dt.expand_dims(dt.ones(2), ""), TypeError),
        (lambda: dt.pad(dt.ones(3), 1, "linear_ramp", end_values=[[1], [2, 3]]), ValueError),
        (lambda: dt.select([[True]], ["a"], 1), TypeError),
        (lambda: dt.quantile(dt.ones(3), "half"), TypeError),
        (lambda: dt.quantile(dt.ones(3), 3j), TypeError),
        (lambda: dt.tensordot(dt.ones((2, 2)), dt.ones((2, 2)), axes=0.5), TypeError),
        (lambda: dt.linalg.pinv(dt.ones((2, 3, 3)), rtol=()), ValueError),
        (lambda: dt.linalg.norm(dt.ones(3), ord=[[1], [2, 3]], axis=0), ValueError),
        (lambda: dt.isin(dt.ones(3), [1], kind=np.ones((2, 3))), ValueError),
        (lambda: dt.diff(np.ones(2, "M8[s]"), prepend=["a"]), TypeError),
        (lambda: dt.insert(dt.arange(3), 1, np.nan), ValueError),
        (lambda: dt.asarray(np.nan, "u1"), ValueError),
        (lambda: dt.nan_to_num(dt.ones(0), posinf="f4"), TypeError),
        (lambda: dt.piecewise(dt.ones((2, 3)), [dt.ones(3) > 0], [1]), IndexError),
        (lambda: dt.ma.array(1, chunks="linaer"), ValueError),
        (lambda: dt.ma.masked_array(dt.ones(3), [1, 0, 0]).std(ddof=(1, 2)), TypeError),
        (lambda: dt.ma.array(np.ones(3, "i1"), mask=True).argmin(fill_value=np.inf), TypeError),
        (lambda: dt.groupby_reduce(dt.ones(2), [None], func="sum"), TypeError),
        (lambda: dt.sparse_matmul(([1], [0], [9], (1, 2)), dt.ones(2)), ValueError),
        (lambda: dt.sparse_matmul(np.eye(2), dt.ones(2)), TypeError),
        (lambda: dt.nn.conv(dt.ones((1, 1, 3)), dt.ones((1, 1, 5))), ValueError),
        (lambda: dt.nn.conv(dt.ones((1, 1, 3)), dt.ones((1, 1, 2)), strides=1.5), TypeError),
        (lambda: dt.nn.max_pool(dt.ones((1, 1, 3)), None), TypeError),
        (lambda: dt.nn.softmax(dt.ones(3), axis=1), IndexError),
        (lambda: dt.nn.layer_norm(dt.ones(3), eps="small"), ValueError),
        (lambda: dt.nn.attention(dt.ones(3), dt.ones(3), dt.ones(3)), ValueError),
        (lambda: dt.convolve([], [1]), ValueError),
        (lambda: dt.IndexProjection(((1,),), (0,), (-1,)), ValueError),
    ],
)
def test_it_is_what_numpy_raises_too(call, kind):
    with pytest.raises(dt.TapestryError) as error:
        call()
    assert isinstance(error.value, kind)
