"""Settings of Sphinx. Build with: sphinx-build -W -b html docs docs/_build/html."""

import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from sphinx.ext.autodoc.mock import MockFinder

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

# Pages that document modules which import torch, and what comes with it, are built without it too.
if find_spec("torch") is None:
    sys.meta_path.insert(0, MockFinder(["sympy", "torch"]))
    import torch

    # What modules pass to isinstance() must be a class.
    torch.dtype = torch.Tensor = type

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
    "torch_names",
]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"nvfuser {release}"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
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
