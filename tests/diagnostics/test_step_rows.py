import re

import dask_tapestry as dt
from dask_tapestry.diagnostics.plan_summaries import told_whole
from dask_tapestry.diagnostics.step_details import Measured
from dask_tapestry.diagnostics.step_rows import groups, step_rows


def plan(steps):
    x = dt.placeholder((200, 200), "f8", (50, 50))
    for number in range(steps):
        x = (x + number).rechunk((50 if number % 2 else 100, -1))
    return told_whole(dt.plan(x).core)


def test_rows_are_in_order_of_time():
    known = plan(3)
    first, *_, last = known.steps
    turned = known._replace(
        steps=(first._replace(begin=9.0, end=10.0), *known.steps[1:-1], last._replace(begin=0.0))
    )
    numbers = [row[0][0] for row in groups(turned.steps)]
    assert sorted(numbers) == [1, 2, 3]
    assert numbers[-1] == 1


def test_steps_that_are_alike_share_a_row():
    known = plan(1000)
    assert len(groups(known.steps)) < 10
    assert sum(map(len, groups(known.steps))) == len(known.steps) == 1000
    text = step_rows(known, {})
    assert all(f'id="step-{n}"' in text for n in (1, 500, 1000))
    assert len(text) < 150_000


def test_measured_seconds_have_a_column():
    known = plan(2)
    assert "measured" not in step_rows(known, {})
    assert "1.5 min" in step_rows(known, {1: Measured(90.0, 0, 0)})


def test_code_is_shown_where_it_is_told():
    assert "<code><bdi>x &lt; y</bdi></code>" in step_rows(plan(1), {}, lambda line: "x < y")


def test_the_bars_of_many_steps_reach_the_end():
    text = step_rows(plan(1000), {})
    bars = re.findall(r"left:([\d.]+)%;width:([\d.]+)%", text)
    assert max(float(x) + float(w) for x, w in bars) > 99.8
    assert len(bars) < 700
