"""Cells that lie outside of their arrays, in every operation that takes them, beside NumPy's."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import dask_tapestry as dt
from dask_tapestry.cells.references import cell_bytes, one_cell, packed, unpacked, zero_cell

OBJECT, TEXT = np.dtype(object), np.dtypes.StringDType()


def same(ours, numpys):
    """Equal in dtype, shape and cells, and in the types of the cells."""
    ours, numpys = np.asarray(ours), np.asarray(numpys)
    assert (ours.dtype, ours.shape) == (numpys.dtype, numpys.shape)
    assert ours.tolist() == numpys.tolist()
    assert list(map(type, ours.ravel().tolist())) == list(map(type, numpys.ravel().tolist()))


@pytest.mark.parametrize(
    "value", [None, 1, "a", Decimal("1.5"), [1, [2]], {"a": ()}, Fraction(1, 3)]
)
def test_an_object_is_told_by_bytes(value):
    cell = one_cell(value, OBJECT)
    assert cell.shape == ()
    assert cell.item() == value
    again = unpacked(packed(cell), OBJECT)
    assert type(again.item()) is type(value)
    assert again.item() == value


@pytest.mark.parametrize("code", ["f4", "U3", "M8[s]", "i1", "c16"])
def test_a_plain_cell_is_its_bytes(code):
    cell = np.ones((), code)
    assert packed(cell) == cell.tobytes()
    assert unpacked(packed(cell), np.dtype(code)) == cell


def test_what_a_cell_refers_to_takes_memory():
    assert cell_bytes(np.dtype("f8")) == 8
    assert cell_bytes(OBJECT) > 8
    assert cell_bytes(TEXT) > 16
    x = dt.asarray(np.array([None] * 10))
    assert x.nbytes == 80 < x.node.type.nbytes


def test_zeros_are_numpys():
    assert zero_cell(OBJECT).item() == 0
    assert zero_cell(TEXT).item() == ""
    assert zero_cell(np.dtype("i2")) == np.int16(0)


DECIMALS = st.integers(-5, 5).map(lambda n: Decimal(n) / 2)
SHAPES = npst.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=7)
BLOCKS = st.tuples(st.integers(1, 4), st.integers(1, 4))
WORDS = st.text("abc\u00e9", max_size=12)
FUNCTIONS = {
    "arithmetic": lambda np, x: x + x,
    "compared": lambda np, x: x < x[0],
    "equal": lambda np, x: x == x[:, :1],
    "transposed": lambda np, x: x.T[::-1],
    "reshaped": lambda np, x: x.reshape(-1)[::2],
    "joined": lambda np, x: np.concatenate([x, x[::-1]], axis=1),
    "stacked": lambda np, x: np.stack([x, x], axis=1),
    "taken": lambda np, x: np.take(x, [0, -1, 0], axis=1),
    "points": lambda np, x: x[[0, -1], [-1, 0]],
    "masked": lambda np, x: x[x > x[0, 0]],
    "where": lambda np, x: np.where(x > x[0], x, x[0]),
    "padded": lambda np, x: np.pad(x, 1, mode="edge"),
    "constant": lambda np, x: np.pad(x, 1),
    "rolled": lambda np, x: np.roll(x, 1, axis=0),
    "repeated": lambda np, x: np.repeat(np.tile(x, (2, 1)), 2, axis=1),
    "triangle": lambda np, x: np.triu(x),
    "sorted": lambda np, x: np.sort(x, axis=0),
    "order": lambda np, x: np.argsort(x, axis=1, kind="stable"),
    "unique": lambda np, x: np.unique(x),
    "counted": lambda np, x: np.unique(x, return_counts=True)[1],
    "found": lambda np, x: np.isin(x, x[0]),
    "least": lambda np, x: x.min(axis=1),
    "greatest": lambda np, x: np.max(x, axis=0),
    "sum": lambda np, x: x.sum(axis=1),
    "any": lambda np, x: np.any(x, axis=0),
    "all": lambda np, x: np.all(x),
    "truth": lambda np, x: x.astype(bool),
    "nonzero": lambda np, x: np.nonzero(x)[1],
    "objects": lambda np, x: x.astype(object),
    "diagonal": lambda np, x: np.diagonal(x),
}
OF_OBJECTS = {
    "scaled": lambda np, x: 2 * x - Decimal(1),
    "mean": lambda np, x: x.mean(axis=0),
    "product": lambda np, x: np.prod(x, axis=0),
    "running": lambda np, x: np.cumsum(x, axis=1),
    "place": lambda np, x: x.argmin(axis=0),
    "no": lambda np, x: x == None,  # noqa: E711
    "numbers": lambda np, x: x.astype(float),
    "searched": lambda np, x: np.searchsorted(np.sort(x[0]), x),
    "begun": lambda np, x: x.sum(axis=0, initial=Decimal(7)),
    "clipped": lambda np, x: np.clip(x, Decimal(-1), Decimal(1)),
}


@pytest.mark.parametrize("name", [*FUNCTIONS, *OF_OBJECTS])
@settings(max_examples=2)
@given(SHAPES.flatmap(lambda s: npst.arrays(OBJECT, s, elements=DECIMALS)), BLOCKS)
def test_objects_as_numpys(name, cells, chunks):
    function = (FUNCTIONS | OF_OBJECTS)[name]
    same(function(dt, dt.from_array(cells, chunks=chunks)).rechunk(chunks[0]), function(np, cells))


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=2)
@given(SHAPES.flatmap(lambda s: npst.arrays(OBJECT, s, elements=WORDS)), BLOCKS)
def test_texts_as_numpys(name, objects, chunks):
    cells = objects.astype(TEXT)
    x = dt.from_array(cells, chunks=chunks)
    same(FUNCTIONS[name](dt, x).rechunk(chunks[0]), FUNCTIONS[name](np, cells))


def test_texts_are_added_in_order():
    words = np.array([str(n) for n in range(300_000)], object)
    x = dt.from_array(words, chunks=7_000)
    assert x.sum().compute() == "".join(words)
    assert x.astype(TEXT).sum().compute() == "".join(words)


def test_texts_are_searched_in_another_array():
    words = np.array([f"a text of more than sixteen bytes, {n}" for n in range(20)], object)
    x = dt.from_array(words.astype(TEXT), chunks=6)
    same(dt.searchsorted(dt.sort(x), x), np.searchsorted(np.sort(words), words))
    same(dt.isin(x, x[3:5]), np.isin(words, words[3:5]))


def test_items_are_assigned():
    cells = np.array([Decimal(n) for n in range(10)], object)
    x, y = dt.from_array(cells, chunks=3), cells.copy()
    for at, value in ((2, {"a": 1}), (slice(5, 7), None), ([1, 3], [Decimal(7), "b"])):
        x[at], y[at] = value, value
    same(x, y)


def test_blocks_of_objects():
    x = dt.from_array(np.arange(10), chunks=3)
    made = x.map_blocks(lambda b: np.array([Decimal(int(n)) for n in b], object))
    assert made.dtype == object
    same(made, np.array([Decimal(n) for n in range(10)], object))
    lengths = made.astype(TEXT).map_blocks(np.strings.str_len)
    same(lengths, np.ones(10, int))
    summed = dt.apply_gufunc(lambda b: b.sum(axis=-1), "(i)->()", made, output_dtypes=object)
    same(summed, np.array(Decimal(45), object))


def test_lists_with_the_dtype_keep_their_objects():
    same(dt.asarray([1, "a", None], dtype=object), np.asarray([1, "a", None], dtype=object))
    same(dt.full(2, None), np.full(2, None))
    same(dt.asarray(["a", "bc"], dtype=TEXT), np.asarray(["a", "bc"], dtype=TEXT))
    same(dt.empty(2, dtype=object), np.empty(2, dtype=object))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: x @ x,
        lambda x: dt.fft.fft(x),
        lambda x: dt.linalg.norm(x),
        lambda x: x.view("i8"),
        lambda x: x.var(),
        lambda x: dt.median(x, axis=0),
        lambda x: dt.lexsort((x, x)),
        lambda x: x.to_zarr("nowhere.zarr"),
        lambda x: dt.to_npy_stack("nowhere", x),
    ],
)
@pytest.mark.parametrize("dtype", [OBJECT, TEXT], ids=str)
def test_what_takes_no_such_cells_says_so(wrong, dtype):
    with pytest.raises(dt.DTypeError):
        wrong(dt.asarray(np.array([["1", "2"], ["3", "4"]], dtype)))


@pytest.mark.parametrize("kind", ["U3", "S3", object, "M8[s]", "f4", "V3"])
def test_a_cell_tells_its_dtype(kind):
    """A scalar of text is as short as its text."""
    dtype = np.dtype(kind)
    for cell in (zero_cell(dtype), unpacked(packed(np.zeros((), dtype)), dtype)):
        assert cell.dtype == dtype
