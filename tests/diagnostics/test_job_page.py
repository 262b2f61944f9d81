from html.parser import HTMLParser

import pytest

from dask_tapestry.diagnostics.job_page import graph_svg, jobs_html

from .reports import job, report, step

HOSTILE = "<img src=x onerror=alert(1)>'\"&</svg><script>"


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = set()
        self.attributes = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.add(tag)
        self.attributes |= {name for name, _ in attributes}


def test_a_page_without_jobs_says_so():
    assert "No job" in jobs_html(report())


@pytest.mark.parametrize("state", ["running", "done", "failed", "cancelled"])
def test_a_job_has_graph_table_memory_and_a_sentence(state):
    html = jobs_html(report(job(step(), {**step("max"), "reads": [0]}, state=state)))
    assert html.count("<rect") == 4
    assert "bound" in html
    assert "sum · job.py:6" in html


def test_many_jobs_are_a_line_each():
    html = jobs_html(report(*[job(step())] * 20))
    assert html.count("<svg") == 3


def test_what_users_name_is_escaped():
    one = {**step(HOSTILE), "line": HOSTILE, "type": HOSTILE, "grid": HOSTILE}
    bad = {**job(one), "title": HOSTILE, "by_worker": {HOSTILE: job()["by_worker"]["tcp://a"]}}
    tags = Tags(jobs_html(report(bad, bad, bad, bad)))
    assert not tags.found & {"img", "script"}
    assert not any(name.startswith("on") for name in tags.attributes)


def test_a_graph_has_at_most_some_boxes():
    assert graph_svg([]) == ""
    assert graph_svg([step()] * 500).count("<title>") == 60
