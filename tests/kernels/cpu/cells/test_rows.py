import linecache
import re

import numpy as np
import pytest
from hypothesis import given

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.cpu.cells import rows
from tests.comparisons import same_bits
from tests.examples import examples
from tests.kernels.cpu.cells.expressions import by_numpy, by_row, expressions, operands

F8 = np.dtype("f8")


def assert_compiled_alike(expression):
    blocks = operands(expression)
    made, expected = by_row(expression, blocks), by_numpy(expression, blocks)
    assert same_bits(made, expected), rows.row_of(expression).source


@given(expressions())
@examples(12)
def test_random_formulas_have_numpys_bits(expression):
    assert_compiled_alike(expression)


@pytest.mark.exhaustive
@given(expressions(most=25))
@examples(150)
def test_many_random_formulas_have_numpys_bits(expression):
    assert_compiled_alike(expression)


@pytest.mark.exhaustive
@pytest.mark.parametrize("dtypes", ["bhil", "BHIL", "efd", "?le", "FD"])
def test_random_formulas_of_few_dtypes_have_numpys_bits(dtypes):
    @given(expressions(dtypes, most=25))
    @examples(40)
    def check(expression):
        assert_compiled_alike(expression)

    check()


def test_no_products_and_sums_are_contracted():
    """``x * x - y`` with y = x * x rounded: 0 in separate steps, the error of rounding if fused."""
    builder = CellBuilder((F8, F8))
    product = builder.call("multiply", (0, 0), F8)
    expression = builder.finish(builder.call("subtract", (product, 1), F8))
    x = np.random.default_rng(0).normal(size=1000)
    assert not by_row(expression, [x, x * x]).any()


def code_of(row):
    """LLVM's text of a compiled row."""
    source = row.source
    linecache.cache["<row>"] = (len(source), None, source.splitlines(True), "<row>")
    scope = {}
    exec(compile(source, "<row>", "exec"), scope)
    (text,) = scope["kernel"].inspect_llvm().values()
    return text


@pytest.mark.few(2)  # one text holds any function
@pytest.mark.parametrize(
    ("name", "kind"), [("sin", "d"), ("tan", "f"), ("exp", "D"), ("sqrt", "D")]
)
def test_functions_with_another_way_for_some_cells_are_vectorised(name, kind):
    builder = CellBuilder((np.dtype(kind),))
    code = code_of(rows.row_of(builder.finish(builder.call(name, (0,), np.dtype(kind)))))
    assert re.search(r"fmul <\d+ x double>", code)


def test_what_lets_bits_vary_is_allowed_to_no_operation():
    """No contraction, no reassociation, no NaN wished away in what LLVM is told."""
    builder = CellBuilder((F8, F8))
    product = builder.call("multiply", (0, 1), F8)
    words = set(code_of(rows.row_of(builder.finish(builder.call("add", (product, 0), F8)))).split())
    assert "fmul" in words
    assert not words & {"fast", "contract", "reassoc", "nnan", "ninf", "nsz", "arcp", "afn"}


def test_sums_are_not_reassociated():
    builder = CellBuilder((F8, F8))
    total = builder.call("subtract", (builder.call("add", (0, 1), F8), 1), F8)
    x, y = np.random.default_rng(0).normal(size=(2, 1000)) * [[1.0], [1e9]]
    made = by_row(builder.finish(total), [x, y])
    assert same_bits(made, (x + y) - y)
    assert (made != x).any()


def test_a_formula_may_use_no_cell_but_its_size():
    builder = CellBuilder((F8,))
    one = builder.constant(np.float64(1))
    expression = builder.finish(builder.call("add", (one, one), F8))
    assert same_bits(by_row(expression, [np.zeros(100)]), np.full(100, 2.0))


def test_a_step_or_dtype_without_a_compiled_meaning_has_no_source():
    builder = CellBuilder((F8,))
    assert rows.row_of(builder.finish(builder.call("spacing", (0,), F8))) is None
    builder = CellBuilder((np.dtype("M8[s]"),))
    assert rows.row_of(builder.finish(builder.call("isnat", (0,), np.dtype(bool)))) is None


def scaled(factor, offset):
    builder = CellBuilder((F8,))
    product = builder.call("multiply", (0, builder.constant(factor)), F8)
    return builder.finish(builder.call("add", (product, builder.constant(offset)), F8))


def test_formulas_that_differ_in_float_constants_share_a_row():
    one, other = (rows.row_of(scaled(np.float64(a), np.float64(b))) for a, b in ((2, 1), (3, -5)))
    assert one.source == other.source
    assert [float(c) for c in other.scalars] == [3, -5]
    x = np.arange(2000.0).reshape(40, 50)
    assert same_bits(by_row(scaled(np.float64(3), np.float64(-5)), [x]), x * 3 - 5)
    assert same_bits(by_row(scaled(np.float64(3), np.float64(-5)), [x.T]), x.T * 3 - 5)


def test_integer_constants_are_written_out():
    builder = CellBuilder((np.dtype("i8"),))
    three = builder.constant(np.int64(3))
    row = rows.row_of(builder.finish(builder.call("floor_divide", (0, three), np.dtype("i8"))))
    assert "np.int64(3)" in row.source
    assert row.scalars == ()


def test_of_operands_that_are_still_one_cell_is_read():
    builder = CellBuilder((F8, F8))
    expression = builder.finish(builder.call("sin", (builder.call("add", (0, 1), F8),), F8))
    source = rows.row_of(expression, (1,)).source
    assert "x0[i]" in source
    assert "x1" not in source
    assert source != rows.row_of(expression).source


@pytest.mark.parametrize(("function", "kept"), [("divide", True), ("maximum", False)])
def test_branches_are_computed_everywhere_where_they_may_err(function, kept):
    builder = CellBuilder((F8, F8))
    branch, greater = (
        builder.call(function, (0, 1), F8),
        builder.call("greater", (0, 1), np.dtype("?")),
    )
    chosen = builder.finish(builder.call("where", (greater, branch, 0), F8))
    assert ("kept64" in rows.row_of(chosen).source) == kept
    assert_compiled_alike(chosen)


def test_a_quiet_step_of_what_may_err_is_computed_everywhere():
    builder = CellBuilder((F8, F8))
    branch = builder.call("negative", (builder.call("divide", (0, 1), F8),), F8)
    greater = builder.call("greater", (0, 1), np.dtype("?"))
    chosen = builder.finish(builder.call("where", (greater, branch, 0), F8))
    assert "kept64" in rows.row_of(chosen).source


@pytest.mark.parametrize(("sums", "exponential", "light"), [(5, 0, 1), (60, 0, 0), (1, 1, 0)])
def test_rows_that_compute_little_read_short_vectors_and_others_long_ones(sums, exponential, light):
    builder = CellBuilder((F8, F8))
    value = builder.call("exp", (1,), F8) if exponential else 1
    for _ in range(sums):
        value = builder.call("add", (0, value), F8)
    source = rows.row_of(builder.finish(value)).source
    assert source.count("    short_vectors()") == light
    assert source.count("    long_vectors()") == 1 - light


@pytest.mark.parametrize("function", ["exp", "exp2", "sin"])
@pytest.mark.parametrize("wild", [[], [0], [300], [5, 261, 700], list(range(1200))])
@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_strips_where_cells_need_care_are_beside_others(function, wild, kind):
    builder = CellBuilder((np.dtype(kind),))
    row = builder.finish(builder.call(function, (0,), np.dtype(kind)))
    x = np.linspace(-3, 3, 1201, dtype=kind)
    expected = by_row(row, [x])
    far = np.resize(np.array([1e30, -1e30, np.nan, np.inf, -np.inf], kind), len(wild))
    x[wild] = far
    found = by_row(row, [x])
    others = np.setdiff1d(np.arange(len(x)), wild)
    np.testing.assert_array_equal(found[others], expected[others])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found[wild], getattr(np, function)(far), rtol=1e-5)
