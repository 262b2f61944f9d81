"""The time for a node is told for each stage, and does not grow with their number."""

from benchmarks.planner import growth


def test_each_stage_takes_time_in_proportion_to_the_nodes():
    short, long = growth.stages(300), growth.stages(3000)
    assert short.keys() == long.keys()
    slack = 3  # of a busy machine; what grows as the square takes ten times as long a node
    for name, seconds in long.items():
        assert seconds < 10 * slack * max(short[name], 1e-3), name


def test_the_script_prints_a_line_for_each_stage(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["growth.py", "--counts", "20,40"])
    growth.main()
    text = capsys.readouterr().out
    assert all(name in text for name in ("build", "hash", "pickle", "plan", "lower"))
