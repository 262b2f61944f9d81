import pytest

from dask_tapestry.planner.memory.simulated_run import Moment, Simulation, StepTimes

STEPS = StepTimes("load f8[10]", 0.0, 1.0, 2.0, 4), StepTimes("sum f8[]", 1.0, 2.0, 1.0, 1)
MOMENTS = Moment(0.0, 2, 0.0, 100.0), Moment(1.0, 1, 50.0, 10.0), Moment(2.0, 0, 8.0, 0.0)
FOUND = Simulation(2.0, STEPS, MOMENTS, 2, 1000)


def test_threads_are_busy_for_a_share_of_the_time():
    assert FOUND.utilisation == pytest.approx(3 / 4)
    assert Simulation(0.0, (), (), 2, 1000).utilisation == 0


def test_memory_is_what_is_held_and_what_is_computed():
    assert FOUND.memory == ((0.0, 100.0), (1.0, 60.0), (2.0, 8.0))
    assert FOUND.peak_worker_bytes == 100
    assert Simulation(0.0, (), (), 2, 1000).peak_worker_bytes == 0


def test_a_moment_lasts_until_the_next():
    assert FOUND.at(0.5) == MOMENTS[0]
    assert FOUND.at(1.0) == MOMENTS[1]
    assert FOUND.at(9.0) == MOMENTS[2]


def test_it_prints():
    text = str(FOUND)
    assert text.startswith("2.00 s, threads 75% busy, at most 100 B a worker")
    assert "load f8[10]: 0.00 us to 1.00 s, 4 blocks" in text


def test_steps_take_from_their_first_block_to_their_last():
    assert [step.seconds for step in STEPS] == [1.0, 1.0]


def test_it_is_drawn(tmp_path):
    picture = FOUND.plot()
    assert "load f8[10]" in picture.svg
    assert picture._repr_svg_() == picture.svg
    picture.save(tmp_path / "run.svg")
    assert (tmp_path / "run.svg").read_text("utf-8") == picture.svg
