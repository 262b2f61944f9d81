import pytest

from dask_tapestry.diagnostics.job_progress import part_done, progress_of, sentence

from .reports import job, report, step


def test_what_remains_is_the_plan_corrected_by_what_was_measured():
    told = progress_of(job(step(done=2)))
    assert told.done == part_done(step(done=2)) == 0.5
    assert told.elapsed == 4
    assert told.remaining == pytest.approx(4, rel=0.01)
    slow = progress_of(job(step(done=1)))
    assert slow.correction > told.correction
    assert slow.remaining > 6


@pytest.mark.parametrize(
    ("now", "measured", "limit"),
    [
        ({}, {}, "store"),
        ({"fullest": 0.9}, {}, "memory"),
        ({"busy": 0}, {}, "tasks"),
        ({}, {"transfer": 50.0}, "network"),
    ],
)
def test_what_limits_a_job(now, measured, limit):
    one = job(step(done=1, **measured))
    told = progress_of(one, report(one, **now))
    assert told.limit == limit
    assert sentence(one, told).startswith("Now limited by")


@pytest.mark.parametrize(("there", "said"), [(0, False), (1, False), (4, False), (5, True)])
def test_other_workers_than_planned_are_told(there, said):
    one = job(step(done=1))
    told = sentence(one, progress_of(one), report(one, workers=there))
    assert ("It is planned for 2 workers and has 5" in told) == said


def test_the_running_step_on_the_longest_way_is_named():
    short, long, end = step("short", done=1), step("long", done=1), step("end", done=0, running=0)
    long["kinds"] = {"compute": 9.0, "network": 0.0, "store": 0.0, "tasks": 0.0}
    one = job(short, long, {**end, "reads": [1], "seconds": 1.0})
    assert sentence(one, progress_of(one)) == "Now limited by computing in long · job.py:6."
    one = job({**short, "seconds": 99.0}, long, {**end, "reads": [1]})
    assert "stores in short" in sentence(one, progress_of(one))
    one = job(end)
    assert sentence(one, progress_of(one)).endswith("stores.")


def test_how_a_job_ended():
    ended = {s: job(step(erred=1), state=s) for s in ("done", "failed", "cancelled")}
    found = {s: sentence(one, progress_of(one)) for s, one in ended.items()}
    assert found == {
        "done": "The job is done.",
        "failed": "The job has failed in sum · job.py:6.",
        "cancelled": "The job was cancelled.",
    }


def test_a_job_without_steps():
    assert progress_of(job()).remaining == 0
