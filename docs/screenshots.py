"""Takes the pictures of the page "Running and watching a job", with a real browser.

    python docs/screenshots.py              # or: make screenshots

A job of some twenty seconds runs on two workers of this machine. In the middle of it a browser
without a window looks at the page /tapestry of the scheduler, then at the page that `visualize`
writes of the plan. The browser is chromium or google-chrome (Debian: apt-get install chromium), or
the one that the variable BROWSER names.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from distributed import Client, LocalCluster, wait
from PIL import Image, ImageChops
from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import websocket_connect

import dask_tapestry as dt
from dask_tapestry.diagnostics.job_progress import progress_of
from dask_tapestry.lower.cluster_jobs import jobs_of

HERE: Final = Path(__file__).parent
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--no-first-run",
)  # fmt: skip
PATIENCE: Final = 60.0  # seconds for a picture
DRAWING: Final = 4.0  # seconds until a page is drawn
MIDDLE: Final = 0.45  # part of the job after which its page is looked at
COLOURS: Final = 128  # of a picture: small files
FIRST, SECOND = "jobs-page.png", "plan-page.png"


def browser() -> str:
    """The program that takes pictures.

    Raises
    ------
    SystemExit
        If there is none, with what to do about it.
    """
    named = os.environ.get("BROWSER")
    found = next(filter(None, map(shutil.which, [named] if named else BROWSERS)), None)
    if found is None:
        wanted = named or ", ".join(BROWSERS)
        raise SystemExit(
            f"no browser is found ({wanted}): install one, as `apt-get install chromium`, or name "
            "it, as BROWSER=/usr/bin/chromium make screenshots"
        )
    return found


def picture(url: str, target: Path, size: tuple[int, int]) -> None:
    """Have a browser draw a page, and keep what it draws."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        told = (f"--user-data-dir={folder}", f"--window-size={size[0]},{size[1]}")
        command = [browser(), *QUIET, *told, "--remote-debugging-port=0", url]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            drawn = asyncio.run(asyncio.wait_for(_drawn(Path(folder)), PATIENCE))
        finally:
            running.terminate()
            running.wait(PATIENCE)
    small(drawn, target)


async def _drawn(folder: Path) -> bytes:
    """The page of a browser that has its profile in a folder, once it is drawn.

    The dashboard's pages come through a socket after they are loaded, which the browser's own
    option for pictures does not wait for.
    """
    place = folder / "DevToolsActivePort"
    while not place.exists() or not place.read_text():
        await asyncio.sleep(0.05)
    port = place.read_text().split()[0]
    asked = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{port}/json/list")
    (page,) = [one for one in json.loads(asked.body) if one["type"] == "page"]
    socket = await websocket_connect(page["webSocketDebuggerUrl"], max_message_size=2**28)
    await asyncio.sleep(DRAWING)
    await socket.write_message(json.dumps({"id": 1, "method": "Page.captureScreenshot"}))
    while (answer := json.loads(await socket.read_message() or "{}")).get("id") != 1:
        pass
    return base64.b64decode(answer["result"]["data"])


def small(drawn: bytes, target: Path) -> None:
    """Keep a picture without the empty part below, in few colours."""
    whole = Image.open(BytesIO(drawn)).convert("RGB")
    empty = Image.new("RGB", whole.size, whole.getpixel((whole.width - 1, whole.height - 1)))
    box = ImageChops.difference(whole, empty).getbbox()
    bottom = min(whole.height, (box[3] if box else whole.height) + 12)
    part = whole.crop((0, 0, whole.width, bottom))
    part.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target.name}: {part.width} x {part.height}, {target.stat().st_size / 1000:.0f} kB")


def job(folder: Path) -> Any:
    """What runs meanwhile: columns brought to mean 0 and deviation 1, and stored."""
    x = dt.from_zarr(folder / "x.zarr")
    y = (x - x.mean(axis=0)) / x.std(axis=0)
    return dt.to_zarr(y, folder / "y.zarr", compute=False)


def prepare(folder: Path) -> None:
    """Store what the job reads."""
    cells = dt.random.default_rng(0).normal(size=(80_000, 2000)).astype("f4")
    dt.to_zarr(cells.rechunk((1000, 2000)), folder / "x.zarr")


def part_done(client: Any) -> float:
    """How far the last job of a scheduler is."""
    jobs = jobs_of(client)["jobs"]
    return progress_of(jobs[0]).done if jobs and jobs[0]["steps"] else 0.0


def main() -> None:
    """Run the job and take both pictures."""
    browser()
    with (
        tempfile.TemporaryDirectory() as name,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        folder = Path(name)
        prepare(folder)
        client.restart()
        written = job(folder)
        plan = dt.plan(written)
        plan.visualize(str(folder / "plan.html"))
        future = client.compute(written)
        while not future.done() and part_done(client) < MIDDLE:
            time.sleep(0.05)
        port = cluster.scheduler.http_server.port
        picture(f"http://127.0.0.1:{port}/tapestry", HERE / FIRST, (1280, 1400))
        print("the job was still running" if not future.done() else "the job had ended")
        wait(future)
        print(plan.profile())
        picture((folder / "plan.html").as_uri(), HERE / SECOND, (1280, 740))


if __name__ == "__main__":
    main()
