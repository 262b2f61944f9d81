import pytest

from dask_tapestry.errors import SignatureError
from dask_tapestry.operators.user.user_monoid import ReduceOver
from dask_tapestry.operators.user.user_signature import absorbed_output, form_of, solve, write
from dask_tapestry.teg import IndexDim, Kind
from dask_tapestry.zspace import IndexProjection, ZRange


def written(index, inputs, outputs, **extents):
    return write("op", index, inputs, outputs, extents)


def test_names_are_read_as_words_or_letters():
    names = ("batch", "i", "j")
    assert form_of("op", "x", "batch i", names) == ("batch", "i")
    assert form_of("op", "x", "ij", names) == ("i", "j")
    assert form_of("op", "x", ("i", "batch"), names) == ("i", "batch")
    assert form_of("op", "x", "", names) == ()


def test_extents_come_from_shapes():
    one = written({"i": "parallel", "k": ReduceOver("sum")}, {"x": "i k", "w": "k"}, {"z": "i"})
    index, reads = solve(one, [(2, 3), (3,)])
    assert index == (IndexDim("i", 2), IndexDim("k", 3, Kind.REDUCTION))
    assert [r.matrix for r in reads] == [((1, 0), (0, 1)), ((0, 1),)]
    with pytest.raises(SignatureError, match=r"op: dimension k is 3 and 4: x \(2, 3\), w \(4,\)"):
        solve(one, [(2, 3), (4,)])
    with pytest.raises(SignatureError, match="takes 2 arrays"):
        solve(one, [(2, 3)])


@pytest.mark.parametrize(("cells", "windows"), [(7, 3), (8, 3), (9, 4), (3, 1), (2, 0)])
def test_windows_are_as_many_as_fit(cells, windows):
    one = written({"at": "parallel"}, {"x": IndexProjection([[2]], [0], [3])}, {"z": "at"})
    assert solve(one, [(cells,)])[0][0].extent == windows


def test_a_window_outside_its_tensor_is_refused():
    before = written({"at": "parallel"}, {"x": IndexProjection([[1]], [-1], [2])}, {"z": "at"})
    with pytest.raises(SignatureError, match=r"at=5 it reads .* of x, which has shape"):
        solve(before, [(5,)])
    given = written({"at": 9}, {"x": IndexProjection([[1]], [0], [2])}, {"z": "at"})
    with pytest.raises(SignatureError, match="at=9 it reads"):
        solve(given, [(5,)])


def test_what_a_block_has_all_of_is_in_its_window():
    one = written({"i": "parallel", "k": "atomic"}, {"x": "i k"}, {"z": "k i"})
    index, (read,) = solve(one, [(2, 5)])
    assert (read.matrix, read.shape) == (((1, 0), (0, 0)), (1, 5))
    out = absorbed_output(("k", "i"), index)
    assert out.of_range(ZRange((0, 0), (2, 5))).shape == (5, 2)


def test_a_backward_projection_of_an_atomic_dimension():
    read = IndexProjection([[0, -2]], [8], [1])
    one = written({"i": "parallel", "k": "atomic"}, {"x": read, "y": "i"}, {"z": "i"}, k=5)
    _, (window, _) = solve(one, [(9,), (2,)])
    assert (window.matrix, window.offset, window.shape) == (((0, 0),), (0,), (9,))


def test_scans_keep_their_kind():
    one = written({"i": "parallel", "t": "sequential"}, {"x": "i t"}, {"z": "i t"})
    assert one.kind("t") is Kind.SEQUENTIAL
    assert one.of_kind(Kind.SEQUENTIAL) == ("t",)
