import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.products.tensordot import (
    Labelled,
    arranged,
    contracted,
    summed,
    tensordot,
    with_diagonals,
    working_dtype,
)

pytestmark = pytest.mark.usefixtures("sync")
X = np.arange(24).reshape(2, 3, 4)


def labelled(x, labels):
    return Labelled(dt.asarray(x).node, tuple(labels))


def compute(x, labels):
    return dt.Array(arranged(x, labels)).compute()


@given(st.data())
def test_pairs_are_those_of_einsum(data):
    sizes = {label: data.draw(st.integers(0, 4)) for label in "abcde"}
    terms = [data.draw(st.lists(st.sampled_from("abcde"), unique=True)) for _ in range(2)]
    every = sorted({*terms[0], *terms[1]})
    keep = data.draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    ones = [data.draw(st.sets(st.sampled_from(term))) if term else set() for term in terms]
    shapes = [
        tuple(1 if i in one and sizes[i] else sizes[i] for i in term)
        for term, one in zip(terms, ones, strict=True)
    ]
    random = np.random.default_rng(0)
    x, w = (random.integers(-9, 9, shape) for shape in shapes)
    made = compute(contracted(labelled(x, terms[0]), labelled(w, terms[1]), keep), keep)
    text = f"{''.join(terms[0])},{''.join(terms[1])}->{''.join(keep)}"
    assert np.array_equal(made, np.einsum(text, x, w))


def test_products_without_rows_and_columns_are_sums_in_the_canonical_order():
    x, w = labelled(X, "abc"), labelled(X, "abc")
    text = str(dt.Array(contracted(x, w, "a").tensor).teg)
    assert "matmul" not in text
    assert "reduce" in text
    assert "matmul" in str(dt.Array(contracted(x, labelled(X[0], "bc"), "a").tensor).teg)


@pytest.mark.parametrize(
    ("text", "is_product"),
    [("abc,c->ab", True), ("abc,a->bc", True), ("abc,b->ac", False), ("abc,bd->acd", True)],
)
def test_a_vector_along_a_middle_dimension_has_no_copy_made(text, is_product):
    terms, keep = text.split("->")
    left, right = terms.split(",")
    sizes = {"a": 2, "b": 3, "c": 4, "d": 5}
    w = np.arange(1, 121).reshape(2, 3, 4, 5)[
        tuple(slice(None) if i in right else 0 for i in sizes)
    ]
    value = contracted(labelled(X, left), labelled(w, right), keep)
    assert ("matmul" in str(dt.Array(value.tensor).teg)) is is_product
    assert np.array_equal(compute(value, keep), np.einsum(text, X, w))


def test_windows_are_weighed_without_being_held():
    x = np.random.default_rng(0).random((5, 40))
    windows = np.lib.stride_tricks.sliding_window_view(x, 7, axis=1)
    ours = dt.lib.stride_tricks.sliding_window_view(dt.asarray(x), 7, axis=1)
    weights = np.arange(7.0)
    for text in ("xtw,w->xt", "xtw,w->t", "xtw,xw->xt", "xtw,xw->t"):
        w = weights if text[4] == "w" else np.outer(np.arange(5.0), weights)
        made = dt.einsum(text, ours, w)
        assert "matmul" not in str(made.teg), text
        np.testing.assert_allclose(made.compute(), np.einsum(text, windows, w), rtol=1e-12)


def test_diagonals_are_taken_of_labels_that_repeat():
    cube = np.arange(27).reshape(3, 3, 3)
    assert np.array_equal(
        compute(with_diagonals(dt.asarray(cube).node, "iii"), "i"), np.einsum("iii->i", cube)
    )
    with pytest.raises(ShapeError, match="collapsing index 'i'"):
        with_diagonals(dt.asarray(X).node, "iij")


def test_sums_keep_the_dtype():
    x = summed(labelled(X.astype("i1"), "abc"), "b")
    assert x.tensor.type.dtype == "i1"
    assert x.labels == ("b",)
    truths = summed(labelled(X > 20, "abc"), "")
    assert compute(truths, "").dtype == bool


def test_dtypes_without_products_are_refused():
    assert working_dtype(np.dtype("f2")) == "f4"
    for kind in ("m8[s]", "M8[s]", "U1"):
        with pytest.raises(DTypeError, match="sums of products are not defined"):
            working_dtype(np.dtype(kind))


def test_axes_of_tensordot_are_checked():
    x = dt.asarray(X).node
    with pytest.raises(ShapeError, match="shape-mismatch for sum"):
        tensordot(x, x, (0,), (1,))
    with pytest.raises(ShapeError, match="shape-mismatch for sum"):
        tensordot(x, x, (0, 1), (0,))
    with pytest.raises(ShapeError, match="duplicate axes"):
        tensordot(x, x, (0, 0), (0, 0))


def test_dimensions_of_rows_are_cut_one_by_one():
    pixels = dt.placeholder((20_000, 20_000, 200), "f4", stored_chunks=(500, 500, 200))
    spectra = dt.asarray(np.ones((10, 200), "f4"))
    classes = dt.argmax(dt.einsum("ijk,lk->ijl", pixels, spectra), axis=-1)
    plan = classes.plan(resources=dt.Resources(workers=16, threads=4, memory="16 GiB"))
    assert plan.cost["bytes_read"] <= 1.01 * pixels.nbytes
    assert "reshape" not in str(classes.teg)


def test_few_rows_are_joined():
    x = dt.asarray(np.ones((50, 3, 4)))
    assert "reshape" in str(dt.einsum("ijk,lk->ijl", x, np.ones((5, 4))).teg)


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("ijk,lk->ijl", ((9, 70, 5), (3, 5))),
        ("ij,jkl->ikl", ((4, 5), (5, 80, 90))),
        ("bijk,bkl->lbji", ((2, 9, 70, 5), (2, 5, 3))),
        ("hijk,hk->hij", ((2, 9, 70, 5), (2, 5))),
        ("hijk,lmk->hijlm", ((2, 3, 70, 5), (3, 6, 5))),
        ("ijk,lk->ijl", ((0, 70, 5), (3, 5))),
        ("ijk,lk->ijl", ((9, 70, 0), (3, 0))),
    ],
)
def test_several_dimensions_of_rows_have_numpys_values(text, shapes, dtype):
    arrays = [(7 * np.random.default_rng(0).random(s)).astype(dtype) for s in shapes]
    wanted = np.einsum(text, *arrays)
    rtol = 1e-2 if dtype == "f2" else 1e-5
    whole = dt.einsum(text, *map(dt.asarray, arrays)).compute()
    with dt.config(block_bytes=600, max_tasks=10**7):
        cut = dt.einsum(text, *map(dt.asarray, arrays)).compute()
    for found in (whole, cut):
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=rtol)


@pytest.mark.parametrize("axis", [0, 7, 13])
def test_many_dimensions_of_rows_have_numpys_values(axis):
    x, gate = np.arange(2.0**14).reshape((2,) * 14), np.array([[1.0, 1.0], [1.0, -1.0]])
    made = dt.tensordot(gate, dt.asarray(x), axes=(1, axis)).compute()
    np.testing.assert_array_equal(made, np.tensordot(gate, x, axes=(1, axis)))
