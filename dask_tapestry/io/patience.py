"""Which errors may pass, and asking again where they came."""

from __future__ import annotations

import asyncio
import errno
import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

ATTEMPTS: Final = 5  # at one request
FIRST_WAIT: Final = 0.1  # seconds before the second attempt; twice as long before each later one
PASSING: Final = frozenset(  # errors of the system that another attempt may not meet
    {
        *(errno.EAGAIN, errno.EBUSY, errno.EIO, errno.EPIPE, errno.ESTALE, errno.ETIMEDOUT),
        *(errno.ECONNABORTED, errno.ECONNREFUSED, errno.ECONNRESET),
        *(errno.EHOSTUNREACH, errno.ENETDOWN, errno.ENETRESET, errno.ENETUNREACH),
    }
)
BUSY: Final = frozenset({408, 425, 429, 500, 502, 503, 504})  # of HTTP
CLIENTS: Final = frozenset(  # of aiohttp and botocore, which may not be installed
    {
        *("ClientConnectionError", "ClientPayloadError", "ServerTimeoutError"),
        *("HTTPClientError", "IncompleteReadError", "ResponseStreamingError"),
    }
)

Result = TypeVar("Result")


def is_passing(error: BaseException) -> bool:
    """Whether a request that failed so may succeed when it is made again."""
    if isinstance(error, ConnectionError | TimeoutError | asyncio.TimeoutError):
        return True
    status = getattr(error, "status", getattr(error, "code", None))  # of aiohttp, of gcsfs
    if status in BUSY or getattr(error, "errno", None) in PASSING:
        return True
    return not CLIENTS.isdisjoint(kind.__name__ for kind in type(error).__mro__)


def patiently(request: Callable[[], Result]) -> Result:
    """Return what `request` returns, called again with growing pauses where its error may pass.

    Examples
    --------
    >>> patiently(lambda: 3)
    3
    """
    wait = FIRST_WAIT
    for _ in range(ATTEMPTS - 1):
        try:
            return request()
        except Exception as error:
            if not is_passing(error):
                raise
        time.sleep(wait * random.uniform(0.5, 1))
        wait *= 2
    return request()
