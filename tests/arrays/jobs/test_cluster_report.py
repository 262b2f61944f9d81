from dask_tapestry.arrays.jobs.cluster_report import ClusterReport
from dask_tapestry.arrays.jobs.host_facts import host_facts


def test_no_problems():
    report = ClusterReport({"client": host_facts()}, [], [])
    assert report.ok
    assert repr(report).splitlines()[0].split()[:2] == ["process", "host"]
    assert repr(report).endswith("no problems")


def test_problems_are_listed_and_escaped():
    report = ClusterReport({}, ["a <b>", "c"], ["d"])
    assert not report.ok
    assert repr(report).endswith("problem: a <b>\nproblem: c\nnote: d\n2 problems")
    assert "a &lt;b&gt;" in report._repr_html_()
