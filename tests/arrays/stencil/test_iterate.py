import numpy as np
import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt

MODES = {"periodic": "wrap", "reflect": "symmetric", "nearest": "edge", "constant": "constant"}


def laplace(p):
    return p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * p[1:-1, 1:-1]


def heat(p):
    return p[1:-1, 1:-1] + 0.1 * laplace(p)


def by_hand(step, x, steps, mode):
    for _ in range(steps):
        x = step(np.pad(x, 1, mode=mode))
    return x


@pytest.mark.few(3)  # each dtype
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("name", MODES)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_it_has_the_bits_of_numpy(name, dtype):
    x = np.random.default_rng(0).standard_normal((70, 51)).astype(dtype)
    expected = by_hand(heat, x, 25, MODES[name])
    found = dt.stencil.iterate(heat, x, 25, depth=1, boundary=name)
    np.testing.assert_array_equal(found.compute(), expected)
    with dt.config(block_bytes=2000):
        found = dt.stencil.iterate(heat, dt.asarray(x), 25, depth=1, boundary=name)
        np.testing.assert_array_equal(found.compute(), expected)


def test_large_blocks_have_the_same_bits():
    x = np.random.default_rng(0).standard_normal((400, 500))
    for name, mode in MODES.items():
        found = dt.stencil.iterate(heat, x, 20, depth=1, boundary=name).compute()
        np.testing.assert_array_equal(found, by_hand(heat, x, 20, mode))


def test_heat_decays_as_a_wave_of_it_does():
    n, rate = 64, 0.1
    wave = np.cos(2 * np.pi * np.arange(n) / n)
    x = np.broadcast_to(wave, (n, n))
    found = dt.stencil.iterate(heat, x, 200, depth=1, boundary="periodic").compute()
    factor = 1 + 2 * rate * (np.cos(2 * np.pi / n) - 1)
    np.testing.assert_allclose(found, factor**200 * x, atol=1e-12)


def test_a_wave_comes_back_after_a_period():
    n, c2 = 40, 0.25
    start = np.sin(2 * np.pi * np.arange(n) / n)
    angle = 2 * np.arcsin(0.5 * np.sin(np.pi / n))

    def step(u, before):
        mid = u[1:-1]
        return 2 * mid - before[1:-1] + c2 * (u[:-2] + u[2:] - 2 * mid), mid

    first = start, start * np.cos(angle)
    u, _ = dt.stencil.iterate(step, first, 123, depth=1, boundary="periodic")
    np.testing.assert_allclose(u.compute(), start * np.cos(123 * angle), atol=1e-10)


def gray_scott(u, v):
    mid_u, mid_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
    both = mid_u * mid_v * mid_v
    return (
        mid_u + 0.16 * laplace(u) - both + 0.035 * (1 - mid_u),
        mid_v + 0.08 * laplace(v) + both - 0.095 * mid_v,
    )


def test_coupled_fields_of_gray_and_scott():
    rng = np.random.default_rng(3)
    u, v = rng.random((33, 44)), rng.random((33, 44))
    found = dt.stencil.iterate(gray_scott, (u, v), 30, depth=1, boundary="periodic")
    for _ in range(30):
        u, v = gray_scott(np.pad(u, 1, mode="wrap"), np.pad(v, 1, mode="wrap"))
    np.testing.assert_array_equal(found[0].compute(), u)
    np.testing.assert_array_equal(found[1].compute(), v)


def life(u):
    rows, columns = u.shape[0] - 2, u.shape[1] - 2
    mid = u[1:-1, 1:-1]
    around = sum(u[i : i + rows, j : j + columns] for i in range(3) for j in range(3)) - mid
    return ((around == 3) | ((around == 2) & (mid == 1))).astype(u.dtype)


def test_a_glider_comes_back_one_cell_further():
    field = np.zeros((12, 15), "u1")
    field[1, 2] = field[2, 3] = field[3, 1] = field[3, 2] = field[3, 3] = 1
    found = dt.stencil.iterate(life, field, 4 * 7, depth=1, boundary="periodic").compute()
    np.testing.assert_array_equal(found, np.roll(field, (7, 7), (0, 1)))


def shallow_water(h, u, v):
    """Lax and Friedrichs' step of the shallow water equations in their conserved form."""

    def moved(a, along):
        return (a[2:, 1:-1], a[:-2, 1:-1]) if along == 0 else (a[1:-1, 2:], a[1:-1, :-2])

    def mean(a):
        return 0.25 * (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2])

    def slope(a, along):
        after, before = moved(a, along)
        return 0.5 * (after - before)

    both, lift = u * v / h, 0.5 * h * h
    flows = (u, v), (u * u / h + lift, both), (both, v * v / h + lift)
    return tuple(
        mean(a) - 0.1 * (slope(x, 0) + slope(y, 1))
        for a, (x, y) in zip((h, u, v), flows, strict=True)
    )


def test_shallow_water_keeps_its_mass():
    place = np.linspace(0, 1, 32, endpoint=False)
    h = 1 + 0.1 * np.exp(-50 * ((place[:, None] - 0.5) ** 2 + (place - 0.5) ** 2))
    still = np.zeros_like(h)
    state = dt.stencil.iterate(shallow_water, (h, still, still), 100, depth=1, boundary="periodic")
    found = state[0].compute()
    np.testing.assert_allclose(found.sum(), h.sum(), rtol=1e-13)
    assert np.abs(found - h).max() > 0.01


def test_a_source_that_depends_on_the_number_of_the_step():
    def step(u, t):
        return (u[:-2] + u[2:]) / 2 + dt.sin(0.1 * t)

    x = np.arange(30.0)
    found = dt.stencil.iterate(step, x, 11, depth=1, boundary="nearest").compute()
    for t in range(11):
        p = np.pad(x, 1, mode="edge")
        x = (p[:-2] + p[2:]) / 2 + dt.sin(0.1 * dt.asarray(np.int64(t))).compute()
    np.testing.assert_array_equal(found, x)


def test_a_step_size_from_the_data():
    def step(u, time):
        fastest = abs(u[1:-1]).max()
        dt_ = 0.4 / fastest
        mid = u[1:-1]
        return mid - dt_ * mid * (mid - u[:-2]), time + dt_

    x = 1.5 + np.sin(2 * np.pi * np.arange(50) / 50)
    found, time = dt.stencil.iterate(
        step, (x, np.float64(0)), None, depth=1, boundary="periodic",
        until=lambda u, time: time > 10,
    )  # fmt: skip
    passed = 0.0
    while passed <= 10:
        p, size = np.pad(x, 1, mode="wrap"), 0.4 / abs(x).max()
        x, passed = x - size * x * (x - p[:-2]), passed + size
    np.testing.assert_array_equal(found.compute(), x)
    assert float(time.compute()) == passed


def test_coefficients_that_vary_and_other_shapes_of_stencils():
    x = np.random.default_rng(5).standard_normal((40, 30))
    c = np.random.default_rng(6).random((40, 30))

    def step(u):  # one-sided, two cells far, and of coefficients
        return u[2:, :] * 0.5 + dt.asarray(c) * u[:-2, :] - 0.1 * u[1:-1, :]

    found = dt.stencil.iterate(step, x, 9, depth=((2, 0), 0), boundary="periodic").compute()
    for _ in range(9):
        p = np.pad(x, ((2, 0), (0, 0)), mode="wrap")
        x = p[2:] * 0.5 + c * p[:-2] - 0.1 * p[1:-1]
    np.testing.assert_array_equal(found, x)


def test_a_step_that_looks_at_more_than_neighbours():
    x = np.random.default_rng(7).standard_normal((20, 30))

    def step(u):
        mid = u[1:-1, 1:-1]
        return mid - mid.mean(axis=0) + dt.flip(u[:-2, 1:-1], axis=1) + dt.arange(30)

    with dt.config(block_bytes=900):
        found = dt.stencil.iterate(step, x, 5, depth=1, boundary="reflect").compute()
    state = dt.asarray(x)
    for _ in range(5):
        state = step(dt.pad(state, 1, mode="symmetric")).persist()
    np.testing.assert_array_equal(found, state.compute())


@pytest.mark.parametrize("shape", [(), (0,), (1,), (0, 4), (4, 1), (1, 1, 1)])
def test_shapes_without_cells_and_of_one(shape):
    inside = (slice(1, -1),) * len(shape)
    for name in MODES:
        found = dt.stencil.iterate(
            lambda u: u[inside] + 1, np.zeros(shape), 12, depth=1, boundary=name
        )
        np.testing.assert_array_equal(found.compute(), np.full(shape, 12.0))


def test_without_steps_the_state_comes_back():
    x = dt.zeros((3, 3))
    assert dt.stencil.iterate(heat, x, 0, depth=1, boundary=0) is x


def test_nothing_beyond_the_ends():
    def step(u):
        return dt.concatenate([u[:1], (u[:-2] + u[2:]) / 2, u[-1:]])

    found = dt.stencil.iterate(step, np.arange(9.0) ** 2, 300, depth=1, boundary="none")
    np.testing.assert_allclose(found.compute(), np.linspace(0, 64, 9), atol=1e-4)


@pytest.mark.parametrize(
    ("step", "error", "text"),
    [
        (lambda u: u[2:-2], dt.ShapeError, r"\(4,\), not \(6,\).*reads 4 cells beside its own"),
        (lambda u: u[1:-1] + u[3:], dt.ShapeError, "axis 0 a slice reads a cell 2 away"),
        (lambda u: u[1:-1] + u[:-5], dt.ShapeError, "axis 0 a slice reads a cell 4 away"),
        (lambda u: u[1:-1] + np.ones(9), dt.ShapeError, r"\(6,\) \(9,\)$"),
        (lambda u: u, dt.ShapeError, "2 cells too many"),
        (lambda u: dt.stack([u, u]), dt.ShapeError, r"shape \(2, 8\), not \(6,\)"),
        (lambda u: u[1:-1] > 0, dt.DTypeError, "bool, not float64"),
        (lambda u: (u, u), dt.ArgumentTypeError, "2 arrays for a state of 1"),
        (lambda: 1, dt.ArgumentTypeError, "neither"),
    ],
)
def test_steps_that_are_none(step, error, text):
    with pytest.raises(error, match=text):
        dt.stencil.iterate(step, np.zeros(6), 3, depth=1, boundary=0)


def test_checkpoints_know_depth_and_boundary(tmp_path):
    store = str(tmp_path / "states")
    x = np.random.default_rng(0).standard_normal((20, 20))

    def looped(steps, boundary="periodic"):
        options = {"depth": 1, "boundary": boundary, "every": 5, "checkpoint": store}
        return dt.stencil.iterate(heat, x, steps, **options).compute()

    looped(13)
    np.testing.assert_array_equal(looped(22), by_hand(heat, x, 22, "wrap"))
    with pytest.raises(dt.StoreError, match="what a step computes differs"):
        looped(22, "nearest")


def test_it_runs_on_a_cluster():
    x = np.random.default_rng(0).standard_normal((64, 64))
    with LocalCluster(2, processes=False, dashboard_address=":0") as cluster, Client(cluster):
        state = dt.from_array(x, chunks=32)
        value = dt.stencil.iterate(heat, state, 7, depth=1, boundary="nearest").compute()
    np.testing.assert_array_equal(value, by_hand(heat, x, 7, "edge"))
