"""Which engine runs: the native core, where it was built and is wanted, else plain Python."""

import os

core = None
if os.environ.get("ADJOINT_PURE", "") in ("", "0"):
    try:
        from adjoint import _core as core
    except ImportError:  # no C compiler was at hand when adjoint was installed
        pass

accelerated: bool = core is not None
