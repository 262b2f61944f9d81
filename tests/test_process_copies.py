"""Copies of a process begin as it is, and leave nothing to each other."""

from subprocess import CalledProcessError

import pytest

from tests.process_copies import printed_by_copies


def test_each_begins_with_what_the_process_has():
    programs = ["x.append(len(x)); print(x)", "print(x)", "pass"]
    assert printed_by_copies("x = [7]", programs) == ["[7, 1]\n", "[7]\n", ""]


@pytest.mark.parametrize(
    "wrong", ["nothing", "import warnings; warnings.warn('old', DeprecationWarning)", "exit(1)"]
)
def test_one_that_fails_is_named_and_the_others_are_run(wrong, capfd):
    with pytest.raises(CalledProcessError) as raised:
        printed_by_copies("", [wrong, "print('run')"])
    assert raised.value.stdout == "END\nrun\nEND\n"
    assert wrong in capfd.readouterr().err
