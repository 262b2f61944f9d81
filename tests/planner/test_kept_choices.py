"""Choices that a process keeps are taken by later ones that plan the same, and by no others."""

import dataclasses
import os
import subprocess
import sys
from collections import OrderedDict

import pytest

import dask_tapestry as dt
from dask_tapestry.planner import build, kept_choices, remembered_choices
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.machine.calibrate import rates_in_force
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph

MACHINES = dt.Resources(workers=8, threads=2, memory="8 GiB")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DASK_TAPESTRY_CACHE", str(tmp_path))
    monkeypatch.setattr(build, "KEPT_SECONDS", 0.0)
    monkeypatch.setattr(remembered_choices, "_known", OrderedDict())
    with dt.config(keep_plans=True):
        yield tmp_path


@pytest.fixture
def searches(monkeypatch):
    """The graphs that are searched."""
    seen, found = [], build.search

    def search(graph, *arguments):
        seen.append(graph)
        return found(graph, *arguments)

    monkeypatch.setattr(build, "search", search)
    return seen


def job(columns=20_000):
    x = dt.placeholder((40_000, columns), "f8", (2000, 2000))
    return (x - x.mean(0)).max(1)


def grids(plan):
    return [(step.node.operator.name, step.cuts, step.place) for step in plan.steps.values()]


def test_a_graph_that_was_given_up_is_kept_as_such_and_not_searched_again(searches, monkeypatch):
    """Of sums that share a pass, where a plan without that is better; it need not fit."""
    found, beside = build.search, []

    def search(graph, *arguments):
        beside.append(arguments[-1])
        result = found(graph, *arguments)
        return result if arguments[-1] is None else result._replace(given_up=True)

    monkeypatch.setattr(build, "search", search)
    x = dt.placeholder((60_000, 20_000), "f8", (2000, 2000))
    centred = x - x.mean(0)
    nodes = [y.node for y in (centred.max(1), x.sum(), centred.min(), x.mean(0))]
    plan = build_plan(nodes, MACHINES, recall=True)
    count = len(searches)
    assert count > 1
    assert beside[0] is None
    assert all(one is not None for one in beside[1:])
    assert grids(build_plan(nodes, MACHINES, recall=True)) == grids(plan)
    assert len(searches) == count


def test_a_kept_plan_is_taken_and_is_the_same(searches):
    found = build_plan([job().node], MACHINES, recall=True)
    again = build_plan([job().node], MACHINES, recall=True)
    assert len(searches) == 1
    assert grids(again) == grids(found)
    assert again.cost == found.cost
    again.verify()


def test_a_graph_that_is_not_searched_is_known_too(searches, monkeypatch):
    """In one pass the same is far faster, as the first plan of it shows."""
    x, y = (dt.placeholder((40_000_000, n), "f8", (250_000, n)) for n in (100, 1))
    fast_codec = {"store_read": 1e12}
    machines = dt.Resources(workers=8, threads=2, memory="8 GiB", rates=fast_codec)
    found = build_plan([(x.T @ x).node, (x.T @ y).node], machines, recall=True)
    monkeypatch.setattr(build.Seeds, "of", lambda *_: pytest.fail("its seed is looked for"))
    again = build_plan([(x.T @ x).node, (x.T @ y).node], machines, recall=True)
    assert len(searches) == 1
    assert grids(found) == grids(again)
    assert found.taken == again.taken != ()


def test_whoever_looks_at_a_plan_has_it_searched(searches):
    for _ in range(2):
        plan = build_plan([job().node], MACHINES)
        remembered_choices._known.clear()
        assert plan.candidates
    assert len(searches) == 2


def test_what_takes_no_time_is_not_kept(folder, monkeypatch):
    monkeypatch.setattr(build, "KEPT_SECONDS", 1e9)
    build_plan([job().node], MACHINES, recall=True)
    assert not list(folder.iterdir())


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize(
    "other",
    [
        lambda: build_plan([job(columns=20_002).node], MACHINES, recall=True),
        lambda: build_plan([job().node], dt.Resources(9, 2, "8 GiB"), recall=True),
        lambda: build_plan([job().node], dt.Resources(8, 2, "7 GiB"), recall=True),
    ],
)
def test_other_jobs_and_machines_are_searched_for(searches, other):
    build_plan([job().node], MACHINES, recall=True)
    other()
    assert len(searches) == 2


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize(
    "settings", [{"block_bytes": "1 MiB"}, {"algebra": "fast"}, {"keep_plans": False}]
)
def test_other_settings_are_searched_for(searches, settings):
    build_plan([job().node], MACHINES, recall=True)
    with dt.config(**settings):
        build_plan([job().node], MACHINES, recall=True)
    assert len(searches) == 2


def test_users_rules_are_asked_each_time(searches, folder):
    @dt.rule(on="reduce", kind="semantic")
    def nothing(node):
        return None

    with dt.config(rules=[nothing]):
        build_plan([job().node], MACHINES, recall=True)
        build_plan([job().node], MACHINES, recall=True)
    assert len(searches) == 2
    assert not list(folder.iterdir())


def test_other_code_searches_again(searches, monkeypatch):
    build_plan([job().node], MACHINES, recall=True)
    monkeypatch.setattr(kept_choices, "code_digest", lambda: "of another version")
    build_plan([job().node], MACHINES, recall=True)
    assert len(searches) == 2


def test_rates_may_differ_a_little(searches):
    usual = rates_in_force()
    kinds = ("memory", "memory_shared", "fresh", "network", "store_read", "store_plain")
    for times, searched in ((1.0, 1), (1.02, 1), (0.2, 2)):
        slower = {kind: getattr(usual, kind) * times for kind in kinds}
        rates = dataclasses.replace(usual, **slower)
        machines = dataclasses.replace(MACHINES, rates=rates)
        build_plan([job().node], machines, recall=True)
        assert len(searches) == searched


def test_bandwidths_may_differ_a_little(searches):
    for bandwidth, searched in (("1 GB/s", 1), ("0.97 GB/s", 1), ("20 MB/s", 2)):
        machines = dt.Resources(8, 2, "8 GiB", bandwidth=bandwidth)
        x = dt.placeholder((40_000, 20_000), "f8", (40_000, 200))
        build_plan([dt.sort(x, axis=1).node], machines, recall=True)
        assert len(searches) == searched


def test_torn_files_are_not_taken(searches, folder):
    build_plan([job().node], MACHINES, recall=True)
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:-5])
    build_plan([job().node], MACHINES, recall=True)
    assert len(searches) == 2


def test_what_workers_cannot_hold_now_is_searched_for(searches, monkeypatch):
    build_plan([job().node], MACHINES, recall=True)
    monkeypatch.setattr(remembered_choices.PlanEvaluator, "fits_at_worst", lambda *_: False)
    graph = simplified(Graph([job().node]), Trace())
    assert kept_choices.kept(graph, MACHINES) is None


LATER = """
import dask_tapestry as dt
from dask_tapestry.planner import build

seen, found = [], build.search
build.search = lambda *given: seen.append(given) or found(*given)
build.KEPT_SECONDS = 0.0
x = dt.placeholder((40_000, 20_000), "f8", (2000, 2000))
y = dt.map_blocks(lambda block: block * 2, x, dtype="f8") if USER else x * 2
plan = build.build_plan([y.sum(1).node], dt.Resources(8, 2, "8 GiB"), recall=True)
print(len(seen), [step.cuts for step in plan.steps.values()])
"""


@pytest.mark.few(1)  # processes of their own
@pytest.mark.parametrize("user", [False, True])
def test_a_later_process_takes_what_an_earlier_one_has_found(folder, user):
    environment = {**os.environ, "DASK_TAPESTRY_CACHE": str(folder)}
    environment["DASK_TAPESTRY__KEEP_PLANS"] = "True"
    script = LATER.replace("USER", str(user))
    ran = [
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=environment
        )
        for _ in range(2)
    ]
    first, second = (one.stdout.split(maxsplit=1) for one in ran)
    assert first[0] == "1", ran[0].stderr
    assert second[0] == "0"
    assert first[1] == second[1]
