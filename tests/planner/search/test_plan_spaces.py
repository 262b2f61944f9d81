import dask_tapestry as dt


def test_a_factor_of_many_panels_is_planned():
    machines = dt.Resources(workers=16, threads=4, memory="1.5 GiB")
    x = dt.placeholder((20_000, 20_000), "f8", stored_chunks=(1000, 1000))
    dt.plan(dt.linalg.cholesky(x).sum(), resources=machines).verify()
