"""The rules of axe for accessible pages."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_OPTIONS = {"resultTypes": ["violations"], "preload": False}


def violations(page: Page) -> list[tuple]:
    """Return the serious and critical violations that axe finds."""
    return [
        (rule["id"], [node["target"] for node in rule["nodes"]][:4], rule["nodes"][0]["failureSummary"])
        for rule in Axe().run(page, options=_OPTIONS).response["violations"]
        if rule["impact"] in ("serious", "critical")
    ]
