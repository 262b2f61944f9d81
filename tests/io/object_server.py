"""A store of objects behind HTTP, as S3 is: whole objects are put, got, listed and deleted.

A put is seen at once by all, or not at all; nothing is renamed, nothing is done only if something
else is so. The file system keeps listings until it is told to forget them, as s3fs does.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, unquote

import fsspec
from fsspec.spec import AbstractFileSystem


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Any

    def _answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _key(self) -> str:
        self.server.requests[self.command] += 1
        return unquote(self.path[1:])

    def do_GET(self) -> None:
        key = self._key()
        if key.startswith("?"):
            keys = [k for k in list(self.server.objects) if k.startswith(key[1:])]
            self._answer(
                200, json.dumps({k: len(self.server.objects.get(k, b"")) for k in keys}).encode()
            )
            return
        found = self.server.objects.get(key)
        self._answer(404 if found is None else 200, found or b"")

    def do_PUT(self) -> None:
        key, body = self._key(), self.rfile.read(int(self.headers["Content-Length"]))
        self.server.objects[key] = body
        self._answer(200)

    def do_DELETE(self) -> None:
        self._answer(200 if self.server.objects.pop(self._key(), None) is not None else 404)

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@contextmanager
def object_server() -> Iterator[Any]:
    """A server at `server.url`, whose requests `server.requests` counts by method."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.objects, server.requests = {}, Counter()
    server.url = f"objects://127.0.0.1:{server.server_port}/x"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class ObjectFiles(AbstractFileSystem):
    """What such a server keeps, as files of fsspec's."""

    protocol = "objects"
    _local = threading.local()

    def _ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        host, _, key = self._strip_protocol(path).partition("/")
        known = self._local.__dict__.setdefault("connections", {})
        for attempt in range(2):  # a connection that was kept may be closed
            if host not in known:
                known[host] = HTTPConnection(host, timeout=30)
            try:
                known[host].request(method, "/" + quote(key), body)
                answer = known[host].getresponse()
                text: bytes = answer.read()
                break
            except (HTTPException, ConnectionError):
                known.pop(host).close()
                if attempt:
                    raise
        if answer.status == 404:
            raise FileNotFoundError(path)
        return text

    def _keys(self, path: str) -> dict[str, int]:
        path = self._strip_protocol(path).rstrip("/")
        host, _, key = path.partition("/")
        if path not in self.dircache:
            found = json.loads(self._ask("GET", f"{host}/?{key}/"))
            self.dircache[path] = [{"name": f"{host}/{k}", "size": n} for k, n in found.items()]
        return {one["name"]: one["size"] for one in self.dircache[path]}

    def invalidate_cache(self, path: str | None = None) -> None:
        self.dircache.clear()

    def ls(self, path: str, detail: bool = True, **_: Any) -> Any:
        path = self._strip_protocol(path).rstrip("/")
        found: dict[str, dict[str, Any]] = {}
        for name, size in self._keys(path).items():
            head, _, rest = name[len(path) + 1 :].partition("/")
            kind = "directory" if rest else "file"
            found[head] = {"name": f"{path}/{head}", "size": 0 if rest else size, "type": kind}
        if not found:
            raise FileNotFoundError(path)
        return list(found.values()) if detail else [one["name"] for one in found.values()]

    def find(self, path: str, maxdepth: Any = None, withdirs: bool = False, **_: Any) -> Any:
        return sorted(self._keys(path))

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        try:
            return {"name": path, "size": len(self._ask("GET", path)), "type": "file"}
        except FileNotFoundError:
            if self._keys(path):
                return {"name": path, "size": 0, "type": "directory"}
            raise

    def cat_file(self, path: str, start: Any = None, end: Any = None, **_: Any) -> bytes:
        return self._ask("GET", path)[slice(start, end)]

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        self._ask("PUT", path, bytes(value))
        self.invalidate_cache()

    def rm_file(self, path: str) -> None:
        self._ask("DELETE", path)
        self.invalidate_cache()

    def rm(self, path: Any, recursive: bool = False, maxdepth: Any = None) -> None:
        for one in path if isinstance(path, list) else [path]:
            for name in self.find(one) if recursive else [one]:
                self.rm_file(name)


fsspec.register_implementation("objects", ObjectFiles, clobber=True)
