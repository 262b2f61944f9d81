import argparse

import pytest

from dask_tapestry.command.connection import add_cluster, connected, is_named
from dask_tapestry.command.main import UsageError


def told(*arguments):
    parser = argparse.ArgumentParser()
    add_cluster(parser)
    return parser.parse_args(arguments)


def test_the_environment_may_name_a_cluster(monkeypatch):
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    assert not is_named(told())
    assert is_named(told("tcp://a:1"))
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://127.0.0.1:1")
    assert is_named(told())
    with (
        pytest.raises(UsageError, match="no scheduler answers"),
        connected(told("--timeout", ".3")),
    ):
        pass


def test_a_missing_certificate_is_a_wrong_argument():
    options = told("tls://127.0.0.1:1", "--tls-ca-file", "/none", "--timeout", "0.3")
    with pytest.raises(UsageError, match="no scheduler answers"), connected(options):
        pass
