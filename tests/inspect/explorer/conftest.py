"""A browser for the tests of the page, without the network: one for each module.

Its threads end with the module: tests of queues that no thread can empty look for threads.
"""
from __future__ import annotations

import shutil

import pytest

BROWSERS = ('chromium', 'chromium-browser', 'google-chrome')


@pytest.fixture(scope='module')
def browser():
    playwright = pytest.importorskip(
        'playwright.sync_api', reason='the browser is driven by Playwright: pip install playwright')
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip('there is no browser: apt-get install chromium')
    with playwright.sync_playwright() as driver:
        # No sandbox: the tests may run as root, and open nothing but their own pages.
        browser = driver.chromium.launch(executable_path=path, args=['--no-sandbox'])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """opened(document, **settings of the browser) is the page of a document; it has no errors."""
    from tinyflow.inspect.explorer.page import page as html_of
    contexts, errors = [], []

    def open_page(document, link='', **settings):
        path = tmp_path / 'page.html'
        path.write_text(html_of(document), encoding='utf-8')
        context = browser.new_context(**{'viewport': {'width': 1200, 'height': 800},
                                         'reduced_motion': 'reduce', 'offline': True, **settings})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on('pageerror', lambda error: errors.append(str(error)))
        page.on('console', lambda message: errors.append(message.text))
        page.goto(path.as_uri() + link)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not errors
