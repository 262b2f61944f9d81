import re

import dask_tapestry as dt
from dask_tapestry.diagnostics.tuning import MOST_DIFFERENCES_SHOWN

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")
MANY = dt.Resources(workers=400, threads=2, memory="8 GiB")


def stored(chunks=(100, 100)):
    return dt.placeholder((400, 100), "f8", chunks)


def difference(first, second, other=FOUR):
    text = dt.plan(first, resources=FOUR).diff(dt.plan(second, resources=other))
    return re.sub(r" · test_compare.py:[\d, ]+", " ", text).splitlines()


def test_equal_plans_do_not_differ():
    assert difference(stored() + 1, stored() + 1) == ["the plans are the same"]


def test_grids_differ():
    lines = difference(stored().rechunk((200, -1)), stored().rechunk((100, -1)))
    assert lines[-1].startswith("rechunk float64[400, 100]: [2x200, 100] -> [4x100, 100]; ")
    assert "tasks: 2 -> 4 (+100 %)" in lines


def test_steps_of_one_plan_alone_are_named():
    x = stored().rechunk((200, -1))
    lines = difference(x, x + 1)
    assert [line for line in lines if line.startswith("only in the second: add float64")]
    lines = difference(x.sum(axis=0), x)
    assert [line for line in lines if line.startswith("only in the first: sum float64[100], [")]


def test_other_resources_are_named_first():
    x = dt.placeholder((10**6, 1000), "f8", (10**4, 1000)).sum(axis=1)
    lines = difference(x, x, MANY)
    assert lines[0] == f"resources: {FOUR} -> {MANY}"
    assert any(re.fullmatch(r"seconds: .+ -> .+ \(-\d+ %\)", line) for line in lines)


def test_fusion_differs():
    lines = difference((stored() + 1).rechunk((200, -1)), (stored() * 2).rechunk((200, -1)) + 0.5)
    assert any(line.startswith("only in the second: add") for line in lines)


def test_of_many_differences_the_first_are_shown():
    def chain(side):
        x = stored()
        for number in range(MOST_DIFFERENCES_SHOWN + 5):
            x = (x + number).rechunk((side, -1))
        return x

    lines = difference(chain(200), chain(100))
    assert lines[-1] == "… and 5 other differences"
