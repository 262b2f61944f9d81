import dask_tapestry as dt
from dask_tapestry.command.main import main


def test_a_file_that_is_no_plan(tmp_path, capsys):
    file = tmp_path / "plan.json"
    assert main(["explain", str(file)]) == 2
    assert "cannot read the plan" in capsys.readouterr().err
    for text in ("{", "[]"):
        file.write_text(text)
        assert main(["explain", str(file)]) == 2
        assert "is no plan" in capsys.readouterr().err


def test_a_plan(tmp_path, capsys):
    file = tmp_path / "plan.json"
    dt.ones((4, 6)).sum(axis=0).plan().save(file)
    code = main(["explain", str(file)])
    told = capsys.readouterr()
    assert code == 0 or "load_plan" in told.err
