"""Settings of Sphinx. Build with: sphinx-build -W -b html docs docs/_build/html."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "nvfuser"
author = "the nvfuser authors"
copyright = author
version = release = metadata.version("nvfuser")

extensions = [
    "myst_parser",
    "native",
    "operations",
    "options",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"nvfuser {release}"
html_static_path: list[str] = []
html_show_sourcelink = False
pygments_style = "default"
pygments_dark_style = "monokai"

# Single backticks in docstrings name parameters.
default_role = "literal"
add_module_names = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 90

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_preprocess_types = False

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
