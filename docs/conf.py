# conf.py: the manual: the pages of this folder as a site that needs no network (scripts/manual.sh builds it).
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

project = "Murmuration"
copyright = "the authors of Murmuration"
author = copyright
version = release = re.search(r"project\(murmuration VERSION ([0-9.]+)",
                              (HERE.parent / "CMakeLists.txt").read_text()).group(1)

extensions = ["myst_parser", "_manual.theme", "_manual.equations", "_manual.links", "_manual.headers",
              "_manual.stubs", "_manual.notebooks"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_manual", "_static"]
myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_labels = False
myst_heading_anchors = 4
highlight_language = "none"  # a block without a language is a formula or a table

html_theme = "furo"
html_title = f"Murmuration {version}"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_favicon = "../studio/public/icon.svg"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"light_css_variables": {"color-brand-primary": "#00798c",
                                              "color-brand-content": "#00798c"},
                      "dark_css_variables": {"color-brand-primary": "#5fc3d4",
                                             "color-brand-content": "#5fc3d4"}}
