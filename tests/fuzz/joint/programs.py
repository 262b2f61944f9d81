"""Joint programs: drawn, computed in one call under several shardings, and compared.

All outputs are computed together, interpreted, then compiled, then with kernels that come and go
from block to block, and some of them alone. All must have the same bits, and NumPy's value.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from random import Random
from typing import Any, NamedTuple

import numpy as np
import zarr

import dask_tapestry as dt
from dask_tapestry_kernels.compilation import mode
from tests.comparisons.table import same_bits
from tests.compiling import by_turns
from tests.fuzz.joint import outcomes
from tests.fuzz.programs import WIDE_SHARDINGS, Mismatch, Sharding
from tests.fuzz.sources import source

UNITS = 256  # of the least digit: rounding of the longest chain of additions in a tree
WIDER = {"f4": np.float64, "f8": np.longdouble, "c8": np.complex128, "c16": np.clongdouble}
DTYPES = ("f8",) * 6 + ("f4", "f4", "i4", "i8", "u1", "?", "c16")
NAMES = ("time", "z", "y", "x")  # of what is stored; axes change places in some outputs
SHARDINGS = (*WIDE_SHARDINGS, Sharding(2**20, 1, 2, scheduler="threads"), Sharding(2**18, 3, 2))


class Scope(NamedTuple):
    """Which programs are drawn.

    Attributes
    ----------
    most
        Cells of an array.
    dtypes
        Those of arrays.
    few
        Draw formulas and reductions whose kernels come with a wheel, or are compiled at once.
    """

    most: int = 10**6
    dtypes: Sequence[str] = DTYPES
    few: bool = False


class Given(NamedTuple):
    """An array of a program."""

    theirs: np.ndarray
    ours: Any


class Output(NamedTuple):
    """An output: NumPy's cells before they are reduced, how they are, and what may be apart."""

    text: str
    ours: Any
    expected: np.ndarray
    error: Any


EVERYTHING = Scope()


def run(random: Random, scope: Scope = EVERYTHING) -> str:
    """Draw a program, compute it in all ways and compare; return its text.

    Raises
    ------
    Mismatch
        With the program and how results differ.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        heads, arrays = _arrays(random, scope)
        outputs = _outputs(random, arrays, scope)
        text = "\n".join([*heads, *[output.text for output in outputs]])
        try:
            _compare(random, outputs)
        except Mismatch as mismatch:
            raise Mismatch(f"{text}\n{mismatch}") from None
        except Exception as error:
            raise Mismatch(f"{text}\n{type(error).__name__}: {error}") from error
    return text


def _shape(random: Random, most: int) -> tuple[int, ...]:
    """A shape of 10,000 cells to `most`, small numbers of them more often than large ones."""
    size = 10 ** random.uniform(4, random.uniform(4, np.log10(most)))
    rank = random.choice([1, 2, 2, 2, 3, 3, 4])
    sides = []
    for left in range(rank, 1, -1):
        side = max(1, round(size ** random.uniform(0.2 / left, 1.8 / left)))
        sides.append(min(side, max(1, int(size))))
        size /= sides[-1]
    sides.append(max(1, round(size)))
    random.shuffle(sides)
    return tuple(sides)


def _arrays(random: Random, scope: Scope) -> tuple[list[str], list[Given]]:
    """Three arrays of one shape, or broadcast to it, stored alike more often than not."""
    shape, texts, arrays = _shape(random, scope.most), [], []
    chunks, alike = _chunks(random, shape), random.random() < 0.6
    dtype = random.choice(scope.dtypes)
    for number in range(3):
        kind = dtype if alike or random.random() < 0.5 else random.choice(scope.dtypes)
        sides = shape
        if number and random.random() < 0.1:
            sides = tuple(random.choice([1, n]) for n in shape)
        cells = _cells(random, sides, kind)
        own = chunks if alike and sides == shape else _chunks(random, sides)
        how, ours = "stored", None
        if random.random() < 0.7:
            store = zarr.storage.MemoryStore()
            names = NAMES[: len(sides)]
            made = zarr.create_array(
                store, shape=sides, chunks=own, dtype=kind, dimension_names=names
            )
            made[...] = cells
            ours = dt.from_zarr(store)
        else:
            how, ours = source(random, cells, own)
        texts.append(f"{'xyz'[number]}: {kind}{sides} {how} in {own}")
        arrays.append(Given(cells, ours))
    return texts, arrays


def _chunks(random: Random, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Chunks that do not divide a shape, 5 along a dimension at most."""
    return tuple(random.randint(max(1, -(-n // 5)), n) for n in shape)


def _cells(random: Random, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Cells of moderate size, some of them NaN, or alike."""
    rng = np.random.default_rng(random.getrandbits(32))
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return rng.random(shape) < random.choice([0.001, 0.5, 0.999])
    if kind.kind in "iu":
        return rng.integers(0 if kind.kind == "u" else -100, 100, shape).astype(kind)
    cells = rng.normal(random.choice([0, 0, 10]), 1, shape)
    if kind.kind == "c":
        cells = cells + 1j * rng.normal(size=shape)
    if random.random() < 0.3:
        cells = np.rint(cells)
    share = random.choice([0, 0, 0.01, 0.5])
    if share:
        cells[rng.random(shape) < share] = np.nan
    return cells.astype(kind)


def _outputs(random: Random, arrays: Sequence[Given], scope: Scope) -> list[Output]:
    """One to ten outputs, or far more, of which many are reduced alike, along the same axes."""
    rank = arrays[0].theirs.ndim
    count = random.randint(1, 10) if random.random() < 0.98 else random.randint(17, 40)
    axis, kind = _axis(random, rank), _reduction(random, scope)
    alike, outputs = random.random(), []
    shifted = not scope.few and random.random() < 0.3
    while len(outputs) < count:
        own_axis = axis if random.random() < 0.7 else _axis(random, rank)
        own_kind = kind if random.random() < alike else _reduction(random, scope)
        output = _output(random, arrays, own_kind, own_axis, scope, shifted)
        if output is not None:
            outputs.append(output)
    return outputs


def _axis(random: Random, rank: int) -> Any:
    if random.random() < 0.2:
        return None
    if random.random() < 0.5:
        return 0
    return tuple(sorted(random.sample(range(rank), random.randint(1, rank))))


def _reduction(random: Random, scope: Scope) -> Any:
    """A phrase, or a `Bound` with one."""
    if scope.few:
        few = [*outcomes.SUMS[::2], *outcomes.SPREADS[::2], *outcomes.EXACT[:2]]
        return random.choice(few)
    kinds = (outcomes.SUMS, outcomes.SPREADS, outcomes.EXACT, outcomes.PLACES, outcomes.WHOLES)
    return random.choice(random.choices([*kinds, outcomes.OTHERS], [6, 3, 5, 1, 1, 2])[0])


def _output(
    random: Random, arrays: Sequence[Given], how: Any, axis: Any, scope: Scope, shifted: bool
) -> Output | None:
    """An output, of shifted cells or not; None where NumPy or the comparison has none of these."""
    exact = random.random() < 0.85
    formula = random.choice(outcomes.EXACT_FORMULAS if exact else outcomes.ROUNDED_FORMULAS)
    names = random.choices("xyz", k=3)
    given = dict(zip("xyz", ["xyz".index(name) for name in names], strict=True))
    phrases = [formula]
    if shifted and random.random() < 0.8:
        phrases.append(random.choice(outcomes.SHIFTS))
    elif random.random() < 0.2 and not scope.few:
        phrases.append(random.choice(outcomes.VIEWS))
    anomaly = random.random() < 0.05 and not scope.few
    if anomaly:
        phrases.append(random.choice(outcomes.ANOMALIES))
        exact = False
    if "abs" in formula and any(arrays[at].theirs.dtype.kind == "c" for at in given.values()):
        exact = False  # of complex numbers it is an elementary function, near NumPy's bits
    bound = how if isinstance(how, outcomes.Bound) else None
    phrase = bound.phrase if bound else how
    one = axis[0] if isinstance(axis, tuple) else axis or 0
    phrases = [text.format(axis=axis, one=one) for text in [*phrases, phrase]]
    along = axis if "{axis}" in phrase else one
    try:
        *others, v, expected = _values(np, phrases, [arrays[given[n]].theirs for n in "xyz"])
    except (TypeError, ValueError, IndexError):
        return None  # NumPy has no such formula of these dtypes, or no axis of this number
    if not v.size or not (bound or exact) or (v.dtype.kind == "c" and not bound):
        return None
    if anomaly and np.isfinite(others[-1]).all() and not np.isfinite(v).all():
        return None  # NumPy's mean of float16 has no room for its sum; ours has
    error: Any = 0
    if v.dtype.kind in "fc" or np.asarray(expected).dtype.kind in "fc":
        if bound is not None:
            wide = v.astype(WIDER.get(v.dtype.str[1:], np.longdouble))
            lost = np.nanmax(abs(others[-1])) if anomaly else 0  # digits that cancel
            if "log1p" in formula and v.dtype.kind == "c":
                lost = 1  # NumPy's is the logarithm of 1 + z, rounded
            narrow = np.asarray(expected)
            if np.isfinite(v).all() and not np.isfinite(narrow).all():
                return None  # a sum of float16 has no room, which a wider one has
            of_result = narrow.dtype
            expected, error = _wide(bound, phrases[-1], wide, along, of_result, lost)
        elif not exact:
            return None
    ours = _values(dt, phrases, [arrays[given[n]].ours for n in "xyz"])[-1]
    shown = f"  {' -> '.join(phrases)}  with x, y, z = {', '.join(names)}"
    return Output(shown, ours, np.asarray(expected), error)


def _values(xp: Any, phrases: Sequence[str], arrays: Sequence[Any]) -> list[Any]:
    x, y, z = arrays
    scope, found = {"xp": xp, "x": x, "y": y, "z": z}, []
    for phrase in phrases:
        scope["v"] = eval(phrase, scope)
        found.append(scope["v"])
    return found


def _wide(
    bound: outcomes.Bound, phrase: str, wide: np.ndarray, axis: Any, dtype: np.dtype, lost: Any
) -> tuple[np.ndarray, Any]:
    """The result of wider numbers, and how far from it those of `dtype` may be.

    Cells have the rounding of numbers that are larger by `lost`.
    """
    result = np.asarray(eval(phrase, {"xp": np, "v": wide}))
    is_number = np.isfinite(result.real) | np.isfinite(result.imag)  # of either part
    sizes = abs(wide)
    if wide.dtype.kind == "c":  # a part may be NaN where the other is a number
        sizes = abs(np.nan_to_num(wide.real)) + abs(np.nan_to_num(wide.imag))
    units = np.where(is_number, bound.error(sizes + lost, axis, result), 0)
    return result.astype(dtype), UNITS * np.finfo(dtype).eps * np.nan_to_num(units)


def _compare(random: Random, outputs: Sequence[Output]) -> None:
    every, first = range(len(outputs)), random.choice(SHARDINGS)
    with mode("off"):
        whole = _computed(first, outputs, every, "interpreted")
    for number, (output, found) in enumerate(zip(outputs, whole, strict=True)):
        how = _differs(found, output)
        if how:
            raise Mismatch(f"output {number}: {how}")
    ways: list[tuple[str, AbstractContextManager[Any], Sequence[int]]] = [
        ("compiled", mode("wait"), every),
        ("by turns", by_turns(Random(random.random())), every),
        ("alone", mode("wait"), [random.choice(every)]),
    ]
    for name, kernels, numbers in ways:
        sharding = first if random.random() < 0.7 else random.choice(SHARDINGS)  # planned already
        with kernels:
            found = _computed(sharding, outputs, numbers, name)
        for number, one in zip(numbers, found, strict=True):
            if not same_bits(one, whole[number]):
                raise Mismatch(f"output {number}, {name}, {sharding}: {_shown(one, whole[number])}")


def _computed(
    sharding: Sharding, outputs: Sequence[Output], numbers: Sequence[int], name: str
) -> Sequence[Any]:
    found = sharding.compute([outputs[number].ours for number in numbers])
    if isinstance(found, Exception):
        raise Mismatch(f"{name}, {sharding}: {type(found).__name__}: {found}") from found
    return found


def _differs(found: Any, output: Output) -> str:
    """How a result differs from NumPy's, empty where it is near enough."""
    found, expected = np.asarray(found), output.expected
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return f"{found.dtype}{found.shape}, NumPy has {expected.dtype}{expected.shape}"
    parts = [(found, expected)]
    if found.dtype.kind == "c":  # a part may be infinite where the other is a number
        parts = [(found.real, expected.real), (found.imag, expected.imag)]
    near = np.all([_is_near(*pair, output.error) for pair in parts])
    return "" if near else _shown(found, expected)


def _is_near(found: Any, expected: Any, error: Any) -> bool:
    near = (found == expected) | ((found != found) & (expected != expected))
    if np.any(error):
        with np.errstate(invalid="ignore"):
            near = near | (abs(found - expected) <= error)
    return bool(np.all(near))


def _shown(found: Any, expected: Any) -> str:
    """How many cells differ, and the first of them."""
    found, expected = np.asarray(found), np.asarray(expected)
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return f"{found.dtype}{found.shape}, not {expected.dtype}{expected.shape}"
    other = (found != expected) & ((found == found) | (expected == expected))
    other |= (
        np.signbit(found.real) != np.signbit(expected.real) if found.dtype.kind in "f" else False
    )
    at = tuple(int(i) for i in np.argwhere(other)[0]) if other.any() else ()
    return (
        f"{int(other.sum())} of {other.size} cells differ, as {at}: {found[at]!r}, {expected[at]!r}"
    )
