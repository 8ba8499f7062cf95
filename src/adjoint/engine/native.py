"""Which engine runs: the native core, where it was built and is wanted, else plain Python."""

import os
from typing import Any

core: Any = None
if os.environ.get("ADJOINT_PURE", "") in ("", "0"):
    try:
        from adjoint.engine import _core as core  # pyright: ignore[reportAttributeAccessIssue]
    except ImportError:  # there was no C compiler when adjoint was installed
        core = None

accelerated: bool = core is not None
