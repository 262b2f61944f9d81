import dask_tapestry as dt
from dask_tapestry.rules.shared_cells import cells_of, reduction_ranks, sharing_cells

X, Y, Z = (dt.placeholder((30, 20), "f8") for _ in "xyz")


def test_ranks_count_reductions_on_a_path():
    y = (X - X.mean(0)).max() + 1
    ranks = reduction_ranks(y.teg)
    assert sorted(ranks[n] for n in y.teg.nodes if n.operator.name == "reduce") == [1, 2]
    assert (ranks[X.node], ranks[y.node]) == (0, 2)


def test_cells_are_followed_through_formulas_alone():
    assert cells_of([(X * 2 + Y).node]) == {X.node, Y.node}
    turned = X.T
    assert cells_of([(turned + 1).node, Y.node]) == {turned.node, Y.node}


def test_groups_share_cells_with_one_of_them():
    x, y, z = (X * 2).sum(), (X + Y).sum(0), (Y + 1).max()
    other = Z.sum()
    nodes = [a.node for a in (x, other, z, y)]
    groups = sharing_cells(nodes, 8)
    assert sorted(map(len, groups)) == [1, 3]
    assert sorted(map(len, sharing_cells(nodes, 2))) == [1, 1, 2]
