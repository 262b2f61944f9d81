import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import window_sum_compiled
from dask_tapestry_kernels.cpu.jit import compile_service
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(1)


def both(x, monkeypatch, out_dtype="f8", window=(3, 5), sign=1, divisor=1.0, steps=None, out=None):
    """The value by NumPy, and compiled."""
    rank = x.ndim
    window = (1,) * (rank - len(window)) + window
    steps = (1,) * rank if steps is None else steps
    ways = zip(x.shape, window, steps, strict=True)
    shape = tuple((n - w) // step + 1 for n, w, step in ways)
    places = [tuple(p) for p in np.ndindex(*window)]
    weights = RANDOM.normal(size=len(places)).tolist()
    singles = tuple(zip(places[:4], weights[:4], strict=True))
    pairs = tuple(zip(places[4:], reversed(places), weights[4:], strict=False))
    how = {"window": window, "steps": steps, "shape": shape, "dtype": np.dtype(out_dtype)}
    how |= {"singles": singles, "pairs": pairs, "sign": sign, "divisor": divisor}
    made, filled = [], window_sum_compiled.summed
    monkeypatch.setattr(window_sum_compiled, "SMALL", 0)
    monkeypatch.setattr(
        window_sum_compiled, "summed", lambda *given: made.append(filled(*given)) or made[-1]
    )
    found = []
    for mode in ("off", "wait"):
        with compile_service.mode(mode):
            memory = None if out is None else out(shape)
            found.append(KERNELS["windowsum"](memory, x, **how))
    assert made[0] is False
    return (*found, made[1])


KINDS = [
    *[(kind, "f8", 1, 1.0) for kind in ("?", "i1", "u2", "i8", "u8", "f4", "f8")],
    *[("f8", kind, -1, 7.0) for kind in ("?", "i1", "u4", "u8", "f4", "f8")],
    ("u1", "u1", 1, 9.0),
    ("f4", "f4", -1, 1.0),
]


@pytest.mark.few(8)  # as unlike as so many can be
@pytest.mark.parametrize(("kind", "result", "sign", "divisor"), KINDS)
def test_the_loop_has_numpys_bits(kind, result, sign, divisor, monkeypatch):
    x = (RANDOM.normal(size=(20, 100)) * 50).astype(kind)
    plain, compiled, made = both(x, monkeypatch, result, sign=sign, divisor=divisor)
    assert made
    assert same_bits(plain, compiled)


@pytest.mark.parametrize("columns", [36, 37, 68, 99, 600, 1100])
def test_rows_of_any_length(columns, monkeypatch):
    plain, compiled, made = both(RANDOM.normal(size=(7, columns)), monkeypatch)
    assert made
    assert same_bits(plain, compiled)


def test_layouts(monkeypatch):
    x = RANDOM.normal(size=(6, 30, 50, 4))
    for cells, window, steps in (
        (x, (3, 1, 1), (2, 1, 1, 1)),
        (x, (3, 5, 1), None),  # neighbours along two axes are one row
        (x[:, ::2], (2, 3, 1), None),
        (x.transpose(3, 1, 0, 2).copy(), (2, 3), None),
    ):
        plain, compiled, made = both(cells, monkeypatch, window=window, steps=steps)
        assert made
        assert same_bits(plain, compiled)


def test_what_takes_numpy(monkeypatch):
    x = RANDOM.normal(size=(50, 20))
    for cells, options in (
        (x, {}),  # short rows
        (x.T, {}),  # neighbours lie apart
        (x.astype("f2"), {}),
        (x.astype(">f8"), {}),
        (RANDOM.normal(size=(5, 90)), {"steps": (1, 2)}),
    ):
        plain, found, made = both(cells, monkeypatch, **options)
        assert not made
        assert same_bits(plain, found)


def test_into_a_part_of_a_result(monkeypatch):
    def part(shape):
        return np.empty((shape[0], 90))[:, 3 : shape[1] + 3]

    plain, compiled, made = both(RANDOM.normal(size=(9, 70)), monkeypatch, out=part)
    assert made
    assert same_bits(plain, compiled)
