import dask_tapestry as dt
from dask_tapestry.planner.search.search import search
from dask_tapestry.planner.search.seeds import Seeds

WORKERS = dt.Resources(workers=8, threads=2, memory="8 GiB")


def sums(rows=80_000):
    x = dt.placeholder((rows, 50_000), "f8", (2000, 2000))
    return (x - x.mean(0)).max(1)


def test_a_seed_is_what_the_search_begins_with():
    graph, seeds = sums().teg, Seeds(WORKERS)
    seed = seeds.of(graph)
    found = search(graph, WORKERS)
    assert seed.state.seconds == found.seed_seconds
    assert seed.given_up
    assert seed.rank >= found.rank


def test_the_search_goes_on_from_what_the_seed_was_found_with():
    graph, seeds = sums().teg, Seeds(WORKERS)
    assert seeds.known_spaces(graph) is None
    seeds.of(graph)
    spaces = seeds.known_spaces(graph)
    computed = spaces[0].pricing.evaluated
    assert computed > 0
    found = search(graph, WORKERS, "auto", None, 0, spaces)
    assert found.state.seconds == search(graph, WORKERS).state.seconds
    assert spaces[0].pricing.evaluated > computed


def test_small_graphs_and_those_of_parts_have_none():
    seeds = Seeds(WORKERS)
    apart = dt.plan(sums(), sums(90_000), resources=WORKERS).core.written
    assert seeds.of(apart) is None
    assert seeds.of(dt.ones((10, 10)).sum().teg) is None
    assert seeds.known_spaces(apart) is None
