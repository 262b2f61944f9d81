"""Text as HTML that shows it and does nothing else, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from dask_tapestry.diagnostics.tuning import TEXT_LETTERS

UNSHOWN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def html_text(text: str) -> str:
    """Text for an element or an attribute's value, with a mark for what cannot be shown.

    Examples
    --------
    >>> html_text("<b>'x'")
    '&lt;b&gt;&#x27;x&#x27;'
    """
    short = text if len(text) <= TEXT_LETTERS else f"{text[: TEXT_LETTERS - 1]}…"
    return escape(UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", short), quote=True)


def named(text: str, kind: str = "") -> str:
    """Text that a user has chosen: its writing direction ends with it.

    Examples
    --------
    >>> named("job.py:6", "line")
    '<bdi class="line">job.py:6</bdi>'
    """
    class_ = f' class="{kind}"' if kind else ""
    return f"<bdi{class_}>{html_text(text)}</bdi>"


def table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells that are HTML."""
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    lines = "".join(f"<tr>{row}</tr>" for row in cells)
    names = "".join(f"<th>{name}</th>" for name in head)
    return f'<div class="scroll"><table><tr>{names}</tr>{lines}</table></div>'
