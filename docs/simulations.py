"""Runs the page `simulations.md` and draws its pictures, from the arrays that its programs make.

    python docs/simulations.py

The extra "docs" brings Pillow, which writes them.
"""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image

HERE: Final = Path(__file__).parent
Colours = list[tuple[int, int, int]]
WARM: Final[Colours] = [(8, 8, 32), (120, 20, 90), (240, 90, 40), (255, 240, 170)]
BOTH: Final[Colours] = [
    (20, 60, 140),
    (150, 190, 230),
    (250, 250, 250),
    (240, 170, 140),
    (150, 20, 40),
]
SEA: Final[Colours] = [(4, 24, 60), (10, 90, 140), (80, 190, 200), (250, 255, 240)]
PICTURES: Final[dict[str, tuple[str, Colours, int]]] = {  # by name: of what, colours, pixels a cell
    "heat": ("plate", WARM, 2),
    "waves": ("waves.clip(-2.5, 2.5)", BOTH, 2),
    "water": ("water", SEA, 2),
    "pattern": ("pattern", WARM, 2),
    "gliders": ("gliders", SEA, 4),
    "beam": ("np.diff(beam[0])[::-1]", BOTH, 6),
    "outlines": ("outlines[:400, :400]", SEA, 1),
    "decided": ("decided", BOTH, 2),
    "looks": ("looks", WARM, 24),
}


def run_page() -> dict[str, Any]:
    """The names that the page's programs have made.

    Raises
    ------
    RuntimeError
        If an example does not print what the page says.
    """
    text = (HERE / "simulations.md").read_text("utf-8")
    test = doctest.DocTestParser().get_doctest(text, {}, "simulations.md", None, 0)
    runner = doctest.DocTestRunner()
    runner.run(test, clear_globs=False)
    if runner.failures:
        raise RuntimeError(f"{runner.failures} examples of simulations.md fail")
    return test.globs


def coloured(cells: np.ndarray[Any, Any], colours: Colours, pixels: int) -> np.ndarray[Any, Any]:
    """Cells as a picture of (rows, columns, 3) bytes, from their least value to their largest.

    Examples
    --------
    >>> coloured(np.array([[0, 1, 2]]), [(0, 0, 0), (200, 100, 0)], 1).tolist()
    [[[0, 0, 0], [100, 50, 0], [200, 100, 0]]]
    """
    low, high = float(cells.min()), float(cells.max())
    share = (cells - low) / ((high - low) or 1)
    stops = np.linspace(0, 1, len(colours))
    bands = [np.interp(share, stops, [one[band] for one in colours]) for band in range(3)]
    picture = np.stack(bands, -1).round().astype("u1")
    return picture.repeat(pixels, 0).repeat(pixels, 1)


def main() -> None:
    made = run_page()
    folder = HERE / "simulations"
    folder.mkdir(exist_ok=True)
    for name, (what, colours, pixels) in PICTURES.items():
        cells = np.asarray(eval(what, made), float)
        picture = Image.fromarray(coloured(cells, colours, pixels))
        picture.quantize(64).save(folder / f"{name}.png", optimize=True)
        print(f"wrote docs/simulations/{name}.png")


if __name__ == "__main__":
    main()
