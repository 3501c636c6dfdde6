"""Sphinx's settings of the pages for the web; `make site` builds them, with warnings as errors."""
import re
from pathlib import Path

from sphinx.search.en import SearchEnglish

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
html_search_scorer = str(Path(__file__).with_name('scorer.js'))


class Search(SearchEnglish):
    """Words; and of Chinese, which has no spaces, each two signs that stand side by side."""

    js_splitter_code = r"""
var splitQuery = (query) =>
  (query.match(/[\u4e00-\u9fff]+|\w+/gu) || []).flatMap((word) =>
    /[\u4e00-\u9fff]/.test(word) && word.length > 2
      ? [...word.slice(1)].map((sign, i) => word[i] + sign) : [word]);
"""

    def split(self, input):
        for word in re.findall('[\u4e00-\u9fff]+|[^\\W\u4e00-\u9fff]+', input):
            if len(word) > 2 and '\u4e00' <= word[0] <= '\u9fff':
                yield from map(''.join, zip(word, word[1:]))
            else:
                yield word


def setup(app):
    app.add_search_language(Search)
    app.connect('html-page-context', _language)


def _language(app, page, template, context, doctree):
    """Tells browsers which pages are Chinese: they choose fonts and line breaks by it."""
    if page.endswith('.zh') or '/zh/' in page:
        context['language'] = 'zh-CN'
