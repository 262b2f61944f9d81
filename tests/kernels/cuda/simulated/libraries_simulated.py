"""Kernels of NVIDIA's libraries beside the CPU's: integers exact, floats within rounding."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputShape
from tests.kernels.cuda.simulated.run_kernel import run

GENERATOR = np.random.default_rng(9)
ROUNDING = {"e": 4e-3, "f": 2e-5, "F": 2e-5}


def drawn(shape, kind):
    dtype = np.dtype(kind)
    if dtype.kind == "b":
        return GENERATOR.random(shape) < 0.4
    if dtype.kind in "iu":
        return GENERATOR.integers(0, 100, shape).astype(dtype)
    cells = GENERATOR.normal(size=shape)
    return (cells + 1j * GENERATOR.normal(size=shape) if dtype.kind == "c" else cells).astype(dtype)


def check(name, *blocks, **told):
    expected = CPU[name](None, *[block.copy() for block in blocks], **told)
    made = run(CUDA[name], None, *blocks, **told)
    assert made.dtype == expected.dtype
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(made, expected, strict=True)
    near = ROUNDING.get(expected.dtype.char, 1e-11)
    np.testing.assert_allclose(made, expected, rtol=near, atol=near * 20, strict=True)


@pytest.mark.parametrize("kind", "?bBhHiIlLefdFD")
@pytest.mark.parametrize("part", [None, 2, 5])
def test_products(gpu, kind, part):
    x, w, dtype = drawn((2, 3, 5), kind), drawn((5, 4), kind), np.dtype(kind)
    check("matmul", x, w, dtype=dtype, part=part)
    check("matmul", x[..., ::-1, :], drawn((4, 5), kind).T, dtype=dtype, part=part)


@pytest.mark.parametrize(("m", "k", "n"), [(0, 3, 2), (3, 0, 2), (1, 1, 1), (2, 3, 0)])
def test_products_of_few_cells(gpu, m, k, n):
    check("matmul", drawn((m, k), "d"), drawn((k, n), "d"), dtype=np.dtype("d"), part=None)


def test_products_of_other_dtypes_are_in_the_dtype_asked_for(gpu):
    check("matmul", drawn((3, 4), "b"), drawn((4, 2), "f"), dtype=np.dtype("d"), part=None)
    check("matmul", drawn((3, 4), "b"), drawn((4, 2), "B"), dtype=np.dtype("h"), part=3)


@pytest.mark.parametrize("kind", "efdF")
def test_layers(gpu, kind):
    x, w, b = drawn((6, 5), kind), drawn((5, 3), kind), drawn(3, kind)
    check("linear", x, w, b, dtype=np.dtype(kind))
    check("linear", x, w, dtype=np.dtype(kind))
    out = np.zeros((6, 3), kind)
    run(CUDA["linear"], out, x, w, b, dtype=np.dtype(kind))
    np.testing.assert_array_equal(out, run(CUDA["linear"], None, x, w, b, dtype=np.dtype(kind)))


def test_products_are_added_by_strips(gpu):
    x, w = drawn((7, 5), "d"), drawn((5, 3), "d")
    sums = np.ones((7, 3)), np.ones((7, 3))
    told = {"dtype": np.dtype("d"), "rows": 3}
    run(CUDA["add_product"], sums[0], x, w, **told)
    CPU["add_product"](sums[1], x, w, **told)
    np.testing.assert_allclose(*sums, rtol=1e-12)


@pytest.mark.covering
@pytest.mark.parametrize("function", ["fft", "ifft", "rfft", "irfft"])
@pytest.mark.parametrize("kind", "?befdFD")
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_transforms(gpu, function, kind, norm):
    if function == "rfft" and kind in "FD":
        return  # NumPy has none, and no operator asks for it
    x = drawn((3, 8, 2), kind)
    for length in (8, 5, 13, 1):
        check("fourier", x, function=function, axis=1, length=length, norm=norm)


@pytest.mark.parametrize("length", [8, 9, 4, 20])
def test_ends_that_should_be_real_are_taken_for_real(gpu, length):
    x = drawn((3, 5), "D")
    check("fourier", x, function="irfft", axis=1, length=length, norm="backward")
    assert x.imag.all()  # the block is not written to


def test_transforms_of_no_lanes(gpu):
    x = np.ones((0, 4), "f")
    check("fourier", x, function="rfft", axis=1, length=4, norm="ortho")


def positive(shape, kind):
    """Hermitian matrices with positive eigenvalues."""
    root = drawn(shape, kind)
    return root @ root.swapaxes(-1, -2).conj() + np.eye(shape[-1], dtype=kind) * 3


def of(shape, kind):
    """What all kernels of matrices are told: that all of a result is wanted."""
    keep = tuple(slice(0, n) for n in shape)
    return {"keep": keep, "dtype": np.dtype(kind), "is_stack": len(shape) > 2}


@pytest.mark.parametrize("stack", [(), (3,)])
@pytest.mark.parametrize("kind", "fdD")
def test_matrices(gpu, kind, stack):
    shape, real = (*stack, 4, 4), kind.lower()
    x = positive(shape, kind)
    check("cholesky", x, upper=False, **of(shape, kind))
    check("cholesky", x, upper=True, **of(shape, kind))
    check("inv", x, **of(shape, kind))
    check("invornan", x, **of(shape, kind))
    check("det", x, **of(stack, kind))
    check("solve", x, drawn((*stack, 4, 2), kind), **of((*stack, 4, 2), kind))
    check("eigvalsh", x, triangle="L", **of(shape[:-1], real))
    check("svdvals", x, hermitian=True, **of(shape[:-1], real))
    check("svdvals", drawn((*stack, 5, 3), kind), hermitian=False, **of((*stack, 3), real))


def test_one_triangle_is_looked_at(gpu):
    x = positive((4, 4), "D")
    lower, upper = np.tril(x) + np.triu(x, 1) * 9, np.triu(x) + np.tril(x, -1) * 9
    check("cholesky", lower, upper=False, **of((4, 4), "D"))
    check("cholesky", upper, upper=True, **of((4, 4), "D"))
    check("eigvalsh", upper, triangle="U", **of((4,), "d"))


@pytest.mark.parametrize("kind", "fdD")
@pytest.mark.parametrize(("rows", "columns"), [(5, 3), (3, 5), (4, 4)])
def test_packed_factors(gpu, kind, rows, columns):
    x, least = drawn((rows, columns), kind), min(rows, columns)
    whole = (rows + least, columns) if rows >= columns else (rows, least + columns)
    check("packedqr", x, **of(whole, kind))
    check("qrcolumns", x, **of((rows, least), kind))
    check("triangle", x, **of((least, columns), kind))
    check("packedslogdet", drawn((4, 4), kind), **of((2,), kind))


def several(name, x, sides, points=(), **options):
    """All results of a function with several, by name; `sides` has their shapes and dtypes."""
    outputs = tuple(
        OutputShape(
            one,
            np.dtype(kind),
            (
                *[OutputAxis(d, 1) for d in range(len(points))],
                *[OutputAxis(None, n) for n in shape],
            ),
        )
        for one, (shape, kind) in sides.items()
    )
    told = {"points": points, "outputs": outputs, "names": tuple(sides), "is_stack": bool(points)}
    made = run(CUDA[name], None, x, **told, **options)
    assert made.shape == points
    for one in outputs:
        assert (made[one.name].shape, made[one.name].dtype) == (one.of(points), one.dtype)
    return [made[one.name] for one in outputs]


def near(made, wanted):
    scale = ROUNDING.get(wanted.dtype.char, 1e-11)
    np.testing.assert_allclose(made, wanted, rtol=scale, atol=scale * 20)


def adjoint(x):
    return x.swapaxes(-1, -2).conj()


STACKS = [(), (3,), (2, 1), (0,)]


@pytest.mark.covering
@pytest.mark.parametrize("points", STACKS)
@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize(("rows", "columns"), [(5, 3), (3, 5), (1, 1)])
def test_factors_of_several_results(gpu, kind, points, rows, columns):
    x, least, real = drawn((*points, rows, columns), kind), min(rows, columns), kind.lower()
    sides = {"Q": ((rows, least), kind), "R": ((least, columns), kind)}
    q, r = several("qr", x, sides, points, mode="reduced")
    near(q @ r, x)
    near(np.tril(r, -1), np.zeros_like(r))
    sides = {"Q": ((rows, rows), kind), "R": ((rows, columns), kind)}
    q, r = several("qr", x, sides, points, mode="complete")
    near(q @ r, x)
    sides = {"U": ((rows, least), kind), "S": ((least,), real), "Vh": ((least, columns), kind)}
    u, s, vh = several("svd", x, sides, points, full_matrices=False, hermitian=False)
    near(u * s[..., None, :] @ vh, x)
    near(s, np.linalg.svd(x, compute_uv=False))


@pytest.mark.parametrize("points", STACKS)
@pytest.mark.parametrize("kind", "fdFD")
def test_eigenvectors_and_logarithms_of_determinants(gpu, kind, points):
    x, real = drawn((*points, 4, 4), kind), kind.lower()
    x = x + adjoint(x)
    pair = {"values": ((4,), real), "vectors": ((4, 4), kind)}
    for triangle, part in (("L", np.tril(x) + np.triu(x, 1) * 9), ("U", np.triu(x))):
        values, vectors = several("eigh", part, pair, points, triangle=triangle)
        near(vectors * values[..., None, :] @ adjoint(vectors), x)
    sides = {"U": ((4, 4), kind), "S": ((4,), real), "Vh": ((4, 4), kind)}
    u, s, vh = several("svd", x, sides, points, full_matrices=True, hermitian=True)
    near(u * s[..., None, :] @ vh, x)
    near(s, np.linalg.svd(x, compute_uv=False))
    sign, logarithm = several("slogdet", x, {"sign": ((), kind), "log": ((), real)}, points)
    near(sign * np.exp(logarithm), np.linalg.det(x))


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("shape", [(9, 3), (3, 5), (4, 4)])
def test_least_squares(gpu, kind, shape):
    a, b, real = drawn(shape, kind), drawn((shape[0], 2), kind), kind.lower()
    outputs = tuple(
        OutputShape(name, np.dtype(dtype), tuple(OutputAxis(None, n) for n in sides))
        for name, sides, dtype in (
            ("x", (shape[1], 2), kind), ("rank", (), "i"), ("s", (min(shape),), real),
        )
    )  # fmt: skip
    told = {"points": (), "outputs": outputs, "names": ("x", "rank", "s"), "is_stack": False}
    made = run(CUDA["lstsq"], None, a, b, **told, share=1e-5)
    x, _, rank, s = np.linalg.lstsq(a, b, rcond=1e-5)
    near(made["x"], x)
    near(made["s"], s)
    assert made["rank"] == rank


def test_columns_are_completed(gpu):
    u = np.linalg.qr(drawn((5, 3), "d"))[0]
    made = run(CUDA["completecolumns"], None, u, **of((5, 5), "d"))
    np.testing.assert_allclose(made.T @ made, np.eye(5), atol=1e-12)
    np.testing.assert_array_equal(made[:, :3], u)


def test_stacks_are_broadcast(gpu):
    a, b = positive((4, 4), "d"), drawn((3, 4, 2), "d")
    check("solve", a, b, **of((3, 4, 2), "d"))
    check("solve", a, drawn(4, "d"), **of((4,), "d"))


def test_a_part_of_a_result_is_cut(gpu):
    told = {"keep": (slice(1, 3), slice(0, 2)), "dtype": np.dtype("d"), "is_stack": False}
    check("inv", positive((4, 4), "d"), **told)
    check("inv", positive((4, 4), "d"), **(told | {"keep": (slice(1, 1), slice(0, 2))}))


def test_singular_matrices_are_numpys_error(gpu):
    zero = np.zeros((4, 4))
    for name, blocks in (("inv", [zero]), ("solve", [zero, zero])):
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            run(CUDA[name], None, *blocks, **of((4, 4), "d"))
    with pytest.raises(np.linalg.LinAlgError):
        run(CUDA["cholesky"], None, -np.eye(4), upper=False, **of((4, 4), "d"))
    stack = np.stack([zero, np.eye(4) * 2])
    check("invornan", stack, **of((2, 4, 4), "d"))
    check("det", stack, **of((2,), "d"))
