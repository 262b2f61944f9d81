"""Cell expressions to compile, the cells to try them on, and what NumPy makes of them."""

import warnings
from collections import defaultdict

import numpy as np
from hypothesis import strategies as st

from dask_tapestry.cells import UFUNCS, CellBuilder, loop_dtypes
from dask_tapestry_kernels.cpu.cells import compiled_formulas, interpreter, rows
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.formulas import scalar_codegen

DTYPES = "?bBhHiIlLefdFD"
FLOATS = [
    *(0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 7.0, 127.5, 255.0, 256.0, 300.7, 65504.0, 65519.0, 65520.0),
    *(6e-8, 1e-8, 2.98e-8, 1e-39, 1e-320, 5e-324, 1.0 + 2**-11 + 2**-30, 16777217.0, 1e300),
    *(2.0**31, 2.0**31 - 1, 2.0**31 + 0.5, 2.0**32, 2.0**53 + 2, 2.0**63, 2.0**64, np.inf, np.nan),
]


def special(dtype):
    """Cells of `dtype` at which loops differ: zeros, ties, subnormals, extremes, NaN."""
    dtype, generator = np.dtype(dtype), np.random.default_rng(0)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        near = [info.min, info.min + 1, info.max - 1, info.max, *range(-9, 10), 31, 32, 63, 64, 100]
        return np.unique(np.array([n for n in near if info.min <= n <= info.max], dtype))
    with np.errstate(all="ignore"):
        if dtype.kind == "f":
            cells = np.array([s * x for x in FLOATS for s in (1, -1)]).astype(dtype)
            return np.concatenate([cells, generator.normal(0, 3, 16).astype(dtype)])
        parts = np.array([0.0, -0.0, 1.0, -1.5, 1e30, np.inf, -np.inf, np.nan])
        cells = np.empty(64, dtype)
        cells.real, cells.imag = np.repeat(parts, 8), np.tile(parts, 8)
        return cells


def by_numpy(expression, blocks):
    """Evaluate step by step with NumPy, over cells that lie in order."""
    operands = [np.ascontiguousarray(b) for b in blocks]
    result = np.empty(operands[0].shape, expression.dtype)  # of rank 1 at least
    calls, constants = interpreter._calls(expression), interpreter._constants(expression)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        interpreter._run(calls, constants, operands, result, {})
    return result.reshape(blocks[0].shape)


def compiled_row(expression):
    """Return the compiled row of an expression, which must have one."""
    with compile_service.mode("wait"):
        row = compile_service.compiled(rows.row_of(expression).source, rows.ARITY, str(expression))
    assert row is not None
    return row


def by_row(expression, blocks, out=None):
    """Evaluate with the compiled row of an expression."""
    if out is None:
        out = np.empty(blocks[0].shape, expression.dtype)
    with compile_service.mode("wait"):
        scalars = rows.row_of(expression).scalars
        assert compiled_formulas.run_row(compiled_row(expression), out, blocks, scalars)
    return out


def functions(dtype):
    """By the dtype of the result, what a compiled row can do to cells of `dtype`: names, arity."""
    found = defaultdict(list)
    for name, ufunc in UFUNCS.items():
        try:
            loop = loop_dtypes(name, (dtype,) * ufunc.nin)
        except TypeError:
            continue
        if any(d != dtype for d in loop[: ufunc.nin]):
            continue
        for place, result in enumerate(loop[ufunc.nin :]):
            function = name if ufunc.nout == 1 else f"{name}.{place}"
            operands = ["a", "b"][: ufunc.nin]
            if scalar_codegen.step(function, operands, [dtype] * ufunc.nin, result):
                found[result].append((function, ufunc.nin))
    if dtype.kind == "c":
        found[np.dtype(dtype.char.lower())] += [("real", 1), ("imag", 1)]
    for target in map(np.dtype, DTYPES):
        if target != dtype and scalar_codegen.step("cast", ["a"], [dtype], target):
            found[target].append(("cast", 1))
    return found


def chosen(dtype, result, names):
    """One expression for many functions: of cells x, y and k, function k of x and y."""
    builder = CellBuilder((dtype, dtype, np.dtype("i8")))
    value = builder.constant(np.zeros((), result)[()])
    for k, (name, arity) in enumerate(names):
        if name == "cast":
            here = builder.cast(0, result)
        else:
            here = builder.call(name, tuple(range(arity)), result)
        is_k = builder.call("equal", (2, builder.constant(np.int64(k))), np.dtype(bool))
        value = builder.call("where", (is_k, here, value), result)
    return builder.finish(value)


CONSTANTS = (0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 3.0, 1e-3)


@st.composite
def expressions(draw, dtypes="?bBhHiIlLefdFD", most=9):
    """Expressions of several steps, of mixed dtypes, that have compiled rows."""
    kinds = [np.dtype(d) for d in draw(st.lists(st.sampled_from(dtypes), min_size=1, max_size=3))]
    builder = CellBuilder(kinds)
    values = list(range(len(kinds)))

    def of(dtype):
        """A value of `dtype`: one that there is, or a cast."""
        value = draw(st.sampled_from(values))
        source = builder.dtype(value)
        if source == dtype:
            return value
        if scalar_codegen.step("cast", ["a"], [source], dtype):
            return builder.cast(value, dtype)
        return builder.constant(np.ones((), dtype)[()])

    for _ in range(draw(st.integers(2, most))):
        dtype = np.dtype(draw(st.sampled_from(dtypes)))
        kind = draw(st.sampled_from(["call"] * 6 + ["where", "constant"]))
        if kind == "call":
            table = functions(dtype)
            result = draw(st.sampled_from(sorted(table, key=str)))
            name, arity = draw(st.sampled_from(table[result]))
            if name == "cast":
                value = builder.cast(of(dtype), result)
            else:
                value = builder.call(name, [of(dtype) for _ in range(arity)], result)
        elif kind == "where":
            value = builder.call("where", (of(np.dtype(bool)), of(dtype), of(dtype)), dtype)
        else:
            with np.errstate(all="ignore"):
                number = draw(st.sampled_from(CONSTANTS if dtype.kind in "fc" else (0, 1, 2, 7)))
                value = builder.constant(np.array(number).astype(dtype)[()])
            if dtype.kind in "iufc":
                value = builder.call("multiply", (of(dtype), value), dtype)
        values.append(value)
    value = values[-1]
    if not (value >= len(kinds) and builder.steps[value - len(kinds)].function != "constant"):
        value = builder.call("equal", (value, value), np.dtype(bool))
    return builder.finish(value)


def operands(expression, cells=1500):
    """Special cells for the parameters of an expression, in different orders."""
    generator = np.random.default_rng(1)
    return [generator.choice(special(dtype), cells) for dtype in expression.parameters]
