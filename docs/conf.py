"""The documentation site: ``make docs``. Nothing is fetched, neither to build the pages nor to read them."""

import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).parent
WIDE = ("rules", "validation", "variants")  # their tables get the room of a page's own contents
sys.path.insert(0, str(DOCS))

from site_pages import placed, write_pages  # noqa: E402 (a neighbour, found by the line above)

project = "carromsim"
author = "carromsim developers"
copyright = author
version = release = version_of("carromsim")
html_title = f"carromsim {version}"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": {"**": ["page-toc"], **{page: [] for page in WIDE}},
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": False,
    "search_bar_text": "Search",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "tutorial": [], "gallery": [], "performance": []}

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["myst.header"]  # the changelog and the glossary begin with their own first heading

# A notebook is executed again only when it has changed; its outputs are kept beside the site.
nb_execution_mode = "cache"
nb_execution_cache_path = str(DOCS / "_build" / "notebooks")
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
KERNEL = DOCS / "_build" / "ipython"  # in place of the user's own settings; it tells errors only
(KERNEL / "profile_default").mkdir(parents=True, exist_ok=True)
(KERNEL / "profile_default" / "ipython_kernel_config.py").write_text('get_config().IPKernelApp.log_level = "ERROR"\n')
os.environ["IPYTHONDIR"] = str(KERNEL)

autosummary_generate = True
autodoc_typehints = "none"  # docstrings tell types, with shapes and units
python_maximum_signature_line_length = 100
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseModel,tuple,int,Exception",
    "exclude-members": "model_config, nested",
}
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_preprocess_types = False
napoleon_custom_sections = [("Attributes", "params_style")]  # "(n,) float" is no name to look up
default_role = "py:obj"
add_module_names = False
python_use_unqualified_type_names = True


def place_links(app: Sphinx, docname: str, source: list[str]) -> None:
    """Lead links out of ``docs``, as they stand in the repository, to the site's pages; copies are led already."""
    if not docname.startswith("made/"):
        source[0] = placed(source[0], f"docs/{docname}.md", f"{docname}.md")


def setup(app: Sphinx) -> None:
    """Write the pages that are made from the code, then let Sphinx read them all."""
    app.connect("config-inited", lambda app, config: write_pages())
    app.connect("source-read", place_links)
