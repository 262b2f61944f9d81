"""Windows and convolutions in the simulator have the bits of the CPU's."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.device_error import KernelDeviceError
from tests.comparisons import same_bits, values
from tests.kernels.cuda.simulated.run_kernel import run

KINDS = "?bBhHiIlLefd"
GENERATOR = np.random.default_rng(5)
PLACES = ((0, 1), (1, 0), (1, 2), (2, 1))


def drawn(shape, kind):
    if np.dtype(kind).kind == "c":
        return (GENERATOR.normal(size=shape) + 1j * GENERATOR.normal(size=shape)).astype(kind)
    low = 0 if np.dtype(kind).kind in "ub" else -90
    return GENERATOR.uniform(low, 90, shape).astype(kind)


def told(x, window, dtype=None, steps=None):
    steps = (1,) * x.ndim if steps is None else steps
    ways = zip(x.shape, window, steps, strict=True)
    shape = tuple(max(0, (n - w) // step + 1) for n, w, step in ways)
    return {"window": window, "steps": steps, "shape": shape, "dtype": np.dtype(dtype or x.dtype)}


def check(name, *blocks, **arguments):
    expected = CPU[name](None, *[np.array(block) for block in blocks], **arguments)
    made = run(CUDA[name], None, *blocks, **arguments)
    assert same_bits(np.ascontiguousarray(made), np.ascontiguousarray(expected))


SINGLES = (((1, 2), 2.0), ((0, 0), -0.1))
PAIRS = (((2, 0), (0, 3), 0.3),)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_of_every_dtype(gpu, kind, sign):
    x, terms = drawn((6, 9), kind), {"singles": SINGLES, "pairs": PAIRS, "sign": sign}
    check("windowsum", x, **told(x, (3, 4)), **terms, divisor=1.0)
    check("windowsum", x, **told(x, (3, 4), "f4"), **terms, divisor=3.0)


def test_sums_of_few_terms_and_windows_apart(gpu):
    x, terms = drawn((9, 12), "d"), {"singles": SINGLES, "pairs": PAIRS, "sign": -1}
    check("windowsum", x[::-1, ::2], **told(x[:, ::2], (3, 4)), **terms, divisor=1.0)
    check("windowsum", x, **told(x, (3, 4), steps=(2, 3)), **terms, divisor=1.0)
    check("windowsum", x, **told(x, (3, 4)), **(terms | {"singles": (), "pairs": ()}), divisor=1.0)
    check("windowsum", x[:, :3], **told(x[:, :3], (3, 4)), **terms, divisor=1.0)
    huge = np.array([[2e19, -2e19, np.inf, np.nan, 1e300, -0.0]])
    one = {"singles": (((0, 0), 1.0),), "pairs": (), "sign": 1, "divisor": 1.0}
    for kind in "bhil":
        check("windowsum", huge, **told(huge, (1, 1), kind), **one)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fold", ["minimum", "maximum"])
def test_extremes_of_every_dtype(gpu, kind, fold):
    x = drawn((6, 8), kind)
    check("windowextreme", x, **told(x, (3, 3)), fold=fold, places=PLACES, addends=None)
    addends = (0.5, -60.0, 3.0, 0.0)
    check("windowextreme", x, **told(x, (3, 3), "f8"), fold=fold, places=PLACES, addends=addends)
    check("windowextreme", x, **told(x, (3, 3)), fold=fold, places=PLACES, addends=addends)


@pytest.mark.parametrize("kind", "efd")
@pytest.mark.parametrize("name", ["windowextreme", "windowfold"])
def test_extremes_of_nan_and_zeros_of_two_signs(gpu, kind, name):
    x = GENERATOR.choice([0.0, -0.0, 1.0, np.nan], (10, 12), p=[0.45, 0.45, 0.05, 0.05])
    own = {"places": PLACES, "addends": None} if name == "windowextreme" else {}
    for fold in ("minimum", "maximum"):
        check(name, x.astype(kind), **told(x.astype(kind), (3, 3)), fold=fold, **own)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fold", ["sum", "mean", "minimum", "maximum"])
def test_boxes_of_every_dtype(gpu, kind, fold):
    x = drawn((8, 9), kind)
    check("windowfold", x, **told(x, (3, 4)), fold=fold)


@pytest.mark.parametrize("fold", ["sum", "mean", "maximum"])
@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 13, 20])
def test_boxes_of_any_length(gpu, fold, length):
    x = drawn((3, 20), "f")
    check("windowfold", x, **told(x, (1, length)), fold=fold)
    check("windowfold", x.T, **told(x.T, (length, 1), "f8", (3, 1)), fold=fold)


def test_boxes_lie_anyhow_and_may_be_none(gpu):
    x = drawn((9, 12), "d")
    check("windowfold", x[::-1, ::2], **told(x[:, ::2], (2, 3), steps=(1, 2)), fold="mean")
    check("windowfold", x[:1], **told(x[:1], (2, 3)), fold="mean")
    check("windowfold", np.array(3.0), **told(np.array(3.0), ()), fold="mean")


def test_memory_that_is_given_is_filled(gpu):
    x, out = drawn((5, 5), "d"), np.zeros((4, 5)).T
    how = told(x, (1, 2), steps=(1, 1))
    made = run(CUDA["windowfold"], out, x, **how, fold="mean")
    assert same_bits(made.copy(), CPU["windowfold"](None, x, **how, fold="mean"))
    assert out.any()


@pytest.mark.parametrize("name", ["windowsum", "windowfold", "windowextreme"])
def test_complex_cells_are_refused(gpu, name):
    own = {"windowsum": {"singles": (), "pairs": (), "sign": 1, "divisor": 1.0}}.get(name)
    own = own or {"fold": "minimum"}
    own |= {"places": (), "addends": None} if name == "windowextreme" else {}
    x = np.ones(3, "D")
    with pytest.raises(KernelDeviceError, match=f"kernel {name}: windows of complex128"):
        CUDA[name](None, x, **told(x, (1,)), **own)


WAYS = {
    "line": ((2, 1, 3, 9), (1, 2, 3, 4), {"strides": (1,), "dilation": (1,)}),
    "groups": ((2, 2, 3, 9), (2, 2, 3, 4), {"strides": (2,), "dilation": (1,)}),
    "image": ((2, 1, 3, 6, 7), (1, 2, 3, 3, 2), {"strides": (1, 2), "dilation": (2, 1)}),
    "one cell": ((1, 1, 2, 5, 5), (1, 3, 2, 1, 1), {"strides": (1, 1), "dilation": (1, 1)}),
    "no windows": ((1, 1, 2, 2), (1, 3, 2, 3), {"strides": (1,), "dilation": (1,)}),
    "no channels": ((1, 1, 0, 5), (1, 3, 0, 2), {"strides": (1,), "dilation": (1,)}),
}


@pytest.mark.parametrize("kind", [*KINDS, "F", "D"])
@pytest.mark.parametrize("way", ["line", "image"])
def test_convolutions_of_every_dtype(gpu, kind, way):
    x, k, how = WAYS[way]
    told = {**how, "part": None, "dtype": np.dtype(kind)}
    check("directconvolution", drawn(x, kind), drawn(k, kind), **told)


@pytest.mark.parametrize("part", [None, 1, 2, 3])
@pytest.mark.parametrize("way", WAYS)
def test_convolutions_in_parts(gpu, way, part):
    x, k, how = WAYS[way]
    cells, weights, told = (
        drawn(x, "d"),
        drawn(k, "d"),
        {**how, "part": part, "dtype": np.dtype("d")},
    )
    if way == "no channels" and part is not None:
        return  # nothing is cut
    check("directconvolution", cells, weights, **told)
    expected = CPU["convolution"](None, cells, weights, **told)
    made = run(CUDA["convolution"], None, cells, weights, **told)
    np.testing.assert_allclose(made, expected, rtol=1e-11, atol=1e-9, strict=True)


def test_convolutions_lie_anyhow(gpu):
    x, k = drawn((9, 3, 1, 4), "f").T[..., ::-1, :, :, :], drawn((8, 3, 2, 1), "f").T[..., ::2]
    x = x.transpose(3, 1, 2, 0)
    how = {"strides": (1,), "dilation": (1,), "part": None, "dtype": np.dtype("f")}
    check("directconvolution", x, k, **how)


def test_other_dtypes_than_the_results_are_refused(gpu):
    how = {"strides": (1,), "dilation": (1,), "part": None, "dtype": np.dtype("d")}
    with pytest.raises(KernelDeviceError, match="directconvolution: float32, float64 to float64"):
        CUDA["directconvolution"](None, np.ones((1, 1, 1, 3), "f"), np.ones((1, 1, 1, 2)), **how)


def test_special_cells_are_multiplied_in_order(gpu):
    x = values((1, 1, 2, 20), "d")
    how = {"strides": (1,), "dilation": (1,), "part": None, "dtype": np.dtype("d")}
    check("directconvolution", x, drawn((1, 2, 2, 3), "d"), **how)
