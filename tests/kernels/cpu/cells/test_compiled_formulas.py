import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.cells import compiled_formulas, interpreter, rows
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.formulas.merged_dims import merged
from tests.comparisons import same_bits
from tests.examples import examples
from tests.kernels.cpu.cells.expressions import by_numpy, by_row, compiled_row

F8 = np.dtype("f8")
KINDS = ("?", "i1", "e", "f4", "f8", "F", "D")


def formula(*kinds):
    """The sum of all parameters, and the first once more, in the dtype of the last."""
    dtypes = [np.dtype(kind) for kind in kinds]
    builder = CellBuilder(dtypes)
    value = builder.cast(0, dtypes[-1])
    for i in (*range(1, len(kinds)), 0):
        value = builder.call("add", (value, builder.cast(i, dtypes[-1])), dtypes[-1])
    return builder.finish(value)


FORMULAS = [formula("f8", "f8"), formula("e", "e"), formula("?", "i1", "D"), formula("F", "F")]


def laid(draw, shape, dtype, writable=False):
    """An array of a shape whose cells lie in any way."""
    axes = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 1, 2, 3, -1, -2])) for _ in shape]
    same = [not writable and draw(st.integers(0, 5)) == 0 for _ in shape]
    offset = 0 if draw(st.integers(0, 4)) else 1
    extents = [1 if s else abs(k) * n + offset for n, k, s in zip(shape, steps, same, strict=True)]
    field = draw(st.sampled_from(["none", "none", "none", "aligned", "unaligned"]))
    stored = [extents[axis] for axis in axes]
    if field == "none":
        whole = np.zeros(stored, dtype)
    else:
        parts = [("before", "u1"), ("cell", dtype), ("after", "i8")]
        whole = np.zeros(stored, np.dtype(parts, align=field == "aligned"))["cell"]
    generator = np.random.default_rng(draw(st.integers(0, 99)))
    whole[...] = generator.integers(-9, 9, stored).astype(dtype)
    whole = whole.transpose(np.argsort(axes))
    for axis, (n, k, s) in enumerate(zip(shape, steps, same, strict=True)):
        part = slice(None) if s else slice(None, None, k)
        whole = whole[(slice(None),) * axis + (part,)]
        if not s:
            whole = whole[(slice(None),) * axis + (slice(0, n),)]
    return np.broadcast_to(whole, shape) if not writable else whole


@st.composite
def problems(draw):
    expression = draw(st.sampled_from(FORMULAS))
    shape = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 5, 8, 17, 70]), max_size=5)))
    while np.prod(shape) > 40_000:
        shape = shape[1:]
    blocks = [laid(draw, shape, dtype) for dtype in expression.parameters]
    if len(blocks) > 1 and blocks[0].dtype == blocks[1].dtype and draw(st.booleans()):
        blocks[1] = blocks[0][
            (slice(None, None, -1),) * len(shape) + (...,)
        ]  # views of the same cells
    return expression, blocks, laid(draw, shape, expression.dtype, writable=True)


@given(problems())
@examples(100)
def test_cells_may_lie_in_any_way(problem):
    expression, blocks, out = problem
    expected = by_numpy(expression, blocks)
    with compile_service.mode("wait"):
        scalars = rows.row_of(expression).scalars
        done = compiled_formulas.run_row(compiled_row(expression), out, blocks, scalars)
    if done:
        assert same_bits(out.copy(), expected)
    made = KERNELS["map"](out, *blocks, expression=expression)
    assert made is out
    assert same_bits(out.copy(), expected)


def layouts():
    x = np.random.default_rng(0).normal(size=(60, 50, 40))
    small = np.random.default_rng(0).normal(size=(40_000, 3))
    packed = np.zeros((90, 700), np.dtype([("a", "u1"), ("x", "f8")]))
    packed["x"] = np.arange(700)
    line = np.arange(100_000.0)
    wide = np.random.default_rng(1).normal(size=(70, 2, 600))
    column = np.broadcast_to(wide[:, :, :1], wide.shape)
    boxes = np.random.default_rng(2).normal(size=(37, 2100))
    turned = np.asfortranarray(boxes)
    return {
        "boxes turned": (boxes, turned),
        "boxes turned, other rows turned too": (turned[::-1], turned[:, ::-1]),
        "boxes turned beside one column": (turned, np.broadcast_to(boxes[:, :1], boxes.shape)),
        "boxes turned beside one row": (turned, np.broadcast_to(boxes[0], boxes.shape)),
        "one column of long rows": (wide, column),
        "one column of strided rows": (wide[:, :, ::2], column[:, :, :300]),
        "one column alone": (column, column),
        "one column twice": (column[:, ::-1], wide),
        "in order": (x, x + 1),
        "transposed": (x, x.T.reshape(40, 50, 60).transpose(2, 1, 0)),
        "F": (np.asfortranarray(x), np.asfortranarray(x)),
        "reversed": (x[::-1, ::-1, ::-1], x),
        "every second": (x[:, :, ::2], x[:, :, 1::2]),
        "one row for all": (x, np.broadcast_to(x[0, 0], x.shape)),
        "one column for all": (x, np.broadcast_to(x[:, :, :1], x.shape)),
        "one plane for all": (x, np.broadcast_to(x[:1], x.shape)),
        "one cell for all": (x, np.broadcast_to(x[:1, :1, :1], x.shape)),
        "short rows": (small, np.broadcast_to(small[0], small.shape)),
        "long columns": (small.T, small.T),
        "unaligned": (packed["x"], packed["x"][::-1]),
        "overlapping windows": (
            np.lib.stride_tricks.sliding_window_view(line, 1000)[::100],
            np.lib.stride_tricks.sliding_window_view(line, 1000)[::-100],
        ),
        "every cell of a line": (line[::-1], line[::-1]),
    }


@pytest.mark.parametrize("out", ["C", "F", "strided", "backwards", "unaligned"])
@pytest.mark.parametrize("name", layouts())
def test_large_blocks_of_every_layout(name, out):
    blocks, expression = layouts()[name], FORMULAS[0]
    shape = blocks[0].shape
    packed = np.zeros(shape, np.dtype([("a", "u1"), ("x", "f8")]))["x"]
    place = {
        "C": np.empty(shape),
        "F": np.empty(shape, order="F"),
        "strided": np.empty((*shape[:-1], 2 * shape[-1]))[..., ::2],
        "backwards": np.empty(shape)[::-1],
        "unaligned": packed,
    }[out]
    expected = by_numpy(expression, blocks)
    with compile_service.mode("wait"):
        KERNELS["map"](place, *blocks, expression=expression)
    assert same_bits(place.copy(), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_strided_cells_of_every_size(kind):
    dtype = np.dtype(kind)
    builder = CellBuilder((dtype, dtype))
    truth = np.dtype(bool)
    same = builder.call("not_equal", (0, 1), truth)
    expression = builder.finish(builder.call("where", (same, 0, 1), dtype))
    x = np.random.default_rng(0).integers(0, 9, (120, 90)).astype(dtype)
    blocks = [x[:, ::2], np.broadcast_to(x[::-1, :1], (120, 45))]
    out = np.empty((45, 120), dtype).T
    assert same_bits(by_row(expression, blocks, out).copy(), by_numpy(expression, blocks))


def test_what_lies_in_order_goes_straight_through_and_what_does_not_is_walked(monkeypatch):
    walked = []
    monkeypatch.setattr(
        compiled_formulas, "_walk", lambda *arguments: bool(walked.append(1)) or True
    )
    x = np.zeros((200, 300))
    by_row(FORMULAS[0], [x, x])
    assert not walked
    by_row(FORMULAS[0], [x, x.reshape(300, 200).T])
    assert walked
    unaligned = np.frombuffer(bytes(8 * 64 + 1), "f8", 64, offset=1)
    by_row(FORMULAS[0], [unaligned, unaligned])
    assert len(walked) == 2


def test_operands_that_are_the_same_along_rows_are_read_once_a_row():
    x, out = np.ones((100, 600)), np.empty((100, 600))
    column = np.broadcast_to(x[:, :1], x.shape)
    still = compiled_formulas.still_operands
    assert still(out, [x, column]) == still(out, [x[::-1, ::-1], column]) == (1,)
    assert still(out, [column, x, np.broadcast_to(1.0, x.shape)]) == (0, 2)
    assert still(out, [x, x]) == still(out, [column, column]) == ()
    short = out[:, :200]  # of strided rows several are packed together
    assert still(short, [x[:, :400:2], column[:, :200]]) == ()
    assert still(short, [x[:, :200], column[:, :200]]) == (1,)


def test_tiny_planes_are_left_to_numpy():
    x = np.zeros((2, 2, 5000)).transpose(2, 1, 0)[::-1]
    out = np.empty((5000, 2, 2))
    with compile_service.mode("wait"):
        assert not compiled_formulas.run_row(compiled_row(FORMULAS[0]), out, [x, x])


def test_a_formula_without_a_compiled_meaning_is_not_run():
    builder = CellBuilder((F8,))
    expression = builder.finish(builder.call("spacing", (0,), F8))
    x = np.ones(100)
    assert not compiled_formulas.run(expression, np.empty(100), [x])


@pytest.mark.parametrize("shape", [(2, 3, 4), (24,), (), (1, 1), (4, 1, 6)])
def test_dimensions_that_are_run_through_as_one_are_one(shape):
    x = np.zeros(shape)
    extents, strides = merged([x, x], 2)
    assert np.prod(extents) == x.size
    assert len(extents) == 2
    assert strides[0][-1] == 8


def test_a_block_is_the_same_by_either_way():
    """What is compiled in the middle of a computation must not show in its result."""
    x = np.random.default_rng(0).normal(size=100_000).astype("e")
    expression = FORMULAS[1]
    with compile_service.mode("wait"):
        after = KERNELS["map"](None, x, x, expression=expression)
    assert same_bits(after, by_numpy(expression, [x, x]))
    assert interpreter._gains(expression, after, [x, x])


@pytest.mark.parametrize("mode", ["off", "auto"])
@pytest.mark.parametrize("kind", "efdFD")
def test_a_function_of_our_own_takes_cells_off_their_addresses(kind, mode):
    x = np.linspace(0, 1, 100).astype(kind)
    x_off, out = (np.zeros(x.nbytes + 1, "u1")[1:].view(kind) for _ in range(2))
    x_off[...] = x
    builder = CellBuilder((np.dtype(kind),))
    expression = builder.finish(builder.call("exp", (0,), np.dtype(kind)))
    with compile_service.mode(mode):
        interpreter.evaluate(out, x_off, expression=expression)
        assert same_bits(out, interpreter.evaluate(None, x, expression=expression))
    assert np.allclose(out, np.exp(x), rtol=1e-2)


@pytest.mark.parametrize("kind", KINDS)
def test_boxes_of_turned_cells_of_any_size(kind):
    expression = formula(kind, kind)
    x = np.random.default_rng(3).integers(0, 9, (67, 1400)).astype(kind)
    for blocks in ((x, np.asfortranarray(x)), (np.asfortranarray(x), x[::-1, ::-1])):
        for out in (np.empty_like(x), np.empty((134, 1400), kind)[::2]):
            with compile_service.mode("wait"):
                assert compiled_formulas.run_row(compiled_row(expression), out, blocks)
            assert same_bits(out.copy(), by_numpy(expression, blocks))
