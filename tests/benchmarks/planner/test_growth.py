"""The time for a node is told for each stage, and does not grow with their number."""

from benchmarks.planner import growth


def test_each_stage_takes_time_in_proportion_to_the_nodes():
    """What others take of the machine's time may fall on a stage once, not each time."""
    slack = 3  # of a busy machine; what grows as the square takes ten times as long a node
    slow = []
    for _ in range(3):
        short, long = growth.stages(300), growth.stages(3000)
        assert short.keys() == long.keys()
        slow.append({n for n, s in long.items() if s >= 10 * slack * max(short[n], 1e-3)})
        if not slow[-1]:
            return
    assert not set.intersection(*slow)


def test_the_script_prints_a_line_for_each_stage(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["growth.py", "--counts", "20,40"])
    growth.main()
    text = capsys.readouterr().out
    assert all(name in text for name in ("build", "hash", "pickle", "plan", "lower"))
