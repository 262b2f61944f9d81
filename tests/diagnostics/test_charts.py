import re
from html.parser import HTMLParser

from dask_tapestry.diagnostics.charts import axis, frontier_svg, memory_svg


def is_closed(svg):
    """Whether every tag that is opened is closed."""
    open_tags = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            open_tags.append(tag)

        def handle_startendtag(self, tag, attrs):
            pass

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

    Reader().feed(svg)
    return not open_tags


def test_nothing_takes_no_time():
    assert is_closed(memory_svg([], 10))
    assert is_closed(memory_svg([], 0))


def test_of_thousands_of_moments_peaks_are_seen():
    points = [(i / 1000, 5.0 if i == 700 else 1.0) for i in range(100_000)] + [(200.0, 0.0)]
    svg = memory_svg(points, 10)
    assert len(svg) < 20_000
    (line,) = re.findall(r'class="line" d="([^"]*)"', svg)
    heights = [float(y) for y in re.findall(r"V([\d.]+)", line)]
    assert heights.count(min(heights)) == 1
    assert heights[-2] == heights[0]  # the last moment's, not the peak's, is held


def test_memory_is_drawn_under_its_limit():
    svg = memory_svg([(0, 0), (1, 2**20), (2, 2**30), (3, 0)], 2**31)
    (line,) = re.findall(r'class="line" d="([^"]*)"', svg)
    (limit,) = re.findall(r'class="limit" d="M\d+ ([\d.]+)', svg)
    heights = [float(y) for y in re.findall(r"V([\d.]+)", line)]
    assert min(heights) > float(limit)
    assert heights[2] == min(heights)
    assert heights[0] == heights[3] == max(heights)
    assert "2.00 GiB" in svg
    assert is_closed(svg)


def test_the_chosen_plan_of_a_frontier_is_marked():
    costs = [{"seconds": s, "bytes_moved": b} for s, b in [(1, 100), (2, 10), (3, 0)]]
    svg = frontier_svg(costs, costs[1], "bytes_moved")
    assert svg.count('class="plan"') == 3
    assert svg.count('class="plan chosen"') == 1
    assert "bytes moved" in svg
    assert is_closed(svg)


def test_any_resource_may_be_shown():
    costs = [{"seconds": 0, "license<": 0}, {"seconds": 0, "license<": 0}]
    svg = frontier_svg(costs, costs[0], "license<")
    assert "license&lt;" in svg
    assert is_closed(svg)


def test_both_axes_are_named_with_units():
    costs = [{"seconds": 90, "bytes_moved": 2**31}, {"seconds": 400, "bytes_moved": 2**20}]
    svg = frontier_svg(costs, costs[0], "bytes_moved")
    assert "time, predicted (min)" in svg
    assert "bytes moved (GiB)" in svg
    assert "this plan" in svg
    for most in (0, 1e-9, 0.3, 7, 1e12, 2.0**200):
        for kind in ("seconds", "bytes", ""):
            found = axis("x", most, kind)
            assert 1 <= len(found.ticks) <= 6
