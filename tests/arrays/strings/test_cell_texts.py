"""All functions of texts beside NumPy's."""

import numpy as np
import pytest

import dask_tapestry as dt

TEXTS = np.array(["ab", "Cd ", "  x1", "12", "", "a-b-a"])
CELLS = {"U": TEXTS, "S": np.char.encode(TEXTS), "2-d": TEXTS.reshape(2, 3)}
ALONE = (
    "isalnum isalpha isdigit islower isspace istitle isupper str_len capitalize lower swapcase "
    "title upper strip lstrip rstrip splitlines split rsplit"
).split()
OF_ANOTHER = (
    "startswith endswith find rfind count partition strip lstrip rstrip add equal less split rsplit"
).split()
WIDE = "center ljust rjust zfill".split()


def both(name):
    """NumPy's function and ours."""
    return getattr(np.strings, name, None) or getattr(np.char, name), getattr(dt.strings, name)


def alike(found, expected):
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            alike(one, other)
        return
    assert found.shape == expected.shape
    assert found.dtype == (expected.dtype if expected.dtype.itemsize else f"{expected.dtype.kind}1")
    assert (found.compute() == expected).all()


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("name", ALONE)
def test_of_texts_alone(name, kind):
    theirs, ours = both(name)
    alike(ours(dt.asarray(CELLS[kind])), theirs(CELLS[kind]))


@pytest.mark.parametrize("name", ["isdecimal", "isnumeric", "encode"])
def test_of_texts_that_are_no_bytes(name):
    theirs, ours = both(name)
    alike(ours(dt.asarray(TEXTS)), theirs(TEXTS))


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("name", OF_ANOTHER)
def test_of_texts_and_another(name, kind):
    theirs, ours = both(name)
    for other in ("a", "Cd", "-"):
        given = other.encode() if kind == "S" else other
        alike(ours(dt.asarray(CELLS[kind]), given), theirs(CELLS[kind], given))


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("name", WIDE)
def test_widths(name, kind):
    theirs, ours = both(name)
    cells = CELLS[kind]
    alike(ours(dt.asarray(cells), 7), theirs(cells, 7))
    widths = np.arange(1, cells.shape[-1] + 1) * 2
    alike(ours(dt.asarray(cells), dt.asarray(widths)), theirs(cells, widths))


def test_further_arguments():
    x = dt.asarray(TEXTS)
    alike(dt.strings.center(x, 7, "*"), np.strings.center(TEXTS, 7, "*"))
    alike(dt.strings.replace(x, "a", "xyz"), np.strings.replace(TEXTS, "a", "xyz"))
    alike(dt.strings.replace(x, "a", "", 1), np.strings.replace(TEXTS, "a", "", 1))
    alike(dt.strings.multiply(x, dt.arange(6)), np.strings.multiply(TEXTS, np.arange(6)))
    alike(dt.strings.find(x, "a", 1, 3), np.strings.find(TEXTS, "a", 1, 3))
    alike(dt.strings.rpartition(x, "-")[0], np.strings.rpartition(TEXTS, "-")[0])
    alike(dt.strings.join("-", x), np.char.join("-", TEXTS))
    table = str.maketrans("ab", "xy")
    alike(dt.strings.translate(x, table), np.strings.translate(TEXTS, table))
    alike(dt.strings.decode(dt.asarray(CELLS["S"])), np.strings.decode(CELLS["S"]))
    formats = np.array(["%d m", "q%d"])
    for values in (5, np.array([5, 600])):
        alike(dt.strings.mod(dt.asarray(formats), values), np.strings.mod(formats, values))
    alike(dt.strings.index(x[-1:], "b"), np.strings.index(TEXTS[-1:], "b"))
    assert dt.strings.expandtabs(dt.asarray(["a\tb"]), 4).compute() == ["a   b"]


def test_numpys_functions_lead_here():
    for made in (np.strings.upper(dt.asarray(TEXTS)), np.char.center(dt.asarray(TEXTS), 9)):
        assert isinstance(made, dt.Array)
    assert dt.char is dt.strings


def test_empty_arrays_have_empty_results():
    assert dt.strings.upper(dt.asarray(TEXTS[:0])).dtype == TEXTS.dtype
    assert dt.strings.replace(dt.asarray(TEXTS[:0]), "a", "b").compute().shape == (0,)


@pytest.mark.parametrize("name", ["upper", "str_len", "isalpha", "splitlines"])
def test_numbers_are_no_texts(name):
    with pytest.raises((TypeError, ValueError)):
        getattr(dt.strings, name)(dt.arange(3)).compute()
    with pytest.raises(TypeError, match="texts of a fixed length"):
        dt.strings.replace(dt.arange(3), "a", "b")


def test_what_is_not_found_raises():
    with pytest.raises(ValueError, match="not found"):
        dt.strings.index(dt.asarray(TEXTS), "b").compute()
