import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells import CellBuilder
from dask_tapestry.cells.expression import CellExpression, CellStep
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.cells import interpreter
from dask_tapestry_kernels.cpu.jit import compile_service
from tests.comparisons import same_bits

F8 = np.dtype("f8")


@given(st.lists(st.integers(0, 9), max_size=4).map(tuple), st.integers(1, 40))
def test_tiles_cover_every_cell_once_and_are_small(shape, cells):
    seen = np.zeros(shape, int)
    for tile in interpreter.tiles(shape, cells):
        assert seen[tile].size <= cells
        seen[tile] += 1
    assert (seen == 1).all()


def formula(steps=20):
    builder = CellBuilder((F8, F8))
    value, other = 0, 1
    for n in range(steps):
        function = ("add", "multiply", "subtract", "maximum")[n % 4]
        value, other = builder.call(function, (value, other), F8), value
    return builder.finish(value)


@pytest.mark.parametrize("shape", [(), (0, 3), (100_003,), (3, 40_000), (50, 20, 70)])
def test_tiles_make_the_value_of_the_whole(shape):
    x, y = np.random.default_rng(1).normal(size=(2, *shape)) / 4
    made = KERNELS["map"](None, x, y, expression=formula())
    values = [x, y]
    for step in formula().steps:
        values.append(getattr(np, step.function)(*[values[i] for i in step.operands]))
    assert same_bits(made, values[-1])


def test_the_value_is_written_to_the_buffer():
    x = np.ones((400, 300))
    out = np.zeros((400, 600))[:, ::2]
    assert KERNELS["map"](out, x, x, expression=formula()) is out
    assert same_bits(out.copy(), KERNELS["map"](None, x, x, expression=formula()))


@pytest.mark.parametrize("kind", ["?", "i1", "u1"])
@pytest.mark.parametrize("target", ["f2", "f8", "i8", "?"])
def test_a_table_has_the_values_of_the_steps(kind, target):
    builder = CellBuilder([np.dtype(kind)])
    wide = builder.cast(0, F8)
    third = builder.call("divide", (wide, builder.constant(np.float64(3))), F8)
    expression = builder.finish(builder.cast(third, np.dtype(target)))
    x = np.arange(256, dtype="u1").view("i1").astype(kind)
    many = np.resize(x, (8, interpreter.TABLE_FROM // 4))
    few = KERNELS["map"](None, x, expression=expression)
    for blocks in (many, many[:, ::2], many.T):
        made = KERNELS["map"](None, blocks, expression=expression)
        assert made.dtype == target
        index = blocks.view("u1") if kind != "?" else blocks.astype("u1")
        table = few if kind != "?" else few[[0, 1]]
        assert same_bits(made, table[index])


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("function", ["floor_divide", "remainder"])
def test_integers_are_divided_by_compiled_code(function, kind, monkeypatch):
    """NumPy's loop takes one quotient after the other."""
    dtype, limits = np.dtype(kind), np.iinfo(kind)
    builder = CellBuilder((dtype, dtype))
    expression = builder.finish(builder.call(function, (0, 1), dtype))
    random = np.random.default_rng(2)
    x, y = random.integers(limits.min, limits.max, (2, 20_000), dtype, endpoint=True)
    y[y == 0] = 1
    y[:100], x[50:150] = limits.min or 1, limits.min
    monkeypatch.setattr(interpreter, "_run", None)
    with compile_service.mode("wait"):
        made = KERNELS["map"](None, x, y, expression=expression)
    assert same_bits(made, getattr(np, function)(x, y))


def test_one_fast_step_takes_no_table(monkeypatch):
    u1 = np.dtype("u1")
    builder = CellBuilder([u1])
    expression = builder.finish(builder.call("add", (0, builder.constant(np.uint8(200))), u1))
    monkeypatch.setattr(interpreter, "_table", None)
    x = np.resize(np.arange(256, dtype=u1), 10_000)
    assert same_bits(KERNELS["map"](None, x, expression=expression), x + np.uint8(200))


def test_outputs_of_a_ufunc_with_several_and_parts_of_complex_numbers():
    x = np.array([7.25, -0.5])
    builder = CellBuilder([F8])
    assert same_bits(
        KERNELS["map"](None, x, expression=builder.finish(builder.call("modf.1", (0,), F8))),
        np.modf(x)[1],
    )
    z = x + 2j
    builder = CellBuilder([z.dtype])
    made = KERNELS["map"](None, z, expression=builder.finish(builder.call("imag", (0,), F8)))
    assert same_bits(made, z.imag)


def test_floating_point_warnings_are_silent():
    builder = CellBuilder((F8, F8))
    expression = builder.finish(builder.call("divide", (0, 1), F8))
    made = KERNELS["map"](None, np.array([1.0, 0.0]), np.zeros(2), expression=expression)
    assert same_bits(made, np.array([np.inf, np.nan]))


def test_casts_to_the_same_dtype_take_no_step():
    f8, i8 = np.dtype("f8"), np.dtype("i8")
    product = CellStep("multiply", (0, 1), f8)
    idle = CellExpression((f8, f8), (product, CellStep("cast", (2,), f8)))
    assert len(interpreter._calls(idle)) == 1
    x, y = np.arange(10.0), np.arange(10.0, 20.0)
    assert (interpreter.evaluate(None, x, y, expression=idle) == x * y).all()
    between = CellExpression(
        (f8, f8), (product, CellStep("cast", (2,), f8), CellStep("cast", (3,), i8))
    )
    assert (interpreter.evaluate(None, x, y, expression=between) == (x * y).astype("i8")).all()
    copied = interpreter.evaluate(
        None, x, expression=CellExpression((f8,), (CellStep("cast", (0,), f8),))
    )
    assert (copied == x).all()
    assert copied is not x
    constant = CellStep("constant", (), f8, np.float64(2).tobytes())
    filled = CellExpression((f8,), (constant, CellStep("cast", (1,), f8)))
    assert (interpreter.evaluate(None, x, expression=filled) == 2).all()


def test_comparisons_of_objects_may_yield_objects():
    class Told:
        __hash__ = None

        def __eq__(self, other):
            return "same"

    objects, one = np.dtype(object), np.array([Told()])
    equal = CellExpression((objects, objects), (CellStep("equal", (0, 1), objects),))
    assert interpreter.evaluate(None, one, one, expression=equal).tolist() == ["same"]
    equal = CellExpression((objects, objects), (CellStep("equal", (0, 1), np.dtype(bool)),))
    assert interpreter.evaluate(None, one, one, expression=equal).tolist() == [True]


@pytest.mark.parametrize("name", ["square", "negative", "reciprocal", "conjugate"])
def test_functions_of_objects(name):
    objects = np.dtype(object)
    expression = CellExpression((objects,), (CellStep(name, (0,), objects),))
    cells = np.array([np.float64(2), np.float64(4)], object)
    found = interpreter.evaluate(None, cells, expression=expression)
    assert found.tolist() == getattr(np, name)(cells).tolist()


def _alone(function, dtypes, value):
    builder = CellBuilder([np.dtype(kind) for kind in dtypes])
    return builder.finish(builder.call(function, tuple(range(len(dtypes))), np.dtype(value)))


@pytest.mark.parametrize(
    ("function", "dtypes", "value"),
    [
        ("where", ("?", "f8", "f8"), "f8"),
        ("where", ("?", "u1", "u1"), "u1"),
        ("heaviside", ("f8", "f8"), "f8"),
        ("gcd", ("i8", "i8"), "i8"),
        ("lcm", ("i4", "i4"), "i4"),
    ],
)
def test_single_functions_that_numpy_has_no_vector_loop_of_are_compiled(
    function, dtypes, value, monkeypatch
):
    expression, n = _alone(function, dtypes, value), interpreter.COMPILED_FROM
    numbers = np.random.default_rng(0).integers(0, 9, (len(dtypes), n))
    cells = [own.astype(kind) for own, kind in zip(numbers, dtypes, strict=True)]
    with compile_service.mode("off"):
        plain = KERNELS["map"](None, *cells, expression=expression)
    with compile_service.mode("wait"):
        KERNELS["map"](None, *cells, expression=expression)
        monkeypatch.setattr(interpreter, "_run", None)  # no tile is gone through
        made = KERNELS["map"](None, *cells, expression=expression)
    assert same_bits(made, plain)
