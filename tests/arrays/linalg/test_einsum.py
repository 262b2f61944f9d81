import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.arrays.parity import refused

pytestmark = pytest.mark.usefixtures("sync")
A, B = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)


@given(st.data())
def test_sums_of_integers_are_numpys(data):
    """Any number of operands, with labels that repeat, lengths of one and of nought."""
    sizes = {label: data.draw(st.integers(0, 3)) for label in "abcd"}
    terms = data.draw(
        st.lists(st.lists(st.sampled_from("abcd"), max_size=4), min_size=1, max_size=4)
    )
    every = sorted({i for term in terms for i in term})
    keep = (
        data.draw(st.permutations(data.draw(st.lists(st.sampled_from(every), unique=True))))
        if every
        else []
    )
    text = ",".join("".join(term) for term in terms)
    if data.draw(st.booleans()):
        text += f"->{''.join(keep)}"
    random = np.random.default_rng(0)
    kind = data.draw(st.sampled_from(["i8", "i1", "?"]))
    xs = [random.integers(-3, 4, [sizes[i] for i in term]).astype(kind) for term in terms]
    steps = [data.draw(st.integers(1, 3)) for _ in xs]
    cut = [dt.asarray(x).rechunk(s) if x.ndim else x for x, s in zip(xs, steps, strict=True)]
    expected = np.einsum(text, *xs)
    made = dt.einsum(text, *cut)
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    assert np.array_equal(made.compute(), expected)


@pytest.mark.parametrize(
    "optimize", [False, True, "greedy", "optimal", ("greedy", 10), ["einsum_path", (0, 1, 2)]]
)
def test_every_order_gives_the_value(optimize):
    c = np.arange(8.0).reshape(4, 2)
    made = dt.einsum("ij,jk,kl", A, B, c, optimize=optimize)
    np.testing.assert_allclose(made.compute(), A @ B @ c, rtol=1e-12)


def test_the_order_takes_few_operations():
    x, w, v = dt.ones((1000, 1000)), dt.ones((1000, 1000)), dt.ones(1000)
    text = str(dt.einsum("ij,jk,k->i", x, w, v).teg)
    assert "float64[1000, 1000]" not in text.split("matmul", 1)[1]
    assert dt.einsum_path("ij,jk,k->i", x, w, v, optimize="optimal")[0][1] == (1, 2)


def test_lists_of_labels():
    x = np.arange(24.0).reshape(2, 3, 4)
    for args in (
        (x, [0, 1, 2], [2, 0]),
        (x, [0, ...], [..., 0]),
        (x, [30, 2, 1]),
        (x, [0, 1, 2], x, [0, 1, 2]),
    ):
        np.testing.assert_allclose(dt.einsum(*args).compute(), np.einsum(*args), rtol=1e-12)
    with pytest.raises(dt.ShapeError, match="valid range"):
        dt.einsum(x, [60, 1, 2])
    with pytest.raises(dt.DTypeError, match="integer or an ellipsis"):
        dt.einsum(x, ["a", 1, 2])


def test_dtype_and_casting():
    x = np.ones((2, 2), "f4")
    assert dt.einsum("ij->", x, dtype="f8").dtype == "f8"
    with pytest.raises(TypeError, match="rule 'safe'"):
        dt.einsum("ij->", x, dtype="f2")
    assert dt.einsum("ij->", x, dtype="f2", casting="same_kind").dtype == "f2"
    assert dt.einsum("i->", np.full(5000, 1, "f2")).compute() == 5000, "added in single precision"


def test_casting_is_of_out_too():
    x = dt.asarray(np.arange(6).reshape(2, 3))
    out = dt.zeros(2, "i2")
    with pytest.raises(TypeError, match="cast"):
        dt.einsum("ij->i", x, out=out)
    dt.einsum("ij->i", x, out=out, dtype="f8", casting="unsafe")
    np.testing.assert_array_equal(out.compute(), [3, 12])


def test_other_dtypes_are_moved_but_not_summed():
    times = np.arange(6).reshape(2, 3).astype("m8[s]")
    assert np.array_equal(dt.einsum("ij->ji", times).compute(), times.T)
    for call in ("ij->i", "ij,ij->ij"):
        with pytest.raises(TypeError):
            dt.einsum(call, *[times] * (call.count(",") + 1))


def test_what_is_refused():
    with pytest.raises(ValueError, match="out"):
        dt.einsum("ij->i", A, out=dt.zeros(5))
    for args in ((), ("ij",), ("ij,jk", A), ("ij,jk", A, A)):
        with pytest.raises(ValueError, match=r"einstein|operands"):
            dt.einsum(*args)


def test_numpys_functions_reach_ours():
    assert isinstance(np.einsum("ij,jk", dt.asarray(A), B), dt.Array)
    assert np.einsum_path("ij,jk", dt.asarray(A), B)[0] == ["einsum_path", (0, 1)]


def test_a_batch_is_cut_and_contracted_dimensions_in_parts():
    machines = dt.Resources(workers=4, threads=4, memory="16 GiB")
    x = dt.placeholder((1000, 512, 512), "f4", stored_chunks=(10, 512, 512))
    plan = dt.plan(dt.einsum("bij,bjk->bik", x, x), resources=machines)
    plan.verify()
    assert plan.cost["bytes_read"] <= 1.5 * x.nbytes
    assert plan.cost["peak_worker_bytes"] < 2**30
    long = dt.placeholder((20, 10**8), "f8")
    plan = dt.plan(dt.tensordot(long, long, (1, 1)), resources=machines)
    plan.verify()
    assert any("parts" in node.operator.text() for node in plan.teg)


def test_an_order_that_is_none_is_refused():
    refused(lambda np, a: np.einsum("ij->ji", a([[1.0]]), order="W"))


def test_a_product_of_two_may_be_larger_than_any_operand():
    sides = {"i": 40, "a": 30, "j": 50, "b": 30, "k": 100, "c": 40, "d": 30}
    terms = ["iaj", "jbk", "kcd", "abc"]
    shapes = [tuple(sides[label] for label in term) for term in terms]
    path, _ = dt.einsum_path("iaj,jbk,kcd,abc->id", *map(dt.zeros, shapes), optimize=True)
    assert [len(pair) for pair in path[1:]] == [2, 2, 2]
    generator = np.random.default_rng(0)
    operands = [generator.normal(size=[n // 5 for n in shape]) for shape in shapes]
    found = dt.einsum("iaj,jbk,kcd,abc->id", *operands)
    expected = np.einsum("iaj,jbk,kcd,abc->id", *operands, optimize=("optimal", 2**62))
    np.testing.assert_allclose(found.compute(), expected, atol=1e-9)
