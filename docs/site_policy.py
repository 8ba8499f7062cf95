"""The Content-Security-Policy of the static site: no other origin, no inline script except by its hash.

A page has its policy in a meta element, because many hosts of static files send no headers. Workers do not read meta
elements: the service worker adds the header to the scripts that it serves, and `_headers` sets it on hosts that read
this file.
"""

import base64
import hashlib
import re

_COMMON = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "data:", "blob:"],
    "connect-src": ["'self'"],
    "worker-src": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
}
_PYTHON = {"script-src": ["'self'", "'wasm-unsafe-eval'"]}
# The theme of the documentation and the pictures of graphs have styles in their markup; graphs are shown in frames.
_DOCUMENTATION = {"style-src": ["'self'", "'unsafe-inline'"], "frame-src": ["'self'"]}

_INLINE = re.compile(r"<script(?P<attributes>[^>]*)>(?P<source>.*?)</script>", re.DOTALL)


def worker_policy() -> str:
    """Return the policy of the workers, in which Python runs: they alone may compile WebAssembly."""
    return _text(_COMMON | _PYTHON)


def with_policy(page: str, *, is_documentation: bool) -> str:
    """Return the HTML of a page with its policy, as the first element that is not the encoding.

    >>> with_policy('<head><meta charset="utf-8"></head>', is_documentation=False)[:80]
    '<head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="'
    """
    policy = _COMMON | (_DOCUMENTATION if is_documentation else {})
    hashes = sorted({_hash(source) for source in inline_scripts(page)})
    content = _text(policy | {"script-src": [*policy["script-src"], *hashes]})
    element = f'<meta http-equiv="Content-Security-Policy" content="{content}">'
    changed, count = re.subn(r'<meta charset="utf-8" ?/?>', lambda found: found[0] + element, page, count=1)
    assert count == 1, f"no place for the policy in {page[:80]!r}"
    return changed


def inline_scripts(page: str) -> list[str]:
    """Return the sources of the scripts that run in a page; blocks of data do not run."""
    return [
        found["source"]
        for found in _INLINE.finditer(page)
        if "src=" not in found["attributes"] and "json" not in found["attributes"] and found["source"]
    ]


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def _text(policy: dict[str, list[str]]) -> str:
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in policy.items())
