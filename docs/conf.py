"""How Sphinx makes the site: `make docs` writes it to build/docs."""

import sys
from pathlib import Path

import dask_tapestry

sys.path.insert(0, str(Path(__file__).parent))

project = "dask_tapestry"
author = "dask_tapestry contributors"
copyright = author
version = release = dask_tapestry.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["changes/+*"]

myst_heading_anchors = 3
default_role = "py:obj"  # `name` in a docstring links to it where there is one
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # as in NumPy: the text says what is taken
add_module_names = False
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_preprocess_types = False
nitpicky = False

html_theme = "pydata_sphinx_theme"
html_title = "dask_tapestry"
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "footer_start": [],
    "footer_end": [],
}


def setup(app):
    """Write the pages of the reference before Sphinx looks for pages."""
    import api  # noqa: PLC0415  # this folder is no package; only Sphinx comes here

    app.connect("builder-inited", lambda _: api.write())
