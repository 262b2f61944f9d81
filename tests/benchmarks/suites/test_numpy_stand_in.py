import importlib
import pickle

import numpy as np
import pytest

from benchmarks.suites import numpy_stand_in


@pytest.fixture
def ours(monkeypatch):
    numpy_stand_in.install()
    monkeypatch.setattr(numpy_stand_in.Served, "active", True)
    numpy_stand_in.served.clear()
    return importlib.import_module("tapestry_as_numpy")


def test_functions_are_ours_and_give_numpys_arrays(ours):
    result = ours.cumsum(np.arange(4))
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, [0, 1, 3, 6])
    assert type(ours.sum(np.ones(3))) is np.float64
    assert type(ours.zeros(())) is np.ndarray
    assert numpy_stand_in.served == {"cumsum", "sum", "zeros"}


def test_what_we_lack_or_what_makes_operands_is_numpys(ours):
    assert ours.array is np.array
    assert ours.ndarray is np.ndarray
    assert ours.errstate is np.errstate
    assert not numpy_stand_in.served


def test_functions_are_numpys_outside_of_tests(ours, monkeypatch):
    monkeypatch.setattr(numpy_stand_in.Served, "active", False)
    assert ours.array_equal(np.array([None]), np.array([None]))
    assert not numpy_stand_in.served


def test_functions_are_ours_in_any_module(ours):
    inside = importlib.import_module("tapestry_as_numpy.lib._function_base_impl")
    assert inside.median is ours.median
    assert ours.linalg.norm([3.0, 4.0]) == 5
    assert numpy_stand_in.served == {"linalg.norm"}


def test_a_signature_has_the_name_that_numpys_dispatch_gives_it(ours):
    assert ours.add(1, 2, sig="dd->d").dtype == float


def test_methods_of_ufuncs_are_ours(ours):
    assert ours.add.reduce([1, 2]) == 3
    assert ours.add.nin == 2
    assert ours.add in [np.add]
    assert isinstance(ours.add, np.ufunc)
    assert ours.add in vars(ours).values()
    assert numpy_stand_in.served == {"add.reduce"}


def test_what_is_written_reaches_the_tests_arrays(ours):
    total = np.zeros(2)
    assert ours.sum(np.ones((2, 3)), axis=1, out=total) is total
    np.testing.assert_array_equal(total, [3, 3])
    ours.add.at(total, [0, 0], 1)
    np.testing.assert_array_equal(total, [5, 3])


def test_arrays_within_lists_and_functions_as_arguments(ours):
    np.testing.assert_array_equal(ours.concatenate([np.ones(1), np.zeros(1)]), [1, 0])
    result = ours.apply_along_axis(ours.sum, 0, np.ones((2, 3)))
    np.testing.assert_array_equal(result, [2, 2, 2])


def test_objects_without_dimensions(ours):
    assert ours.max(np.array([1, 3], object)) == 3
    assert ours.add(np.array(1, object), 2) == 3


def test_pickles_are_numpys_functions(ours):
    assert pickle.loads(pickle.dumps(ours.median)) is np.median


def test_text_is_translated():
    text = numpy_stand_in.translated(
        "import numpy as np\n    import numpy\nimport numpy._core.umath as ncu\n"
        "from numpy import sin\nfrom numpy.lib import x\nfrom numpy.testing import y\n"
        "from numpy._core.tests._natype import z\nimport numpyro\n"
    )
    assert text.splitlines() == [
        "import tapestry_as_numpy as np",
        "    import tapestry_as_numpy as numpy",
        "import tapestry_as_numpy._core.umath as ncu",
        "from tapestry_as_numpy import sin",
        "from tapestry_as_numpy.lib import x",
        "from numpy.testing import y",
        "from numpy._core.tests._natype import z",
        "import numpyro",
    ]
