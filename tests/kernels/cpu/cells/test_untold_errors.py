"""What was told once is not looked for again, and nothing else is missed."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.cells.ufuncs import UFUNCS
from dask_tapestry_kernels.cpu.cells import formula_errors, interpreter
from dask_tapestry_kernels.cpu.cells.interpreter import TILE_CELLS, evaluate
from dask_tapestry_kernels.cpu.cells.untold_errors import kinds_told, never_met
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.floating_point import KINDS, checking_fp_errors, kinds_of, listening
from dask_tapestry_kernels.formulas.function_table import FUNCTIONS, INVALID, NO, facts_of

ALL = frozenset({"divide", "over", "invalid"})
SIZE = 5 * TILE_CELLS + 77
DRAWN = "add subtract multiply divide log log1p sqrt exp power arctanh reciprocal floor_divide"
DOMAINS = sorted(name for name in FUNCTIONS if facts_of(name).domain is not None)
CHOSEN = "greater maximum isnan"
NUMBERS = [0.5, 1.0, -1.0, 2.0, 0.0, np.inf, np.nan, 3e38, 1e30, 1e-30]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-30, 1.0, -1.0, -2.0, 710.0]


@cache
def _drawn(seed: int) -> CellExpression:
    """A formula of real numbers: functions that err, and some that hide what is not a number."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(["f4", "f8"][seed % 2])
    builder = CellBuilder((dtype, dtype))
    real = [0, 1]
    for _ in range(int(rng.integers(1, 6))):
        if rng.random() < 0.4:
            real.append(builder.constant(dtype.type(rng.choice(NUMBERS))))
        function = str(rng.choice(f"{DRAWN} {CHOSEN} where".split()))
        count = 2 if function == "where" else UFUNCS[function].nin
        operands = tuple(int(x) for x in rng.choice(real, count))
        if function == "where":
            mask = builder.call("greater", operands[::-1], np.dtype(bool))
            real.append(builder.call("where", (mask, *operands), dtype))
        elif function in ("greater", "isnan"):
            mask = builder.call(function, operands, np.dtype(bool))
            real.append(builder.call("where", (mask, real[-1], 0), dtype))
        else:
            real.append(builder.call(function, operands, dtype))
    return builder.finish(real[-1])


def _cells(seed: int, dtype: np.dtype) -> list[np.ndarray]:
    """Ordinary cells, with special ones in a few tiles: in each other ones."""
    rng = np.random.default_rng(seed + 1000)
    operands = [rng.uniform(0.5, 2, SIZE).astype(dtype) for _ in range(2)]
    for tile in range(6):
        for cells in operands:
            places = tile * TILE_CELLS + rng.integers(0, 70, 40)
            some = rng.choice(SPECIAL, int(rng.integers(1, 4)))
            cells[places] = rng.choice(some, 40)
    return operands


def _numpys(
    formula: CellExpression, cells: list[np.ndarray], kinds: frozenset[str] = ALL
) -> set[str]:
    """What NumPy tells of all steps of a formula, all cells at once."""
    values: list = list(cells)
    with listening(kinds) as heard:
        for step in formula.steps:
            if step.function == "constant":
                values.append(formula.constant(step))
                continue
            function = np.where if step.function == "where" else UFUNCS[step.function]
            values.append(function(*[values[i] for i in step.operands]))
    return set(heard)


def _ours(
    formula: CellExpression, cells: list[np.ndarray], mode: str, kinds: frozenset[str] = ALL
) -> set[str]:
    with compile_service.mode(mode), listening(kinds) as heard:
        evaluate(None, *cells, expression=formula)
    return set(heard)


@pytest.mark.few(60)  # as unlike as so many can be
@pytest.mark.parametrize("seed", range(120))
def test_drawn_formulas_tell_what_numpy_tells(seed: int) -> None:
    formula = _drawn(seed)
    cells = _cells(seed, formula.parameters[0])
    kinds = [ALL, ALL - {"divide"}, frozenset({"divide"}), frozenset({"invalid"})][seed % 7 % 4]
    assert _ours(formula, cells, "off", kinds) == _numpys(formula, cells, kinds)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("function", ["add", "subtract", "multiply", "divide"])
def test_a_number_spares_errors_that_are_never_met(function: str, dtype: str) -> None:
    kind, large = np.dtype(dtype), np.finfo(dtype).max
    far = [*SPECIAL, large, -large, np.nextafter(large, 0, dtype=dtype), np.finfo(dtype).tiny]
    cells = np.array(far).astype(dtype)
    spared = set()
    for number, first in product([*NUMBERS, large, 2e31, 1e20], [False, True]):
        builder = CellBuilder((kind,))
        operands = (builder.constant(kind.type(number)), 0)
        formula = builder.finish(builder.call(function, operands[:: 1 if first else -1], kind))
        kinds = never_met(formula, formula.steps[-1])
        with listening(ALL) as heard:
            constant = formula.constant(formula.steps[0])
            UFUNCS[function](*((constant, cells) if first else (cells, constant)))
        assert not any(KINDS[kind] in text for kind in kinds for text in heard), number
        spared |= kinds
    assert {"over", "invalid"} <= spared


@pytest.mark.few(12)  # as many cells in each
@pytest.mark.covering(together=1)  # each has a kernel of its own
@pytest.mark.parametrize("seed", range(24))
def test_compiled_formulas_tell_what_numpy_tells(seed: int) -> None:
    formula = _drawn(seed)
    cells = _cells(seed, formula.parameters[0])
    assert _ours(formula, cells, "wait") == _numpys(formula, cells)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("function", sorted(name for name in UFUNCS if facts_of(name).poles == NO))
def test_functions_without_poles_divide_nothing(function: str, dtype: str) -> None:
    operands = np.meshgrid(*[np.array(SPECIAL).astype(dtype)] * UFUNCS[function].nin)
    with listening(ALL) as heard:
        UFUNCS[function](*operands)
    said = {kind for kind in KINDS if any(KINDS[kind] in text for text in heard)}
    assert said <= kinds_told(function)
    assert "divide" not in kinds_told(function)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("function", DOMAINS)
def test_within_its_domain_a_function_meets_poles_alone(function: str, dtype: str) -> None:
    cells = np.array([*SPECIAL, *np.linspace(-1, 1, 41), 6e-8, 1e-308, 6e4]).astype(dtype)
    low, high = facts_of(function).domain
    with listening(ALL) as heard:
        UFUNCS[function](cells[(cells >= low) & (cells <= high)])
    assert heard <= {f"divide by zero encountered in {function}"}


@pytest.mark.parametrize("kinds", [ALL, ALL - {"divide"}], ids=["all", "not divide"])
@pytest.mark.parametrize("zeros", [1, SIZE // 3])
def test_a_pole_is_met_once(
    zeros: int, kinds: frozenset[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    called, numpys = [], formula_errors._numpys
    monkeypatch.setattr(
        formula_errors, "_numpys", lambda name, dtype: called.append(name) or numpys(name, dtype)
    )
    builder, f8 = CellBuilder((np.dtype("f8"),)), np.dtype("f8")
    level = builder.call("log10", (builder.call("square", (0,), f8),), f8)
    known = builder.call("isfinite", (level,), np.dtype(bool))
    formula = builder.finish(builder.call("where", (known, level, 0), f8))
    cells = np.ones(SIZE)
    cells[:: SIZE // zeros] = 0
    told = {"divide by zero encountered in log10"} if "divide" in kinds else set()
    assert _ours(formula, [cells], "wait", kinds) == told
    assert called.count("log10") == len(told)
    assert set(called) <= {"square", "log10"}


@pytest.mark.covering(together=1)  # each has a kernel of its own
@pytest.mark.parametrize("mode", ["wait", "off"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    "function",
    sorted(name for name in UFUNCS if kinds_told(name) and name not in formula_errors.POWERS),
)
def test_flags_show_the_kinds_that_numpy_tells(function: str, dtype: str, mode: str) -> None:
    kind = np.dtype(dtype)
    count = UFUNCS[function].nin
    try:
        ordinary = UFUNCS[function](*[np.full(1, 0.5, dtype)] * count)
    except TypeError:
        pytest.skip("a function of integers")
    if not isinstance(ordinary, np.ndarray) or ordinary.dtype != kind:
        pytest.skip("not a real function")
    builder = CellBuilder((kind,) * count)
    formula = builder.finish(builder.call(function, tuple(range(count)), kind))
    for values in product(SPECIAL, repeat=count):
        operands = [np.full(10_000, 0.5, dtype) for _ in values]
        for cells, value in zip(operands, values, strict=True):
            cells[5] = value
        with listening(ALL) as theirs:
            UFUNCS[function](*operands)
        with compile_service.mode(mode), listening(ALL), checking_fp_errors() as suspicion:
            interpreter._evaluate(np.empty_like(operands[0]), operands, formula)
        told = {kind for kind in ALL if any(KINDS[kind] in text for text in theirs)}
        if facts_of(function).poles == INVALID and "divide" in told:
            told = (told - {"divide"}) | {"invalid"}
        assert suspicion is not None
        assert told <= kinds_of(suspicion.flags), values
