import re
from html.parser import HTMLParser

import dask_tapestry as dt
from dask_tapestry.diagnostics.plan_summaries import plan_summary
from dask_tapestry.diagnostics.steps_picture import steps_svg

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")
BOX = re.compile(r'<a href="#step-(\d+)" class="(box[^"]*)"><rect x="(\d+)" y="(\d+)"')


def picture(*arrays):
    return steps_svg(plan_summary(dt.plan(*arrays, resources=FOUR).core).steps)


def boxes(*arrays):
    return {int(n): (int(x), int(y)) for n, _, x, y in BOX.findall(picture(*arrays))}


def held(x, chunks=4):
    return x.rechunk(chunks)


def test_each_step_has_a_box_and_producers_are_above():
    x = held(dt.ones(16))
    places = boxes(held(x + 1, 8) + held(x * 2, 2))
    assert sorted(places) == [1, 2, 3, 4]
    (_, top), *middle, (_, last) = (places[n] for n in sorted(places))
    (row,) = {y - top for _, y in middle}
    assert last - top == 2 * row > 0
    assert len(set(places.values())) == 4


def test_each_read_of_a_step_is_a_curve():
    svg = picture(held(held(dt.ones(16)) + 1, 8))
    (path,) = re.findall(r'<path class="edges" d="([^"]*)"', svg)
    assert path.count("M") == 1


def test_the_longest_step_is_the_warmest():
    big = dt.placeholder((10**5, 10**4), "f8", (1000, 1000)).sum(axis=0)
    classes = [name for _, name, *_ in BOX.findall(picture(big))]
    assert "box heat4" in classes
    assert "box" in classes


def test_texts_are_escaped():
    class Tags(HTMLParser):
        found = ()

        def handle_starttag(self, tag, attrs):
            self.found = (*self.found, tag)

    reader = Tags()
    reader.feed(picture(dt.placeholder((4,), "f8", dims=("<b>",)) + 1))
    assert set(reader.found) == {"svg", "rect", "path", "a", "text"}


def test_no_steps_are_an_empty_picture():
    assert steps_svg(()).startswith("<svg")
