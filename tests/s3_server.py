"""A server that speaks as S3 does: moto's, in a thread of this process, with faults on request.

`moto`, `s3fs` and `obstore` are in the ``dev`` extra: where they are missing, tests fail, and none
is skipped.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from obstore.store import S3Store
from werkzeug.serving import WSGIRequestHandler, make_server
from zarr.storage import ObjectStore

KEY, SECRET, REGION = "someone", "secret", "us-east-1"
RESET, HALF = "reset", "half"  # what a fault may do beside answering with a status

Fault = Callable[[dict[str, Any]], Any]  # of a request, the status to answer with, RESET or HALF
TEXTS = {403: "AccessDenied", 500: "InternalError", 503: "SlowDown"}


class _Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_: Any) -> None:
        """Write nothing."""


class S3Server:
    """A running server.

    Attributes
    ----------
    requests
        How many there were, by method.
    objects
        How many there were for each object that was got whole or in part.
    most
        How many were under way at one time.
    latency
        Seconds that each waits.
    fault
        What is asked before each: what it returns is done in place of an answer.
    """

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.objects: Counter[str] = Counter()
        self.faults = self.most = self._now = 0
        self.latency = 0.0
        self.fault: Fault = lambda _: None
        self._lock = threading.Lock()
        self._moto = DomainDispatcherApplication(create_backend_app)
        self._server = make_server(
            "127.0.0.1", 0, self._answer, threaded=True, request_handler=_Handler
        )
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def calm(self) -> None:
        """Forget faults and counts."""
        self.fault = lambda _: None
        self.latency, self.faults, self.most = 0.0, 0, 0
        self.requests.clear()
        self.objects.clear()

    def bucket(self) -> str:
        """Name of a new bucket."""
        name = f"b{uuid4().hex}"
        self.client.create_bucket(Bucket=name)
        return name

    @property
    def client(self) -> Any:
        """One of boto3's."""
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
            region_name=REGION,
        )

    @property
    def options(self) -> dict[str, Any]:
        """Options of s3fs."""
        once = {"retries": {"max_attempts": 0}}  # botocore asks again by itself
        return {"key": KEY, "secret": SECRET, "endpoint_url": self.endpoint, "config_kwargs": once}

    def object_store(self, bucket: str, prefix: str = "", **options: Any) -> ObjectStore:
        """One of zarr's, by obstore."""
        known = {
            "aws_endpoint": self.endpoint,
            "aws_access_key_id": KEY,
            "aws_secret_access_key": SECRET,
            "aws_region": REGION,
            "aws_virtual_hosted_style_request": "false",
        }
        store = S3Store(
            bucket,
            prefix=prefix or None,
            config={**known, **options},  # type: ignore[arg-type]
            client_options={"allow_http": True},
            retry_config={"max_retries": 0},
        )
        return ObjectStore(store)

    def _answer(self, environ: dict[str, Any], start: Any) -> Any:
        method = environ["REQUEST_METHOD"]
        with self._lock:
            self.requests[method] += 1
            if method == "GET":
                self.objects[environ["PATH_INFO"]] += 1
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            if self.latency:
                time.sleep(self.latency)
            if not _signed_by(environ).startswith(KEY):
                return self._refuse(start, 403, "InvalidAccessKeyId", environ)
            fault = self.fault(environ)
            if fault is None:
                return list(self._moto(environ, start))
            self.faults += 1
            if fault == RESET:
                return self._reset(environ)
            if fault == HALF:
                return self._half(environ, start)
            return self._refuse(start, fault, TEXTS[fault], environ)
        finally:
            with self._lock:
                self._now -= 1

    def _half(self, environ: dict[str, Any], start: Any) -> Any:
        """Promise all of an object and send half of it."""
        body = b"".join(self._moto(environ, start))
        return _Halved(body[: len(body) // 2], environ)

    def _reset(self, environ: dict[str, Any]) -> Any:
        """Close the connection so that the client sees a reset."""
        _abort(environ["werkzeug.socket"])
        raise ConnectionResetError("on purpose")

    def _refuse(self, start: Any, status: int, code: str, environ: dict[str, Any]) -> Any:
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        text = f"<Error><Code>{code}</Code><Message>on purpose</Message></Error>".encode()
        head = [("Content-Type", "application/xml"), ("Content-Length", str(len(text)))]
        start(f"{status} {code}", head)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [text]


class _Halved:
    """Half of an answer, after which the connection is reset."""

    def __init__(self, body: bytes, environ: dict[str, Any]) -> None:
        self.body, self.environ = body, environ

    def __iter__(self) -> Iterator[bytes]:
        yield self.body
        _abort(self.environ["werkzeug.socket"])
        raise ConnectionResetError("on purpose")


def _abort(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.shutdown(socket.SHUT_RDWR)


def _signed_by(environ: dict[str, Any]) -> str:
    """The name that a request is signed with."""
    signed = str(environ.get("HTTP_AUTHORIZATION", ""))
    return signed.partition("Credential=")[2]


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """A server, until the block ends."""
    server = S3Server()
    try:
        yield server
    finally:
        server.close()
