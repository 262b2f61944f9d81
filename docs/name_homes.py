"""Write dask_tapestry/arrays/core/name_homes.py: which module has which public name.

python docs/name_homes.py
"""

import ast
import subprocess
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from textwrap import fill

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "kernels")]

from dask_tapestry.arrays.core import dispatch, name_homes  # noqa: E402

FILE = ROOT / "dask_tapestry" / "arrays" / "core" / "name_homes.py"
ARRAYS = "dask_tapestry.arrays"
HOMES = (  # of the names that are no namespace's; where two have one, it is the first's
    "core elementwise constants creation planning shape masks indexing statistics manipulation "
    "sorting array_api storage linalg polynomials grouping overlap.map_overlap user_functions "
    "patterns.thread_parts calibration loops jobs datasets progress compatibility"
).split()
LATE = (  # whose modules have homes of their own
    "creation shape indexing statistics manipulation sorting storage polynomials user_functions"
).split()
TABLES = "UFUNC_FUNCTIONS NUMPY_FUNCTIONS METHODS OF_OTHERS".split()
HEAD = '''"""Where names are: the module or chapter of each public name, what answers for NumPy's.

`python docs/name_homes.py` writes this module. So a function is found by importing what it needs,
and no other chapter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

'''
TAIL = '''

def by_name(homes: Mapping[str, str]) -> dict[str, str]:
    """The home of each name.

    Examples
    --------
    >>> by_name({"sorting": "sort argsort", "fft": "rfft"})
    {'sort': 'sorting', 'argsort': 'sorting', 'rfft': 'fft'}
    """
    return {name: home for home, names in homes.items() for name in names.split()}


PUBLIC_HOMES: Final = by_name(CHAPTERS)
NUMPY_HOMES: Final = by_name(ANSWERS)
'''


class Watched(dict):
    """A table of the dispatch that notes which module puts something into it."""

    def __init__(self, table, homes):
        super().__init__(table)
        self.homes = homes

    def __setitem__(self, key, value):
        frame = sys._getframe(1)
        while frame.f_code.co_name != "<module>" or not _is_ours(frame):
            frame = frame.f_back
        self.homes[frame.f_globals["__name__"].removeprefix(f"{ARRAYS}.")].append(key)
        super().__setitem__(key, value)

    def update(self, others):
        for key, value in others.items():
            self[key] = value


def _is_ours(frame):
    return frame.f_globals["__name__"].startswith(ARRAYS)


def answers():
    """The modules that answer for NumPy's functions, with the names of these, sorted."""
    homes = defaultdict(list)
    for name in TABLES:
        setattr(dispatch, name, Watched(getattr(dispatch, name), homes))
    import_module(f"{ARRAYS}.public_names")
    return {home: sorted(map(dispatch.name_of, homes[home])) for home in sorted(homes)}


def chapters():
    """The chapters with their public names, in the order in which they are looked through."""
    known, homes = set(), {}
    for home in HOMES:
        names = set(import_module(f"{ARRAYS}.{home}").__all__) - known
        known |= names
        parts = _modules(home) if home in LATE else {home: names}
        homes |= {part: sorted(names.intersection(own)) for part, own in parts.items()}
    return homes


def _modules(chapter):
    """The modules of a chapter, with the public names that they say they have."""
    found = {}
    for path in sorted((ROOT / ARRAYS.replace(".", "/") / chapter).glob("*.py")):
        for one in ast.parse(path.read_text()).body if path.stem != "__init__" else ():
            if isinstance(one, ast.Assign) and getattr(one.targets[0], "id", "") == "__all__":
                found[f"{chapter}.{path.stem}"] = ast.literal_eval(one.value)
    return found


def _looked_for_there():
    """Have late chapters look for names where they are now, not where the table says."""
    for chapter in LATE:
        for home, names in _modules(chapter).items():
            name_homes.PUBLIC_HOMES.update(dict.fromkeys(names, home))


def _table(name, homes):
    rows = [f"{name}: Final = {{  # by home, under `dask_tapestry.arrays`"]
    for home, names in homes.items():
        if names:
            lines = fill(" ".join(names), 88, break_long_words=False, break_on_hyphens=False)
            texts = [f'"{line} "' for line in lines.splitlines()]
            texts[-1] = f'{texts[-1][:-2]}"'
            one = f'    "{home}": {texts[0]},'
            if len(texts) == 1 and len(one) <= 100:
                rows.append(one)
            elif len(texts) == 1:
                rows += [f'    "{home}": (', f"        {texts[0]}", "    ),"]
            else:
                rows += [f'    "{home}": (', *[f"        {text}" for text in texts], "    ),"]
    return "\n".join([*rows, "}"])


def written():
    """The text of the module."""
    _looked_for_there()
    tables = [_table("ANSWERS", answers()), _table("CHAPTERS", chapters())]
    return HEAD + "\n".join(reversed(tables)) + "\n" + TAIL


if __name__ == "__main__":
    FILE.write_text(written())
    subprocess.run(["ruff", "format", "-q", str(FILE)], check=True)
