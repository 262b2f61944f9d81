"""The policy of retries: errors of networks and files that may pass, and asking again."""

from __future__ import annotations

import errno
import random
import re
import time
from collections.abc import Callable
from typing import Final, TypeVar

from dask_tapestry.errors import TapestryError
from dask_tapestry.io.stores.retries import note_retry
from dask_tapestry.io.tuning import FIRST_WAIT_SECONDS, REQUEST_ATTEMPTS

PASSING: Final = frozenset(  # errors of the system that another attempt may not meet
    {
        *(errno.EAGAIN, errno.EBUSY, errno.EIO, errno.EPIPE, errno.ESTALE, errno.ETIMEDOUT),
        *(errno.EMFILE, errno.ENFILE),  # other threads close theirs
        getattr(errno, "EREMOTEIO", errno.EIO),  # what s3fs makes of HTTP's 500
        *(errno.ECONNABORTED, errno.ECONNREFUSED, errno.ECONNRESET),
        *(errno.EHOSTUNREACH, errno.ENETDOWN, errno.ENETRESET, errno.ENETUNREACH),
    }
)
BUSY: Final = frozenset({408, 425, 429, 500, 502, 503, 504})  # of HTTP
CLIENTS: Final = frozenset(  # of aiohttp and botocore, which may not be installed
    {
        *("ClientConnectionError", "ClientPayloadError", "ServerTimeoutError"),
        "EndpointConnectionError",
        *("HTTPClientError", "IncompleteReadError", "ResponseStreamingError"),
    }
)

STATUS: Final = re.compile(r"status code: (\d{3})")  # in the texts of obstore's errors
NO_ANSWER: Final = ("HTTP error:", "error sending request", "request or response body error")
MISSING: Final = (FileNotFoundError, IsADirectoryError, NotADirectoryError)

Result = TypeVar("Result")


def is_transient(error: BaseException) -> bool:
    """Whether a request that failed so may succeed when it is made again."""
    if isinstance(error, ConnectionError | TimeoutError):
        return True
    status = getattr(error, "status", getattr(error, "code", None))  # of aiohttp, of gcsfs
    if status in BUSY or getattr(error, "errno", None) in PASSING:
        return True
    if is_of_obstore(error):
        return status_of(error) in BUSY or any(text in str(error) for text in NO_ANSWER)
    return not CLIENTS.isdisjoint(kind.__name__ for kind in type(error).__mro__)


def is_of_obstore(error: BaseException) -> bool:
    """Whether an error is of obstore, whose own ones are no `OSError`, and have no number."""
    return type(error).__module__.partition(".")[0] == "obstore"


def status_of(error: BaseException) -> int | None:
    """The status of HTTP that an error of obstore tells of; None if it does not."""
    found = STATUS.search(str(error))
    return int(found[1]) if found else None


def patiently(request: Callable[[], Result], source: object = "a target") -> Result:
    """Return what `request` returns, called again with growing pauses where its error may pass.

    Each time is counted for `source`.

    Examples
    --------
    >>> patiently(lambda: 3)
    3
    """
    wait = FIRST_WAIT_SECONDS
    for _ in range(REQUEST_ATTEMPTS - 1):
        try:
            return request()
        except Exception as error:
            if not is_transient(error):
                raise
            note_retry(source, error)
        time.sleep(wait * random.uniform(0.5, 1))
        wait *= 2
    return request()


def read_patiently(request: Callable[[], Result], source: object) -> Result:
    """Return what `request` returns; a read that fails is made again, as `read_again` says.

    Examples
    --------
    >>> read_patiently(lambda: 3, "an example")
    3
    """
    try:
        return request()
    except Exception as error:  # codecs have errors of their own
        return read_again(request, error, source)


def read_again(request: Callable[[], Result], failed: Exception, source: object) -> Result:
    """Make a read again that has failed: with growing pauses where its error may pass.

    What was read and could not be decoded is read once more: it may have come torn. This is called
    where a read has failed alone, so the others cost nothing.

    Raises
    ------
    Exception
        The last error.

    Examples
    --------
    >>> read_again(lambda: 3, TimeoutError(), "an example")
    3
    """
    wait, is_reread = FIRST_WAIT_SECONDS, False
    for _ in range(REQUEST_ATTEMPTS - 1):
        if is_transient(failed):
            pause = wait * random.uniform(0.5, 1)
        elif is_reread or not _may_be_torn(failed):
            break
        else:
            pause, is_reread = 0.0, True
        note_retry(source, failed)
        time.sleep(pause)
        wait *= 2
        try:
            return request()
        except MISSING:
            raise
        except Exception as error:
            failed = error
    raise failed


def _may_be_torn(error: Exception) -> bool:
    """Whether an error may be a decoder's: gzip's and HDF5's are an `OSError` without a number."""
    if isinstance(error, OSError):
        return error.errno is None and not isinstance(error, (*MISSING, TapestryError))
    return not isinstance(error, MemoryError | TapestryError)
