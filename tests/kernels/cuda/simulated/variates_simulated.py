"""Random variates in the simulator are the CPU's."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.parameters.variates import DRAWS, ROW_DRAWS
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.run_kernel import run

WORDS = {"key": (11, 2**64 - 5), "draw": (3, 1)}
# Of each way that a draw may take, and of the edges of its parameters.
GIVEN = {
    "gamma": [(0.0,), (0.3,), (1.0,), (2.5,), (1e6,), (np.inf,), (np.nan,)],
    "log_gamma": [(0.0,), (0.01,), (3.0,), (np.nan,)],
    "beta": [(0.3, 0.4), (2.0, 3.0), (0.5, 4.0), (1.0, 1.0), (1e-3, 1e-3)],
    "chisquare": [(1.0,), (7.5,)],
    "noncentral_chisquare": [(3.0, 2.0), (0.5, 2.0), (0.5, 40.0), (2.0, 0.0), (np.nan, 1.0)],
    "f": [(3.0, 4.0), (0.5, 60.0)],
    "noncentral_f": [(3.0, 4.0, 2.0), (0.5, 1.0, 30.0)],
    "standard_t": [(1.0,), (30.0,), (np.inf,)],
    "wald": [(1.0, 2.0), (1e8, 1e-3), (0.0, 1.0)],
    "vonmises": [(0.0, 0.0), (1.0, 1e-5), (2.0, 3.0), (-3.0, 1e7), (9.0, 0.5), (np.nan, 1.0)],
    "poisson": [(0.0,), (0.1,), (9.99,), (10.0,), (1e4,), (1e17,)],
    "binomial": [(10, 0.3), (10, 0.9), (100_000, 0.4), (2**60, 0.5), (5, 0.0), (5, 1.0), (0, 0.5)],
    "negative_binomial": [(3.0, 0.2), (0.1, 0.9), (400.0, 0.5)],
    "hypergeometric": [(5, 6, 3), (1000, 2000, 500), (10**6, 10**6, 10**5), (30, 3, 20), (3, 9, 9)],
    "logseries": [(0.0,), (0.1,), (0.9,), (0.9999999,)],
    "zipf": [(1.01,), (2.0,), (5.0,), (2000.0,)],
}  # fmt: skip
ROWS = {
    "multinomial": [(100, [0.2, 0.3, 0.5]), (10**6, [0.5, 0.0, 0.5, 0.0]), (0, [0.1, 0.9])],
    "multivariate_hypergeometric": [(12, [10, 5, 3]), (900, [1000, 0, 500]), (7, [7])],
}
FRAMES = {
    "rows": ((9, 6), [range(2, 8), range(6)]),
    "every second": ((9, 11), [range(0, 9, 2), range(1, 11, 3)]),
    "three axes": ((4, 3, 5), [range(1, 4), range(3), range(0, 5, 2)]),
    "one": ((9, 6), [range(4, 5), range(3, 4)]),
    "none": ((9, 6), [range(0), range(6)]),
    "no axes": ((), []),
    "backwards": ((6, 7), [range(5, -1, -2), range(6, 1, -1)]),
    "over the end of a page": ((2**62, 11), [range(2**64 // 11 - 2, 2**64 // 11 + 3), range(11)]),
}


def check(name, *blocks, **told):
    expected = CPU[name](None, *blocks, **WORDS, **told)
    made = run(CUDA[name], None, *blocks, **WORDS, **told)
    assert made.dtype == expected.dtype
    assert same_bits(np.ascontiguousarray(made), np.ascontiguousarray(expected))
    return expected


def cells_of(name, shape):
    """Parameters for so many cells, of each way in turn."""
    places = np.arange(int(np.prod(shape))) % len(GIVEN[name])
    columns = zip(*GIVEN[name], DRAWS[name].parameters, strict=True)
    return [np.array(list(column), dtype)[places].reshape(shape) for *column, dtype in columns]


@pytest.mark.parametrize("name", DRAWS)
def test_parameters_that_are_numbers(gpu, name):
    for given in GIVEN[name]:
        told = {"draw_of": name, "given": given}
        check("variates", frame=(40,), places=[range(3, 40)], **told)


@pytest.mark.parametrize("name", DRAWS)
def test_parameters_that_are_blocks(gpu, name):
    blocks = cells_of(name, (6, 7))
    told = {"draw_of": name, "frame": (9, 20), "places": [range(1, 7), range(2, 16, 2)]}
    check("variates", *blocks, given=(None,) * len(blocks), **told)


@pytest.mark.parametrize("frame", FRAMES)
def test_cells_of_any_places(gpu, frame):
    shape, places = FRAMES[frame]
    told = {"draw_of": "binomial", "frame": shape, "places": places}
    trials, chances = cells_of("binomial", tuple(map(len, places)))
    check("variates", trials, chances, given=(None, None), **told)
    check("variates", chances, given=(700, None), **told)
    check("variates", trials, given=(None, 0.25), **told)


@pytest.mark.parametrize("lie", ["reversed", "columns", "broadcast", "one", "apart"])
def test_parameters_lie_anyhow(gpu, lie):
    (cells,) = cells_of("poisson", (6, 10))
    block = {
        "reversed": cells[::-1, 8:2:-1],
        "columns": np.asfortranarray(cells[:, 1:7]),
        "broadcast": np.broadcast_to(cells[:, 3:4], (6, 6)),
        "one": cells[:1, :1],
        "apart": np.array([(0, cell) for cell in cells.flat], "u1, f8")["f1"].reshape(6, 10)[:, 4:],
    }[lie]
    check("variates", block, draw_of="poisson", given=(None,), frame=(6, 6), places=[range(6)] * 2)


def test_parameters_of_another_dtype_are_converted(gpu):
    told = {"draw_of": "gamma", "given": (None,), "frame": (6,), "places": [range(6)]}
    for kind in "fle":
        check("variates", np.arange(6).astype(kind), **told)


def test_a_buffer_is_filled(gpu):
    told = {"draw_of": "gamma", "given": (2.5,), "frame": (4, 6), "places": [range(4), range(6)]}
    expected = CPU["variates"](None, **WORDS, **told)
    for out in (np.zeros((4, 6)), np.zeros((6, 4)).T):
        assert same_bits(run(CUDA["variates"], out, **WORDS, **told), expected)


@pytest.mark.parametrize("name", ROW_DRAWS)
@pytest.mark.parametrize("alike", [False, True])
def test_rows(gpu, name, alike):
    for total, row in ROWS[name]:
        row = np.array(row, ROW_DRAWS[name].parameters[1])
        weights = np.broadcast_to(row, (3, 5, row.size))
        weights = weights if alike else np.ascontiguousarray(weights[:, :, ::-1])[:, :, ::-1]
        told = {"draw_of": name, "frame": (7, 9), "places": [range(1, 7, 2), range(4, 9)]}
        told["part"] = slice(0, row.size)
        made = check("variaterows", weights, total=total, **told)
        assert (made.sum(axis=-1) == total).all()
        totals = np.arange(15).reshape(3, 5, 1) % (total + 1)
        check("variaterows", totals, weights, total=None, **told)


@pytest.mark.parametrize("part", [slice(0, 3), slice(1, 3), slice(2, 2)])
def test_parts_of_rows(gpu, part):
    weights = np.broadcast_to([0.25, 0.5, 0.25], (5, 3))
    told = {
        "draw_of": "multinomial",
        "frame": (2**64 + 9,),
        "places": [range(2**64 - 3, 2**64 + 2)],
    }
    check("variaterows", weights, total=90, part=part, **told)
    told |= {"frame": (5,), "places": [range(0)]}
    check("variaterows", weights[:0], total=90, part=part, **told)
