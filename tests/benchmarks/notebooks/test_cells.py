"""Cells are read as they stand, less what IPython alone understands."""

import json

from benchmarks.notebooks.cells import cells_of, imported_from, plain, without_imports


def test_a_notebooks_code_is_read_in_order(tmp_path):
    cells = [
        {"cell_type": "code", "source": ["x = 1\n", "x + 1"]},
        {"cell_type": "markdown", "source": ["y = 2"]},
        {"cell_type": "code", "source": ["%matplotlib inline"]},
        {"cell_type": "code", "source": ["%%time\n", "x + 2"]},
    ]
    path = tmp_path / "one.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    assert [cell.strip() for cell in cells_of(path)] == ["x = 1\nx + 1", "x + 2"]


def test_a_pages_code_is_read_without_options(tmp_path):
    path = tmp_path / "one.md"
    path.write_text(
        "# A\n```{code-cell}\n:tags: [b]\n\nx = 1\n```\ntext\n```python\nno\n```\n"
        "```{code-cell} ipython3\nx + 2\n```\n"
    )
    assert cells_of(path) == ["x = 1", "x + 2"]


def test_what_is_timed_stays():
    cell = "%time y = f(x)\nif y:\n    %timeit g(y)\n!ls\n%pip install it\nf?\n?f\nx % y"
    assert plain(cell) == "y = f(x)\nif y:\n    g(y)\nx % y"


def test_one_import_is_changed():
    cell = "import dask.array as da\nif x:\n    from dask import array as db\nimport dask"
    ours = "import dask_tapestry as da\nif x:\n    import dask_tapestry as db\nimport dask"
    assert imported_from(cell, "dask_tapestry") == ours
    same = "import dask.array as da\nif x:\n    from dask import array as db\nimport dask"
    assert imported_from(cell, "dask.array") == same


def test_modules_that_are_not_there_are_not_imported():
    cell = "import a\nimport a.b as c\nfrom a import d\n    import ab\nx = a"
    assert without_imports(cell, ("a",)) == "    import ab\nx = a"
