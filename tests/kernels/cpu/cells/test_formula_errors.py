"""Formulas tell what NumPy tells, compiled or not."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.cells.ufuncs import UFUNCS
from dask_tapestry_kernels.cpu.cells import formula_errors
from dask_tapestry_kernels.cpu.cells.formula_errors import (
    is_quiet,
)
from dask_tapestry_kernels.cpu.cells.interpreter import evaluate
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.formulas.function_table import FAR, RANGE, facts_of

F8, B1, I4 = np.dtype(float), np.dtype(bool), np.dtype("i4")
ALL = frozenset({"divide", "over", "invalid"})


def _formula(*steps: tuple[str, tuple[int, ...], np.dtype], of: tuple = (F8, F8)) -> CellExpression:
    builder, last = CellBuilder(of), 0
    for function, operands, dtype in steps:
        last = builder.call(function, operands, dtype)
    return builder.finish(last)


FORMULAS: dict[str, tuple[CellExpression, Callable]] = {
    "divide": (_formula(("divide", (0, 1), F8)), np.divide),
    "hidden by a choice": (
        _formula(
            ("greater", (0, 1), B1), ("divide", (0, 1), F8), ("where", (2, 3, 0), F8)
        ),
        lambda x, y: np.where(x > y, x / y, x),
    ),
    "hidden by a quotient": (
        _formula(("log", (0,), F8), ("divide", (1, 2), F8)), lambda x, y: y / np.log(x)
    ),
    "far": (_formula(("sin", (0,), F8), ("exp", (1,), F8), ("add", (2, 3), F8)),
            lambda x, y: np.sin(x) + np.exp(y)),
    "quiet": (_formula(("greater", (0, 1), B1)), np.greater),
    "beside a comparison": (
        _formula(
            ("exp", (0,), F8), ("greater", (0, 1), B1), ("where", (3, 2, 1), F8),
            ("multiply", (2, 4), F8),
        ),
        lambda x, y: np.exp(x) * np.where(x > y, np.exp(x), y),
    ),
    "chosen by a comparison": (
        _formula(("exp", (0,), F8), ("greater", (0, 1), B1), ("where", (3, 2, 1), F8)),
        lambda x, y: np.where(x > y, np.exp(x), y),
    ),
    "hidden by a comparison": (
        _formula(("sqrt", (1,), F8), ("greater", (0, 2), B1)), lambda x, y: x > np.sqrt(y)
    ),
    "hidden before a product": (
        _formula(
            ("sqrt", (1,), F8), ("greater", (0, 2), B1), ("where", (3, 0, 1), F8),
            ("multiply", (0, 4), F8),
        ),
        lambda x, y: x * np.where(x > np.sqrt(y), x, y),
    ),
}  # fmt: skip
CELLS = {
    "ordinary": (np.linspace(1, 2, 40_000) + 1e-3, np.linspace(3, 4, 40_000)),
    "zeros": (np.linspace(0, 2, 40_000), np.linspace(-1, 1, 40_001)[:-1]),
    "a zero": (np.ones(40_000), np.where(np.arange(40_000) == 777, 0.0, 2.0)),
    "nan": (np.where(np.arange(40_000) % 3, 2.0, np.nan), np.full(40_000, 3.0)),
    "nan and negative": (np.where(np.arange(40_000) % 3, 2.0, np.nan), np.full(40_000, -3.0)),
    "nan and infinite": (
        np.where(np.arange(40_000) % 3, -np.inf, np.nan),
        np.linspace(-1, 0, 40_000),
    ),
    "nan and zero": (np.where(np.arange(40_000) % 3, 0.0, np.nan), np.zeros(40_000)),
    "all nan": (np.full(40_000, np.nan), np.zeros(40_000)),
    "huge": (np.full(40_000, np.inf), np.full(40_000, 1e4)),
}


@pytest.mark.few(6)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("mode", ["wait", "off"])
@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_tells_what_numpy_tells(name: str, cells: str, mode: str) -> None:
    formula, numpys = FORMULAS[name]
    with listening(ALL) as theirs:
        numpys(*CELLS[cells])
    with compile_service.mode(mode), listening(ALL) as ours:
        evaluate(None, *CELLS[cells], expression=formula)
    assert ours == theirs


@pytest.mark.parametrize("size", [40, 40_000])
@pytest.mark.parametrize("function", ["floor_divide", "remainder"])
def test_integers_divided_by_zero(function: str, size: int) -> None:
    formula = _formula((function, (0, 1), I4), ("add", (2, 0), I4), of=(I4, I4))
    ones, divisors = np.ones(size, I4), np.ones(size, I4)
    with listening(ALL) as heard:
        evaluate(None, ones, divisors, expression=formula)
        assert not heard
        divisors[-1] = 0
        evaluate(None, ones, divisors, expression=formula)
    assert heard == {f"divide by zero encountered in {function}"}


def test_a_table_tells_what_its_own_cells_meet() -> None:
    u1 = np.dtype("u1")
    builder = CellBuilder((u1,))
    wide = builder.cast(0, np.dtype("f4"))
    formula = builder.finish(builder.call("reciprocal", (wide,), np.dtype("f4")))
    cells = np.full(5_000, 3, u1)
    with listening(ALL) as heard:
        evaluate(None, cells, expression=formula)
        assert not heard
        cells[9] = 0
        evaluate(None, cells, expression=formula)
    assert heard == {"divide by zero encountered in reciprocal"}


def test_an_underflow_is_told_if_it_is_asked_for() -> None:
    formula = _formula(("exp", (0,), F8), of=(F8,))
    with listening(frozenset({"under"})) as heard:
        evaluate(None, np.full(10_000, -800.0), expression=formula)
    assert heard == {"underflow encountered in exp"}


def test_complex_powers_of_zero() -> None:
    c = np.dtype(complex)
    with listening(ALL) as heard:
        formula = _formula(("power", (0, 1), c), of=(c, c))
        evaluate(None, np.zeros(30, c), np.full(30, 1j), expression=formula)
    assert heard == {"invalid value encountered in power"}


def test_what_cannot_err_is_not_looked_at() -> None:
    assert is_quiet(FORMULAS["quiet"][0])
    assert not is_quiet(FORMULAS["divide"][0])
    builder = CellBuilder((F8,))
    assert not is_quiet(builder.finish(builder.cast(0, I4)))
    builder = CellBuilder((I4,))
    assert is_quiet(builder.finish(builder.cast(0, F8)))


SPECIAL = [0.0, -0.0, np.inf, -np.inf, 1e308, -1e308, 1e-310, 1.0, -1.0, 2.0, -2.0, 710.0, -750.0]


@pytest.mark.few(9)  # one text holds any function
@pytest.mark.covering(together=1)  # each has a kernel of its own
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("function", sorted(name for name in UFUNCS if facts_of(name).keeps_nan))
def test_beside_nan_a_function_tells_what_numpy_tells(function: str, dtype: str) -> None:
    count, kind = UFUNCS[function].nin, np.dtype(dtype)
    formula = _formula(
        (function, tuple(range(count)), kind), ("add", (count, 0), kind), of=(kind,) * count
    )
    nan = np.where(np.arange(10_000) % 7, 1.5, np.nan).astype(dtype)
    special = SPECIAL if dtype == "f8" else [x if abs(x) < 1e300 else x * 1e-270 for x in SPECIAL]
    for x, y in product(special, special) if count == 2 else zip(special, special, strict=True):
        cells = [nan.copy(), nan.copy()][:count]
        for operand, value in zip(cells, (x, y), strict=False):
            operand[5] = value
        with listening(ALL) as theirs:
            UFUNCS[function](*cells) + cells[0]
        with compile_service.mode("wait"), listening(ALL) as ours:
            evaluate(None, *cells, expression=formula)
        assert ours == theirs, (x, y)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize(
    "function", sorted(name for name in UFUNCS if facts_of(name).errors == RANGE)
)
def test_some_functions_are_never_invalid(function: str, dtype: str) -> None:
    cells = np.array([*SPECIAL, np.nan, -np.nan, 1e4, 1e-300, 88.8, 3e38]).astype(dtype)
    operands = np.meshgrid(*[cells] * UFUNCS[function].nin)
    with listening(ALL) as heard:
        UFUNCS[function](*operands)
    assert not any("invalid" in text for text in heard)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    "function", sorted(name for name in UFUNCS if facts_of(name).errors == FAR)
)
def test_some_functions_are_invalid_where_an_operand_is_infinite_alone(
    function: str, dtype: str
) -> None:
    cells = np.array([x for x in [*SPECIAL, np.nan, 3e38, 1e-300] if not np.isinf(x)])
    operands = np.meshgrid(*[cells.clip(-3e38, 3e38).astype(dtype)] * UFUNCS[function].nin)
    with listening(ALL) as heard:
        UFUNCS[function](*operands)
    assert not any("invalid" in text for text in heard)


def test_products_of_cells_with_nan_and_without_infinities_are_not_computed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    formula = _formula(("multiply", (0, 1), F8), ("greater", (2, 0), B1), ("where", (3, 1, 2), F8))
    x, y = np.where(np.arange(20_000) % 7, 2.0, np.nan), np.arange(20_000.0)
    with compile_service.mode("wait"), listening(ALL) as heard:
        with monkeypatch.context() as patch:
            patch.setattr(
                formula_errors, "_tell_errors_of", lambda *_: pytest.fail("computed again")
            )
            made = evaluate(None, x, y, expression=formula)
        np.testing.assert_array_equal(made, np.where(x * y > x, y, x * y))
        assert not heard
        x[0] = np.inf  # 0 times that is invalid
        evaluate(None, x, y, expression=formula)
    assert heard == {"invalid value encountered in multiply"}


def test_comparisons_of_nan_are_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formula_errors, "_tell_errors_of", lambda *_: pytest.fail("computed again"))
    formula, numpys = FORMULAS["chosen by a comparison"]
    with compile_service.mode("wait"), listening(ALL) as heard:
        made = evaluate(None, *CELLS["nan"], expression=formula)
    np.testing.assert_allclose(made, numpys(*CELLS["nan"]))
    assert not heard


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("exponent", [-1.0, -30.5, -np.inf, 2.5])
def test_powers_of_zero(dtype: str, exponent: float) -> None:
    kind = np.dtype(dtype)
    formula = _formula(("power", (0, 1), kind), ("add", (2, 0), kind), of=(kind, kind))
    cells = np.ones(10_000, dtype)
    cells[7] = 0
    exponents = np.full_like(cells, exponent)
    with listening(ALL) as theirs:
        np.power(cells, exponents)
    with compile_service.mode("wait"), listening(ALL) as ours:
        evaluate(None, cells, exponents, expression=formula)
    assert ours == theirs
