#!/usr/bin/env python3
"""Reads the pages that `make site` or `make html` has built in a headless Chromium, as files and without a server.

  Tests/release/site.py SITE

Each page has its heading and its pictures, loads nothing that is missing, and shows no Markdown that was
not understood; the search, where there is one, finds a word and leads to it. Needs Debian's chromium and chromium-driver.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "page"))
from browser import Browser, Failure, check, until  # noqa: E402

# Where the Markdown of a list or table shows as text, or a code block was not closed.
RAW = r"""return [...document.querySelectorAll('article p, article td, article li')]
  .map(part => [...part.childNodes].filter(node => node.nodeType === 3).map(node => node.data).join(' '))
  .filter(text => /^\s*\|.*\|\s*$|\n\s*[-*] \w|```|\]\(|\*\*\w/m.test(text))
  .map(text => text.trim().slice(0, 80))"""
PICTURES = """return [...document.querySelectorAll('article img')]
  .filter(picture => { picture.loading = 'eager'; return picture.complete && !picture.naturalWidth; })
  .map(picture => picture.src)"""


def read(browser, page):
    browser.go(page.as_uri())
    check(browser.count("article h1") == 1, f"{page.name} has not one heading")
    until("the pictures are there", lambda: browser.run(
        "return [...document.querySelectorAll('article img')].every(picture => picture.complete)"))
    check(not (missing := browser.run(PICTURES)), f"{page.name} lacks {missing}")
    check(not (raw := browser.run(RAW)), f"{page.name} shows {raw}")
    check(not (said := browser.complaints()), f"{page.name}: {said}")


def search(browser, site):
    browser.go((site / "index.html").as_uri())
    browser.run("document.querySelector('#__search').click()")
    browser.type(".md-search__input", "coalesced")
    until("the search finds a word",
          lambda: browser.run("return document.querySelectorAll('.md-search-result__link').length") > 0)
    place = browser.attribute(".md-search-result__link", "href")
    check(".html" in place, f"a result leads to {place}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = sorted(page for page in site.rglob("*.html") if page.name != "404.html")
    browser = Browser()
    wrong = 0
    try:
        for page in pages:
            try:
                read(browser, page)
            except Failure as failure:
                print(f"{failure}", file=sys.stderr)
                wrong += 1
        if (site / "search").exists():
            search(browser, site)
    finally:
        browser.close()
    print(f"{len(pages) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
