"""Plans as text, compared whole: numbers here are small, hence the same for every cost model."""

import re

import pytest

import dask_tapestry as dt
from dask_tapestry.diagnostics.explain import operators

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")


def explained(*arrays):
    """The plan as text, with the estimated time left out."""
    text = dt.plan(*arrays, resources=FOUR).explain()
    return re.sub(r"about [\d.]+ \w+", "about …", text)


def stored():
    return dt.placeholder((400, 100), "f8", (100, 100))


def test_a_cell_expression():
    assert explained((stored() + 1) * 2) == (
        "plan for 4 workers, 2 threads, 8.00 GiB each\n"
        "  1 task in 1 step, about …; read 312.50 kiB, move 0 B, write 0 B, "
        "peak 722.66 kiB a worker\n"
        "step 1: placeholder > elementwise -> float64[400, 100]\n"
        "  1 block: [400, 100] (one block suffices)\n"
        "  a block reads 312.50 kiB and holds 625.00 kiB"
    )


def test_a_layout_that_the_user_fixed():
    text = explained(stored().rechunk((200, -1)).sum(axis=0))
    assert text.startswith(
        "plan for 4 workers, 2 threads, 8.00 GiB each\n"
        "  3 tasks in 2 steps, about …; read 312.50 kiB, move 312.50 kiB, write 0 B, "
    )
    assert (
        "step 1: placeholder > rechunk -> float64[400, 100]\n"
        "  2 blocks: [2x200, 100] (as the user asked)\n"
        "  a block reads 156.25 kiB and holds 156.25 kiB\n"
        "step 2: reduce -> float64[100]\n"
        "  1 block: [100] (one block suffices)\n"
    ) in text
    assert text.endswith("  reads step 1")


def test_a_result_without_dimensions_is_one_cell():
    assert "  1 block: [one cell] (one block suffices)" in explained(dt.ones(10).sum())


def test_what_comes_from_outside_is_named():
    assert "  reads memory int64[3]" in explained(dt.asarray([1, 2, 3]) + 1)


def test_what_is_written(tmp_path):
    text = explained(dt.to_zarr(stored(), tmp_path / "x", chunks=(200, 100), compute=False))
    assert "write 312.50 kiB" in text
    assert "step 1: placeholder > store -> float64[400, 100]" in text


def test_repeated_operators_are_counted():
    plan = dt.plan(stored() @ dt.placeholder((100, 3), "f8"), resources=FOUR)
    (step,) = plan.core.steps.values()
    assert operators(step) == "placeholder x2 > matmul"


@pytest.mark.parametrize("name", ["<b>", "a & b"])
def test_the_page_escapes_what_users_write(name):
    page = dt.plan(stored().rename(name, None) + 1, resources=FOUR)._repr_html_()
    assert name not in page.replace("&amp;", "&amp ;")


def test_the_page_has_all_costs_and_steps():
    plan = dt.plan(stored().rechunk((200, -1)).sum(axis=0), resources=FOUR)
    page = plan._repr_html_()
    for name in plan.cost:
        assert name in page
    assert page.count("<tr>") == len(plan.cost) + 1 + len(plan.core.steps)
    assert "4 workers, 2 threads" in page
