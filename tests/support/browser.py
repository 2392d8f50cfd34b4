"""Headless Chromium for the tests that look at pages as a browser does."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

ABSENT = "no Chromium: install it (Debian: apt-get install chromium) to run these"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


@contextmanager
def chromium():
    """Start Chromium: the one on the path, or Playwright's own. Without it the test is skipped, in CI it fails."""
    sync = pytest.importorskip("playwright.sync_api")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync.sync_playwright() as playwright:
        if path is None and not Path(playwright.chromium.executable_path).exists():
            if os.environ.get("CI"):
                pytest.fail(ABSENT)
            pytest.skip(ABSENT)
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser, html, path, **options):
    """Open HTML as a file, with scripts allowed; the page says what it did: ``alarms``, ``requests``."""
    path.write_text(html, encoding="utf-8")
    context = browser.new_context(**options)
    page = context.new_page()
    page.alarms, page.requests = [], []
    page.on("dialog", lambda dialog: (page.alarms.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("console", lambda message: page.alarms.append(f"console {message.text}"))
    page.on("pageerror", lambda error: page.alarms.append(f"error {error}"))
    page.on("request", lambda request: page.requests.append(request.url))
    try:
        page.goto(path.as_uri())
        yield page
    finally:
        context.close()
