import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.elementary.functions import COMPLEX_FUNCTIONS, FUNCTIONS
from dask_tapestry_kernels.formulas import function_table, scalar_codegen
from tests.comparisons import same_bits
from tests.covering import beyond
from tests.kernels.cpu.cells.expressions import by_numpy, by_row, chosen, functions, special

I8, BOOL = np.dtype("i8"), np.dtype(bool)


TOGETHER = 8  # functions of a kernel: of all in one, LLVM took a fifth more time


def check(dtype, result, names, x, y):
    """Compare functions of x and y, compiled, with NumPy's loops of the same cells."""
    for first in range(0, len(names), TOGETHER):
        _check(dtype, result, names[first : first + TOGETHER], x, y)


def _check(dtype, result, names, x, y):
    grouped = chosen(dtype, result, names)
    k = np.repeat(np.arange(len(names)), len(x))
    made = by_row(grouped, [np.tile(x, len(names)), np.tile(y, len(names)), k])
    for number, (name, arity) in enumerate(names):
        builder = CellBuilder((dtype, dtype))
        value = builder.step(_step(name, arity, result))
        expected = by_numpy(builder.finish(value), [x, y])
        got = made[k == number]
        if not same_bits(got, expected):
            bad = [i for i in range(len(x)) if not same_bits(got[i], expected[i])][:4]
            cells = [(x[i], y[i], got[i], expected[i]) for i in bad]
            pytest.fail(f"{name} of {dtype}: x, y, compiled, NumPy's: {cells}")


def _step(name, arity, result):
    builder = CellBuilder(())
    builder.call(name, tuple(range(arity)), result)
    return builder.steps[0]


SLOW = [pytest.param(kind, marks=pytest.mark.exhaustive) for kind in "BhHiIl"]  # as b, L


HALVES = [0, pytest.param(1, marks=pytest.mark.exhaustive)]  # of the functions of a dtype
KINDS = "?bLFD"


def half_of(dtype, half):
    """Every other function: what one half has of a dtype, the other has of the next."""
    first = (half + (*KINDS, "e").index(dtype.char)) % 2 if dtype.char in (*KINDS, "e") else half
    return {result: names[first::2] for result, names in functions(dtype).items()}


def check_special_cells(dtype, chosen):
    """Compare functions, by the dtype of their result, on all pairs of special cells."""
    cells = special(dtype)
    x, y = np.repeat(cells, len(cells)), np.tile(cells, len(cells))
    for result, names in chosen.items():
        check(dtype, result, names, x, y)


@pytest.mark.whole  # a product of two: half of the functions of each dtype are run
@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("kind", [*KINDS, *SLOW])
def test_every_function_of_special_cells_has_numpys_bits(kind, half):
    dtype = np.dtype(kind)
    check_special_cells(dtype, half_of(dtype, half))


@pytest.mark.parametrize("half", HALVES)
def test_functions_of_every_half_have_numpys_bits(half):
    every = np.arange(65_536, dtype="u2").view("e")
    for result, names in half_of(np.dtype("e"), half).items():
        check(np.dtype("e"), result, names, every, np.random.default_rng(4).permutation(every))


@pytest.mark.parametrize("kind", "fd")
def test_functions_of_special_cells_and_of_random_bits_have_numpys_bits(kind):
    """All functions in one test: their kernels are the same."""
    dtype, generator = np.dtype(kind), np.random.default_rng(2)
    check_special_cells(dtype, functions(dtype))
    x, y = np.frombuffer(generator.bytes(2 * 30_000 * dtype.itemsize), dtype).reshape(2, -1)
    for result, names in functions(dtype).items():
        check(dtype, result, names, x, y)


def test_doubles_beside_a_tie_of_halves_are_rounded_once():
    halves = np.arange(0, 0x7C00, dtype="u2").view("e").astype("d")
    ties = (halves[1:] + halves[:-1]) / 2
    x = np.concatenate([ties, np.nextafter(ties, np.inf), np.nextafter(ties, 0)])
    x = np.concatenate([x, -x, [65519.999999, 65520.0, 1e-8, 2.0**-25, np.nextafter(2.0**-25, 1)]])
    builder = CellBuilder((np.dtype("d"),))
    expression = builder.finish(builder.cast(0, np.dtype("e")))
    assert same_bits(by_row(expression, [x]), by_numpy(expression, [x]))


def overflowing():
    """Formulas that an optimizer would simplify if no integer overflowed."""

    def formula(function):
        builder = CellBuilder((I8, I8))
        return builder.finish(function(builder))

    def number(b, n):
        return b.constant(np.int64(n))

    def doubled(b):
        return b.call("multiply", (0, number(b, 2)), I8)

    return {
        "x + 1 > x": formula(
            lambda b: b.call("greater", (b.call("add", (0, number(b, 1)), I8), 0), BOOL)
        ),
        "x - y < 0": formula(
            lambda b: b.call("less", (b.call("subtract", (0, 1), I8), number(b, 0)), BOOL)
        ),
        "2x // 2": formula(lambda b: b.call("floor_divide", (doubled(b), number(b, 2)), I8)),
        "x² >= 0": formula(
            lambda b: b.call("greater_equal", (b.call("square", (0,), I8), number(b, 0)), BOOL)
        ),
        "-x == x": formula(lambda b: b.call("equal", (b.call("negative", (0,), I8), 0), BOOL)),
        "abs(x) >= 0": formula(
            lambda b: b.call("greater_equal", (b.call("absolute", (0,), I8), number(b, 0)), BOOL)
        ),
    }


@pytest.mark.parametrize("name", overflowing())
def test_integers_overflow_as_numpys_do(name):
    cells = special(I8)
    x, y = np.repeat(cells, len(cells)), np.tile(cells, len(cells))
    expression = overflowing()[name]
    assert same_bits(by_row(expression, [x, y]), by_numpy(expression, [x, y]))


@pytest.mark.parametrize("kind", "?bLeD")
def test_where_chooses_cells_of_every_dtype(kind):
    dtype = np.dtype(kind)
    cells = special(dtype)
    x, y = np.repeat(cells, len(cells)), np.tile(cells, len(cells))
    which = np.random.default_rng(3).random(len(x)) < 0.5
    builder = CellBuilder((BOOL, dtype, dtype))
    expression = builder.finish(builder.call("where", (0, 1, 2), dtype))
    assert same_bits(by_row(expression, [which, x, y]), np.where(which, x, y))


def test_any_byte_but_zero_is_true():
    x = np.resize(np.arange(256, dtype="u1"), 1024).view(bool)
    names = functions(BOOL)[np.dtype("f8")]
    check(BOOL, np.dtype("f8"), names, x, x)
    check(BOOL, BOOL, functions(BOOL)[BOOL], x, np.roll(x, 1))


@pytest.mark.parametrize("kind", ["g", ">f8", "M8[s]", "m8[s]", "S3", "O"])
def test_other_dtypes_have_no_compiled_meaning(kind):
    assert not scalar_codegen.is_known(np.dtype(kind))


def test_loops_of_mixed_dtypes_and_unknown_functions_have_no_compiled_meaning():
    f8 = np.dtype("f8")
    assert scalar_codegen.step("ldexp", ["a", "b"], [f8, np.dtype("i4")], f8) is None
    assert scalar_codegen.step("spacing", ["a"], [f8], f8) is None
    assert scalar_codegen.step("cast", ["a"], [f8], np.dtype("u8")) is None
    assert scalar_codegen.step("exp", ["a"], [np.dtype("G")], np.dtype("G")) is None
    assert scalar_codegen.step("cbrt", ["a"], [np.dtype("D")], np.dtype("D")) is None


def test_functions_of_our_own_are_known_by_the_dtype_of_their_operands():
    known = [(name, kind) for name in ("exp", "sqrt", "erf") for kind in "edgFDGl"]
    ours = [one for one in known if scalar_codegen.is_elementary(one[0], np.dtype(one[1]))]
    assert ours == [
        *[("exp", kind) for kind in "edFD"],
        *[("sqrt", kind) for kind in "FD"],
        *[("erf", kind) for kind in "ed"],
    ]
    assert scalar_codegen.is_careful("exp", np.dtype("D"))
    assert scalar_codegen.is_careful("exp", np.dtype("d"))
    assert not scalar_codegen.is_careful("log", np.dtype("d"))
    assert not scalar_codegen.is_careful("log", np.dtype("D"))


@pytest.mark.parametrize("kind", ["float32", "float64", "complex64", "complex128"])
def test_each_function_of_our_own_is_there_with_the_care_it_takes(kind):
    dtype = np.dtype(kind)
    table = COMPLEX_FUNCTIONS if dtype.kind == "c" else FUNCTIONS
    ours = {name for name, facts in function_table.FUNCTIONS.items() if dtype.kind in facts.own}
    assert ours == set(table)
    careful = {name for name in ours if getattr(table[name], f"care_{kind}") is not None}
    assert careful == {name for name in ours if scalar_codegen.is_careful(name, dtype)}


@pytest.mark.parametrize("kind", ["?", "b", "e", "d", "F", *map(beyond, "LfD")])
def test_constants_keep_their_bits(kind):
    dtype = np.dtype(kind)
    cells = special(dtype)
    builder = CellBuilder((dtype, I8))
    value = 0
    for k, cell in enumerate(cells):
        is_k = builder.call("equal", (1, builder.constant(np.int64(k))), BOOL)
        value = builder.call("where", (is_k, builder.constant(cell), value), dtype)
    k = np.arange(len(cells))
    made = by_row(builder.finish(value), [np.zeros(len(cells), dtype), k])
    assert same_bits(made, cells)
