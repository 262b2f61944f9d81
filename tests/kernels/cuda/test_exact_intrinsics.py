"""What the simulator runs in place of instructions has the bits of the instructions."""

import numpy as np
import pytest
from numba import njit

from dask_tapestry_kernels.elementary import number_intrinsics
from tests.comparisons import same_bits
from tests.kernels.cpu.cells.expressions import special
from tests.kernels.cuda.simulated import exact_intrinsics

UNARY = "float64_bits root nearest magnitude round_down round_up cut_off double_to_half".split()
OF_FLOAT32 = "float32_bits root nearest magnitude round_down round_up cut_off float_to_half".split()
TERMS = (0.5, -3.0, 2.0, 0.25, 1.0, -0.125)
GENERATOR = np.random.default_rng(8)


def cells(dtype):
    """Special cells, and cells of any bits."""
    bits = GENERATOR.integers(0, 2 ** (8 * np.dtype(dtype).itemsize), 200, np.uint64)
    drawn = bits.astype(f"u{np.dtype(dtype).itemsize}").view(dtype)
    return np.concatenate([special(dtype), drawn])


def compiled(name, arity, source=""):
    """An intrinsic as a function of `arity` numbers."""
    names = ", ".join("xyz"[:arity])
    scope = {"f": getattr(number_intrinsics, name), "TERMS": TERMS}
    exec(f"def call({names}): return f({source or names})", scope)
    return njit(scope["call"])


@pytest.mark.parametrize(
    ("name", "kind"), [*[(n, "f8") for n in UNARY], *[(n, "f4") for n in OF_FLOAT32]]
)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_functions_of_a_number(name, kind):
    ours, exact = compiled(name, 1), getattr(exact_intrinsics, name)
    for x in cells(kind):
        if not np.isnan(x):
            made, expected = ours(x), exact(x)
            assert same_bits(np.asarray(made).astype(expected.dtype), expected), x


@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_sums_of_a_product_are_rounded_once(kind):
    ours = compiled("fma", 3)
    x, y, z = cells(kind), GENERATOR.permutation(cells(kind)), GENERATOR.permutation(cells(kind))
    for numbers in zip(x, y, z, strict=True):
        made = np.dtype(kind).type(ours(*numbers))
        assert same_bits(exact_intrinsics.fma(*numbers), made), numbers


@pytest.mark.parametrize("name", ["fmod", "signed"])
@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_functions_of_two_numbers(name, kind):
    ours, exact = compiled(name, 2), getattr(exact_intrinsics, name)
    for x, y in zip(cells(kind), GENERATOR.permutation(cells(kind)), strict=True):
        if not (np.isnan(x) or np.isnan(y)):
            assert same_bits(exact(x, y), np.dtype(kind).type(ours(x, y))), (x, y)


@pytest.mark.parametrize("name", ["horner", "estrin"])
@pytest.mark.parametrize("kind", ["f8", "f4"])
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_polynomials(name, kind):
    ours = compiled(name, 1, "x, TERMS")
    for x in GENERATOR.normal(0, 3, 50).astype(kind):
        made = np.dtype(kind).type(ours(x))
        assert same_bits(getattr(exact_intrinsics, name)(x, TERMS), made)


def test_bits_become_numbers():
    for name, kind in (("float64_of", "i8"), ("float32_of", "i4")):
        ours = compiled(name, 1)
        for bits in (0, 1, -1, 2**30, 12345):
            word = np.dtype(kind).type(bits)
            expected = getattr(exact_intrinsics, name)(word)
            assert same_bits(np.asarray(ours(word)).astype(expected.dtype), expected)
    ours = compiled("half_to_float", 1)
    for bits in np.arange(0, 2**16, 97, dtype=np.uint16):
        assert same_bits(np.float32(ours(bits)), exact_intrinsics.half_to_float(bits))


def test_products_of_words_have_two_halves():
    ours = compiled("wide_product", 2)
    words = GENERATOR.integers(0, 2**64, (50, 2), np.uint64)
    for x, y in words:
        assert ours(x, y) == tuple(exact_intrinsics.wide_product(x, y))


def test_choices_have_the_type_of_the_first():
    assert isinstance(exact_intrinsics.choose(False, np.float32(1), 2.0), np.float32)
    assert isinstance(exact_intrinsics.choose(True, 1.5, np.float64(2)), np.float64)
    assert exact_intrinsics.choose(True, 3, np.int64(2)) == 3
    assert compiled("choose", 3)(False, 1.0, 2.0) == exact_intrinsics.choose(False, 1.0, 2.0)


def test_every_intrinsic_that_formulas_take_has_a_form():
    names = {name for name in vars(exact_intrinsics) if hasattr(number_intrinsics, name)}
    assert {"fma", "fmod", "horner", "estrin", "choose", "wide_product"} <= names
    known = vars(number_intrinsics).items()
    of_numba = {name for name, value in known if type(value).__name__ == "_Intrinsic"}
    assert of_numba
    assert of_numba <= names
