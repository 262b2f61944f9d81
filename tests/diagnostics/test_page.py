import re
from html.parser import HTMLParser

import pytest

import dask_tapestry as dt
from dask_tapestry.diagnostics.html_text import html_text
from dask_tapestry.diagnostics.plan_summaries import plan_summary
from dask_tapestry.diagnostics.tuning import NOTEBOOK_ROWS

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")
EMPTY = {"meta", "br", "link", "img", "path", "use", "rect", "circle"}
MOST_BYTES = 120_000


class Reader(HTMLParser):
    """Reads a page, and sees that every tag is closed where it should be."""

    def __init__(self, page):
        super().__init__()
        self.open, self.ids, self.links = [], set(), []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        if tag not in EMPTY:
            self.open.append(tag)
        self._note(attrs)

    def handle_startendtag(self, tag, attrs):
        self._note(attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def _note(self, attrs):
        given = dict(attrs)
        self.ids.add(given.get("id"))
        self.links += [given[name] for name in ("src", "href") if name in given]


def stored():
    return dt.placeholder((400, 100), "f8", (100, 100))


@pytest.fixture
def plan():
    x = stored().rechunk((200, -1)).sum(axis=0)
    return dt.plan(x, x.rechunk((30,)) * 2, resources=FOUR)


@pytest.fixture
def page(plan, tmp_path):
    return page_of(plan, tmp_path)


def page_of(plan, folder):
    name = plan.visualize(str(folder / "plan.html"))
    with open(name, encoding="utf-8") as file:
        return file.read()


def test_the_page_is_whole_and_needs_no_network(page):
    read = Reader(page)
    assert {link.rpartition("-")[0] for link in read.links} <= {"#step"}
    assert {link[1:] for link in read.links} <= read.ids
    assert "<script" not in page
    assert not re.search(r"https?://|@import|url\(|//cdn", page)


def test_the_page_has_all_steps_and_costs(plan, page):
    read = Reader(page)
    count = len(plan.core.steps)
    assert {f"step-{n}" for n in range(1, count + 1)} <= read.ids
    assert f"step-{count + 1}" not in read.ids
    for step in plan_summary(plan.core).steps:
        assert step.words.text in page
        assert step.grid in page
    for name in plan.cost:
        assert name in page


@pytest.mark.parametrize(
    "name", ["<script>alert()</script>", "a & b", "</u>", "'\"", "\u202eabc" + "<i>" * 700]
)
def test_pages_escape_what_users_write(name, tmp_path):
    plan = dt.plan(dt.placeholder((4, 6), "f8", dims=(name, None)) + 1, resources=FOUR)
    whole, short = page_of(plan, tmp_path), plan._repr_html_()
    Reader(whole)
    Reader(short)
    for text in (whole.partition("</head>")[2], short.partition("</style>")[2]):
        assert name not in text.replace("&amp;", "&amp ;")
    assert html_text(name)[:200] in whole


def test_hundreds_of_steps_are_a_small_page(tmp_path):
    x = dt.placeholder((2000, 2000), "f8", (500, 500))
    for number in range(300):
        x = (x + number).rechunk((500 if number % 2 else 1000, -1))
    plan = dt.plan(x, resources=FOUR)
    page = page_of(plan, tmp_path)
    assert len(plan.core.steps) == 300
    assert len(page.encode()) < MOST_BYTES
    assert "step-300" in Reader(page).ids
    assert plan._repr_html_().count("<tr>") == 1 + NOTEBOOK_ROWS
    assert "and 260 more steps" in plan._repr_html_()


def test_a_notebook_shows_totals_and_steps(plan):
    short = plan._repr_html_()
    Reader(short)
    assert short.count("<tr>") == 1 + len(plan.core.steps)
    assert "4 workers, 2 threads" in short
    assert "as the user asked" in short
    assert "<script" not in short


def test_what_computes_nothing_is_a_page_too(tmp_path):
    plan = dt.plan(dt.asarray([1.0, 2.0]), resources=FOUR)
    Reader(page_of(plan, tmp_path))
    Reader(plan._repr_html_())


def test_a_plan_file_has_the_same_page_without_code(plan, tmp_path):
    plan.save(tmp_path / "plan.json")
    page = page_of(dt.load_plan(tmp_path / "plan.json"), tmp_path)
    whole = page_of(plan, tmp_path)
    assert "def stored" not in page
    assert "<code>" in whole
    assert "<code>" not in page
    assert page == re.sub("<code>.*?</code>", "", whole)


def test_the_sentence_is_at_the_top(page):
    assert page.index("Limited by") < page.index("<details") < page.index("Operators inside")
