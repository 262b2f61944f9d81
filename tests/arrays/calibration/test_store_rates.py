import sys

from dask_tapestry.arrays.calibration.store_rates import store_rates

module = sys.modules["dask_tapestry.arrays.calibration.store_rates"]


def test_a_store_has_rates_and_nothing_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "STORED_CELLS", 2**16)
    monkeypatch.setattr(module, "CHUNK_CELLS", 2**14)
    rates = store_rates(tmp_path)
    coded, plain = {"store_read", "store_write"}, {"store_plain", "store_plain_write"}
    assert rates.keys() == coded | plain | {"store_latency"}
    assert min(rates.values()) > 0
    assert not list(tmp_path.iterdir())
