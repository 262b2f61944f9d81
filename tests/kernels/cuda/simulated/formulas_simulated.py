"""Cell expressions in the simulator have the bits that the CPU's kernel gives them."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.elementary.functions import COMPLEX_FUNCTIONS, FUNCTIONS
from dask_tapestry_kernels.formulas import scalar_codegen
from tests.comparisons import same_bits
from tests.examples import examples
from tests.kernels.cpu.cells.expressions import (
    DTYPES,
    chosen,
    expressions,
    functions,
    operands,
    special,
)
from tests.kernels.cuda.simulated.run_kernel import run


def check(expression, blocks, out=None):
    """Compare the simulated kernel with the CPU's."""
    expected = CPU["map"](None, *blocks, expression=expression)
    got = run(CUDA["map"], out, *blocks, expression=expression)
    if not same_bits(got, expected):
        wrong = [i for i in np.ndindex(got.shape) if not same_bits(got[i], expected[i])][:4]
        cells = [([b[i] for b in blocks], got[i], expected[i]) for i in wrong]
        pytest.fail(f"{expression}: operands, simulated, CPU's: {cells}")


def some(cells, count):
    """Cells that are drawn once for all."""
    return np.random.default_rng(len(cells)).choice(cells, count)


@pytest.mark.parametrize("kind", DTYPES)
def test_every_function_and_cast_of_special_cells(gpu, kind):
    dtype = np.dtype(kind)
    cells = special(dtype)
    for result, names in functions(dtype).items():
        plain = [one for one in names if not scalar_codegen.is_elementary(one[0], dtype)]
        if not plain:
            continue
        x, y = some(cells, 60), some(cells[::-1], 60)
        if len(plain) == 1:
            x, y = cells, cells[::-1].copy()
        k = np.repeat(np.arange(len(plain)), len(x))
        blocks = [np.tile(x, len(plain)), np.tile(y, len(plain)), k]
        check(chosen(dtype, result, plain), blocks)


def elementary():
    for kinds, table in (("edf", FUNCTIONS), ("FD", COMPLEX_FUNCTIONS)):
        for kind in kinds:
            for name, function in table.items():
                yield pytest.param(np.dtype(kind), name, function.arity, id=f"{name}-{kind}")


@pytest.mark.parametrize(("dtype", "name", "arity"), [*elementary()])
def test_every_elementary_function(gpu, dtype, name, arity):
    result = np.dtype(dtype.char.lower()) if name == "absolute" else dtype
    builder = CellBuilder((dtype,) * arity)
    expression = builder.finish(builder.call(name, tuple(range(arity)), result))
    generator = np.random.default_rng(5)
    with np.errstate(all="ignore"):
        wide = np.exp(generator.uniform(-40, 40, 12)) * generator.choice([-1, 1], 12)
        drawn = np.concatenate([wide, generator.normal(0, 2, 12)]).astype(dtype)
    if dtype.kind == "c":
        drawn += 1j * drawn[::-1]
    cells = np.concatenate([some(special(dtype), 40), drawn])
    check(expression, [cells, generator.permutation(cells)][:arity])


@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(expressions(), st.integers(0, 40))
def test_drawn_formulas(gpu, expression, cells):
    check(expression, operands(expression, cells))


F8, F4, HALF = np.dtype("f8"), np.dtype("f4"), np.dtype("f2")


def product_and_sum(dtype):
    """``x * y + x``, which a compiler would contract."""
    builder = CellBuilder((dtype, dtype))
    product = builder.call("multiply", (0, 1), dtype)
    return builder.finish(builder.call("add", (product, 0), dtype))


LAYOUTS = {
    "in order": lambda x: x,
    "backwards": lambda x: x[::-1],
    "every second": lambda x: x[:, ::2],
    "turned": lambda x: x.T,
    "a row for all": lambda x: np.broadcast_to(x[0], x.shape),
    "a column for all": lambda x: np.broadcast_to(x[:, :1], x.shape),
    "a cell for all": lambda x: np.broadcast_to(x[0, 0], x.shape),
    "three axes": lambda x: x.reshape(3, 2, 8)[::-1, :, 1:7:2],
    "of the first axes": lambda x: x.reshape(3, 2, 8).transpose(2, 0, 1),
    "none": lambda x: x[:0],
    "one": lambda x: x[0, 0, None][0],
}


@pytest.mark.parametrize("dtype", [F8, F4, HALF], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_operands_lie_anyhow(gpu, layout, dtype):
    generator = np.random.default_rng(3)
    x, y = (LAYOUTS[layout](generator.normal(size=(6, 8)).astype(dtype)) for _ in range(2))
    check(product_and_sum(dtype), [np.asarray(x), np.asarray(y)])


@pytest.mark.parametrize("layout", ["backwards", "every second", "turned", "three axes"])
def test_results_lie_anyhow(gpu, layout):
    whole = np.full((6, 8), 7.0)
    out = LAYOUTS[layout](whole)
    x = np.random.default_rng(3).normal(size=out.shape)
    before = whole.copy()
    check(product_and_sum(F8), [x, x], out)
    LAYOUTS[layout](before)[...] = out
    assert same_bits(whole, before)


def test_one_program_serves_other_constants(gpu):
    for constant in (2.5, -0.0, np.inf):
        builder = CellBuilder((F8,))
        expression = builder.finish(
            builder.call("multiply", (0, builder.constant(np.float64(constant))), F8)
        )
        check(expression, [special(F8)])
    assert len({program.source for program, _ in gpu.launches}) == 1


def test_operands_between_cells_are_copied(gpu):
    records = np.zeros(9, [("a", "u1"), ("b", "f8")])
    records["b"] = np.arange(9) / 7
    x = records["b"]
    check(product_and_sum(F8), [x, x[::-1]], np.zeros(9, records.dtype)["b"])


def test_numbers_of_many_cells_take_64_bits(gpu, monkeypatch):
    from dask_tapestry_kernels.cuda.cells import formulas

    monkeypatch.setattr(formulas, "NARROW", 10)
    x = np.random.default_rng(3).normal(size=(6, 8)).T
    check(product_and_sum(F8), [x, x])
    assert "np.uint64(rest" in gpu.launches[-1][0].source
