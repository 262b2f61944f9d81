"""Every file and folder that docs/layers.md names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "layers.md"
PACKAGES = (ROOT / "dask_tapestry", ROOT / "kernels" / "dask_tapestry_kernels")
ROOTS = (ROOT, *PACKAGES, ROOT / "dask_tapestry" / "arrays", ROOT / "tests", ROOT / "docs")
NAMED = re.compile(r"`([\w./]+(?:\.py|/))`")


def missing(line):
    """What a line names and nobody has: paths, or names in the folder of the line's first path."""
    names = NAMED.findall(line)
    bases = list(ROOTS)
    bases += [root / name for root in ROOTS for name in names[:1]]
    bases += [root / Path(name).parent for root in ROOTS for name in names[:1]]
    return [name for name in names if not any((base / name).exists() for base in bases)]


def test_every_path_is_there():
    assert not [name for line in PAGE.read_text("utf-8").splitlines() for name in missing(line)]


def test_every_folder_of_the_library_is_named():
    named = set(NAMED.findall(PAGE.read_text("utf-8")))
    folders = {f"{path.name}/" for path in PACKAGES[0].iterdir() if (path / "__init__.py").exists()}
    folders |= {f"cpu/{path.name}/" for path in (PACKAGES[1] / "cpu").iterdir() if path.is_dir()}
    assert folders - {"cpu/__pycache__/"} <= named
