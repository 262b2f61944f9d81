"""The words of lines: the functions that users called, of all public ones."""

import contextlib
import pickle
import sys
from contextlib import contextmanager
from itertools import islice

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.compute_errors import is_users
from dask_tapestry.teg.users_line import UsersLine, said_together, words_at
from tests.comparisons import COMPARISONS

X = np.ones((4, 6))


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda x: x.std(axis=0), "std"),
        (lambda x: dt.std(x, axis=0), "std"),
        (lambda x: np.std(x, axis=0), "std"),
        (lambda x: x @ x.T, "matmul"),
        (lambda x: dt.sort(x), "sort"),
        (lambda x: dt.linalg.norm(x), "norm"),
        (lambda x: dt.nn.relu(x), "relu"),
        (lambda x: dt.ndimage.gaussian_filter(x, 1.0), "gaussian_filter"),
        (lambda x: dt.zeros((3, 4)), "zeros"),
        (lambda x: x[1:3], "getitem"),
        (lambda x: x.map_blocks(np.sin), "map_blocks"),
        (lambda x: x - 1, ""),
        (lambda x: dt.subtract(x, x + 1), ""),
        (lambda x: np.exp(x), ""),
    ],
)
def test_a_word_is_what_the_user_called(make, word):
    line = make(dt.asarray(X)).node.line
    assert isinstance(line, UsersLine)
    assert (line.word, line.rpartition(":")[0]) == (word, __file__)


def test_decorators_of_contexts_are_not_the_users_lines():
    """Their frames lie between the library's, and between the user's."""
    line = np.errstate(all="ignore")(
        contextmanager(_alone)()(lambda: dt.asarray(X) + 1)
    )().node.line
    assert line.rpartition(":")[0] == __file__
    frame = contextmanager(_alone)()(lambda: sys._getframe(1))()
    assert frame.f_code.co_filename == contextlib.__file__
    assert not is_users(frame)


def _alone():
    yield


def test_a_line_compares_prints_and_pickles_as_text_and_keeps_its_word():
    line = UsersLine("job.py:6", "mean")
    assert line == "job.py:6"
    assert hash(line) == hash("job.py:6")
    assert f"{line}" == "job.py:6"
    again = pickle.loads(pickle.dumps(line))
    assert (again, again.word) == (line, "mean")
    assert words_at(line) == ["mean"]
    assert words_at("job.py:6") == words_at(None) == []


def test_words_of_what_is_computed_at_once_are_said_together():
    lines = [None, UsersLine("a:1", "mean"), UsersLine("a:2"), UsersLine("a:3", "std")]
    both = said_together(lines)
    assert (both, both.word) == ("a:1", "mean, std")
    assert said_together([None, ""]) is None


def test_lines_that_are_not_kept_have_no_words():
    with dt.config(line_numbers=False):
        assert dt.asarray(np.zeros(7)).mean().node.line is None


CHAPTERS = "ma patterns random overlap linalg fft nn ndimage stats stencil lib".split()


def _is_public(name):
    homes = [dt, dt.Array, dt.random.default_rng(0), *(getattr(dt, c) for c in CHAPTERS)]
    return any(hasattr(home, name) for home in homes)


def test_words_are_public_names():
    """No wrapper of the library's is taken for what its user called."""
    found = set()
    for row in {row.name.split()[0]: row for row in COMPARISONS}.values():
        for arrays in islice(row.inputs(), 1):
            made = row.ours(
                dt, *[dt.asarray(x) if isinstance(x, np.ndarray) else x for x in arrays]
            )
            found.update(words_at(getattr(getattr(made, "node", None), "line", None)))
    assert len(found) > 100
    assert {name for name in found if not _is_public(name)} <= {"getitem", "setitem"}


def test_what_xarray_calls_is_of_who_called_xarray():
    xr = pytest.importorskip("xarray")
    with dt.xarray.use():
        x = xr.DataArray(X, dims=("a", "b")).chunk(a=2)
        lines = [x.mean("a"), x.rolling(b=3).mean(), x.groupby("a").max()]
    assert {one.data.node.line.rpartition(":")[0] for one in lines} == {__file__}
