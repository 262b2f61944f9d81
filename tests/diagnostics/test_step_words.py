"""Words of steps: functions that users called, and lines of their code."""

from types import SimpleNamespace

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.diagnostics.step_words import (
    Words,
    formula_words,
    lines_text,
    step_words,
    words_of,
)
from dask_tapestry.diagnostics.tuning import STEP_WORDS, WORD_LETTERS


def words(*arrays):
    steps = dt.plan(*arrays, resources=dt.Resources(workers=4, threads=2)).core.steps.values()
    return [step_words(step.program.instructions, step.node) for step in steps]


def test_a_step_is_called_what_the_user_called():
    x = dt.placeholder((10_000_000, 50), "f8", stored_chunks=(100_000, 50))
    mean, std = x.mean(axis=0), x.std(axis=0)
    y = ((x - mean) / std) @ np.ones((50, 4))
    found = words(y)
    assert [one.text for one in found[-2:]] == ["mean, std", "subtract, divide, matmul"]
    assert all(one.at.startswith("test_step_words.py:") for one in found)
    assert found[-2].label == f"mean, std · {found[-2].at}"


def test_views_are_left_out_unless_there_is_nothing_else():
    x = dt.placeholder((1000, 50), "f8")
    assert [one.text for one in words(np.exp(x.T)[::2])][-1].endswith("exp")
    (view,) = (n for n in dt.plan(x[::2]).core.graph.nodes if n.operator.is_view)
    assert step_words([view], view).text == "slice"


def test_functions_of_the_user_have_their_own_names():
    def whiten(block):
        return block - 1

    assert words(dt.ones((10, 4)).map_blocks(whiten))[-1].functions[-1] == "whiten"


def test_formulas_tell_their_functions_where_no_word_is_known():
    x = dt.placeholder((10,), "f8")
    assert formula_words((np.sin(x) * 2 + 1).node.operator) == ("add",)
    assert formula_words(x.node.operator) == ()
    assert list(words_of(x.astype("f4").node)) == ["astype"]
    bare = SimpleNamespace(operator=(x + 1).node.operator, line=None)
    assert list(words_of(bare)) == ["add"]


def test_long_lists_and_names_are_shortened():
    many = Words(tuple(f"f{i}" for i in range(STEP_WORDS + 3)), ())
    assert many.text.endswith(f"f{STEP_WORDS - 1}, … 3 more")
    assert many.label == many.text

    def f(block):
        return block

    f.__name__ = "ö" * 500
    (*_, long) = words(dt.ones((10, 4)).map_blocks(f))[-1].functions
    assert len(long) <= WORD_LETTERS


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], ""),
        (["/a/b/job.py:6"], "job.py:6"),
        (["/a/job.py:6", "/a/job.py:6", "/a/job.py:12"], "job.py:6, 12"),
        (["/a/job.py:6", "/a/lib.py:1"], "job.py:6; lib.py:1"),
        (["<stdin>:1", "<doctest x[0]>:1"], ""),
        (["/tmp/ipykernel_77/1234.py:3"], "cell:3"),
        (["no line"], ""),
        ([f"job.py:{i}" for i in range(50)], "job.py:0, 1, 2, 3, 4, …"),
    ],
)
def test_lines_are_written_by_file(lines, text):
    assert lines_text(lines) == text
