"""Plan files that were changed at random: read, or refused by an error of this library, at once."""

import json
import random

import pytest

import dask_tapestry as dt

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")
WRONG = [
    None, True, -1, 0, 2**63, 10**40, 1e308, float("nan"), float("inf"), "", "x", "\0", "../..",
    [], {}, [[]], {"": 0}, [1] * 100, "<script>alert(1)</script>", [[[[[[[[]]]]]]]],
]  # fmt: skip


def places(value, way=()):
    """Ways to all values within one."""
    yield way
    if isinstance(value, dict | list):
        for name, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(one, (*way, name))


def changed(content, chance):
    """A copy of which one value is another, is gone, or is there twice."""
    copy = json.loads(json.dumps(content))
    way = chance.choice(list(places(copy))[1:])
    there = copy
    for name in way[:-1]:
        there = there[name]
    how = chance.random()
    if how < 0.2:
        del there[way[-1]]
    elif how < 0.3 and isinstance(there, list):
        there += there
    else:
        there[way[-1]] = chance.choice(WRONG)
    return copy


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("seed", range(4))
def test_a_plan_that_was_changed_is_read_or_refused(tmp_path, seed):
    x = dt.placeholder((10**4, 100), "float64", stored_chunks=(10**3, 100))
    value = ((x - x.mean(axis=0)) ** 2).sum(axis=0)
    dt.plan(value, resources=FOUR).save(tmp_path / "good.json")
    content = json.loads((tmp_path / "good.json").read_text())
    chance, refused = random.Random(seed), 0
    for _ in range(25):
        (tmp_path / "bad.json").write_text(json.dumps(changed(content, chance)))
        try:
            told = dt.load_plan(tmp_path / "bad.json")
            told.explain()
            told.visualize(tmp_path / "page.html")
            page = (tmp_path / "page.html").read_text()
            assert "<script>alert" not in page
        except dt.PlanError:
            refused += 1
        try:
            dt.load_plan(tmp_path / "bad.json", value).explain()
        except dt.PlanError:
            refused += 1
    assert refused
