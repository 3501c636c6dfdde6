"""Sphinx's settings of the pages for the web; `make site` builds them, with warnings as errors."""
project = 'tinyflow'
author = 'The tinyflow authors'
copyright = '2026, The tinyflow authors'
extensions = ['myst_nb', 'sphinx.ext.mathjax']
html_theme = 'furo'
html_title = 'tinyflow'
html_static_path = ['_static']
html_css_files = ['site.css']
nb_execution_mode = 'off'           # the notebooks have been run: docs/lessons.py
myst_heading_anchors = 3
myst_enable_extensions = ['colon_fence']
# Formulas are set by the browser's own means; nothing is loaded from the network.
mathjax_path = 'none.js'
nb_render_image_options = {'alt': 'what the program above draws'}
suppress_warnings = ['mystnb.unknown_mime_type']
exclude_patterns = ['lessons/output']


def setup(app):
    app.connect('html-page-context', _language)


def _language(app, page, template, context, doctree):
    """Tells browsers which pages are Chinese: they choose fonts and line breaks by it."""
    if page.endswith('.zh') or '/zh/' in page:
        context['language'] = 'zh-CN'
