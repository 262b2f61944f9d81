from benchmarks.imports import PROGRAMS, ROOT, measure, seconds, table


def test_every_program_runs_in_this_checkout():
    for program in PROGRAMS.values():
        assert seconds(program, ROOT) > 0


def test_each_checkout_has_a_column(monkeypatch):
    monkeypatch.setattr("benchmarks.imports.PROGRAMS", {"nothing": ""})
    found = measure(1, [ROOT, ROOT])
    assert len(found["nothing"]) == 2
    assert len(table(found).split()) == 3
