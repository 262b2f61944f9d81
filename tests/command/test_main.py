import tomllib

import pytest

from dask_tapestry.command.main import COMMANDS, main
from tests.command.processes import ROOT, command


def test_help_names_all_commands_and_exit_codes(capsys):
    assert main([]) == 2
    told = capsys.readouterr().out
    assert all(name in told for name in COMMANDS)
    assert "3  plan: the script needs a value" in told


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_a_help(name, capsys):
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    assert "exit codes:" in capsys.readouterr().out


def test_it_is_installed_under_its_name():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"dask-tapestry": "dask_tapestry.command.main:main"}


def test_wrong_arguments_are_told_without_a_traceback(tmp_path, capsys):
    assert main(["plan", str(tmp_path / "none.py")]) == 2
    assert "cannot read the script" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stop:
        main(["check", "--nothing"])
    assert stop.value.code == 2
    assert main(["plan", __file__, "--memory", "much"]) == 2
    assert "much" in capsys.readouterr().err


def test_its_version():
    told = command("--version")
    assert (told.code, told.out.strip()) == (0, "0.1.0")
