from xml.etree import ElementTree

from dask_tapestry.planner.memory.simulation_picture import draw
from dask_tapestry.planner.tuning import MOST_CURVE_POINTS, MOST_ROWS_DRAWN


def drawn(rows, points=((0.0, 1.0),), seconds=2.0):
    svg = draw(seconds, rows, (points, 4.0), (points, 100.0)).svg
    return ElementTree.fromstring(svg)


def named(root, tag):
    return root.findall(f".//{{http://www.w3.org/2000/svg}}{tag}")


def test_each_step_has_a_bar_as_long_as_it_takes():
    bars = named(drawn([("one", 0.0, 1.0), ("two", 1.0, 2.0)]), "rect")
    assert len(bars) == 2
    widths = [float(bar.get("width")) for bar in bars]
    assert widths[0] == widths[1]
    assert float(bars[1].get("x")) > float(bars[0].get("x"))


def test_names_are_escaped_and_shortened():
    (bar,) = named(drawn([("a < b & " + "c" * 100, 0.0, 1.0)]), "title")
    assert bar.text.startswith("a < b & c")


def test_of_many_steps_the_longest_are_drawn():
    rows = [(f"s{n}", 0.0, float(n)) for n in range(2 * MOST_ROWS_DRAWN)]
    assert len(named(drawn(rows), "rect")) == MOST_ROWS_DRAWN


def test_curves_have_no_more_points_than_can_be_seen():
    points = [(float(n), float(n % 7)) for n in range(10 * MOST_CURVE_POINTS)]
    for line in named(drawn([], points), "polyline"):
        assert len(line.get("points").split()) <= 2 * MOST_CURVE_POINTS + 1


def test_a_run_of_no_time_is_drawn():
    assert len(named(drawn([("one", 0.0, 0.0)], seconds=0.0), "rect")) == 1
