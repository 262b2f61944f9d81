"""Drawing the progress of jobs while they run: in a terminal, a log, or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from threading import Event, Thread
from time import monotonic
from typing import Any, TextIO

from dask_tapestry.diagnostics.job_page import jobs_html
from dask_tapestry.diagnostics.job_text import head_line, job_lines
from dask_tapestry.diagnostics.tuning import DRAWING_SECONDS, JOBS_DRAWN, LOG_SECONDS

Reports = Callable[[], Mapping[str, Any]]


class ProgressDrawing:
    """Draws reports again and again, in a thread of its own, until it is stopped.

    Parameters
    ----------
    reports
        Asks for what is drawn.
    file
        Where: a terminal is drawn over, anything else has a line now and then.
    every
        Seconds between drawings; by default as the place wants it.
    """

    def __init__(
        self, reports: Reports, file: TextIO | None = None, every: float | None = None
    ) -> None:
        self.reports, self.file = reports, sys.stdout if file is None else file
        self.notebook = file is None and in_notebook()
        self.terminal = not self.notebook and bool(getattr(self.file, "isatty", bool)())
        usual = DRAWING_SECONDS if self.terminal or self.notebook else LOG_SECONDS
        self.every = usual if every is None else every
        self._stop, self._height, self._said = Event(), 0, ""
        self._display: Any = None
        self._thread = Thread(target=self._run, daemon=True, name="tapestry-progress")

    def start(self) -> None:
        """Begin to draw."""
        self._thread.start()

    def stop(self) -> None:
        """Draw for the last time."""
        self._stop.set()
        self._thread.join(timeout=10)
        self.draw(last=True)

    def _run(self) -> None:
        begun = monotonic()
        while not self._stop.wait(self.every):
            if monotonic() - begun >= self.every:
                self.draw()

    def draw(self, last: bool = False) -> None:
        """Draw what is known now."""
        try:
            report = self.reports()
        except Exception as error:  # a scheduler that has gone is told by who computes
            report = {"jobs": [], "error": error}
        jobs = list(reversed(report["jobs"][:JOBS_DRAWN]))
        if not jobs:
            return
        if self.notebook:
            self._show(jobs_html(report))
        elif self.terminal:
            self._overwriting([line for job in jobs for line in job_lines(job, report)])
        else:
            text = "\n".join(head_line(job, report) for job in jobs)
            full = [line for job in jobs for line in job_lines(job, report)] if last else [text]
            if text != self._said or last:
                self._said = text
                self._write("\n".join(full) + "\n")

    def _overwriting(self, lines: list[str]) -> None:
        up = f"\x1b[{self._height}A" if self._height else ""
        rest = self._height - len(lines)
        lines += [""] * max(0, rest)
        self._write(up + "".join(f"\r\x1b[2K{line}\n" for line in lines))
        self._height = len(lines)

    def _write(self, text: str) -> None:
        self.file.write(text)
        self.file.flush()

    def _show(self, html: str) -> None:
        display = sys.modules["IPython.display"]
        if self._display is None:
            self._display = display.display(display.HTML(html), display_id=True)
        else:
            self._display.update(display.HTML(html))


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook.

    Examples
    --------
    >>> in_notebook()
    False
    """
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell" and "IPython.display" in sys.modules
