import json
import sys
from types import ModuleType

import numpy as np

from dask_tapestry.io.resuming.named_code import (
    class_parts,
    code_parts,
    function_parts,
    library_version,
    module_parts,
)


def made(text, **around):
    """The function `f` of a text, in a module of its own."""
    space = {"__name__": "of_the_user", **around}
    exec(text, space)
    return space["f"]


def test_libraries_have_versions_and_users_modules_none():
    assert library_version("numpy.linalg") == f"numpy {np.__version__}"
    assert library_version("json.decoder").startswith("python 3.")
    assert library_version("dask_tapestry.io").startswith("dask_tapestry ")
    assert library_version("__main__") is library_version("of_the_user") is None


def test_where_code_is_written_is_no_part_of_it():
    text = "def f(x):\n    return [x + y for y in range(3)]\n"
    one, other = made(text), made("\n\n" + text)
    assert code_parts(one.__code__) == code_parts(other.__code__)
    assert code_parts(one.__code__) != code_parts(made(text.replace("3", "4")).__code__)


def test_globals_that_code_names_are_parts_also_those_within():
    text = "def f(x):\n    return (lambda: k + x)() + len(x)\n"
    used = function_parts(made(text, k=3, unused=object()))[-1]
    assert used == {"k": 3}
    assert function_parts(made(text))[-1] == {"k": "absent"}


def test_of_a_users_module_what_is_taken_is_a_part_of_a_library_its_version():
    own = ModuleType("own")
    own.half, own.other = 0.5, object()
    used = function_parts(made("def f(x):\n    return np.sin(x) * own.half", own=own, np=np))[-1]
    assert used == {"own.half": 0.5, "np": np}
    assert module_parts(np) == ("numpy", f"numpy {np.__version__}")


def test_a_users_module_by_itself_is_its_text(tmp_path):
    own = ModuleType("own")
    own.__file__ = str(tmp_path / "own.py")
    texts = []
    for text in ("a = 1", "a = 2"):
        (tmp_path / "own.py").write_text(text)
        texts.append(module_parts(own))
    assert texts[0] != texts[1]


def test_a_function_of_a_library_is_its_name():
    assert function_parts(json.dumps)[:2] == ("json", "dumps")
    assert len(function_parts(json.dumps)) == 3


def test_a_class_is_its_bases_and_members():
    class One:
        size = 3

        @staticmethod
        def half(x):
            return x / 2

    name, bases, members = class_parts(One)
    assert (name, bases, members["size"]) == ("One", (object,), 3)
    assert members["half"] == ("staticmethod", One.half)
    assert "__doc__" not in members
    assert class_parts(dict)[:2] == ("builtins", "dict")
    assert sys.version_info[:2] == code_parts(One.half.__code__)[0]
