import dask_tapestry as dt
from dask_tapestry.command.main import main


def test_a_file_that_is_no_plan(tmp_path, capsys):
    file = tmp_path / "plan.json"
    assert main(["explain", str(file)]) == 2
    assert "there is no plan at" in capsys.readouterr().err
    for text in ("{", "[]", "{}"):
        file.write_text(text)
        assert main(["explain", str(file)]) == 2
        assert "is not a plan" in capsys.readouterr().err


def test_a_plan(tmp_path, capsys):
    file = tmp_path / "plan.json"
    plan = dt.ones((4, 6)).sum(axis=0).plan()
    plan.save(file)
    assert main(["explain", str(file)]) == 0
    assert capsys.readouterr().out == plan.explain() + "\n"
    assert main(["explain", str(file), "--all", "--rates"]) == 0
    assert capsys.readouterr().out == plan.explain(all=True, rates=True) + "\n"
