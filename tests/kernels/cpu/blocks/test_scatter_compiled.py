import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.cells.cell_updates import cell_update
from dask_tapestry_kernels.cpu.blocks import scatter, scatter_compiled
from dask_tapestry_kernels.cpu.jit import compile_service

DTYPES = ["?", "i1", "u8", "f2", "f8", "c16"]


def cells(generator, shape, dtype):
    numbers = generator.normal(size=shape) * 3
    return (
        (numbers + 1j * numbers[::-1] if dtype[0] == "c" else numbers).astype("c16").astype(dtype)
    )


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", ["update", "add", "mul", "less", "max"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("row", [1, 7])
def test_the_loop_has_the_bits_of_rounds(name, dtype, row):
    if dtype[0] == "c" and name == "less":
        return  # which is refused of them
    generator = np.random.default_rng(0)
    x, updates = cells(generator, (300, row), dtype), cells(generator, (20_000, row), dtype)
    places = generator.integers(-1, 300, 20_000)
    expressions = (cell_update(name, np.dtype(dtype)),)
    made, plain = x.copy(), x.copy()
    with compile_service.mode("wait"):
        assert scatter_compiled.fold([made], [updates], places, row, expressions)
    held = places >= 0
    with np.errstate(all="ignore"):
        if name == "update":
            plain[places[held]] = updates[held]
        else:
            scatter._in_rounds([plain], [updates[held]], places[held], expressions)
    assert made.tobytes() == plain.tobytes()


def test_results_are_computed_together():
    f8, i4 = np.dtype("f8"), np.dtype("i4")
    builder = CellBuilder((f8, i4, f8, i4))
    first = builder.finish(builder.call("add", (2, builder.cast(1, f8)), f8))
    builder = CellBuilder((f8, i4, f8, i4))
    second = builder.finish(builder.call("add", (1, 3), i4))
    text = scatter_compiled.source(((f8, first), (i4, second)))
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=50), generator.integers(0, 9, 50, "i4")
    u, v = generator.normal(size=20_000), generator.integers(0, 9, 20_000, "i4")
    places = generator.integers(0, 50, 20_000)
    plain = [x.copy(), y.copy()]
    for p, a, b in zip(places, u, v, strict=True):
        plain[0][p], plain[1][p] = a + plain[1][p], plain[1][p] + b
    with compile_service.mode("wait"):
        assert scatter_compiled.fold([x, y], [u, v], places, 1, (first, second))
    assert text is not None
    np.testing.assert_array_equal(x, plain[0])
    np.testing.assert_array_equal(y, plain[1])


def test_what_has_no_compiled_meaning_is_left_to_numpy():
    assert scatter_compiled.source(((np.dtype("g"), cell_update("add", np.dtype("g"))),)) is None
    with compile_service.mode("wait"):
        times = np.zeros(20_000, "m8[s]")
        expressions = (cell_update("add", times.dtype),)
        assert not scatter_compiled.fold([times], [times], np.arange(20_000), 1, expressions)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", ["i1", "u4", "i8", "u8"])
def test_places_of_vectors(dtype):
    vectors = np.random.default_rng(0).integers(0, 9, (20_000, 2)).astype(dtype)
    parts = [
        scatter_compiled.Component(vectors[:, 0], -2, 4, 7),
        scatter_compiled.Component(vectors[:, 1], 0, 7, 1),
    ]
    with compile_service.mode("wait"):
        made = scatter_compiled.places(parts, (20_000,))
    a, b = vectors.astype("i8").T
    inside = (a >= 2) & (a < 6) & (b < 7)
    np.testing.assert_array_equal(made, np.where(inside, (a - 2) * 7 + b, -1))
