from dask_tapestry.diagnostics.job_text import bar, head_line, job_lines, plain
from dask_tapestry.diagnostics.tuning import JOB_LINES

from .reports import job, step


def test_a_job_has_a_line_for_each_step():
    lines = job_lines(job(step("mean", done=4), step("sum", done=1)))
    assert lines[0].startswith("sum · job.py:6: 62%, 4 s, about")
    assert "mean · job.py:6" in lines[1]
    assert "4/4" in lines[1]
    assert "1/4" in lines[2]
    assert lines[-1].strip().startswith("Now limited by")


def test_of_many_steps_those_that_run_are_shown():
    steps = [step(f"f{n}", done=4 if n < 30 else 0) for n in range(60)]
    lines = job_lines(job(*steps))
    assert len(lines) == JOB_LINES + 3
    assert any("f30" in line for line in lines)


def test_names_cannot_move_a_terminals_cursor():
    assert "\x1b" not in plain("\x1b[2Jx\n")
    assert "\n" not in head_line({**job(step()), "title": "a\nb"})


def test_bars_are_of_one_length():
    assert {len(bar(part)) for part in (-1, 0, 0.3, 1, 2)} == {24}


def test_a_write_has_the_bytes_that_are_stored():
    wrote = {**step("store", done=1), "result": 0, "written": 4 * 10**6}
    held = {**step("mean", done=1), "result": 10**6, "written": 0}
    wrote["measured"]["bytes"], held["measured"]["bytes"] = 16, 2 * 10**6
    _, first, second, *_ = job_lines(job(wrote, held))
    assert "0.95 MiB" in first
    assert "1.91 MiB" in second
