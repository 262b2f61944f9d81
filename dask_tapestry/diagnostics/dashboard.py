"""The page ``/tapestry`` of a scheduler's dashboard, and the same as ``/tapestry.json``.

A scheduler has them from the first job on. Among the plots that JupyterLab and the menu "More" of
Dask's pages list they are if the scheduler was started so::

    dask scheduler --preload dask_tapestry.diagnostics.preload

Without bokeh the page says that it needs it.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any, Final

from tornado.ioloop import IOLoop
from tornado.web import RequestHandler

from dask_tapestry.diagnostics.job_page import jobs_html
from dask_tapestry.diagnostics.tuning import REFRESH_MILLISECONDS
from dask_tapestry.imports import lazy_import
from dask_tapestry.lower.job_watch import JobWatch, watch

ABSENT: Final = "The page /tapestry needs bokeh on the scheduler; /tapestry.json does not."


def show(scheduler: Any, watched: JobWatch) -> None:
    """Add the page and its data to a scheduler that runs."""
    server = getattr(scheduler, "http_application", None)
    if server is None:
        return
    server.add_handlers(r".*", [(r"/tapestry\.json", _Data, {"watched": watched})])
    served = sys.modules.get("distributed.dashboard.core")  # which a dashboard has imported
    if served is None:
        server.add_handlers(r".*", [(r"/tapestry", _Absent)])
        return
    application = served.BokehApplication({"/tapestry": page}, scheduler, prefix="")
    server.add_application(application)
    application.initialize(IOLoop.current())


class _Data(RequestHandler):
    """The report as JSON."""

    def initialize(self, watched: JobWatch) -> None:
        self.watched = watched

    def get(self) -> None:
        self.set_header("Content-Type", "application/json")
        self.write(json.dumps(self.watched.report()))


class _Absent(RequestHandler):
    """What is said where no page can be shown."""

    def get(self) -> None:
        self.set_header("Content-Type", "text/plain")
        self.write(ABSENT)


def page(scheduler: Any, extra: dict[str, Any] | None, doc: Any) -> None:
    """Make a bokeh document that shows a scheduler's jobs."""
    del extra  # what Dask's own templates want
    watched = watch(scheduler)
    html = jobs_html(watched.report())
    shown = lazy_import("bokeh.models").Div(text=html, sizing_mode="stretch_width")
    doc.title = "Dask: Tapestry"
    doc.add_root(shown)
    doc.add_periodic_callback(partial(_refresh, shown, watched), REFRESH_MILLISECONDS)


def _refresh(shown: Any, watched: Any) -> None:
    text = jobs_html(watched.report())
    if text != shown.text:
        shown.text = text
